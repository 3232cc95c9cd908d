package smo_test

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/smo"
)

// The support vector machine of the samples −1, 0 (negative) and 1, 2 (positive) with a
// linear kernel and C = 10: the middle pair carries it, and its boundary is x = 0.5.
func ExamplePair() {
	x := []float64{-1, 0, 1, 2}
	k := make([]float64, 16)
	for i := range x {
		for j := range x {
			k[4*i+j] = x[i] * x[j]
		}
	}
	p := smo.Pair{
		K:  smo.NewDense(4, k, 4),
		P:  []float64{1, 1, -1, -1}, // −y
		Lo: []float64{-10, -10, 0, 0},
		Hi: []float64{0, 0, 10, 10},
	}
	r := smo.Solve(context.Background(), &p, smo.Options{})
	fmt.Println(r.Status, r.A, "bias", -r.Rho)
	// Output: optimal [0 -2 2 0] bias -1
}
