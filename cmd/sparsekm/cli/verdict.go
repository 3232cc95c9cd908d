package cli

import (
	"fmt"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/status"
)

// noteUnkept says that a model worth something goes with the process.
func noteUnkept(s *session.Session, worthless error, out string) {
	if worthless == nil && out == "" {
		s.Note("the model is not kept: --out MODEL writes it")
	}
}

// verdict turns a result's status into the command's end: nothing where it is done, session.ErrLimit for the
// best so far, and the failure of a result that is of no use, which nobody asked to keep with keep.
func verdict(s *session.Session, st status.Status, worthless error, out string, keep bool) error {
	switch {
	case st.Done():
		return nil
	case worthless == nil:
		s.Note("%s: the model is the best so far", st)
		return session.ErrLimit
	case out == "":
		return worthless
	case keep:
		return fmt.Errorf("%w; %s has it nevertheless", worthless, out)
	}
	return fmt.Errorf("%w; %s is not written (--keep-partial writes it)", worthless, out)
}
