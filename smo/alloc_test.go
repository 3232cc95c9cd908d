package smo

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Steps of a subproblem whose rows are there take no memory, shrinking excepted.
func TestStepsDoNotAllocate(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		p := randomPair(rand.New(rand.NewPCG(31, 32)), 200, 150, 5)
		s := p.begin(Options{Tolerance: 1e-12})
		s.extremes()
		w := s.sel.choose(s)
		in := s.work.(*inner[float64])
		in.load(s, w)
		for i := range w {
			in.row(i)
		}
		start := append([]float64(nil), in.a...)
		taken := 0
		steps := func() {
			copy(in.a, start) // g stays: another problem each time, which is all the same to the memory
			in.solve(t.Context(), 0, 100)
			taken += in.iterations
		}
		if got := testing.AllocsPerRun(10, steps); got != 0 {
			t.Errorf("%v allocations in 100 steps", got)
		}
		if taken < 500 {
			t.Errorf("only %d steps", taken)
		}
	})
}

// Neither do single-variable steps and Newton steps of a Box.
func TestBoxStepsDoNotAllocate(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		z, h, p := boxCase(rand.New(rand.NewPCG(33, 34)), 60, 40)
		for _, m := range []Matrix{NewDense(60, flat(h)), NewFactor(z, 60, 40, 40)} {
			p.H = m
			s := p.begin(context.Background(), Options{})
			s.refresh()
			set := make([]int, s.n)
			for i := range set {
				set[i] = i
			}
			q := &s.work
			q.load(s, set)
			x, g := append([]float64(nil), q.x...), append([]float64(nil), q.g...)
			steps := func() {
				copy(q.x, x)
				copy(q.g, g)
				for !q.steps(s, 1e-9) {
					q.newton()
					s.result.Newton++
				}
			}
			steps() // makes the scratch
			taken, newton := s.result.Steps, s.result.Newton
			if got := testing.AllocsPerRun(10, steps); got != 0 {
				t.Errorf("%T: %v allocations in a subproblem", m, got)
			}
			if s.result.Steps != 12*taken || s.result.Newton != 12*newton || newton < 1 {
				t.Errorf("%T: %d and %d steps, then %d and %d", m, taken, newton, s.result.Steps, s.result.Newton)
			}
		}
	})
}
