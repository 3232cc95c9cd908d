package ssvclp

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestLeastSquares compares with gonum's, and knows a column of zeros.
func TestLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, size := range [][2]int{{1, 1}, {5, 5}, {9, 4}, {40, 17}} {
		m, n := size[0], size[1]
		a, b := make([]float64, m*n), make([]float64, m)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		var want mat.VecDense
		if err := want.SolveVec(mat.NewDense(m, n, append([]float64(nil), a...)),
			mat.NewVecDense(m, append([]float64(nil), b...))); err != nil {
			t.Fatal(err)
		}
		columns := make([][]float64, n)
		for i, v := range a {
			columns[i%n] = append(columns[i%n], v)
		}
		z := leastSquares(t.Context(), columns, b)
		if z == nil {
			t.Fatalf("%d×%d: singular", m, n)
		}
		for c := range n {
			testutil.Near(t, "solution", z[c], want.AtVec(c), 1e-12)
		}
	}
	if leastSquares(t.Context(), [][]float64{{1, 2, 3}, {0, 0, 0}}, make([]float64, 3)) != nil {
		t.Error("a column of zeros is no news")
	}
	if ended := testutil.EndAfter(t.Context(), 1); leastSquares(ended, [][]float64{{1, 0}, {0, 1}}, make([]float64, 2)) != nil {
		t.Error("a context that ends before the second column is no news")
	}
}
