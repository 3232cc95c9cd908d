package duals

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// gramMatrix draws ZZᵀ of n vectors in r dimensions.
func gramMatrix(rng *rand.Rand, n, r int) [][]float64 {
	z, h := make([][]float64, n), make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, r)
		for k := range z[i] {
			z[i][k] = rng.NormFloat64()
		}
	}
	for i := range h {
		h[i] = make([]float64, n)
		for j := range h[i] {
			for k, v := range z[i] {
				h[i][j] += v * z[j][k]
			}
		}
	}
	return h
}

// A matrix of half the rank: what is solved for is a solution of the consistent system.
func TestCholeskyDrops(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(53, 54))
		for _, n := range []int{1, 2, 7, 48, 49, 96, 130} {
			r := (n + 1) / 2
			h := gramMatrix(rng, n, r)
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for i := range y {
				for j, v := range h[i] {
					y[i] += v * x[j]
				}
			}
			var c Cholesky
			copy(c.Begin(n), slices.Concat(h...))
			_ = c.Factor(t.Context())
			dropped := 0
			for k := range n {
				if c.L[k*n+k] == Dropped {
					dropped++
				}
			}
			if dropped > n-r || dropped < n-r-1 { // one pivot of rounding size may pass
				t.Errorf("n = %d: %d rows dropped, want %d", n, dropped, n-r)
			}
			got := append([]float64(nil), y...)
			c.Solve(got)
			back := make([]float64, n)
			for i := range back {
				for j, v := range h[i] {
					back[i] += v * got[j]
				}
			}
			testutil.NearAll(t, "H x", back, y, 1e-6*float64(n))
		}
	})
}
