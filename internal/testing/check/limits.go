package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
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

// Ends are the statuses with which a method's training may claim an optimum: only a convex program has the first, and
// of the other methods few exclude every step.
func Ends(t learn.Trainer) []status.Status {
	values := learn.ValuesOf(t)
	switch name := t.Name(); {
	case slices.Contains([]string{"direct", "rvm", "rvm-fast"}, name):
		return []status.Status{status.LocalOptimum, status.FixedPoint}
	case !slices.Contains(reweighted, name), slices.Contains([]any{1.0, 2.0, math.Inf(1)}, values["norm"]),
		values["ranked"] == true: // one program
		return []status.Status{status.Optimal}
	}
	return []status.Status{status.FixedPoint}
}

// reweighted are the methods whose programs follow from the last one's solution.
var reweighted = []string{"l0svm", "skde", "skm", "sparse-one-class", "spc", "ssvc-a", "ssvc-b", "ssvc-features",
	"ssvc-features-b", "ssvc-w", "ssvr-a", "ssvr-b"}

// claims reports whether a status claims an optimum.
func claims(st status.Status) bool { return st == status.Optimal || st >= status.LocalOptimum }

// Doubts lists what takes its word, such as "optimal", from a model, and where the report says another
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
