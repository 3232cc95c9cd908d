package cli

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/status"
)

// Exit statuses; docs/reference/exit.md has the table of what ends with which.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitLimit  = 3

	exitInterrupted = 130 // by a second interrupt, as shells have it
)

// errLimit says that a limit came first and that the result written is the best so far.
var errLimit = errors.New("stopped by a limit")

// noteUnkept says that a model worth something goes with the process.
func (s *session) noteUnkept(worthless error, out string) {
	if worthless == nil && out == "" {
		s.note("the model is not kept: --out MODEL writes it")
	}
}

// verdict turns a result's status into the command's end: nothing where it is done, errLimit for the
// best so far, and the failure of a result that is of no use, which nobody asked to keep with keep.
func (s *session) verdict(st status.Status, worthless error, out string, keep bool) error {
	switch {
	case st.Done():
		return nil
	case worthless == nil:
		s.note("%s: the model is the best so far", st)
		return errLimit
	case out == "":
		return worthless
	case keep:
		return fmt.Errorf("%w; %s has it nevertheless", worthless, out)
	}
	return fmt.Errorf("%w; %s is not written (--keep-partial writes it)", worthless, out)
}
