package ipm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestDualNotFinite puts NaN and ±Inf into every number of a program, dense and compressed: no point then meets the
// conditions within the tolerance.
func TestDualNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, share := range []float64{1, 0.1} {
			for field := range 5 {
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					for _, at := range []float64{0, 0.5, 1} {
						p, _ := program(rand.New(rand.NewPCG(1, 2)), 60, 4, 1, share, 1)
						list := [5][]float64{p.X, p.P, p.Lo, p.Hi, {p.Tolerance}}[field]
						k := int(at * float64(len(list)-1))
						if list[k] = bad; field == 4 {
							if p.Tolerance = bad; bad > 0 {
								continue // every violation is small enough
							}
						}
						if q := p.Solve(context.Background()); q != nil && q.Violation <= 1e-7 && field < 4 {
							t.Errorf("number %d of field %d is %v: violation %v", k, field, bad, q.Violation)
						}
					}
				}
			}
		}
	})
}
