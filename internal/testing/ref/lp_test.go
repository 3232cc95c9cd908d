package ref

import (
	"math"
	"testing"
)

func TestSolve(t *testing.T) {
	inf := math.Inf(1)
	// Chvátal (1983), p. 26, exercise 2.1a: max 3x1 + 2x2 + 4x3, optimum 10.5.
	a := [][]float64{{1, 1, 2}, {2, 0, 3}, {2, 1, 3}}
	none := []float64{-inf, -inf, -inf}
	st, v, x := LPSolve([]float64{-3, -2, -4}, a, none, []float64{4, 5, 7}, []float64{0, 0, 0}, []float64{inf, inf, inf})
	if st != LPOptimal || v != -10.5 || x[0] != 2.5 || x[1] != 1.5 || x[2] != 0 {
		t.Errorf("got %v %v %v", st, v, x)
	}
	// x ≥ 3 and x ≤ 2 through rows; then min −x without an upper bound; then a free variable at a row's lower bound.
	one := [][]float64{{1}}
	two, up := [][]float64{{1}, {1}}, []float64{inf}
	if st, _, _ := LPSolve([]float64{1}, two, []float64{3, -inf}, []float64{inf, 2}, []float64{0}, up); st != LPInfeasible {
		t.Errorf("got %v, want infeasible", st)
	}
	if st, _, _ := LPSolve([]float64{-1}, one, []float64{3}, []float64{inf}, []float64{0}, []float64{inf}); st != LPUnbounded {
		t.Errorf("got %v, want unbounded", st)
	}
	if st, v, _ := LPSolve([]float64{1}, one, []float64{-7}, up, []float64{-inf}, up); st != LPOptimal || v != -7 {
		t.Errorf("got %v %v, want -7", st, v)
	}
}
