package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// What "optimal" promises; docs/design/promises.md, "Certificates". The rounding of the
// model's own decisions comes on top: no sum of float64 is known better.
const (
	maxGap       = 1e-5 // of the objective
	maxResidual  = 1e-6
	maxKKT       = 1e-6
	nothing      = 1e-15 // of what f = 0 costs: a difference of objectives below it is 0
	svcRounding  = 0.3   // of svc's tolerance: kernel values may be in single precision
	svcObjective = 1e-4  // for the same reason
)

// Doubts lists what takes the word "optimal" from a model, and where the report says another
// objective than the model has.
func (v *Verdict) Doubts(t learn.Trainer, r *learn.Report) []string {
	doubts := slices.Clone(v.Outside)
	doubt := func(what string, got, highest float64) {
		if !(got <= highest) {
			doubts = append(doubts, fmt.Sprintf("%s %.2g, at most %.2g wanted", what, got, highest))
		}
	}
	distance := func(what string, from, share float64) {
		if d := math.Abs(from - v.Objective); from != v.Objective {
			doubt(what, d, share*v.size()+v.Slack+nothing*v.Idle)
		}
	}
	share := maxGap
	if slices.Contains(libsvmRule, t.Name()) {
		tolerance := learn.ValuesOf(t).Numbers()["tolerance"]
		doubt("violation", v.Violation, tolerance*(1+svcRounding)+2*largest(v.Rounding))
		distance("distance of primal and dual", v.Dual, min(max(tolerance, 1e-6), 1e-2))
		share = svcObjective
	} else if r.Duality != nil {
		distance("distance of primal and dual", v.Dual, share)
		if !math.IsNaN(v.Violation) {
			doubt("violation", v.Violation, maxKKT)
		}
		if !math.IsNaN(v.Better) {
			doubt("another model is below the dual bound by", v.Dual-v.Better, share*v.size()+v.Slack+nothing*v.Idle)
		}
	}
	if r.Residual != nil {
		doubt("residual", v.Residual, maxResidual+v.Blur)
	}
	if !math.IsNaN(v.Gradient) {
		doubt("gradient", v.Gradient, maxKKT)
	}
	distance("distance of the report's objective", r.Objective, share)
	return doubts
}

// Blurred reports whether rounding alone keeps the model from a certificate: its decisions,
// at their best, are sums that a float64 does not hold to what "optimal" promises.
func (v *Verdict) Blurred() bool {
	return v.Blur > maxResidual || v.Slack > maxGap*v.size()+nothing*v.Idle || largest(v.Rounding) > maxKKT
}

// size is the objective with all its parts.
func (v *Verdict) size() float64 { return math.Abs(v.Objective) + v.Constant }

func largest(list []float64) (highest float64) {
	for _, v := range list {
		highest = max(highest, v)
	}
	return highest
}
