package boxqp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
)

// checkBasis verifies Z_F = L Q and Q Qᵀ = I from their definitions.
func checkBasis(t *testing.T, q *basis, f *Factor) {
	t.Helper()
	for k, i := range q.rows {
		for j, want := range f.row(i) {
			var got float64
			for c := range k + 1 {
				got += q.l[k*q.ld+c] * q.q[c][j]
			}
			if !testutil.Within(got, want, 1e-12*(1+math.Abs(want))) {
				t.Fatalf("row %d, column %d: %v, want %v", i, j, got, want)
			}
		}
		for c := range k + 1 {
			var got, want float64
			for j, v := range q.q[k] {
				got += v * q.q[c][j]
			}
			if c == k {
				want = 1
			}
			if !testutil.Within(got, want, 1e-13) {
				t.Fatalf("rows %d and %d of Q: product %v, want %v", k, c, got, want)
			}
		}
	}
}

// Rows come, at once and one by one, and go; those that depend on the others are found,
// also where they depend on them but for 1e-6.
func TestBasis(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(51, 52))
		for n := 1; n < 140; n += 1 + n/5 {
			for _, r := range []int{n, n + 17} {
				z := make([]float64, (n+3)*r)
				for i := range z {
					z[i] = rng.NormFloat64()
				}
				sum, near, last := z[n*r:(n+1)*r], z[(n+1)*r:(n+2)*r], z[:r]
				for j := range r {
					sum[j] = last[j] - 3*z[(n-1)*r+j]
					near[j] = last[j] + 1e-6*near[j]
				}
				f := factorOf(z, n+3, r)
				var q basis
				var chol duals.Cholesky
				idx := make([]int, 0, n+2)
				for i := range n + 2 {
					idx = append(idx, i)
				}
				late := q.build(t.Context(), f, &chol, idx)
				if len(q.rows)+len(late) != n+2 || len(late) < 1 {
					t.Fatalf("n = %d, r = %d: %d rows and %v left", n, r, len(q.rows), late)
				}
				checkBasis(t, &q, f)
				for _, i := range late {
					q.add(i, f.row(i))
				}
				if want := min(n+1, r); len(q.rows) != want {
					t.Fatalf("n = %d, r = %d: rank %d, want %d", n, r, len(q.rows), want)
				}
				checkBasis(t, &q, f)
				for range min(5, n) {
					q.remove(rng.IntN(len(q.rows)))
				}
				checkBasis(t, &q, f)
				if !q.add(n+2, f.row(n+2)) {
					t.Fatalf("n = %d, r = %d: an independent row is refused", n, r)
				}
				checkBasis(t, &q, f)
			}
		}
	})
}

// Where few columns are left, most rows depend on a few: no matrix of the order of all rows is factored.
func TestBasisFewColumns(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		const n, r = 700, 3
		rng := rand.New(rand.NewPCG(53, 54))
		z, idx := make([]float64, n*r), make([]int, n)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		for i := range idx {
			idx[i] = i
		}
		f := factorOf(z, n, r)
		var q basis
		var chol duals.Cholesky
		rest := q.build(t.Context(), f, &chol, idx)
		if len(q.rows) != r || len(rest) != n-r {
			t.Fatalf("%d rows, and %d left, of %d in %d columns", len(q.rows), len(rest), n, r)
		}
		checkBasis(t, &q, f)
		for _, i := range rest {
			if q.add(i, f.row(i)) {
				t.Fatalf("row %d was added to %d rows in %d columns", i, len(q.rows), r)
			}
		}
		if largest := 2*r + duals.Leaf; cap(chol.L) > largest*largest {
			t.Errorf("%d elements of a Cholesky factor, want at most %d", cap(chol.L), largest*largest)
		}
	})
}
