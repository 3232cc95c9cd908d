package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/model"
)

// Rule says when removal stops. Quality rules ([Tau], [MaxLoss]) are checked after every removal; the result is the
// last set of vectors before one is broken. Budgets ([MaxSV], [TargetLatency]) set a size: without a quality rule,
// removal stops as soon as the size is reached. With one, quality comes first, and the report says whether the budget
// was met.
type Rule struct {
	kind  ruleKind
	value float64
}

type ruleKind uint8

const (
	ruleTau ruleKind = iota
	ruleLoss
	ruleSize
	ruleLatency
)

// defaultTau is the threshold of Kobayashi and Otsu (2009), section 3: about 0.5 % of recognition rate, they say.
const defaultTau = 0.025

// Tau allows the mean hinge loss on the data, eq. (9), to grow by at most tau. For regression it allows the root of the
// mean square error to grow by tau standard deviations of the targets. 0 is allowed.
func Tau(tau float64) Rule { return Rule{ruleTau, tau} }

// MaxLoss allows the error on the validation data to grow by at most so many percentage points. Without labels it
// allows so many percent of the samples to change their class. For regression it allows the root of the mean square
// error to grow by so many percent of the standard deviation of the targets; without targets, of the given model's
// predictions.
func MaxLoss(percent float64) Rule { return Rule{ruleLoss, percent} }

// MaxSV sets a limit of k distinct vectors.
func MaxSV(k int) Rule { return Rule{ruleSize, float64(k)} }

// TargetLatency sets a limit of d for the prediction of one row, measured on this host; the result then depends on the
// host and its load.
func TargetLatency(d time.Duration) Rule { return Rule{ruleLatency, float64(d) / 1e3} }

// String describes the rule, as in [Report.Stopped].
func (r Rule) String() string {
	switch r.kind {
	case ruleTau:
		return fmt.Sprintf("hinge loss +%g", r.value)
	case ruleLoss:
		return fmt.Sprintf("error +%g percentage points", r.value)
	case ruleSize:
		return fmt.Sprintf("at most %g vectors", r.value)
	}
	return fmt.Sprintf("at most %g µs a prediction", r.value)
}

// of describes the rule for regression or for classes.
func (r Rule) of(regression bool) string {
	switch {
	case regression && r.kind == ruleTau:
		return fmt.Sprintf("RMSE +%g deviations", r.value)
	case regression && r.kind == ruleLoss:
		return fmt.Sprintf("RMSE +%g %% of a deviation", r.value)
	}
	return r.String()
}

func (r Rule) budget() bool { return r.kind == ruleSize || r.kind == ruleLatency }

func (r Rule) validate() error {
	switch {
	case math.IsNaN(r.value) || math.IsInf(r.value, 0) || r.value < 0:
		return fmt.Errorf("reduce: %s: want a finite number that is not negative", r)
	case r.kind == ruleLoss && r.value > 100:
		return fmt.Errorf("reduce: %s: want at most 100", r)
	case r.kind == ruleSize && r.value < 1:
		return fmt.Errorf("reduce: %s: want at least 1", r)
	case r.kind == ruleLatency && r.value == 0:
		return fmt.Errorf("reduce: %s: want more than 0", r)
	}
	return nil
}

// broken reports whether the quality rule is broken with s of n vectors.
func (r Rule) broken(s, n int, data, validation *curve) bool {
	switch r.kind {
	case ruleTau:
		return !(data.meanHinge(s)-data.meanHinge(n) <= r.value)
	case ruleLoss:
		if validation.unit > 0 {
			return !(validation.meanHinge(s)-validation.meanHinge(n) <= r.value/100)
		}
		more := validation.wrong[s] - validation.wrong[n]
		return float64(more) > r.value/100*float64(validation.samples)
	}
	return false
}

// stop returns the number of vectors by the rules, the rule that determined it (nil: one vector is left), and a budget
// that is missed because of a quality rule.
func stop(rules []Rule, n int, data, validation *curve, micros func(s int) float64) (s int, by, missed *Rule) {
	smallest := 1 // what the quality rules allow
	quality := false
	for i := range rules {
		r := &rules[i]
		if r.budget() {
			continue
		}
		quality = true
		for left := n - 1; left >= smallest; left-- {
			if r.broken(left, n, data, validation) {
				smallest, by = left+1, r
			}
		}
	}
	s = smallest
	if !quality {
		s, by = n, nil
	}
	for i := range rules {
		r := &rules[i]
		if !r.budget() {
			continue
		}
		fits := n
		for fits > 1 && !r.met(fits, micros) {
			fits--
		}
		switch {
		case fits < s && !quality:
			s, by = fits, r
		case fits < s:
			missed = r
		}
		if !r.met(fits, micros) {
			missed = r
		}
	}
	return s, by, missed
}

// met reports whether s vectors are within the budget.
func (r *Rule) met(s int, micros func(s int) float64) bool {
	if r.kind == ruleSize {
		return float64(s) <= r.value
	}
	return micros(s) <= r.value
}

// latency has measured microseconds of a prediction for a few sizes.
type latency struct {
	sizes  []int // ascending
	micros []float64
}

// measure times single predictions with few, some and all vectors.
func (p *path) measure(ctx context.Context) (*latency, error) {
	l := new(latency)
	for _, s := range []int{1, p.n / 8, p.n / 4, p.n / 2, 3 * p.n / 4, p.n} {
		if s < 1 || slices.Contains(l.sizes, s) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		idx, coef, err := p.keep(ctx, s)
		if err != nil {
			return nil, err
		}
		c, err := p.classifier(idx, coef, p.bias())
		if err != nil {
			return nil, err
		}
		l.sizes = append(l.sizes, s)
		l.micros = append(l.micros, Microseconds(c))
	}
	return l, nil
}

// Microseconds times a prediction on the features of the first vector, which are as sparse as a sample's and stored as
// the model stores them: the least of five runs of 2 ms each, on this host at this SIMD level.
func Microseconds(c *model.Classifier) float64 {
	row := c.FirstVector()
	predict := func() { c.Predict(row.X) }
	if row.Sparse != nil {
		f, class := make([]float64, c.NumSubmodels()), make([]int, 1)
		predict = func() {
			c.DecideSet(f, row, 0, 1, 1)
			c.Classes(class, f, 1)
		}
	}
	best := math.Inf(1)
	for range 5 {
		start, calls := time.Now(), 0
		for calls == 0 || time.Since(start) < 2*time.Millisecond {
			predict()
			calls++
		}
		best = min(best, time.Since(start).Seconds()*1e6/float64(calls))
	}
	return best
}

// attainable returns an error if even a single vector exceeds a limit of time.
func (l *latency) attainable(rules []Rule) error {
	for i := range rules {
		if r := &rules[i]; r.kind == ruleLatency && !r.met(1, l.at) {
			return fmt.Errorf("reduce: %s: one vector alone takes %.3g µs here", r, l.at(1))
		}
	}
	return nil
}

// at interpolates linearly; nil gives 0.
func (l *latency) at(s int) float64 {
	if l == nil {
		return 0
	}
	i, found := slices.BinarySearch(l.sizes, s)
	switch {
	case found:
		return l.micros[i]
	case i == 0:
		return l.micros[0]
	case i == len(l.sizes):
		return l.micros[i-1]
	}
	f := float64(s-l.sizes[i-1]) / float64(l.sizes[i]-l.sizes[i-1])
	return l.micros[i-1] + f*(l.micros[i]-l.micros[i-1])
}
