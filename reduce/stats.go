package reduce

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Comparison compares the models before and after a reduction on a set of samples.
type Comparison struct {
	N           int     `json:"n"`
	Labelled    bool    `json:"labelled"`     // without labels, an error is a class other than the given model's
	ErrorBefore float64 `json:"error_before"` // fractions of N
	ErrorAfter  float64 `json:"error_after"`
	Agreement   float64 `json:"agreement"` // fraction of N that keep their class
	// Broken counts samples that were right before and are wrong now; Fixed counts the opposite.
	Broken int `json:"broken"`
	Fixed  int `json:"fixed"`
	// Low and High are a 95 % confidence interval of the change in error, ErrorAfter − ErrorBefore, in the population from
	// which the N samples were drawn: Tango's (1998) score interval for paired proportions.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// PValue is the p-value of the exact McNemar test: the probability of a split of the changed samples at least as
	// uneven, if breaking and fixing are equally likely.
	PValue float64 `json:"p_value"`

	values *RegressionComparison // for regression, where only N, the errors and Agreement above are set
}

// interval fills Low, High and PValue.
func (c *Comparison) interval() {
	c.PValue = 1
	if c.N == 0 {
		return
	}
	c.Low, c.High = c.end(-1), c.end(1)
	d := c.Broken + c.Fixed
	if d == 0 {
		return
	}
	// Twice the smaller tail of Binomial(d, 1/2): P(X ≤ k) = I_½(d−k, k+1).
	k := float64(min(c.Broken, c.Fixed))
	c.PValue = min(1, 2*mathext.RegIncBeta(float64(d)-k, k+1, 0.5))
}

// end is the change farthest from the observed one towards limit, −1 or 1, that a score test of level 5 %
// does not refuse.
func (c *Comparison) end(limit float64) float64 {
	const z = 1.959963984540054 // of the normal distribution, 2.5 % on each side
	near, far := float64(c.Broken-c.Fixed)/float64(c.N), limit
	for range 52 { // halvings down to the last bit
		if middle := (near + far) / 2; math.Abs(c.score(middle)) <= z {
			near = middle
		} else {
			far = middle
		}
	}
	return near
}

// score is the standardised difference of the observed change from delta, T. Tango, "Equivalence test and confidence
// interval for the difference in proportions for the paired-sample design", Statistics in Medicine 17 (1998):
// q is the most likely share of fixed samples if delta is the true change.
func (c *Comparison) score(delta float64) float64 {
	n, broken, fixed := float64(c.N), float64(c.Broken), float64(c.Fixed)
	b := (2*n-broken+fixed)*delta - broken - fixed
	q := (math.Sqrt(max(0, b*b+8*n*fixed*delta*(1-delta))) - b) / (4 * n)
	miss := broken - fixed - n*delta
	if miss == 0 {
		return 0
	}
	return miss / math.Sqrt(max(0, n*(2*q+delta*(1-delta))))
}
