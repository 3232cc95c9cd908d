package ssvc

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// readout solves K̄ᵀ_{I1,I2} α = 1 for the coefficients I1 that are not 0 over the
// points I2 with 0 < β < C, and returns the largest difference from the program's
// duals relative to the largest coefficient; nil where there is no such solution, or ctx has ended.
func (m *reweighted) readout(ctx context.Context) *float64 {
	if ctx.Err() != nil {
		return nil // somebody waits, and half of the points may be within
	}
	var live []int // −1 is the bias
	var want []float64
	var largest float64
	for r, a := range m.sol.A {
		if a != 0 {
			live, want = append(live, r), append(want, a)
			largest = math.Max(largest, math.Abs(a))
		}
	}
	if m.sol.Bias != 0 {
		live, want = append(live, -1), append(want, m.sol.Bias)
		largest = math.Max(largest, math.Abs(m.sol.Bias))
	}
	var inner []int
	for r, b := range m.sol.M {
		if b != 0 && math.Abs(b) != m.cost[r] {
			inner = append(inner, r)
		}
	}
	if len(live) == 0 || len(inner) < len(live) {
		return nil // degenerate: the system does not determine the coefficients
	}
	a, y := mat.NewDense(len(inner), len(live), nil), mat.NewVecDense(len(inner), nil)
	for t, r := range inner {
		y.SetVec(t, m.y[r]) // y_r f(x_r) = 1
		row := m.k.Rows([]int{r})[0]
		for c, l := range live {
			v := 1.0
			if l >= 0 {
				v = row[l]
			}
			a.Set(t, c, v)
		}
	}
	var got mat.VecDense
	if err := got.SolveVec(a, y); err != nil && got.Len() != len(want) {
		return nil // singular: neither does this
	}
	var worst float64
	for c, v := range want {
		worst = math.Max(worst, math.Abs(got.AtVec(c)-v)/largest)
	}
	return &worst
}
