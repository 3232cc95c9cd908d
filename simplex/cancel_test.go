package simplex

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// TestEndsInEveryPhase ends the context at every place where it is asked for: the
// factorisation of a stored basis, the weights, the pivots. The result is finite, and the
// next solve finds the optimum.
func TestEndsInEveryPhase(t *testing.T) {
	p := plantedAt(5, 30, 40, 1)
	s, err := New(p.lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.noTableau = true // it asks less often
	first := s.Solve(context.Background())
	basis := s.Basis(Basis{})
	costs := make([]float64, len(p.c))
	for j := range costs {
		costs[j] = p.c[j] + math.Sin(float64(j)) // another optimum
	}
	seen := 0
	for left := 0; ; left++ {
		if err := s.SetBasis(basis); err != nil {
			t.Fatal(err)
		}
		if err := s.SetCost(costs); err != nil {
			t.Fatal(err)
		}
		r := s.Solve(testutil.EndAfter(context.Background(), left))
		if r.Status == status.Optimal {
			break
		}
		seen++
		if r.Status != status.Cancelled {
			t.Fatalf("ended at %d: %v", left, r.Status)
		}
		for _, x := range r.X {
			testutil.AtMost(t, "element", math.Abs(x), math.MaxFloat64)
		}
		if err := s.SetCost(p.c); err != nil {
			t.Fatal(err)
		}
		if again := s.Solve(context.Background()); again.Status != status.Optimal {
			t.Fatalf("after the end at %d: %v", left, again.Status)
		} else {
			testutil.NearRel(t, "objective after an end", again.Objective, first.Objective, 1e-9)
		}
	}
	if seen < 30 {
		t.Errorf("asked %d times: not in the factorisation", seen)
	}
}
