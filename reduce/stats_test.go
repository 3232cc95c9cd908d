package reduce

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestInterval holds the ends against a literal score test: the most likely shares under a given change by search, and
// the variance of the observed change for them.
func TestInterval(t *testing.T) {
	for _, c := range []Comparison{{N: 100, Broken: 8, Fixed: 2}, {N: 50, Fixed: 3}, {N: 40, Broken: 20, Fixed: 15},
		{N: 100}, {N: 1000, Broken: 1}} {
		c.interval()
		for _, end := range []float64{c.Low, c.High} {
			testutil.NearRel(t, fmt.Sprintf("%+v: the score at %v", c, end), math.Abs(literalScore(&c, end)), 1.959964, 1e-4)
		}
		if change := float64(c.Broken-c.Fixed) / float64(c.N); !(c.Low < change && change < c.High) {
			t.Errorf("%+v does not hold the change %v", c, change)
		}
	}
	all := Comparison{N: 10, Broken: 10}
	all.interval()
	if all.High != 1 || !testutil.Within(all.PValue, 2.0/1024, 1e-12) {
		t.Errorf("all broken: %+v", all)
	}
	some, same := Comparison{N: 100, Broken: 8, Fixed: 2}, Comparison{N: 100}
	some.interval()
	same.interval()
	testutil.Near(t, "McNemar's p of 8 and 2", some.PValue, 112.0/1024, 1e-12) // sign test: 2·56/1024
	testutil.Near(t, "McNemar's p without changes", same.PValue, 1, 0)
	testutil.Near(t, "symmetry", same.Low, -same.High, 1e-15)
}

// literalScore maximises the likelihood of the counts over the share of fixed points.
func literalScore(c *Comparison, delta float64) float64 {
	n, broken, fixed := float64(c.N), float64(c.Broken), float64(c.Fixed)
	term := func(count, share float64) float64 {
		switch {
		case count == 0:
			return 0
		case share <= 0:
			return math.Inf(-1)
		}
		return count * math.Log(share)
	}
	likelihood := func(q float64) float64 {
		return term(broken, q+delta) + term(fixed, q) + term(n-broken-fixed, 1-2*q-delta)
	}
	lo, hi := max(0, -delta), (1-delta)/2
	for range 200 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if likelihood(a) < likelihood(b) {
			lo = a
		} else {
			hi = b
		}
	}
	return (broken - fixed - n*delta) / math.Sqrt(n*(2*lo+delta*(1-delta)))
}

// TestCoverage draws 10000 validation sets for each truth, and wants 94 to 96 % of the intervals to hold it.
func TestCoverage(t *testing.T) {
	const trials = 10000
	for _, n := range []int{200, 1000} {
		for _, share := range []struct{ broken, fixed float64 }{
			{0.04, 0.02}, {0.05, 0.05}, {0.10, 0.05}, {0.10, 0.03}, {0.20, 0.01}, {0.02, 0.02}, {0.02, 0.08},
		} {
			rng := rand.New(rand.NewPCG(uint64(n), 1))
			held := make(map[[2]int]bool) // what the counts say of the truth
			hits := 0
			for range trials {
				var counts [2]int
				for range n {
					switch u := rng.Float64(); {
					case u < share.broken:
						counts[0]++
					case u < share.broken+share.fixed:
						counts[1]++
					}
				}
				hit, ok := held[counts]
				if !ok {
					c := Comparison{N: n, Broken: counts[0], Fixed: counts[1]}
					c.interval()
					change := share.broken - share.fixed
					hit = c.Low <= change && change <= c.High
					held[counts] = hit
				}
				if hit {
					hits++
				}
			}
			what := fmt.Sprintf("coverage in %% of n = %d, %v broken, %v fixed", n, share.broken, share.fixed)
			t.Logf("%s: %.2f", what, 100*float64(hits)/trials)
			testutil.Near(t, what, 100*float64(hits)/trials, 95, 1)
		}
	}
}
