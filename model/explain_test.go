package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestExplain holds that the shares are the decision, for every kernel and scheme, that they come by size,
// and that each is its vector's own.
func TestExplain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for name, kernel := range kernels(3) {
		for _, scheme := range schemes {
			p := randomParts(rnd, scheme, kernel, 40, 3)
			c, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			x := []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			want := make([]float64, len(p.Submodels))
			c.DecideTo(want, x)
			for i, e := range c.Explain(x) {
				m := &p.Submodels[i]
				sum, size, seen := e.Bias, 1.0, map[int]bool{}
				for s, v := range e.Shares {
					at := slices.Index(m.Support, v.Vector)
					if at < 0 || seen[v.Vector] || m.Coef[at] != v.Coef || *v.Row != p.Rows[v.Vector] {
						t.Fatalf("%s, %v: share %+v of no vector of machine %d", name, scheme, v, i)
					}
					if s > 0 && !(math.Abs(e.Shares[s-1].Share) >= math.Abs(v.Share)) {
						t.Fatalf("%s, %v: share %d is larger than the one before", name, scheme, s)
					}
					seen[v.Vector] = true
					sum, size = sum+v.Share, max(size, math.Abs(v.Share))
				}
				if e.Decision != want[i] || e.Bias != m.Bias || e.Pos != m.Pos || e.Neg != m.Neg || len(seen) != len(m.Support) {
					t.Errorf("%s, %v: machine %d: %d shares, decision %v, want %v", name, scheme, i, len(seen), e.Decision, want[i])
				}
				testutil.Near(t, name+": sum of the shares", sum, want[i], 1e-12*size)
			}
		}
	}
}
