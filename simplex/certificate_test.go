package simplex

import (
	"errors"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// TestCertify holds residuals and gap of one column and one row, s = a·x, against
// their definitions: relative to the terms of the sums that are rounded.
func TestCertify(t *testing.T) {
	for _, c := range []struct {
		name              string
		x, lo, up, cost   float64
		a, rowLo, rowUp   float64
		y, offset, unit   float64
		primal, dual, gap float64
	}{
		{name: "nothing"},
		{name: "below a lower bound", x: 396, lo: 400, up: inf, primal: 4.0 / 400},
		{name: "below a negative one", x: -404, lo: -400, up: inf, primal: 4.0 / 404},
		{name: "below a tiny one", x: 1e-12, lo: 4e-12, up: inf, primal: 0.75},
		{name: "above an upper bound", x: 404, lo: -inf, up: 400, primal: 4.0 / 404},
		{name: "above 0", x: 1e-9, lo: -inf, up: 0, primal: 1},
		{name: "row below", x: 2, up: 9, a: 198, rowLo: 400, rowUp: inf, primal: 4.0 / 400},
		{name: "row above", x: 2, up: 9, a: 202, rowLo: -inf, rowUp: 400, primal: 4.0 / 404},
		{name: "tiny row above", x: 2, up: 9, a: 2e-9, rowLo: -inf, rowUp: 1e-9, primal: 3.0 / 4},
		{name: "d without a lower bound", lo: -inf, up: 0, cost: 8, a: 1, rowUp: inf, y: 6, dual: 2.0 / 8},
		{name: "d without an upper bound", up: inf, cost: -8, a: 1, rowLo: -inf, y: -6, dual: 2.0 / 8},
		{name: "cost next to the row's term", up: inf, cost: 0.5, a: 4, rowUp: 1, y: 1, dual: 3.5 / 4},
		{name: "y without a bound", rowLo: -inf, rowUp: 1, y: 3, dual: 1},
		{name: "in a unit", x: 1.5, up: 1, a: 1, cost: -1, rowLo: -inf, rowUp: 1, y: 1, unit: 50, primal: 0.01, dual: 0.02,
			gap: 0.5 / (50 + 2e-4)},
		{name: "gap", x: 3, lo: 1, up: 9, cost: 2, gap: 4 / (6 + 2e-4)},
		{name: "tiny gap", x: 3e-9, lo: 1e-9, up: 9, cost: 2, gap: 4 / (6 + 2e-4)},
		{name: "gap with a constant", x: 3, lo: 1, up: 9, cost: 2, offset: 14, gap: 4 / (20 + 2e-4)},
		{name: "gap at the upper bound", x: 3, lo: 1, up: 4, cost: -2, gap: 2 / (6 + 8e-4)},
		{name: "rounding of d", lo: -5, cost: 3, a: 1, rowLo: 0, rowUp: 9, y: 3 - 0x1p-51, gap: 5 * 0x1p-51 / 15e-4},
		{name: "row's lower bound", x: 2, lo: -inf, up: inf, cost: 1, a: 1, rowLo: 1, rowUp: 5, y: 1, gap: 1 / (2 + 1e-4)},
		{name: "a basic column has no part", x: 2, up: 1e9, cost: 1, a: 1, rowLo: 1, rowUp: 5, y: 1, gap: 1 / (2 + 1e-4)},
		{name: "row's upper bound", x: 2, lo: -inf, up: inf, cost: -1, a: 1, rowLo: 1, rowUp: 5, y: -1, gap: 3 / (2 + 5e-4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			lp := LP{C: []float64{c.cost}, Lo: []float64{c.lo}, Up: []float64{c.up},
				RowLo: []float64{c.rowLo}, RowUp: []float64{c.rowUp}, Offset: c.offset, A: NewDense(1, 1, []float64{c.a})}
			got := new(scratch).certify(&lp, new(Checker).consistent(&lp, &Result{X: []float64{c.x}, Y: []float64{c.y}}), c.unit)
			testutil.Near(t, "primal residual", got.PrimalResidual, c.primal, 1e-15)
			testutil.Near(t, "dual residual", got.DualResidual, c.dual, 1e-15)
			testutil.Near(t, "gap", got.Gap, c.gap, 1e-15)
		})
	}
}

// TestCheckTolerance: an x that is off by 1e-5 passes at a tolerance of 1e-3, and fails Check.
func TestCheckTolerance(t *testing.T) {
	lp := LP{C: []float64{1}, RowLo: []float64{0.5}, RowUp: []float64{inf}, A: NewDense(1, 1, []float64{1})}
	for _, c := range []struct{ x, y float64 }{{0.5 * (1 - 1e-5), 1}, {0.5, 1 - 1e-5}, {0.5 * (1 + 1e-5), 1}} {
		r := new(Checker).consistent(&lp, &Result{Status: status.Optimal, X: []float64{c.x}, Y: []float64{c.y}, Objective: c.x})
		if err := (&Checker{Tolerance: 1e-3}).Check(lp, r); err != nil {
			t.Errorf("%+v within 1e-3: %v", c, err)
		}
		if err := Check(lp, r); !errors.Is(err, ErrCertificate) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestGapRounding: at an optimum of 0, a reduced cost that is the rounding of its terms makes no gap,
// a larger one does.
func TestGapRounding(t *testing.T) {
	lp := LP{C: []float64{0}, Lo: []float64{0}, Up: []float64{5}, RowLo: []float64{0, 0}, RowUp: []float64{inf, inf},
		A: NewDense(2, 1, []float64{1, -1})}
	for _, c := range []struct{ d, gap float64 }{{-0x1p-52, 0}, {-1e-13, 1e4}} {
		got := new(scratch).certify(&lp, new(Checker).consistent(&lp, &Result{X: []float64{0}, Y: []float64{1, 1 + c.d}}), 0)
		testutil.NearRel(t, "gap", got.Gap, c.gap, 1e-12)
	}
}

// TestFarkasGap: rounding in a multiplier's product with a column that one bound
// leaves open does not spoil a proof; an entry there does, however small.
func TestFarkasGap(t *testing.T) {
	for _, c := range []struct {
		name          string
		entries       [2]float64 // of a column, in rows of which one asks for 1 and the other for nothing
		lo, up, rowUp float64
		want          bool
	}{
		{"closed column", [2]float64{0.25}, 0, 1, inf, true},
		{"column that reaches far enough", [2]float64{1}, 0, 1, inf, false},
		{"rounding, open above", [2]float64{1, 0x1p-51 - 1}, 0, inf, inf, true},
		{"rounding, open below", [2]float64{-1, 1 - 0x1p-51}, -inf, 0, inf, true},
		{"more than rounding, open above", [2]float64{1, 1e-13 - 1}, 0, inf, inf, false},
		{"entry, open above", [2]float64{1e-3}, 0, inf, inf, false},
		{"tiny entry, open above", [2]float64{1e-20}, 0, inf, inf, false},
		{"difference, open above", [2]float64{1, 1e-9 - 1}, 0, inf, inf, false},
		{"entry that helps, open above", [2]float64{-1e-3}, 0, inf, inf, true},
		{"a bound far above", [2]float64{-2}, 0, 0, 1e15, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			lp := LP{C: []float64{0}, Lo: []float64{c.lo}, Up: []float64{c.up}, RowLo: []float64{1, 0}, RowUp: []float64{c.rowUp, inf},
				A: NewDense(2, 1, c.entries[:])}
			if proof := new(scratch).farkasGap(&lp, []float64{1, 1}); math.IsNaN(proof) || (proof > 0) != c.want {
				t.Errorf("gap %g, want a proof: %v", proof, c.want)
			}
		})
	}
}
