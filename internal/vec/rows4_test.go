package vec_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/internal/vec"
)

// Against the plain loops: sizes 0 to 100, every alignment, gaps between the
// rows, guard words behind y, sums within an ulp of the terms' total size.
func TestRows4(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		for n := 0; n <= 100; n++ {
			testRows4(t, rng, n, n+n%5, n%4)
		}
		testRows4(t, rng, 8191, 8192, 1)
		testRows4(t, rng, 8192, 8192, 0)
		testRows4(t, rng, 8200+3, 8300, 3)
	})
}

func testRows4(t *testing.T, rng *rand.Rand, n, lda, offset int) {
	t.Helper()
	const guard = 1e300
	random := func(n int) []float64 {
		s := make([]float64, offset+n)
		for i := range s {
			s[i] = rng.NormFloat64()
		}
		return s[offset:]
	}
	a, x, y := random(3*lda+n), random(n), append(random(n), guard)
	var c, dot, size, want [4]float64
	wantY := append([]float64(nil), y...)
	sizeY := make([]float64, n)
	for r := range c {
		c[r] = rng.NormFloat64()
		for j := range x {
			v := a[r*lda+j]
			want[r] += v * x[j]
			size[r] += math.Abs(v * x[j])
			wantY[j] += c[r] * v
			sizeY[j] += math.Abs(c[r]*v) + math.Abs(y[j])
		}
	}
	checkDot := func(name string) {
		for r := range dot {
			if !testutil.Within(dot[r], want[r], 1e-14*size[r]) {
				t.Fatalf("%s n=%d row %d: %v, want %v", name, n, r, dot[r], want[r])
			}
		}
	}
	checkY := func(name string, y []float64) {
		for j := range sizeY {
			if !testutil.Within(y[j], wantY[j], 1e-15*sizeY[j]) {
				t.Fatalf("%s n=%d element %d: %v, want %v", name, n, j, y[j], wantY[j])
			}
		}
		if y[n] != guard {
			t.Fatalf("%s n=%d wrote behind y", name, n)
		}
	}
	dot = [4]float64{guard, guard, guard, guard}
	vec.Dot4(&dot, a, lda, x)
	checkDot("Dot4")

	y1 := append([]float64(nil), y...)
	vec.Axpy4(&c, a, lda, y1[:n])
	checkY("Axpy4", y1)

	dot = [4]float64{guard, guard, guard, guard}
	vec.DotAxpy4(&dot, &c, a, lda, x, y[:n])
	checkDot("DotAxpy4")
	checkY("DotAxpy4", y)
}

func TestRows4Short(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic on a matrix with too few values")
		}
	}()
	var d [4]float64
	vec.Dot4(&d, make([]float64, 30), 10, make([]float64, 1))
}

func BenchmarkRows4(b *testing.B) {
	for _, n := range []int{16, 200, 2000} {
		const rows = 256
		a, x, y := make([]float64, rows*n), make([]float64, n), make([]float64, n)
		var d, c [4]float64
		run := func(op string, f func(a []float64)) {
			b.Run("op="+op+"/n="+strconv.Itoa(n), func(b *testing.B) {
				b.SetBytes(int64(8 * len(a)))
				for b.Loop() {
					for r := 0; r < rows; r += 4 {
						f(a[r*n:])
					}
				}
			})
		}
		run("dot", func(a []float64) { vec.Dot4(&d, a, n, x) })
		run("axpy", func(a []float64) { vec.Axpy4(&c, a, n, y) })
		run("dotaxpy", func(a []float64) { vec.DotAxpy4(&d, &c, a, n, x, y) })
	}
}
