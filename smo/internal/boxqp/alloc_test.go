package boxqp

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Single-variable steps and Newton steps of a subproblem allocate nothing.
func TestStepsDoNotAllocate(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		z, h, p := randomProblem(rand.New(rand.NewPCG(33, 34)), 60, 40)
		for _, m := range []Matrix{plain(h), factorOf(z, 60, 40)} {
			p.H = m
			s := p.begin(context.Background(), Options{})
			s.refresh()
			set := make([]int, s.n)
			for i := range set {
				set[i] = i
			}
			q := &s.work
			q.load(s, set)
			x := append([]float64(nil), q.x...)
			g := append([]float64(nil), q.g...)
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
