package gram

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNth: an element by rank is that of the sorted numbers, with repetitions too.
func TestNth(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 2000 {
		x := make([]float64, 1+rng.IntN(30))
		for i := range x {
			x[i] = float64(rng.IntN(1 + rng.IntN(20)))
		}
		sorted, k := slices.Sorted(slices.Values(x)), rng.IntN(len(x))
		if given := slices.Clone(x); nth(x, k) != sorted[k] {
			t.Fatalf("element %d of %v: found %v", k, given, nth(x, k))
		}
	}
}
