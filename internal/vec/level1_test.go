package vec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/internal/vec"
)

// Against plain loops: sizes 0 to 100 and around the block of one assembly call,
// every alignment, guards on both sides of what is written.
func TestLevel1(t *testing.T) {
	sizes := []int{255, 256, 257, 32767, 32768, 32769, 70001}
	for n := range 101 {
		sizes = append(sizes, n)
	}
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range sizes {
			for offset := range 4 {
				testLevel1(t, rng, n, offset)
			}
		}
	})
}

func testLevel1(t *testing.T, rng *rand.Rand, n, offset int) {
	t.Helper()
	const guard = 1e300
	buf := make([]float64, offset+n+2)
	x, y := make([]float64, n), buf[offset+1:][:n]
	buf[offset], buf[offset+n+1] = guard, guard
	a := rng.NormFloat64()
	var want, size float64
	wantY := make([]float64, n)
	for i := range x {
		x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
		want += x[i] * y[i]
		size += math.Abs(x[i] * y[i])
		wantY[i] = y[i] + a*x[i]
	}
	if got := vec.Dot(x, y); !testutil.Within(got, want, float64(n)*0x1p-53*size) {
		t.Fatalf("n=%d offset=%d: Dot is %v, want %v", n, offset, got, want)
	}
	vec.Axpy(a, x, y)
	for i, v := range y {
		if !testutil.Within(v, wantY[i], 0x1p-51*(math.Abs(wantY[i])+math.Abs(a*x[i]))) {
			t.Fatalf("n=%d offset=%d: element %d of Axpy is %v, want %v", n, offset, i, v, wantY[i])
		}
	}
	if buf[offset] != guard || buf[offset+n+1] != guard {
		t.Fatalf("n=%d offset=%d: Axpy wrote outside y", n, offset)
	}
}

func TestShortSecondArgumentPanics(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for name, f := range map[string]func(x, y []float64){
			"Dot":  func(x, y []float64) { vec.Dot(x, y) },
			"Axpy": func(x, y []float64) { vec.Axpy(1, x, y) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s accepted a short y", name)
					}
				}()
				f(make([]float64, 5), make([]float64, 4))
			}()
		}
	})
}

func BenchmarkLevel1(b *testing.B) {
	for _, n := range []int{1, 3, 8, 100, 1000, 10000, 1000000} {
		x, y := make([]float64, n), make([]float64, n)
		for _, l := range cpu.Available() {
			b.Run(fmt.Sprintf("op=dot/n=%d/cpu=%s", n, l), func(b *testing.B) {
				defer cpu.Use(l)()
				b.SetBytes(int64(16 * n))
				for b.Loop() {
					vec.Dot(x, y)
				}
			})
			b.Run(fmt.Sprintf("op=axpy/n=%d/cpu=%s", n, l), func(b *testing.B) {
				defer cpu.Use(l)()
				b.SetBytes(int64(24 * n))
				for b.Loop() {
					vec.Axpy(1, x, y)
				}
			})
		}
	}
}
