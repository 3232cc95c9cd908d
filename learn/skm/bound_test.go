package skm

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// literalBound is (2) at one δ, by the formulas as they are printed; the least over ε by golden section.
func literalBound(alpha, margins []float64, delta float64) float64 {
	all := make([]float64, len(margins))
	copy(all, alpha)
	u, below := ref.SKMU(all, delta, -math.Log(0.05)), 0.0
	for _, m := range margins {
		if m <= 2*delta {
			below += 1 / float64(len(margins))
		}
	}
	smallest := math.Inf(1)
	golden(func(log float64) (float64, bool) {
		v := ref.SKMBound(len(margins), below, u, math.Exp(log))
		smallest = math.Min(smallest, v)
		return v, true
	}, math.Log(1e-3), math.Log(10), 1e-7)
	return smallest
}

// TestBoundInfimum: no margin δ of a grid has less than the bound, and one of a grid that grows finer towards the
// infimum has as little.
func TestBoundInfimum(t *testing.T) {
	rnd := dataset.NewRand(7)
	inside, atOne := 0, 0
	for trial := range 60 {
		n := 3 + rnd.IntN(60)
		alpha, margins := make([]float64, 1+rnd.IntN(min(n, 8))), make([]float64, n)
		sum := 0.0
		for i := range alpha {
			alpha[i] = rnd.ExpFloat64()
			sum += alpha[i]
		}
		for i := range alpha {
			alpha[i] /= sum
		}
		wide := math.Pow(10, rnd.Float64()*3-2.5)
		for i := range margins {
			margins[i] = wide * (rnd.NormFloat64() + 1.5)
			if i%3 == 1 { // as those of support vectors on the margin
				margins[i] = margins[i-1]
			}
			if trial%4 == 0 {
				margins[i] = math.Abs(margins[i]) * 20
			}
		}
		b := bound(alpha, margins)
		smallest, at := math.Inf(1), 0.0
		look := func(delta float64) {
			if v := literalBound(alpha, margins, delta); v < smallest {
				smallest, at = v, delta
			}
		}
		for delta := 1.0; delta > 1e-4; delta /= 1.01 {
			look(delta)
		}
		for _, m := range margins { // where the grid has to be finer, from the other side of the step too
			for _, by := range []float64{-1e-9, 1e-9} {
				if d := m / 2 * (1 + by); d > 0 && d <= 1 {
					look(d)
				}
			}
		}
		testutil.NearRel(t, "bound", b.Value, smallest, 1e-6)
		testutil.NearRel(t, "its margin", b.Delta, at, 1e-6)
		testutil.AtMost(t, "bound, by the grid", b.Value, smallest*(1+1e-9))
		if b.Delta == 1 {
			atOne++
		} else {
			inside++
		}
	}
	if inside < 10 || atOne < 10 {
		t.Errorf("%d infima between 0 and 1, %d at 1", inside, atOne)
	}
}

// TestBoundOfAllMargins: the search that skips margins finds what looking at all of them does.
func TestBoundOfAllMargins(t *testing.T) {
	rnd := dataset.NewRand(8)
	for range 20 {
		margins := make([]float64, 400)
		for i := range margins {
			margins[i] = 0.3 * (rnd.NormFloat64() + 0.8)
		}
		alpha := []float64{0.4, 0.3, 0.2, 0.1}
		b := bound(alpha, margins)
		s := infimum{n: len(margins), alpha: alpha}
		for _, m := range append(slices.Clone(margins), 2) {
			if m <= 0 || m > 2 {
				continue
			}
			below := 0
			for _, other := range margins {
				if other < m {
					below++
				}
			}
			s.ends = []end{{m / 2, below}}
			if v := s.at(0).Value; v < b.Value {
				t.Fatalf("bound %v at %v, %v at %v", b.Value, b.Delta, v, m/2)
			}
		}
	}
}
