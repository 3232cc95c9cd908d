package smo

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/status"
)

// goal is what a solve wants to reach.
type goal struct {
	tol    float64 // violation
	gap    float64 // relative gap; 0 means any
	most   int     // iterations
	whole  float64 // the tolerance that was asked for
	margin float64 // of the program that is solved, see [pairState.shift]; 0 while that is the one given
	again  bool    // the margin is new: the violation is another
	// kept is the iterate of the smallest gap among those within the first tolerance; nil while none has missed the gap.
	kept *Result
}

const (
	// The gap costs at most pairEffort times the steps of the violation, and minPairEffort.
	pairEffort, minPairEffort = 4, 50_000
	// One tolerance is at least tightenMost and at most tightenLeast times the one before.
	tightenMost, tightenLeast = 1e-3, 0.25
)

// RelativeGap is Gap as a share of the primal objective, Gap − Objective; infinite where only that is 0.
func (r *Result) RelativeGap() float64 {
	if r.Gap <= 0 {
		return 0
	}
	return r.Gap / math.Abs(r.Gap-r.Objective)
}

// closed reports whether the gap of an iterate within the tolerance is small enough. If it is not, the solve goes on:
// first with a margin, see [pairState.shift], then with smaller tolerances, as the gap is at most the violation times
// Σ (hi − lo). Without a margin the goal is three quarters of the gap if K is rounded, and half of it once it was
// missed, so that what rounding adds later finds room.
func (s *pairState) closed(r *Result) bool {
	if !(s.gap > 0) {
		return true
	}
	within := r.KKT
	r.A, r.G = s.a, s.gradient()
	s.Certify(r)
	found, goal := r.RelativeGap(), s.gap
	switch {
	case s.margin > 0:
	case s.kept != nil:
		goal /= 2
	case s.Most > 0:
		goal *= 0.75
	}
	if r.KKT <= s.whole && !(found > goal && r.Gap > s.SmallGap) { // NaN too, which ends the solve
		s.kept = nil
		return true
	}
	first := s.kept == nil
	if first || r.Gap < s.kept.Gap {
		s.kept = r.copied() // before a margin changes the iterate
	}
	if first {
		s.most = min(s.most, (1+pairEffort)*r.Iterations+minPairEffort)
		if s.shift(r) {
			s.tol = s.margin
			return false
		}
	}
	s.tol = within * min(max(s.gap/found/4, tightenMost), tightenLeast)
	if s.margin > 0 {
		s.tol = within * tightenLeast
	}
	return false
}

// copied is the iterate with its gap, apart from the vectors of the solve.
func (r *Result) copied() *Result {
	return &Result{A: slices.Clone(r.A), G: slices.Clone(r.G), Gap: r.Gap}
}

const (
	// marginTolerance is the largest margin as a share of the tolerance: a pair then violates the conditions of the
	// program by no more than twice that, and the violation that is left.
	marginTolerance = 0.3
	// marginGap is the largest share of the gap that a margin takes.
	marginGap = 0.6
	// A margin below minMargin of the tolerance takes too many steps to keep.
	minMargin = 1e-3
	// minShifted is the least number of variables: among fewer, steps to a smaller tolerance cost next to nothing, and
	// come nearer to the optimum.
	minShifted = 50
)

// shift makes the solver's program one with a margin: a variable that may only rise from 0 gets the slope p − margin,
// one that may only fall p + margin. At its solution a free variable has the residual ±margin of the true program, on
// the side where it adds |a| times that to the gap, and none adds a distance to the other bound times its own residual,
// which is what makes a gap large if bounds are wide. The optimum is missed by a term in the square of the margin. It
// returns false where the program is small or has not variables of both kinds, or where no margin is small enough.
func (s *pairState) shift(r *Result) bool {
	free, rise, fall := 0.0, false, false
	for v, a := range s.a {
		rise, fall = rise || s.Lo[v] == 0 && s.Hi[v] > 0, fall || s.Hi[v] == 0 && s.Lo[v] < 0
		if s.up[v] == 0 && s.low[v] == 0 {
			free += math.Abs(a)
		}
	}
	margin := min(marginTolerance*s.whole, marginGap*s.gap*math.Abs(r.Objective)/free, s.kink())
	if !rise || !fall || s.n < minShifted || !(margin >= minMargin*s.whole) {
		return false
	}
	s.margin, s.again = margin, true
	for v := range s.a {
		s.g[v] += s.shiftOf(v)
	}
	s.result.Added++
	s.stretch()
	return true
}

// kink is a quarter of the least difference between the slopes left and right of 0 in a program over [Twice], +Inf in
// others. A margin of half of it would make the program concave there.
func (s *pairState) kink() float64 {
	if _, ok := s.K.(interface{ doubled() }); !ok {
		return inf
	}
	least := inf
	for v, p := range s.P[:s.n/2] {
		least = min(least, (p-s.P[s.n/2+v])/4)
	}
	return least
}

// shiftOf is what the margin adds to the slope of a variable.
func (s *pairState) shiftOf(v int) float64 {
	lo, hi := s.Lo[v], s.Hi[v]
	return s.margin * float64(one(hi == 0)&one(lo < 0)-one(lo == 0)&one(hi > 0))
}

// gradient returns that of the program without the margin.
func (s *pairState) gradient() []float64 {
	if s.margin == 0 {
		return s.g[:s.n]
	}
	g := slices.Clone(s.g[:s.n])
	for v := range g {
		g[v] -= s.shiftOf(v)
	}
	return g
}

// stretch goes along the iterate to the minimum or to the first bound. Where no variable is at a bound other than 0,
// that is the solution with a margin.
func (s *pairState) stretch() {
	var slope, curve, sum, size float64
	most := inf
	for v, a := range s.a {
		slope, curve = slope+a*s.g[v], curve+a*(s.g[v]-s.P[v]-s.shiftOf(v))
		sum, size = sum+a, size+math.Abs(a)
		if a > 0 {
			most = min(most, s.Hi[v]/a)
		} else if a < 0 {
			most = min(most, s.Lo[v]/a)
		}
	}
	by := min(-slope/curve, most-1)
	if !(by > 0) || math.Abs(sum) > 1e-12*size {
		return
	}
	for v, a := range s.a {
		p := s.P[v] + s.shiftOf(v)
		s.g[v] = p + (1+by)*(s.g[v]-p)
		s.a[v] = min(max((1+by)*a, s.Lo[v]), s.Hi[v])
		s.up[v], s.low[v] = freedom(s.a[v], s.Lo[v], s.Hi[v])
	}
	s.result.Added += 2
	s.result.Moved += by * size
}

// end puts the iterate that is returned into r, with its certificate.
func (s *pairState) end(r *Result) {
	r.A, r.G = s.a, s.gradient()
	if s.rough {
		r.Rho = s.rho(r)
		return
	}
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
