package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestMaxRateBeta: P(Bin(n, p) ≤ e) = I_{1−p}(n−e, e+1). The inverse of gonum gives up for some small δ.
func TestMaxRateBeta(t *testing.T) {
	for _, n := range []int{1, 2, 7, 50, 400, 3000} {
		for _, e := range []int{0, 1, n / 10, n / 3, n - 1} {
			if e >= n {
				continue
			}
			for _, delta := range []float64{0.5, 0.05, 1e-4, 1e-30, 1e-200} {
				p := MaxRate(e, n, math.Log(delta))
				tail := mathext.RegIncBeta(float64(n-e), float64(e+1), 1-p)
				if 1-p > 1e-6 { // else 1 − p has lost its digits
					testutil.NearRel(t, "log tail", math.Log(tail), math.Log(delta), 1e-8)
				}
			}
		}
	}
	// scipy.stats.beta.isf(δ, e+1, n−e)
	testutil.Near(t, "300 of 3000", MaxRate(300, 3000, math.Log(1e-200)), 0.3358501408183602, 1e-12)
	testutil.Near(t, "1000 of 3000", MaxRate(1000, 3000, math.Log(1e-4)), 0.3660044244488959, 1e-12)
	testutil.Near(t, "1 of 400", MaxRate(1, 400, math.Log(1e-30)), 0.16781487973307754, 1e-12)
}

// TestMaxRateCount holds the tail to sums over all outcomes of a few samples, and to published limits.
func TestMaxRateCount(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for e := range n {
			p := MaxRate(e, n, math.Log(0.05))
			var tail float64
			for outcome := range 1 << n {
				ones := 0
				for b := range n {
					ones += outcome >> b & 1
				}
				if ones <= e {
					tail += math.Pow(p, float64(ones)) * math.Pow(1-p, float64(n-ones))
				}
			}
			testutil.Near(t, "tail", tail, 0.05, 1e-12)
		}
	}
	// 0 of n: 1 − δ^(1/n), the rule of three; the upper ends of 97.5 % of 10 of 100 (Clopper and Pearson 1934).
	testutil.Near(t, "no errors", MaxRate(0, 60, math.Log(0.05)), 1-math.Pow(0.05, 1.0/60), 1e-14)
	testutil.Near(t, "10 of 100", MaxRate(10, 100, math.Log(0.025)), 0.1762, 5e-5)
	testutil.Near(t, "errors only", MaxRate(4, 4, math.Log(0.05)), 1, 0)
	// A probability below the smallest float64: 0 errors leave δ^(1/n).
	testutil.Near(t, "tiny δ", MaxRate(0, 60000, -3000), -math.Expm1(-3000.0/60000), 1e-13)
}

// TestMaxRateCoverage draws errors at a known rate.
func TestMaxRateCoverage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const draws, n, rate, delta = 4000, 60, 0.2, 0.1
	missed := 0
	for range draws {
		errors := 0
		for range n {
			if rnd.Float64() < rate {
				errors++
			}
		}
		if MaxRate(errors, n, math.Log(delta)) < rate {
			missed++
		}
	}
	if !(missed <= draws*delta) || !(missed > draws*delta/4) {
		t.Errorf("%d of %d bounds below the rate, want at most %v and not far fewer", missed, draws, draws*delta)
	}
}

// TestPriors: the probabilities of counts, of integers, and of subsets sum to 1 at most.
func TestPriors(t *testing.T) {
	var counts, integers float64
	for i := range 1 << 20 {
		counts += math.Exp2(-CountBits(i))
		integers += math.Exp2(-IntegerBits(int64(i)))
		if i > 0 {
			integers += math.Exp2(-IntegerBits(-int64(i)))
		}
	}
	steps := math.Exp2(-StepBits(0))
	for i := range int64(60) {
		steps += math.Exp2(-StepBits(i+1)) + math.Exp2(-StepBits(-i-1))
	}
	testutil.Near(t, "steps", steps, 1, 1e-15)
	testutil.Near(t, "counts", counts, 1, 2e-6)
	testutil.Near(t, "integers", integers, 1-1.0/22, 1e-9) // numbers of 21 digits and more have the rest
	for k := range 13 {
		testutil.Near(t, "subsets", math.Exp(logChoose(12, k)), choose12(k), 1e-9)
	}
}

// choose12 is C(12, k).
func choose12(k int) float64 {
	v := 1.0
	for i := range k {
		v = v * float64(12-i) / float64(i+1)
	}
	return v
}

// TestCompressionOrder: more samples, fewer errors, vectors and bits never make the bound larger.
func TestCompressionOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	delta := math.Log(0.05)
	for range 300 {
		k := rnd.IntN(20)
		c := Compression{Samples: 2*k + 50 + rnd.IntN(2000), Vectors: k, Bits: 100 * rnd.Float64()}
		c.Errors = rnd.IntN(c.Samples / 4)
		v := c.Bound(delta)
		if !(v > float64(c.Errors)/float64(c.Samples)) || !(v <= 1) {
			t.Fatalf("%+v: bound %v", c, v)
		}
		larger, worse, longer, more, surer := c, c, c, c, c.Bound(delta-1)
		larger.Samples *= 2
		worse.Errors++
		longer.Bits++
		more.Vectors++
		if !(larger.Bound(delta) < v) || !(worse.Bound(delta) > v) || !(longer.Bound(delta) > v) ||
			!(more.Bound(delta) > v) || !(surer > v) {
			t.Fatalf("%+v: %v, of twice the samples %v, an error more %v, a bit more %v, a vector more %v, δ/e %v", c, v,
				larger.Bound(delta), worse.Bound(delta), longer.Bound(delta), more.Bound(delta), surer)
		}
	}
	large := Compression{Samples: 60000, Vectors: 50, Errors: 1200, Bits: 400}
	testutil.Near(t, "60000 samples", large.Bound(delta), 0.0489, 0.0001)
	if v := (Compression{Samples: 60000, Vectors: 30000, Errors: 0, Bits: 1e5}).Bound(delta); !(v > 0.9) || !(v <= 1) {
		t.Errorf("half of 60000 samples: %v", v)
	}
}
