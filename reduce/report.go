package reduce

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/sparsekm/sparsekm/model"
)

// Result is a smaller model with a report.
type Result struct {
	Classifier *model.Classifier `json:"-"`
	Report
}

// Report says what was removed, and what every further removal would have cost.
type Report struct {
	Method   string  `json:"method"` // "kobayashi", "kobayashi-1", "downs" or "move"
	SVBefore int     `json:"sv_before"`
	SVAfter  int     `json:"sv_after"` // distinct vectors, as in all counts
	Merged   int     `json:"merged"`   // removed ones that repeat others or that no submodel used
	Lambda   float64 `json:"lambda,omitempty"`
	Tau      float64 `json:"tau,omitempty"`
	// Order has the removed vectors as indices in the given model, in the order of removal; HingeIncrease has the
	// criterion after each, nil without data.
	Order         []int     `json:"order"`
	HingeIncrease []float64 `json:"hinge_increase,omitempty"`
	Stopped       string    `json:"stopped"`           // the rule that decided
	Message       string    `json:"message,omitempty"` // a warning or an explanation
	Refit         string    `json:"refit,omitempty"`   // how coefficients were fitted again; empty if they were not
	HingeBefore   float64   `json:"hinge_before"`      // mean hinge loss on the data
	HingeAfter    float64   `json:"hinge_after"`
	// Compared compares the models before and after on the validation data; nil without data.
	Compared *Comparison `json:"compared,omitempty"`
	// Values compares regression models. Losses and errors in this report are then root mean square errors in standard
	// deviations of the targets, and agreements are R² against the given model.
	Values *RegressionComparison `json:"values,omitempty"`
	// VectorAgreement is the fraction of the given model's vectors that keep their class, if there are no data to compare
	// on; else nil. Support vectors lie near the boundary: of other samples, more keep their class.
	VectorAgreement *float64 `json:"vector_agreement,omitempty"`
	// Curve has every stage, from all distinct vectors down to one, also beyond the stop; empty without data.
	Curve        []Point `json:"curve,omitempty"`
	MicrosBefore float64 `json:"us_before,omitempty"` // measured time of one prediction in µs
	MicrosAfter  float64 `json:"us_after,omitempty"`
	PlattStale   bool    `json:"platt_stale,omitempty"` // the probabilities were fitted to the old decision values
}

// Point is one stage of a reduction, before any refit.
type Point struct {
	SV            int     `json:"sv"`
	HingeIncrease float64 `json:"hinge_increase"` // on the data
	Error         float64 `json:"error"`          // fractions of the validation data
	Agreement     float64 `json:"agreement"`
	Micros        float64 `json:"us,omitempty"` // interpolated between measured sizes
}

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
