package reduce

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Comparison is what a data set says of the model before and after a reduction.
type Comparison struct {
	N           int     `json:"n"`
	Labelled    bool    `json:"labelled"`     // without labels, an error is a class other than the full model's
	ErrorBefore float64 `json:"error_before"` // fractions of N
	ErrorAfter  float64 `json:"error_after"`
	Agreement   float64 `json:"agreement"` // fraction of N that keep their class
	// Broken points were right before and are wrong now; Fixed ones the other way round.
	Broken int `json:"broken"`
	Fixed  int `json:"fixed"`
	// Low and High are a 95 % confidence interval of the change in error, ErrorAfter − ErrorBefore, for the
	// points of which these N are a sample: Tango's (1998) score interval for paired proportions.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// PValue is that of the exact McNemar test: how likely a split of the changed points
	// at least as uneven is, if breaking and fixing are equally likely.
	PValue float64 `json:"p_value"`

	values *RegressionComparison // of a model of real values, which has nothing of the rest but fractions
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
// q is the most likely share of fixed points if delta is the true change.
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
