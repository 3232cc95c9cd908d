package reduce

import (
	"fmt"
	"math"
	"time"
)

// Rule says where removal stops. Quality rules ([Tau], [MaxLoss]) are checked
// after every removal, from the full set on: the set before the first that breaks
// one is the result. Budgets ([MaxSV], [TargetLatency]) ask for a size: alone,
// removal goes on until the size is reached and no further; beside a quality rule, quality
// comes first, and the report says whether the budget was met.
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

// DefaultTau is the threshold of Kobayashi and Otsu (2009), section 3: 0.5 % of recognition rate by their experience.
const DefaultTau = 0.025

// Tau allows the mean hinge loss on the data, eq. (9), to grow by at most tau; of real values the root of the mean
// square error, by tau standard deviations of the values. 0 is allowed.
func Tau(tau float64) Rule { return Rule{ruleTau, tau} }

// MaxLoss allows the error on the validation data to grow by at most so many percentage
// samples; without labels, so many percent of the points to change their class. Of real values it is the root of the
// mean square error, which may grow by so many percent of the values' standard deviation; without values, that from
// the given model's.
func MaxLoss(points float64) Rule { return Rule{ruleLoss, points} }

// MaxSV asks for at most k distinct vectors.
func MaxSV(k int) Rule { return Rule{ruleSize, float64(k)} }

// TargetLatency asks for a prediction of one row in at most d, as measured on this
// model; the result then depends on the model and its load.
func TargetLatency(d time.Duration) Rule { return Rule{ruleLatency, float64(d) / 1e3} }

func (r Rule) String() string {
	switch r.kind {
	case ruleTau:
		return fmt.Sprintf("hinge loss +%g", r.value)
	case ruleLoss:
		return fmt.Sprintf("error +%g samples", r.value)
	case ruleSize:
		return fmt.Sprintf("at most %g vectors", r.value)
	}
	return fmt.Sprintf("at most %g µs a prediction", r.value)
}

// of is the text of the rule for a model of values.
func (r Rule) of(values bool) string {
	switch {
	case values && r.kind == ruleTau:
		return fmt.Sprintf("RMSE +%g deviations", r.value)
	case values && r.kind == ruleLoss:
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

// broken reports whether the quality rule is broken with s of n survivors.
func (r Rule) broken(s, n int, data, validation *curve) bool {
	switch r.kind {
	case ruleTau:
		return !(data.meanHinge(s)-data.meanHinge(n) <= r.value)
	case ruleLoss:
		if validation.unit > 0 {
			return !(validation.meanHinge(s)-validation.meanHinge(n) <= r.value/100)
		}
		more := validation.wrong[s] - validation.wrong[n]
		return float64(more) > r.value/100*float64(validation.points)
	}
	return false
}

// stop returns the number of survivors that the rules ask for, the rule that
// decided (nil: only the last vector is left), and a budget that quality keeps from being met.
func stop(rules []Rule, n int, data, validation *curve, micros func(s int) float64) (s int, by, missed *Rule) {
	least := 1 // what the quality rules allow
	quality := false
	for i := range rules {
		r := &rules[i]
		if r.budget() {
			continue
		}
		quality = true
		for left := n - 1; left >= least; left-- {
			if r.broken(left, n, data, validation) {
				least, by = left+1, r
			}
		}
	}
	s = least
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

// met reports whether s survivors are within the budget.
func (r *Rule) met(s int, micros func(s int) float64) bool {
	if r.kind == ruleSize {
		return float64(s) <= r.value
	}
	return micros(s) <= r.value
}
