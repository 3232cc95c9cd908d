package simplex_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// TestDualStatements: the dual of a program, in which equations are free columns, has its optimum, and the dual of that
// too.
func TestDualStatements(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		for name, lp := range map[string]simplex.LP{
			"transport":       inputs.Transport(20, 40, 6, seed),
			"assignment":      inputs.Assignment(40, 5, seed),
			"staircase":       inputs.Staircase(6, 12, 18, seed),
			"multi-commodity": inputs.Multicommodity(10, 30, 4, seed),
		} {
			want := optimum(t, name, lp)
			dual := inputs.Dual(lp)
			testutil.NearRel(t, name+", dual", -optimum(t, name+", dual", dual), want, 1e-9)
			testutil.NearRel(t, name+", dual of the dual", optimum(t, name+", dual of the dual", inputs.Dual(dual)), want, 1e-9)
		}
	}
}

// optimum solves a program and checks its certificate.
func optimum(t *testing.T, name string, lp simplex.LP) float64 {
	t.Helper()
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(context.Background())
	if err := simplex.Check(lp, r); err != nil || r.Status != status.Optimal {
		t.Fatalf("%s: %v, %v", name, r.Status, err)
	}
	return r.Objective
}

// TestDualStatementsStop: a solve that is stopped early goes on to the optimum.
func TestDualStatementsStop(t *testing.T) {
	lp := inputs.Dual(inputs.Staircase(30, 12, 18, 1))
	want := optimum(t, "dual", lp)
	for left := range 12 {
		s, err := simplex.New(lp, simplex.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Solve(testutil.EndAfter(t.Context(), left)); r.Status != status.Cancelled {
			t.Fatalf("after %d looks: %v", left, r.Status)
		}
		testutil.NearRel(t, "gone on", s.Solve(t.Context()).Objective, want, 1e-9)
	}
}
