package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

// proofFlag is the flag of commands that prove what they find.
type proofFlag struct {
	Prove string `placeholder:"FILE" writes:"" help:"Prove the status in exact arithmetic, and write the proof, which simplex/provecheck.py checks."`
}

// prove writes a proof of what j says of a file's program, if one is asked for. It is an error if there is none, or if
// it proves something else.
func (c *proofFlag) prove(s *session.Session, j *lpJSON, file string, m *lpfile.Model, budget int64,
	run func(maxBytes int64) (*prove.Proof, error)) error {
	if c.Prove == "" || j.Status.Limit() {
		return nil
	}
	left := max(1, budget-inUse())
	begun := time.Now()
	proof, err := run(left)
	j.Seconds.Prove = time.Since(begun).Seconds()
	if err != nil {
		if errors.Is(err, prove.ErrMemory) {
			err = fmt.Errorf("%w (--mem sets the budget)", err)
		}
		j.Proved = "nothing: " + err.Error()
		return fmt.Errorf("%s: not proved: %w", file, err)
	}
	j.Proved = proof.Status.String()
	write := func(w io.Writer) error { return proof.Write(w, m.RowNames, m.ColNames) }
	if err := fileformat.Write(c.Prove, write); err != nil {
		return err
	}
	if proof.Status != j.Status && j.Status != status.Numerical {
		return fmt.Errorf("%s: %s within the tolerance, but exactly %s", file, j.Status, proof.Status)
	}
	return nil
}

// inUse are the bytes of the program and of its solution.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// show prints what a command found and proved, and returns the error that it ends with: failed if that is not nil.
func (j *lpJSON) show(s *session.Session, values bool, file string, m *lpfile.Model, failed, unproved error) error {
	if !s.JSON {
		j.print(s.Stdout, values, m)
	} else if err := s.WriteJSON(j); err != nil && failed == nil {
		return err
	}
	switch {
	case failed != nil:
		return failed
	case unproved != nil && s.Context.Err() != nil:
		s.Note("%s: nothing is proved", status.FromContext(s.Context))
		return session.ErrLimit
	case unproved != nil:
		return unproved
	}
	return j.outcome(s, file)
}
