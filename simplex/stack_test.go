package simplex_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
)

// TestStackGrowth solves dense and sparse programs, and follows their paths, on a stack that moves.
func TestStackGrowth(t *testing.T) {
	testutil.StackGrowth(t, func() map[string]func() float64 {
		return map[string]func() float64{
			"dense": func() float64 { return solveOnStack(false) }, "sparse": func() float64 { return solveOnStack(true) },
		}
	})
}

// solveOnStack solves a program of 12 rows and 35 columns, and follows it along a change of costs and one of bounds.
func solveOnStack(sparse bool) float64 {
	const m, n = 12, 35
	var a [m * n]float64
	var c, up, direction, x, col [n]float64
	var lo, rates [m]float64
	testutil.Fill(a[:], 1)
	testutil.Fill(direction[:], 2)
	for j := range n {
		c[j], up[j] = 1+direction[j]/2, 9
	}
	for i := range m {
		lo[i], rates[i] = 1, 0.2
	}
	lp := simplex.LP{C: c[:], Up: up[:], RowLo: lo[:], A: simplex.NewDense(m, n, a[:])}
	if sparse {
		var s simplex.Sparse
		s.Rows = m
		rows := [m]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		for j := range n {
			lp.A.Column(col[:m], j)
			s.Append(rows[:], col[:m])
		}
		lp.A = &s
	}
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	r := s.Solve(ctx)
	total := r.Objective + testutil.WeightedSum(r.Y)
	visit := func(g simplex.Segment) bool {
		g.X(x[:], nil)
		total += testutil.WeightedSum(x[:])
		return true
	}
	if _, err = s.Parametric(ctx, simplex.Rates{C: direction[:]}, 0.5, visit); err != nil {
		panic(err)
	}
	if _, err = s.Ranging(ctx); err != nil {
		panic(err)
	}
	if _, err = s.Parametric(ctx, simplex.Rates{RowLo: rates[:]}, 0.5, func(simplex.Segment) bool {
		return true
	}); err != nil {
		panic(err)
	}
	return total + s.Solve(ctx).Objective
}
