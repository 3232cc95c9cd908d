package simplex

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// TestEndless: bounds from 1e20 on are infinite, wherever they come from.
func TestEndless(t *testing.T) {
	ctx := context.Background()
	lp := LP{C: []float64{-1}, Lo: []float64{-1e20}, Up: []float64{1e30}, RowLo: []float64{-1e25}, RowUp: []float64{1e300},
		A: NewDense(1, 1, []float64{1})}
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	wants := func(name string, want status.Status) {
		t.Helper()
		for range 3 { // the second and third solves are those of a tableau
			if r := s.Solve(ctx); r.Status != want || r.Status == status.Optimal && !(math.Abs(r.X[0]) <= 1e19) {
				t.Errorf("%s: %s at %v, want %s", name, r.Status, r.X, want)
			}
		}
	}
	wants("New", status.Unbounded)
	r := s.Solve(ctx)
	if err := Check(lp, r); err != nil {
		t.Errorf("Check: %v", err)
	}
	if p, err := Prove(ctx, lp, r, 0); err != nil || p.Status != status.Unbounded {
		t.Errorf("Prove: %v", err)
	}
	for name, set := range map[string]func(lo, up float64) error{
		"SetColBounds":   func(lo, up float64) error { return s.SetColBounds([]float64{lo}, []float64{up}) },
		"SetColBoundsAt": func(lo, up float64) error { return s.SetColBoundsAt(0, lo, up) },
		"SetRowBounds":   func(lo, up float64) error { return s.SetRowBounds([]float64{lo}, []float64{up}) },
		"SetRowBoundsAt": func(lo, up float64) error { return s.SetRowBoundsAt(0, lo, up) },
	} {
		if err := set(-1e22, 5); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wants(name, status.Optimal)
		if err := set(-1e22, 1e20); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wants(name, status.Unbounded)
		if set(1e20, 1e21) == nil {
			t.Errorf("%s: a lower bound of 1e20 is not refused", name)
		}
	}
}

// TestCrossedBounds: a program of bounds that cross is infeasible, and they are what contradicts.
func TestCrossedBounds(t *testing.T) {
	ctx := context.Background()
	for _, b := range []Bound{{Index: 1}, {Row: true}} {
		lp := (&LP{C: []float64{-1, 1}, Up: []float64{9, 9}, RowLo: []float64{1}, A: NewDense(1, 2, []float64{1, 1})}).filled()
		*slot(&lp, b) = 3
		b.Upper = true
		*slot(&lp, b) = 2
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Presolve(ctx)
		var r Result
		for range 3 {
			if s.SolveInto(ctx, &r); r.Status != status.Infeasible || Check(lp, &r) != nil {
				t.Errorf("%v: %s, %v", b, r.Status, Check(lp, &r))
			}
		}
		bounds, irreducible, err := IIS(ctx, lp, &r, Options{})
		if err != nil || !irreducible || len(bounds) != 2 || bounds[1] != b || bounds[0] == b {
			t.Errorf("%v: conflict %v, %v", b, bounds, err)
		}
		if p, err := Prove(ctx, lp, &r, 0); err != nil || p.Status != status.Infeasible {
			t.Errorf("%v: %v", b, err)
		}
		if p, err := s.Parametric(ctx, Rates{C: []float64{1, 0}}, 1, nil); err != nil || p.Status != status.Infeasible {
			t.Errorf("%v: a path: %v", b, err)
		}
		if _, err := s.Parametric(ctx, Rates{}, 1, nil); err == nil {
			t.Errorf("%v: a path of bounds", b)
		}
		testUncrossed(t, s, b)
	}
}

// testUncrossed gives bounds that cross other values, and back, each alone and all at once.
func testUncrossed(t *testing.T, s *Solver, b Bound) {
	t.Helper()
	row, all := s.SetColBoundsAt, s.SetColBounds
	lo, up := []float64{0, 0}, []float64{9, 9}
	if b.Row {
		row, all, lo, up = s.SetRowBoundsAt, s.SetRowBounds, []float64{1}, []float64{5}
	}
	for k, change := range []func() error{
		func() error { return row(b.Index, 2, 2) }, func() error { return row(b.Index, 3, 2) },
		func() error { return row(b.Index, 1, 2) }, func() error { lo[b.Index] = 10; return all(lo, up) },
		func() error { lo[b.Index] = 1; return all(lo, up) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		want := status.Optimal
		if k%2 == 1 {
			want = status.Infeasible
		}
		for range 2 {
			if r := s.Solve(context.Background()); r.Status != want {
				t.Errorf("%v, change %d: %s, want %s", b, k, r.Status, want)
			}
		}
	}
}
