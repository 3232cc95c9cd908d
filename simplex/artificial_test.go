package simplex_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// TestArtificialBounds: sparse programs whose slack basis is neither primal nor dual feasible begin with bounds that
// they have not, which must not be what ends them.
func TestArtificialBounds(t *testing.T) {
	for seed := range uint64(10) {
		draw := func() simplex.LP { return inputs.Staircase(6, 12, 18, seed) }
		solved(t, draw(), status.Optimal)
		far := draw()
		scaleBounds(&far, 1e7) // beyond where artificial bounds are
		solved(t, far, status.Optimal)
		open := draw()
		open.RowUp[1] = math.Inf(1)
		attractive(&open, 1) // in a row without an upper bound
		solved(t, open, status.Unbounded)
		shut := draw() // x + y ≤ 1, x + y ≥ 2
		a := shut.A.(*simplex.Sparse)
		shut.RowLo = append(shut.RowLo, math.Inf(-1), 2)
		shut.RowUp = append(shut.RowUp, 1, math.Inf(1))
		a.Rows += 2
		attractive(&shut) // in no row: it stays where it begins
		for range 2 {
			attractive(&shut, int32(a.Rows-2), int32(a.Rows-1))
		}
		solved(t, shut, status.Infeasible)
	}
}

// attractive adds a column ≥ 0 of cost −1 with ones in some rows.
func attractive(lp *simplex.LP, rows ...int32) {
	lp.A.(*simplex.Sparse).Append(rows, slices.Repeat([]float64{1}, len(rows)))
	lp.C = append(lp.C, -1)
	lp.Lo = append(lp.Lo, 0)
	lp.Up = append(lp.Up, math.Inf(1))
}

// scaleBounds makes every bound, and so every solution, so many times as large.
func scaleBounds(lp *simplex.LP, by float64) {
	for _, b := range [][]float64{lp.Lo, lp.Up, lp.RowLo, lp.RowUp} {
		for i := range b {
			b[i] *= by
		}
	}
}

// solved solves a program that is to end so, with a certificate, a Farkas ray or a direction.
func solved(t *testing.T, lp simplex.LP, want status.Status) {
	t.Helper()
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(context.Background())
	if err := simplex.Check(lp, r); err != nil || r.Status != want {
		t.Errorf("%v, want %v, %v", r.Status, want, err)
	}
	for j, x := range r.X {
		if !(lp.Lo[j] <= x && x <= lp.Up[j]) || math.IsInf(x, 0) {
			t.Errorf("column %d is %v, outside of [%v, %v]", j, x, lp.Lo[j], lp.Up[j])
		}
	}
}
