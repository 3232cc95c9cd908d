package greedy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The minimiser of ‖R v − u‖² + mu ‖v‖² has the gradient R'(R v − u) + mu v = 0, for orders
// around the blocks, for penalties much larger and much smaller than R, and with
// pivots of zero; its bits do not depend on the number of threads.
func TestRidge(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 47, 48, 49, 97, 250} {
			for _, mu := range []float64{1e-12, 1e-3, 1, 1e6} {
				rng := rand.New(rand.NewPCG(uint64(n), 3))
				r, u := make([][]float64, n), make([]float64, n)
				for k := range r {
					u[k] = rng.NormFloat64()
					r[k] = make([]float64, k+1)
					for i := range k {
						r[k][i] = rng.NormFloat64() / float64(n)
					}
					r[k][k] = float64(k % 3) // zero for each third
				}
				solve := func(threads int) []float64 {
					v, err := ridge(context.Background(), threads, cloneRows(r), slices.Clone(u), mu)
					if err != nil {
						t.Fatal(err)
					}
					return v
				}
				v := solve(1)
				name := fmt.Sprintf("n=%d mu=%v", n, mu)
				if again := solve(3); !slices.Equal(v, again) {
					t.Errorf("%s: other bits with three threads", name)
				}
				left := slices.Clone(u) // u − R v
				for k := range r {
					for i, a := range r[k] {
						left[i] -= a * v[k]
					}
				}
				for k := range r {
					gradient, size := mu*v[k], mu*math.Abs(v[k])
					for i, a := range r[k] {
						gradient -= a * left[i]
						size += math.Abs(a * left[i])
					}
					testutil.Near(t, name, gradient, 0, 1e-11*max(1, size))
				}
			}
		}
	})
}

func cloneRows(r [][]float64) [][]float64 {
	c := make([][]float64, len(r))
	for k := range r {
		c[k] = slices.Clone(r[k])
	}
	return c
}
