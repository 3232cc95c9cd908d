package metrics_test

import (
	"fmt"

	"github.com/sparsekm/sparsekm/metrics"
)

// Four predictions, in two batches.
func ExampleTally() {
	t := metrics.New([]string{"no", "yes"})
	t.Add([]int{0, 1, 1}, []int{0, 1, 0}, nil) // the true classes, and the predicted ones
	t.Add([]int{0}, []int{0}, nil)
	r := t.Report()
	fmt.Println(t.Errors(), "of", r.Points, r.Confusion)
	fmt.Printf("%.2f %.2f\n", *r.ErrorRate, *r.BalancedAccuracy)
	// Output:
	// 1 of 4 [[2 0] [1 1]]
	// 0.25 0.75
}
