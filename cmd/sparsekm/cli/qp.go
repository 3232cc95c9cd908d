package cli

import (
	"fmt"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/simplex/prove"
)

type qpCmd struct {
	Model string `arg:"" reads:"the program" help:"Convex quadratic program in MPS format with QUADOBJ, QSECTION or QMATRIX, or in LP format; - for standard input."`
	solveFlags
}

func (c *qpCmd) Run(s *session.Session) error {
	model, err := readProgram(s, c.Model, lpfile.Limits{Bytes: s.Memory})
	if err != nil {
		return err
	}
	rows, n := model.A.Dims()
	if qp.Bytes(n, rows) > s.Memory {
		return fmt.Errorf("%s: %d variables and %d rows take more than %d bytes of memory", c.Model, n, rows, s.Memory)
	}
	program := qp.QP{LP: model.LP, Q: model.Q}
	solver, err := session.InBackground(s, func() (*qp.Solver, error) {
		return qp.New(program, qp.Options{MaxIter: c.MaxIter, Tolerance: c.Tolerance})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	}
	loaded := time.Now()
	r := solver.Solve(s.Context)
	j := newLPJSON(model, r.Linear(), func() error { return (&qp.Checker{Tolerance: c.Tolerance}).Check(program, r) })
	j.Seconds.Load, j.Seconds.Solve = loaded.Sub(s.Start).Seconds(), time.Since(loaded).Seconds()
	return c.end(s, j, c.Model, model, nil, func(maxBytes int64) (*prove.Proof, error) {
		return qp.Prove(s.Context, program, r, maxBytes)
	})
}
