package simplex

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
)

// TestCertify holds residuals and gap of one column and one row against their
// definitions: relative to bounds, costs and objectives beyond 1, absolute below.
func TestCertify(t *testing.T) {
	for _, c := range []struct {
		name              string
		x, lo, up         float64
		cost, d           float64
		s, rowLo, rowUp   float64
		y, offset         float64
		primal, dual, gap float64
	}{
		{name: "nothing"},
		{name: "below a large bound", x: 396, lo: 400, up: inf, primal: 0.01},
		{name: "below a large negative bound", x: -404, lo: -400, up: inf, primal: 0.01},
		{name: "below a small bound", x: 0.25, lo: 0.5, up: inf, primal: 0.25},
		{name: "above a large bound", x: 404, lo: -inf, up: 400, primal: 0.01},
		{name: "above a large negative bound", x: -396, lo: -inf, up: -400, primal: 0.01},
		{name: "above a small bound", x: 0.75, lo: -inf, up: 0.5, primal: 0.25},
		{name: "row below", s: 396, rowLo: 400, rowUp: inf, primal: 0.01},
		{name: "row above", s: 404, rowLo: -inf, rowUp: 400, primal: 0.01},
		{name: "positive d without a lower bound", lo: -inf, up: 1, d: 2, cost: 8, dual: 0.25},
		{name: "negative d without an upper bound", up: inf, d: -2, cost: -8, dual: 0.25},
		{name: "small cost", up: inf, d: -2, cost: 0.5, dual: 2},
		{name: "y without a bound", rowLo: -inf, rowUp: 1, y: 3, dual: 3},
		{name: "gap", x: 3, lo: 1, up: 9, cost: 2, d: 2, gap: 4.0 / 7},
		{name: "gap with a constant", x: 3, lo: 1, up: 9, cost: 2, d: 2, offset: 13, gap: 4.0 / 20},
		{name: "gap at the upper bound", x: 3, lo: 1, up: 4, cost: -2, d: -2, gap: 2.0 / 7},
		{name: "row in the dual objective", x: 2, lo: -inf, up: inf, cost: 1, s: 2, rowLo: 1, rowUp: 5, y: 1, gap: 1.0 / 3},
		{name: "row's upper bound", x: 2, lo: -inf, up: inf, cost: -1, s: 2, rowLo: 1, rowUp: 5, y: -1, gap: 3.0 / 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			lp := LP{C: []float64{c.cost}, Lo: []float64{c.lo}, Up: []float64{c.up},
				RowLo: []float64{c.rowLo}, RowUp: []float64{c.rowUp}, Offset: c.offset}
			r := &Result{X: []float64{c.x}, ReducedCosts: []float64{c.d}, Activity: []float64{c.s}, Y: []float64{c.y}}
			got := certify(&lp, r)
			testutil.Near(t, "primal residual", got.PrimalResidual, c.primal, 1e-15)
			testutil.Near(t, "dual residual", got.DualResidual, c.dual, 1e-15)
			testutil.Near(t, "gap", got.Gap, c.gap, 1e-15)
		})
	}
}

// TestFarkasGap: rounding in a multiplier's product with a column that one bound
// leaves open does not spoil a proof; a real entry there does.
func TestFarkasGap(t *testing.T) {
	for _, c := range []struct {
		name          string
		entry, lo, up float64
		want          bool
	}{
		{"closed column", 0.25, 0, 1, true},
		{"column that reaches far enough", 1, 0, 1, false},
		{"rounding, open above", 1e-12, 0, inf, true},
		{"rounding, open below", -1e-12, -inf, 0, true},
		{"entry, open above", 1e-3, 0, inf, false},
		{"entry that helps, open above", -1e-3, 0, inf, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			lp := LP{C: []float64{0}, Lo: []float64{c.lo}, Up: []float64{c.up}, RowLo: []float64{1}, RowUp: []float64{inf},
				A: NewDense(1, 1, []float64{c.entry})}
			if proof := farkasGap(&lp, []float64{1}); math.IsNaN(proof) || (proof > 0) != c.want {
				t.Errorf("gap %g, want a proof: %v", proof, c.want)
			}
		})
	}
}
