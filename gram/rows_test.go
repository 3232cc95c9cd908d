package gram

import (
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Rows of many features against the formula: those of a picture, and one between.
func TestManyFeatures(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, d := range []int{200, 784} {
			for name, k := range testKernels(d) {
				t.Run(fmt.Sprintf("kernel=%s/d=%d", name, d), func(t *testing.T) {
					testManyFeatures[float64](t, k, d, 1e-12)
					testManyFeatures[float32](t, k, d, 1e-3)
				})
			}
		}
	})
}

func testManyFeatures[T Float](t *testing.T, k Kernel, d int, tol float64) {
	const n = 19
	x := points(n, d)
	for i := range x {
		x[i] *= float64(i % 3) // a third of the features is 0
	}
	p := Pack[T](k, x, n, d)
	rows, idx := make([][]T, n), make([]int, n)
	for r := range rows {
		rows[r], idx[r] = make([]T, n), r
	}
	p.Rows(rows, idx) // blocks of eight, of two and of one
	one := make([]T, n)
	for i := range n {
		p.Row(one, i)
		for j := range n {
			want := k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
			if large := T(want); math.IsInf(float64(large), 0) { // a product over features overflows
				if one[j] != large || rows[i][j] != large {
					t.Errorf("Row: %v, Rows: %v, want %v", one[j], rows[i][j], large)
				}
				continue
			}
			testutil.NearRel(t, "Row", float64(one[j]), want, tol)
			testutil.NearRel(t, "Rows", float64(rows[i][j]), want, tol)
		}
	}
}

// NaN and infinite features come out as the formula has them, of every lane, and
// change no other pair of samples.
func TestSpecialFeatures(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 3, 31, 70} {
			for name, k := range testKernels(d) {
				if d == 31 {
					k.Weights = nil
				}
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					testSpecial(t, fmt.Sprintf("%s, d = %d, %v", name, d, v), k, v, d)
				}
			}
		}
	})
}

func testSpecial(t *testing.T, what string, k Kernel, v float64, d int) {
	t.Helper()
	const n = 37
	x := points(n, d)
	for _, bad := range []int{0, 7, 20, n - 1} {
		x[bad*d+bad%d] = v
	}
	p := Pack[float64](k, x, n, d)
	rows, idx := make([][]float64, n), make([]int, n)
	for r := range rows {
		rows[r], idx[r] = make([]float64, n), r
	}
	p.Rows(rows, idx)
	one, full := make([]float64, n), make([]float64, n*n)
	p.Full(full, n)
	for i := range n {
		p.Row(one, i)
		for j := range n {
			want := k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
			for from, got := range map[string]float64{"Row": one[j], "Rows": rows[i][j], "Full": full[i*n+j]} {
				if !testutil.Same(got, want) && !testutil.Within(got, want, 1e-12*max(1, math.Abs(want))) {
					t.Fatalf("%s: %s has k(%d, %d) = %v, want %v", what, from, i, j, got, want)
				}
			}
		}
	}
}

// Arguments that do not fit panic, whatever room there is behind a slice.
func TestArgumentsPanic(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testArgumentsPanic[float64])
		t.Run("float32", testArgumentsPanic[float32])
	})
}

func testArgumentsPanic[T Float](t *testing.T) {
	const n, d = 21, 3
	x := points(n, d)
	s := func(n int) []T { return make([]T, n, n+1000) }
	for _, k := range []Kernel{RBF(1), Linear(), Custom(func(x, z []float64) float64 { return x[0] * z[0] })} {
		p := Pack[T](k, x, n, d)
		e := p.Expand(make([]float64, n))
		for what, f := range map[string]func(less int){
			"Row's dst":   func(less int) { p.Row(s(n-less), 3) },
			"Row's i":     func(less int) { p.Row(s(n), n-1+less) },
			"Row below 0": func(less int) { p.Row(s(n), -less) },
			"Rows": func(less int) {
				p.Rows([][]T{s(n), s(n - less)}, []int{1, 2})
			},
			"Rows' count":   func(less int) { p.Rows([][]T{s(n), s(n)}[less:], []int{1, 2}) },
			"RowsRange":     func(less int) { p.RowsRange([][]T{s(n)}, []int{1}, 2, n+less) },
			"Tile's dst":    func(less int) { p.Tile(s(10+5-less), 10, []int{1, 2}, 4, 9) },
			"Tile's lo":     func(less int) { p.Tile(s(n+1), n+1, []int{1}, -less, n) },
			"Tile's order":  func(less int) { p.Tile(s(n), n, []int{1}, 5+less, 5) },
			"Cross's dst":   func(less int) { p.Cross(s(2*n-less), n, x, 2) },
			"Cross's x":     func(less int) { p.Cross(s(2*n), n, x[:2*d-less:2*d-less], 2) },
			"Full's dst":    func(less int) { p.Full(s(n*n-less), n) },
			"Full's stride": func(less int) { p.Full(s(n*n), n-less) },
			"FullBlock":     func(less int) { p.FullBlock(s(n*n), n, less) },
			"Diag":          func(less int) { p.Diag(s(n - less)) },
			"Subset":        func(less int) { p.Subset([]int{0, n - 1 + less}) },
			"Expand":        func(less int) { p.Expand(make([]float64, n-less)) },
			"Eval":          func(less int) { e.Eval(make([]float64, 2-less), x, 2) },
			"ExpNeg":        func(less int) { ExpNeg(s(9-less), s(9)) },
		} {
			if panics(f, 0) {
				t.Errorf("%v: %s: enough is too little", k.Kind, what)
			}
			if !panics(f, 1) {
				t.Errorf("%v: %s: one too few does not panic", k.Kind, what)
			}
		}
	}
}

func panics(f func(int), less int) (p bool) {
	defer func() { p = recover() != nil }()
	f(less)
	return false
}
