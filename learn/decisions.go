package learn

import (
	"context"
	"slices"
)

// Decisions are decision values of a problem's samples, as a solver has them at its end.
type Decisions struct {
	Values []float64 // NaN where the solver has none
	Error  float64   // the model's own values differ by at most so much
	of     Expansion
}

type decisionsKey struct{}

// WithDecisions returns a context whose trainings set [Result.Decisions], where the method has them and a bound of
// their error.
func WithDecisions(ctx context.Context) context.Context {
	return context.WithValue(ctx, decisionsKey{}, true)
}

// DecisionsAsked reports whether ctx is from [WithDecisions].
func DecisionsAsked(ctx context.Context) bool { return ctx.Value(decisionsKey{}) != nil }

// Decided sets the decisions of the model that r is now: see [Result.Current].
func (r *Result) Decided(values []float64, bound float64) {
	r.Decisions = &Decisions{values, bound, Expansion{Support: slices.Clone(r.Support), Coef: slices.Clone(r.Coef), Bias: r.Bias}}
}

// Current returns r.Decisions if they are those of the model that r is: a method that changes another one's model, as a
// refit does, leaves decisions of an earlier one. Otherwise it returns nil.
func (r *Result) Current() *Decisions {
	d := r.Decisions
	if d == nil || r.Vectors != nil || r.Plane != nil || r.Steps != nil || r.Kernel != nil || r.Values != nil ||
		r.Bias != d.of.Bias || !slices.Equal(r.Support, d.of.Support) || !slices.Equal(r.Coef, d.of.Coef) {
		return nil
	}
	return d
}
