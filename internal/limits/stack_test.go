package limits_test

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/limits"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestStackGrowth reads memory on a stack that moves. Write asks for a cache line, which no stack promises.
func TestStackGrowth(t *testing.T) {
	testutil.StackGrowth(t, func() map[string]func() float64 {
		return map[string]func() float64{"FMA": func() float64 { return limits.FMA(1) }, "Read": func() float64 {
			var x [4 * limits.Step]float64
			testutil.Fill(x[:], 1)
			limits.Read(x[:], 2)
			return testutil.WeightedSum(x[:])
		}}
	})
}
