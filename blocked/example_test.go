package blocked_test

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/smo"
)

// A quadratic program over a kernel matrix that is evaluated as far as the program needs it.
func ExampleMatrix() {
	samples := gram.Pack[float64](gram.Linear(), []float64{0, 1, 3, 4}, 4, 1)
	k := blocked.New(samples, 1<<20, 1) // one MiB, one worker
	svm := smo.Pair{K: k, P: []float64{1, 1, -1, -1}, Lo: []float64{-1, -1, 0, 0}, Hi: []float64{0, 0, 1, 1}}
	r := smo.Solve(context.Background(), &svm, smo.Options{})
	fmt.Printf("%v %.3f\n", r.Status, r.Objective)
	// Output:
	// optimal -0.500
}
