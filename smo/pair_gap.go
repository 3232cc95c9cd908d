package smo

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/status"
)

// goal is what a solve wants to reach.
type goal struct {
	tol  float64 // violation
	gap  float64 // relative gap; 0 means any
	most int     // iterations
	// kept is the iterate of the smallest gap among those within the first tolerance; nil while none has missed the gap.
	kept *PairResult
}

const (
	// The gap costs at most pairEffort times the steps of the violation, and leastPairEffort.
	pairEffort, leastPairEffort = 4, 50_000
	// One tolerance is at least tightenMost and at most tightenLeast times the one before.
	tightenMost, tightenLeast = 1e-3, 0.25
)

// RelativeGap is Gap as a share of the primal objective, Gap − Objective; infinite where only that is 0.
func (r *PairResult) RelativeGap() float64 {
	if r.Gap <= 0 {
		return 0
	}
	return r.Gap / math.Abs(r.Gap-r.Objective)
}

// closed reports whether the gap of an iterate within the tolerance is small enough. If it is not, the tolerance
// becomes smaller: the gap is at most the violation times Σ (hi − lo), so both go down together. The goal is then half
// the gap, so that what rounding adds later finds room.
func (s *pairState) closed(r *PairResult) bool {
	if !(s.gap > 0) {
		return true
	}
	r.A, r.G = s.a, s.g[:s.n]
	s.Certify(r)
	found, goal := r.RelativeGap(), s.gap
	if s.kept != nil {
		goal /= 2
	}
	if !(found > goal && r.Gap > s.SmallGap) { // NaN too, which ends the solve
		s.kept = nil
		return true
	}
	if s.kept == nil {
		s.most = min(s.most, (1+pairEffort)*r.Iterations+leastPairEffort)
	}
	if s.kept == nil || r.Gap < s.kept.Gap {
		s.kept = &PairResult{A: slices.Clone(r.A), G: slices.Clone(r.G), Gap: r.Gap}
	}
	s.tol = r.KKT * min(max(s.gap/found/4, tightenMost), tightenLeast)
	return false
}

// end puts the iterate that is returned into r, with its certificate.
func (s *pairState) end(r *PairResult) {
	r.A, r.G = s.a, s.g[:s.n]
	if s.kept != nil {
		r.A, r.G = s.kept.A, s.kept.G
	}
	s.Certify(r)
	switch {
	case s.kept == nil || r.Status == status.TimeLimit || r.Status == status.Cancelled:
	case r.RelativeGap() <= s.gap || r.Gap <= s.SmallGap:
		r.Status = status.Optimal
	default:
		r.Status = status.GapOpen
	}
	if r.Status == status.Optimal && !finite(r.KKT, r.Gap, r.Objective) {
		r.Status = status.Numerical
	}
}
