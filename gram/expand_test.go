package gram

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestExpansion holds the fused sums against sums of Eval, and a batch's bits
// against single samples and against the other levels.
func TestExpansion(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testExpansion[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { testExpansion[float32](t, 1e-4) })
}

func testExpansion[T Float](t *testing.T, tol float64) {
	for _, d := range []int{0, 1, 2, 20, 40} {
		for name, k := range testKernels(d) {
			for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 255, 257, 700} {
				testExpansionAt[T](t, name, k, n, d, tol)
			}
		}
	}
}

func testExpansionAt[T Float](t *testing.T, name string, k Kernel, n, d int, tol float64) {
	t.Helper()
	const m = 13
	x, q := points(n, d), points(m, d)
	coefs := [][]float64{points(n, 1), points(1, n), make([]float64, n)}
	want, size := make([]float64, m*len(coefs)), float64(n+1)
	for i := range m {
		for o, c := range coefs {
			terms := 0.0
			for j := range n {
				term := c[j] * k.Eval(q[i*d:(i+1)*d], x[j*d:(j+1)*d])
				want[i*len(coefs)+o] += term
				terms += math.Abs(term)
			}
			size = max(size, terms)
		}
	}
	var ref []float64
	for _, l := range cpu.Available() {
		restore := cpu.Use(l)
		e := Pack[T](k, x, n, d).Expand(coefs...)
		got := make([]float64, len(want))
		e.Eval(got, q, m)
		one := make([]float64, len(coefs))
		for i, v := range got {
			if diff := math.Abs(v - want[i]); !(diff <= tol*size) {
				t.Fatalf("%s n=%d d=%d level=%s: result %d is %v, want %v", name, n, d, l, i, v, want[i])
			}
			if o := i % len(coefs); o == 0 {
				row, values, sums := q[i/len(coefs)*d:][:d], make([]T, Stride[T](n)), make([]float64, len(coefs))
				e.Eval(one, row, 1)
				e.Samples().Cross(values, n, row, 1)
				if e.Sums(sums, values); !slices.Equal(sums, one) && k.Vectorised() {
					t.Fatalf("%s n=%d d=%d level=%s: %v, of the kernel values %v", name, n, d, l, one, sums)
				}
			}
			if v != one[i%len(coefs)] {
				t.Fatalf("%s n=%d d=%d level=%s: result %d is %v in a batch and %v alone", name, n, d, l, i, v, one[i%len(coefs)])
			}
			if ref != nil && v != ref[i] {
				t.Fatalf("%s n=%d d=%d level=%s: result %d is %v, the level before gave %v", name, n, d, l, i, v, ref[i])
			}
		}
		if l.Fused() || lanes[T]() == lanes[float64]() {
			ref = got
		}
		restore()
	}
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops items on purpose under the race detector")
	}
	allocates := func(t *testing.T, name string, x []float64, n, d int) {
		t.Helper()
		p := Pack[float64](RBF(1), x, n, d)
		e := p.Expand(points(n, 1))
		row := make([]float64, n)
		for call, f := range map[string]func(){
			"Row":   func() { p.Row(row, 3) },
			"Cross": func() { p.Cross(row, n, x[:d], 1) },
			"Eval":  func() { var f [1]float64; e.Eval(f[:], x[:d], 1) },
			"Diag":  func() { p.Diag(row) },
		} {
			if a := testing.AllocsPerRun(100, f); a != 0 {
				t.Errorf("%s of %s: %v allocations", call, name, a)
			}
		}
	}
	testutil.EachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 20, 300} {
			allocates(t, fmt.Sprint("d=", d), points(50, d), 50, d)
		}
		allocates(t, "lists", sparsePoints(200, 60, 0.1), 200, 60)
		allocates(t, "bytes", gridPoints(200, 60, 255, 0, 1), 200, 60)
	})
}
