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
