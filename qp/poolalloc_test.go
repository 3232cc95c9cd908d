//go:build !race

package qp

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// TestPoolAllocatesNothing changes a pool's program, solves it into the same result, and checks that.
func TestPoolAllocatesNothing(t *testing.T) {
	sparse := Projection(constant(12, 0.5))
	sparse.A, sparse.RowUp = simplex.NewDense(1, 12, constant(12, 1)), []float64{1}
	for name, p := range map[string]*pooled{"dense": newPooled(t, 12, 20, false), "semidefinite": newPooled(t, 12, 20, true)} {
		now := p.p
		var r Result
		var c Checker
		turn := 0
		costs := [][]float64{p.of(1).C, p.of(2).C}
		low := make([]float64, 20)
		solve := func() {
			turn++
			now.C = costs[turn%2]
			if now.RowLo = p.p.RowLo; turn%3 == 0 {
				now.RowLo = low
			}
			err := p.Solve(context.Background(), func(s *Solver) error {
				if err := s.SetCost(now.C); err != nil {
					return err
				}
				return s.SetRowBounds(now.RowLo, now.RowUp)
			}, &r)
			if err == nil {
				err = c.Check(now, &r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 6 {
			solve()
		}
		if n := testing.AllocsPerRun(60, solve); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	r, err := Solve(context.Background(), sparse, Options{})
	if err != nil || r.Status != status.Optimal {
		t.Fatal(r, err)
	}
	var c Checker
	if n := testing.AllocsPerRun(10, func() { err = c.Check(sparse, r) }); n != 0 || err != nil {
		t.Errorf("a sparse Q: %v allocations, %v", n, err)
	}
}
