package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
)

// Every size around the register blocks, odd offsets, guard words on both sides:
// the sums are within the rounding of any order of addition, and the same bits
// come out whether a row is computed alone or among others.
func TestGemv(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		guard := math.Float64frombits(0x7ff8dead0000beef)
		for n := 0; n <= 70; n++ {
			for _, m := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13} {
				off, ld := rng.IntN(4), n+rng.IntN(3)
				a := randoms(rng, off+m*ld+n+8)[off:]
				x := randoms(rng, n+off)[off:]
				dst := make([]float64, m+8)
				for i := range dst {
					dst[i] = guard
				}
				Gemv(dst[4:4+m], a, ld, x, m)
				for i := range m {
					var sum, size float64
					for j, v := range x {
						sum += a[i*ld+j] * v
						size += math.Abs(a[i*ld+j] * v)
					}
					if d := math.Abs(dst[4+i] - sum); !(d <= 1e-15*float64(n)*size) {
						t.Fatalf("n=%d m=%d row %d: %v, want %v", n, m, i, dst[4+i], sum)
					}
					alone := []float64{0}
					if n > 0 {
						Gemv(alone, a[i*ld:], ld, x, 1)
					}
					if alone[0] != dst[4+i] {
						t.Fatalf("n=%d m=%d row %d: alone %v, in a batch %v", n, m, i, alone[0], dst[4+i])
					}
				}
				for i, v := range dst {
					if (i < 4 || i >= 4+m) && math.Float64bits(v) != math.Float64bits(guard) {
						t.Fatalf("n=%d m=%d wrote outside, at %d", n, m, i-4)
					}
				}
			}
		}
	})
}

// A matrix large enough to be split into several assembly calls.
func TestGemvSplit(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		m, n := 53, 9001
		a, x := randoms(rng, m*n), randoms(rng, n)
		got, want := make([]float64, m), make([]float64, m)
		Gemv(got, a, n, x, m)
		gemvGeneric(want, a, n, x, m)
		testutil.NearAll(t, "rows", got, want, 1e-10)
	})
}

func randoms(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func BenchmarkGemv(b *testing.B) {
	for _, n := range []int{8, 16, 100, 1000} {
		b.Run(fmt.Sprintf("m=1000/n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			a, x, dst := randoms(rng, 1000*n), randoms(rng, n), make([]float64, 1000)
			b.SetBytes(int64(8 * 1000 * n))
			for b.Loop() {
				Gemv(dst, a, n, x, 1000)
			}
		})
	}
}
