package blocked

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Sixteen rows that are computed, and the same out of the cache.
func BenchmarkAddRows(b *testing.B) {
	for _, size := range [][2]int{{1000, 2}, {1000, 20}, {4000, 2}, {4000, 20}} {
		n, d := size[0], size[1]
		rng := rand.New(rand.NewPCG(1, uint64(d)))
		x := make([]float64, n*d)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for from, budget := range map[string]int64{"kernel": 0, "cache": 8 * int64(n) * int64(n)} {
			b.Run(fmt.Sprintf("from=%s/n=%d/d=%d", from, n, d), func(b *testing.B) {
				m := New(gram.Pack[float64](gram.RBF(1/float64(d)), x, n, d), budget, 1)
				g, idx, coef := make([]float64, n), make([]int, MinRows), slices.Repeat([]float64{1}, MinRows)
				at := 0
				pass := func() { // over the next rows
					for k := range idx {
						idx[k] = at
						at = (at + 1) % n
					}
					if err := m.AddRows(b.Context(), g, idx, coef); err != nil {
						b.Fatal(err)
					}
				}
				for range (n + MinRows - 1) / MinRows { // all that the cache has room for
					pass()
				}
				b.ReportAllocs()
				begun := cpu.Seconds()
				for b.Loop() {
					pass()
				}
				b.ReportMetric(1e9*(cpu.Seconds()-begun)/float64(b.N)/float64(MinRows*n), "cpu-ns/value")
			})
		}
	}
}
