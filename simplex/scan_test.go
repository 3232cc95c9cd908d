package simplex

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func TestScan(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 101 {
			for offset := range 3 {
				const guard = 0.75
				row, col := make([]float64, n+offset+8), make([]float64, n+offset+8)
				for i := range row {
					row[i], col[i] = guard, guard
				}
				r, c := row[offset:offset+n], col[offset:offset+n]
				for i := range r {
					r[i], c[i] = rng.NormFloat64(), math.Abs(rng.NormFloat64())
				}
				want := append([]float64(nil), c...)
				most, ok := scan(c, r)
				wantMost, wantOK := scanGeneric(want, r)
				if most != wantMost || ok != wantOK {
					t.Fatalf("n=%d: got %v %v, want %v %v", n, most, ok, wantMost, wantOK)
				}
				for i := range c {
					if c[i] != want[i] {
						t.Fatalf("n=%d: column %d has %v, want %v", n, i, c[i], want[i])
					}
				}
				for i := n + offset; i < len(col); i++ {
					if col[i] != guard {
						t.Fatalf("n=%d: wrote beyond the end", n)
					}
				}
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					if n == 0 {
						break
					}
					pos := rng.IntN(n)
					old := r[pos]
					r[pos] = bad
					if _, ok := scan(c, r); ok {
						t.Fatalf("n=%d: %v at %d passes", n, bad, pos)
					}
					r[pos] = old
					copy(c, want)
				}
			}
		}
	})
}
