package smo

import (
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

// newDense is NewDense of double precision without gaps.
func newDense(n int, k []float64) *inMemory[float64] { return NewDense(n, k, n).(*inMemory[float64]) }
