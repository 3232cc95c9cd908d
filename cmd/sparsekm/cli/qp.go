package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/qp"
)

type qpCmd struct {
	Model string `arg:"" reads:"the program" help:"Convex quadratic program in MPS format with QUADOBJ, QSECTION or QMATRIX, or in LP format with [ ... ] / 2, gzipped or not; - for standard input."`

	Tolerance float64          `default:"1e-9" help:"Largest residual and gap of what is called optimal, relative to the terms of the sums."`
	MaxIter   int              `placeholder:"N" help:"Limit on the constraints that are added and dropped. Default: 100 (rows + columns) + 10000."`
	TimeLimit time.Duration    `placeholder:"TIME" help:"Stop this long after the start of the command, reading included."`
	Mem       session.ByteSize `placeholder:"SIZE" help:"Memory budget of reading the program, of its dense matrices, and of proving its status. Default: half of what the host, or its control group, has."`
	Values    bool             `help:"Print every variable and dual that is not zero."`
	proofFlag
}

func (c *qpCmd) Run(s *session.Session) error {
	if err := checkStops(s, c.Tolerance, c.TimeLimit); err != nil {
		return err
	}
	s, cancel := s.WithTimeLimit(c.TimeLimit)
	defer cancel()
	budget := c.Mem.Bytes()
	model, err := session.InBackground(s, func() (*qp.Model, error) { return readModel(s, c.Model, budget, qp.Read) })
	if err != nil {
		return err
	}
	warn(s, c.Model, &model.Model)
	solver, err := session.InBackground(s, func() (*qp.Solver, error) {
		return qp.New(model.QP(), qp.Options{MaxIter: c.MaxIter, Tolerance: c.Tolerance})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	}
	loaded := time.Now()
	r := new(qp.Result)
	solver.SolveInto(s.Context, r)
	j := newLPJSON(&model.Model, r.Linear(), func() error { return qp.CheckWithin(model.QP(), r, c.Tolerance) })
	j.Seconds.Load, j.Seconds.Solve = loaded.Sub(s.Start).Seconds(), time.Since(loaded).Seconds()
	unproved := c.prove(s, j, c.Model, budget, func(ctx context.Context, maxBytes int64) (proved, error) {
		p, err := qp.Prove(ctx, model.QP(), r, maxBytes)
		if err != nil {
			return proved{}, err
		}
		return proved{p.Status, func(w io.Writer) error { return p.Write(w, model) }}, nil
	})
	return j.show(s, c.Values, c.Model, &model.Model, nil, unproved)
}
