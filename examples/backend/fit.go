package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Sizes of a fit.
const (
	channels   = 40
	substances = 8
)

// fit is unmixing: the amounts of known substances, none below 0, whose spectra add up to a measured one. The spectra
// are the matrix A of min ½‖Ax − b‖²; a measurement b changes the costs −Aᵀb only.
type fit struct {
	pool    *qp.Pool
	spectra *simplex.Dense
	sensors []sensor
}

// sensor is a user.
type sensor struct {
	qp       qp.QP
	measured [channels]float64
	amounts  [substances]float64
	rng      *rand.Rand
	checker  qp.Checker
}

func newFit(ctx context.Context, users int) (*fit, error) {
	spectra := simplex.NewDense(channels, substances, make([]float64, channels*substances))
	for i := range channels {
		for j := range substances {
			away := (float64(i) - float64(5*j)) / 4
			spectra.Row(i)[j] = math.Exp(-away * away)
		}
	}
	p, err := qp.LeastSquares(spectra, make([]float64, channels))
	if err != nil {
		return nil, err
	}
	all := &fit{spectra: spectra, sensors: make([]sensor, users)}
	for i := range all.sensors {
		s := &all.sensors[i]
		s.rng, s.qp = rand.New(rand.NewPCG(4, uint64(i))), p
		s.qp.C = make([]float64, substances)
	}
	all.pool, err = qp.NewPool(ctx, p, qp.Options{})
	return all, err
}

// next is the next measurement: a mixture of some substances, with noise.
func (f *fit) next(s *sensor) {
	var mixture [substances]float64
	for range 3 {
		mixture[s.rng.IntN(substances)] = s.rng.Float64()
	}
	clear(s.qp.C)
	for i := range s.measured {
		b := 0.02 * s.rng.NormFloat64()
		for j, e := range f.spectra.Row(i) {
			b += e * mixture[j]
		}
		for j, e := range f.spectra.Row(i) {
			s.qp.C[j] -= e * b
		}
		s.measured[i] = b
	}
}

func (f *fit) size() (rows, columns int) { return 0, substances }

func (f *fit) tick(ctx context.Context, threads int, t []tally) error {
	return f.pool.Each(ctx, threads, len(f.sensors), func(i int, s *qp.Solver) error {
		f.next(&f.sensors[i])
		t[i].begin()
		return s.SetCost(f.sensors[i].qp.C)
	}, func(i int, r *qp.Result) error {
		t[i].end()
		if r.Status != status.Optimal {
			t[i].missed++
			return nil
		}
		s := &f.sensors[i]
		copy(s.amounts[:], r.X)
		t[i].verified++
		return s.checker.Check(s.qp, r)
	})
}
