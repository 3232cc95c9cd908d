package metrics_test

import (
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/metrics"
)

// The error rate of a classifier that errs on 3 of 100 test samples, and that of one that 10 of 1000 training samples
// and 20 bits determine, both with a confidence of 95 %.
func ExampleMaxRate() {
	delta := math.Log(0.05)
	c := metrics.Compression{Samples: 1000, Vectors: 10, Errors: 30, Bits: 20}
	fmt.Printf("%.3f %.3f\n", metrics.MaxRate(3, 100, delta), c.Bound(delta))
	// Output: 0.076 0.144
}

// Four predictions, in two batches.
func ExampleTally() {
	t := metrics.New([]string{"no", "yes"})
	t.Add([]int{0, 1, 1}, []int{0, 1, 0}, nil) // the true classes, and the predicted ones
	t.Add([]int{0}, []int{0}, nil)
	r := t.Report()
	fmt.Println(r.Errors, "of", r.Samples, r.Confusion)
	fmt.Printf("%.2f %.2f\n", *r.ErrorRate, *r.BalancedAccuracy)
	// Output:
	// 1 of 4 [[2 0] [1 1]]
	// 0.25 0.75
}
