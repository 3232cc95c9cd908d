// Package status names the ways in which a solver stops. A status is a result,
// not an error: with any status the solver returns its best iterate so far and the
// residuals of that iterate.
package status

import (
	"context"
	"errors"
	"fmt"
)

// Status says why a solver stopped.
type Status uint8

const (
	Unknown        Status = iota // not solved yet
	Optimal                      // the stopping tolerances hold
	IterationLimit               // the iteration limit came first
	TimeLimit                    // the context's deadline came first
	Cancelled                    // the context was cancelled
	Infeasible                   // no x satisfies the constraints; a certificate is attached
	Unbounded                    // the objective has no bound; a ray is attached
	Numerical                    // rounding errors keep the solver from its tolerances
	SizeReached                  // a selection has the number of support vectors that it was asked for
	GapOpen                      // the violations are within the tolerance, the duality gap is not
	LocalOptimum                 // no small change of the model is better; another start may end at a better one
	FixedPoint                   // the last program is solved, which holds weights, vectors or a margin fixed
)

var names = [...]string{
	"unknown", "optimal", "iteration limit", "time limit", "cancelled", "infeasible", "unbounded", "numerical trouble",
	"size reached", "gap open", "local optimum", "fixed point",
}

// String returns the name, in lower case, such as "time limit".
func (s Status) String() string {
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText writes the name, so that JSON shows words.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Done reports whether the solver ended as it was asked to: at an optimum, at the size asked
// for, by a rule that bounds the violations but not the gap, or at the end of a local search.
func (s Status) Done() bool { return s == Optimal || s >= SizeReached && s <= FixedPoint }

// Limit reports whether a limit or a cancellation stopped the solver.
func (s Status) Limit() bool { return s == IterationLimit || s == TimeLimit || s == Cancelled }

// FromContext returns Unknown while ctx lives, TimeLimit after its deadline and Cancelled after a cancellation.
func FromContext(ctx context.Context) Status {
	switch err := ctx.Err(); {
	case err == nil:
		return Unknown
	case errors.Is(err, context.DeadlineExceeded):
		return TimeLimit
	default:
		return Cancelled
	}
}
