package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"gonum.org/v1/gonum/stat"
)

func TestVectors(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range append(lengths(), callWork-1, callWork, callWork+1, callWork+9) {
			for off := range 4 {
				if n <= 256 || off == 1 {
					testVectors(t, rng, n, off)
				}
			}
		}
	})
}

func testVectors(t *testing.T, rng *rand.Rand, n, off int) {
	t.Helper()
	x, y, a := lend(rng, n, off), lend(rng, n, (off+1)%4), 2*rng.Float64()-1
	what := fmt.Sprintf("n=%d offset=%d", n, off)
	checkSum(t, what+": Dot", Dot(x.s(), y.s()), 0, x.s(), y.s())
	x.checkInput(t, what)
	y.checkInput(t, what)
	Axpy(a, x.s(), y.s())
	x.checkInput(t, what)
	y.checkGuards(t, what)
	checkBits(t, what+": Axpy", y.s(), axpyWant(a, x.s(), y.before()))
}

// axpyWant is what Axpy makes of y: assembly fuses, the portable loop does not.
func axpyWant(a float64, x, y []float64) []float64 {
	want := append([]float64(nil), y...)
	for i, v := range x {
		if !cpu.Active().Fused() || len(x) < short {
			want[i] += float64(a * v)
		} else {
			want[i] = math.FMA(a, v, want[i])
		}
	}
	return want
}

// What is not finite goes where it belongs and nowhere else, at every place of a vector.
func TestVectorsNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := 1; n <= 70; n++ {
			for i := range n {
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					x, y := lend(rng, n, i%3).s(), lend(rng, n, 0).s()
					x[i], y[i] = bad, 0.5
					if got := Dot(x, y); got != bad && !(math.IsNaN(got) && math.IsNaN(bad)) {
						t.Fatalf("n=%d: Dot with %v at %d is %v", n, bad, i, got)
					}
					want := axpyWant(-2, x, y)
					Axpy(-2, x, y)
					checkBits(t, fmt.Sprintf("n=%d: Axpy with %v at %d", n, bad, i), y, want)
				}
			}
		}
	})
}

func BenchmarkLevel1(b *testing.B) {
	for _, n := range []int{1, 3, 8, 20, 100, 1000, 10000, 1000000} {
		x, y := make([]float64, n), make([]float64, n)
		for _, l := range cpu.Available() {
			b.Run(fmt.Sprintf("op=dot/n=%d/level=%s", n, l), func(b *testing.B) {
				defer cpu.Use(l)()
				b.SetBytes(int64(16 * n))
				b.ReportAllocs()
				for b.Loop() {
					Dot(x, y)
				}
			})
			b.Run(fmt.Sprintf("op=axpy/n=%d/level=%s", n, l), func(b *testing.B) {
				defer cpu.Use(l)()
				b.SetBytes(int64(24 * n))
				b.ReportAllocs()
				for b.Loop() {
					Axpy(1, x, y)
				}
			})
		}
	}
}

func TestMeanStdDev(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1e6 + rng.NormFloat64()
		}
		mean, deviation := MeanStdDev(x)
		want, of := stat.MeanStdDev(x, nil)
		if n == 0 && !math.IsNaN(mean) || n < 2 && !math.IsNaN(deviation) {
			t.Errorf("%d numbers: %v ± %v", n, mean, deviation)
		}
		if n > 1 && !(math.Abs(mean-want) <= 1e-9 && math.Abs(deviation-of) <= 1e-9) {
			t.Errorf("%d numbers: %v ± %v, want %v ± %v", n, mean, deviation, want, of)
		}
	}
}
