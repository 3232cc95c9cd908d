package smo

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
		const n, r = boxWorkingSet + 100, 300 // two chunks of columns
		rng := rand.New(rand.NewPCG(51, 52))
		z := make([]float64, n*r)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		f := NewFactor(z, n, r, r)
		var g products
		g.begin(n)
		for trial, m := range []int{0, 1, 3, 40, 41, 44, 200, 7, boxWorkingSet, 90} {
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

// A solve that needs no optimum stops at the gap that it is given, earlier than one that does.
func TestBoxRoughGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	brief, full := 0, 0
	for trial := range 20 {
		z, _, p := boxCase(rng, 60, 40)
		p.H = NewFactor(z, 60, 40, 40)
		exact := p.Solve(t.Context(), Options{})
		rough := p.Solve(t.Context(), Options{Gap: 0.1})
		half := dense.Dot(rough.U, rough.U) / 2
		testutil.AtMost(t, "gap", rough.Gap, max(0.1*half, exact.Gap))
		testutil.AtMost(t, "objective below the optimum", -exact.Gap-1e-9, rough.Objective-exact.Objective)
		if rough.Status != exact.Status {
			t.Errorf("trial %d: %v, the optimum is %v", trial, rough.Status, exact.Status)
		}
		brief, full = brief+rough.Newton, full+exact.Newton
	}
	if brief >= full {
		t.Errorf("%d steps to a rough gap, %d to the optimum", brief, full)
	}
}
