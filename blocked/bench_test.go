package blocked

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

// Sixteen rows that are computed, and the same out of the cache.
func BenchmarkAddRows(b *testing.B) {
	const n = 2000
	for _, d := range []int{2, 20} {
		rng := rand.New(rand.NewPCG(1, uint64(d)))
		x := make([]float64, n*d)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for _, from := range []string{"kernel", "cache"} {
			b.Run(fmt.Sprintf("from=%s/n=%d/d=%d", from, n, d), func(b *testing.B) {
				budget := int64(64 << 20)
				if from == "kernel" {
					budget = 0
				}
				m := New(gram.Pack[float64](gram.RBF(1/float64(d)), x, n, d), budget, 1)
				g, idx, coef := make([]float64, n), make([]int, MinRows), make([]float64, MinRows)
				at := 0
				b.ReportAllocs()
				for b.Loop() {
					for k := range idx {
						if coef[k] = 1; from == "kernel" {
							at = (at + 1) % n
							idx[k] = at
						} else {
							idx[k] = k
						}
					}
					if err := m.AddRows(b.Context(), g, idx, coef); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
