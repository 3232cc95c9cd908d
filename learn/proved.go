package learn

import "context"

// Proved is what exact arithmetic says of the dual solution, with the kernel values as they are in double precision.
// The gap bounds the distance from the optimum if their matrix is positive semidefinite.
type Proved struct {
	Gap   float64 `json:"gap"`   // at least (primal − dual objective) / max(1, |primal objective|), at a feasible point
	Shift float64 `json:"shift"` // at least the sum of the differences between that point and the dual solution
}

type provedKey struct{}

// WithProof returns a context whose trainings, by methods with [Method.Proves], set [Duality.Proved].
func WithProof(ctx context.Context) context.Context { return context.WithValue(ctx, provedKey{}, true) }

// ProofAsked reports whether ctx is from [WithProof].
func ProofAsked(ctx context.Context) bool { return ctx.Value(provedKey{}) != nil }
