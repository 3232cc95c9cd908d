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
	// Low and High are a 95 % confidence interval of the change in error,
	// ErrorAfter − ErrorBefore: exact (Clopper and Pearson) given that Broken+Fixed points changed. When none
	// did, the largest share of changes that N points would have missed with probability 5 %.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// PValue is that of the exact McNemar test: how likely a split of the changed points
	// at least as uneven is, if breaking and fixing are equally likely.
	PValue float64 `json:"p_value"`
}

// interval fills Low, High and PValue.
func (c *Comparison) interval() {
	const alpha = 0.05
	b, d := c.Broken, c.Broken+c.Fixed
	c.PValue = 1
	switch {
	case c.N == 0:
		return
	case d == 0:
		c.High = 1 - math.Pow(alpha, 1/float64(c.N))
		c.Low = -c.High
		return
	}
	lo, hi := 0.0, 1.0 // of the probability that a change is for the worse
	if b > 0 {
		lo = mathext.InvRegIncBeta(float64(b), float64(d-b+1), alpha/2)
	}
	if b < d {
		hi = mathext.InvRegIncBeta(float64(b+1), float64(d-b), 1-alpha/2)
	}
	share := float64(d) / float64(c.N)
	c.Low, c.High = share*(2*lo-1), share*(2*hi-1)
	// Twice the smaller tail of Binomial(d, 1/2): P(X ≤ k) = I_½(d−k, k+1).
	k := float64(min(b, d-b))
	c.PValue = min(1, 2*mathext.RegIncBeta(float64(d)-k, k+1, 0.5))
}
