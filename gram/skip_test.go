package gram

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Skipping zero features must not change a bit: rows of eight points (which skip) are
// compared with the same rows one at a time (which do not).
func TestSkipZeros(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testSkipZeros[float64])
		t.Run("float32", testSkipZeros[float32])
	})
}

func testSkipZeros[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, d := range []int{skipDim - 1, skipDim, skipDim + 1, 200} {
		for _, zeros := range []float64{0, 0.5, 0.9, 0.99, 1} {
			n := 60 + d%7
			x := make([]float64, n*d)
			for i := range x {
				if rng.Float64() >= zeros {
					x[i] = rng.NormFloat64()
				}
			}
			for _, k := range []Kernel{RBF(0.1 / float64(d)), Linear(), Poly(2, 0.5, 1)} {
				p := Pack[T](k, x, n, d)
				idx := make([]int, 16)
				rows := make([][]T, len(idx))
				for r := range idx {
					idx[r] = rng.IntN(n)
					rows[r] = make([]T, n)
				}
				p.Rows(rows, idx)
				want := make([]T, n)
				for r, i := range idx {
					p.Row(want, i)
					for j := range want {
						if rows[r][j] != want[j] {
							t.Fatalf("d = %d, %v zeros, %v: k(%d, %d) = %v in a batch, %v alone", d, zeros, k.Kind, i, j, rows[r][j],
								want[j])
						}
					}
				}
			}
		}
	}
}

func BenchmarkRowsWithZeros(b *testing.B) {
	const n, d = 2000, 784
	for _, zeros := range []float64{0, 0.5, 0.9, 0.98} {
		b.Run(fmt.Sprintf("d=784/rows=8/zeros=%v/type=float32", zeros), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 6))
			x := make([]float64, n*d)
			for i := range x {
				if rng.Float64() >= zeros {
					x[i] = rng.Float64()
				}
			}
			p := Pack[float32](RBF(0.01), x, n, d)
			idx := []int{1, 2, 3, 4, 5, 6, 7, 8}
			rows := make([][]float32, len(idx))
			for r := range rows {
				rows[r] = make([]float32, n)
			}
			for b.Loop() {
				p.Rows(rows, idx)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(idx)*n), "ns/value")
		})
	}
}
