package boxqp

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The elements of H that are kept are those of the rows asked for, whether they came alone or
// many at a time, and after more rows than there is room for.
func TestProducts(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		const n, r = largestSet + 100, 300 // two chunks of columns
		rng := rand.New(rand.NewPCG(51, 52))
		z := make([]float64, n*r)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		f := factorOf(z, n, r)
		var g products
		g.begin(n)
		for trial, m := range []int{0, 1, 3, 40, 41, 44, 200, 7, largestSet, 90} {
			idx := rng.Perm(n)[:m]
			if trial == 5 { // all but few are there
				idx = append(append([]int{}, g.rows[:m-few]...), absent(&g, n, few)...)
			}
			got := make([]float64, m*m)
			g.lower(context.Background(), f, got, idx)
			for a, i := range idx {
				for b, j := range idx[:a+1] {
					want := dense.Dot(f.row(i), f.row(j))
					if !testutil.Within(got[a*m+b], want, 1e-11*r) {
						t.Fatalf("trial %d: H[%d, %d] = %v, want %v", trial, i, j, got[a*m+b], want)
					}
				}
			}
		}
	})
}

// absent lists m rows that g does not have.
func absent(g *products, n, m int) (idx []int) {
	for i := 0; i < n && len(idx) < m; i++ {
		if g.slot[i] == 0 {
			idx = append(idx, i)
		}
	}
	return idx
}
