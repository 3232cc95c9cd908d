package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/atomicfile"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// prove writes a proof of what r says, if one is asked for. It is an error if there is none, or if it proves
// something else.
func (c *lpCmd) prove(s *session.Session, j *lpJSON, m *simplex.Model, r *simplex.Result) error {
	if c.Prove == "" || r.Status.Limit() {
		return nil
	}
	defer session.LimitMemory(c.Mem.Bytes())()
	left := max(1, c.Mem.Bytes()-inUse())
	begun := time.Now()
	proof, err := simplex.ProveWithin(s.Context, m.LP, r, left)
	j.Seconds.Prove = time.Since(begun).Seconds()
	if err != nil {
		if errors.Is(err, simplex.ErrMemory) {
			err = fmt.Errorf("%w (--mem sets the budget)", err)
		}
		j.Proved = "nothing: " + err.Error()
		return fmt.Errorf("%s: not proved: %w", c.Model, err)
	}
	j.Proved = proof.Status.String()
	if err := writeProof(c.Prove, m, proof); err != nil {
		return err
	}
	if proof.Status != r.Status && r.Status != status.Numerical {
		return fmt.Errorf("%s: %s within the tolerance, but exactly %s", c.Model, r.Status, proof.Status)
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

func writeProof(name string, m *simplex.Model, p *simplex.Proof) error {
	return atomicfile.Write(name, func(w io.Writer) error { return p.Write(w, m) })
}
