package gram

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Large matrices, whose stores bypass the caches, have the bits of rows, in both halves; so have those whose rows begin
// in the middle of a cache line.
func TestFullOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("matrices of 40 MB")
	}
	testutil.EachLevel(t, func(t *testing.T) {
		testFullOfMany[float64](t, 2150)
		testFullOfMany[float32](t, 3020)
	})
}

func testFullOfMany[T Float](t *testing.T, n int) {
	for _, k := range []struct {
		Kernel
		d int
	}{{RBF(0.5), 1}, {RBF(0.1), 7}, {RBF(40), 7}, {RBF(0.005), 40}, {RBF(0.2), 40}, {RBF(0.001), 200}, {Laplacian(0.2), 3}} {
		p := Pack[T](k.Kernel, points(n, k.d), n, k.d)
		for _, ld := range []int{Stride[T](n), Stride[T](n) + 3} {
			full, row := Aligned[T](n*ld), make([]T, n)
			p.Full(full, ld)
			for i := 0; i < n; i += 31 {
				p.Row(row, i)
				for j, v := range row {
					if full[i*ld+j] != v || full[j*ld+i] != v {
						t.Fatalf("%T, %v of %d features, %d a row: k(%d, %d) is %v and %v, want %v", v, k.Kind, k.d, ld, i, j,
							full[i*ld+j], full[j*ld+i], v)
					}
				}
			}
		}
	}
}

// Matrices of many features, whose tiles go through them in pieces, have the bits of rows.
func TestFullOfManyFeatures(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{96, 203} {
			testWide[float64](t, n)
			testWide[float32](t, n)
		}
	})
}

func testWide[T Float](t *testing.T, n int) {
	for _, d := range []int{fuseFeatures, fuseFeatures + 1, 400} {
		for _, k := range []Kernel{RBF(0.001), Linear()} {
			p := Pack[T](k, points(n, d), n, d)
			full, row := make([]T, n*n), make([]T, n)
			p.Full(full, n)
			for i := range n {
				p.Row(row, i)
				for j, v := range row {
					if full[i*n+j] != v || full[j*n+i] != v {
						t.Fatalf("%T, %v of %d features: k(%d, %d) is %v and %v, want %v", v, k.Kind, d, i, j, full[i*n+j],
							full[j*n+i], v)
					}
				}
			}
		}
	}
}
