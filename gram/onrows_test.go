package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var sparseKernels = []Kernel{RBF(0.1), Linear(), Poly(3, 0.1, 1), Sigmoid(0.1, 0.5)}

// manyRows is n rows of d features: the first three in most rows, the others in few.
func manyRows(seed uint64, n, d int) *csr.Matrix {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := make([]float64, n*d)
	for i := range n {
		for range 6 {
			x[i*d+rng.IntN(d)] = rng.NormFloat64()
		}
		for k := range 3 {
			if rng.IntN(4) > 0 {
				x[i*d+k] = rng.NormFloat64()
			}
		}
	}
	clear(x[(n-1)*d:]) // a row of nothing
	return csr.FromDense(x, n, d)
}

// Rows by every path against the formula over all features: many features to a row's few, so that both ways of naming
// features are met, as numbers of rows and as samples of their own.
func TestRowsOfMatrix(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, d := range []int{200, 72_000} {
			for _, k := range sparseKernels {
				t.Run(fmt.Sprintf("d=%d/%v/float64", d, k.Kind), func(t *testing.T) { testRowsOf[float64](t, k, d, 1e-13) })
				t.Run(fmt.Sprintf("d=%d/%v/float32", d, k.Kind), func(t *testing.T) { testRowsOf[float32](t, k, d, 2e-5) })
			}
		}
	})
}

func testRowsOf[T Float](t *testing.T, k Kernel, d int, tol float64) {
	m := manyRows(1, 20, d)
	n := m.N
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(n - 1 - i) // another order than the matrix's
	}
	on := k.On(m)
	if on.Off().Eval([]float64{1}, []float64{2}) != k.Eval([]float64{1}, []float64{2}) {
		t.Error("the kernel of features has rows")
	}
	p, dense := Pack[T](on, x, n, 1), m.Dense()
	if v := listsOf(p); (v.names.of == nil) != (d > 1000) || v.head.d < 3 {
		t.Fatalf("%d features at the head", v.head.d)
	}
	row, cross, part, full, diag := make([]T, n), make([]T, n), make([]T, n), make([]T, n*n), make([]T, n)
	p.Full(full, n)
	p.Diag(diag)
	sub := p.Subset([]int{3, 1, 7})
	few := make([]T, 3)
	for i := range n {
		p.Row(row, i)
		p.Cross(cross, n, x[i:i+1], 1)
		p.RowsRange([][]T{part}, []int{i}, 5, 15)
		sub.Cross(few, 3, x[i:i+1], 1)
		a := int(x[i])
		for j, v := range row {
			b := int(x[j])
			want := k.Eval(dense[a*d:(a+1)*d], dense[b*d:(b+1)*d])
			testutil.Near(t, fmt.Sprintf("k(%d, %d)", i, j), float64(v), want, tol*max(1, math.Abs(want)))
			testutil.Near(t, fmt.Sprintf("Eval(%d, %d)", i, j), on.Eval(x[i:i+1], x[j:j+1]), want, 1e-13*max(1, math.Abs(want)))
			if full[i*n+j] != v || cross[j] != v || j >= 5 && j < 15 && part[j] != v || j == i && diag[i] != v {
				t.Fatalf("k(%d, %d) = %v, %v of the matrix, %v of a query, %v in a part, %v on the diagonal", i, j, v, full[i*n+j],
					cross[j], part[j], diag[i])
			}
		}
		if few[0] != row[3] || few[1] != row[1] || few[2] != row[7] || k.trait().distance && diag[i] != 1 {
			t.Fatalf("row %d: %v of a subset, the diagonal has %v", i, few, diag[i])
		}
	}
	testQueriesOf[T](t, k, m, tol)
}

// testQueriesOf asks samples of their own for rows of another matrix, with features that no sample has.
func testQueriesOf[T Float](t *testing.T, k Kernel, m *csr.Matrix, tol float64) {
	t.Helper()
	n, d, coef := m.N, m.D, make([]float64, m.N)
	for i := range coef {
		coef[i] = float64(i%3) - 0.9
	}
	p, asked := PackRows[T](k, m), manyRows(2, 11, d)
	e := p.Expand(coef)
	dense, queries := m.Dense(), asked.Dense()
	const lo = 2
	cross, f, g := make([]T, 9*n), make([]float64, 9), make([]float64, 9)
	p.CrossRows(cross, n, asked, lo, 9)
	e.EvalRows(f, asked, lo, 9)
	e.Eval(g, queries[lo*d:], 9)
	for q := range 9 {
		var sum float64
		for j := range n {
			want := k.Eval(queries[(lo+q)*d:(lo+q+1)*d], dense[j*d:(j+1)*d])
			sum += coef[j] * want
			testutil.Near(t, fmt.Sprintf("query %d, sample %d", q, j), float64(cross[q*n+j]), want, tol*max(1, math.Abs(want)))
		}
		testutil.Near(t, fmt.Sprintf("sum %d", q), f[q], sum, 100*tol)
		if f[q] != g[q] {
			t.Errorf("query %d: %v for a row, %v for its features", q, f[q], g[q])
		}
	}
}

// TestRowsRefused is about what is no kernel of rows, and no row.
func TestRowsRefused(t *testing.T) {
	m := manyRows(3, 5, 8)
	for what, k := range map[string]Kernel{
		"weights": WeightedRBF(1, make([]float64, 8)), "laplacian": Laplacian(1), "precomputed": Precomputed(),
		"custom": Custom(func(x, z []float64) float64 { return 0 }),
	} {
		if k.Sparse() || k.On(m).Validate(1) == nil || k.ValidateRows(m) == nil {
			t.Errorf("%s: a kernel of rows", what)
		}
	}
	k := RBF(1).On(m)
	if err := k.Validate(1); err != nil || k.Validate(2) == nil {
		t.Errorf("of one feature %v, of two %v", err, k.Validate(2))
	}
	for _, x := range []float64{-1, 0.5, 5, math.NaN(), math.Inf(1)} {
		if k.ValidateSamples([]float64{x}, 1, 1) == nil {
			t.Errorf("row %v passes", x)
		}
	}
	if k.Gaussian() || Linear().On(m).Additive() || k.Storable() {
		t.Error("a kernel of rows has features")
	}
	far := csr.FromDense([]float64{2e5, 0, 0, 1}, 2, 2)
	if RBF(1).ValidateRows(far) == nil || RBF(1e-3).ValidateRows(far) != nil || Linear().ValidateRows(far) != nil {
		t.Error("rows that are too far from 0")
	}
	if huge := csr.FromDense([]float64{1e200, 1}, 1, 2); Linear().ValidateRows(huge) == nil {
		t.Error("a row whose squares overflow")
	}
	if RBF(1).On(far).Singles() || !RBF(1e-10).On(far).Singles() {
		t.Error("what single precision holds")
	}
}
