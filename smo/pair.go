package smo

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// Pair is the quadratic program
//
//	min ½ aᵀKa + pᵀa   subject to   lo ≤ a ≤ hi,  1ᵀa = 1ᵀstart
//
// which is the dual of a support vector machine in signed variables: C-SVC has a_i = y_i α_i, p = −y and bounds [0,
// C] or [−C, 0]. K should be positive semidefinite; when it is not, the solver still stops, at a stationary point.
type Pair struct {
	K      Matrix // may become its Whole, see [Matrix]
	P      []float64
	Lo, Hi []float64 // finite
	// Start is the first iterate, which must be feasible; nil means zero.
	Start []float64
	// KStart is K times Start if the caller knows it, else nil.
	KStart []float64
	// SmallGap is a gap that is small enough whatever the objective; see [Options].
	SmallGap float64
	// Most, when positive, ends the solve once ‖a‖ exceeds it, with the status Unknown. A caller whose K is
	// rounded uses it when the rounding is then too coarse.
	Most float64
	// Together is the largest number of free variables that a Newton step moves; 0 means as
	// many as pay, at most [LargestSet], and −1 none. [Bytes] counts the memory of such a step.
	Together int
}

// Result is the last iterate of [Solve], with its certificate.
type Result struct {
	Status status.Status
	A      []float64
	G      []float64 // gradient Ka + p at A
	// KKT is m(a) − M(a) of Fan, Chen and Lin (2005): the largest violation of the optimality
	// conditions by a pair of variables, at least 0.
	KKT float64
	// Rho is the multiplier of the equality: the mean gradient of the free variables, or the
	// middle of the interval that the bounds leave when none is free (LIBSVM's rule).
	Rho float64
	// Objective is ½ aᵀKa + pᵀa.
	Objective float64
	// Gap is Objective minus the Lagrangian dual's value at (A, Rho): for positive
	// semidefinite K the optimum lies in [Objective−Gap, Objective].
	Gap        float64
	Iterations int // two-variable steps
	Rounds     int // working sets
	// Added is the number of rows of K that were added to the gradient, and Moved the sum of their |coefficients|.
	Added int
	Moved float64
}

// Rounding bounds what the additions in double precision have changed in an element of G, if no element of K exceeds 1.
// Each of Added times, a product and a sum are rounded. None exceeds the largest |p| and Moved. The coefficients are
// rounded differences of the iterates.
func (p *Pair) Rounding(r *Result) float64 {
	largest := r.Moved
	for _, v := range p.P {
		largest = max(largest, math.Abs(v)+r.Moved)
	}
	return 0x1p-52 * float64(r.Added+2) * largest
}

const (
	defaultPairTolerance = 1e-3
	defaultPairIter      = 10_000_000 // at least; LIBSVM's limit
)

// pairState is a solve in progress: the iterate, its gradient and the working set.
type pairState struct {
	*Pair
	n       int
	a, diag []float64
	// g is the gradient; up (low) is 0 where a variable may rise (fall) and +Inf where it may
	// not. They are padded to a multiple of lanes with variables that may not move.
	g, up, low []float64
	goal
	extent
	m, M  float64 // max −g over variables that may rise, min −g over those that may fall
	saved []float64
	chooser
	work   working
	result Result
}

// extent says what a working set may take as its own.
type extent struct {
	all   bool // it has all variables, in order
	rough bool // and their gradient: see [Options.InPlace]
}

// chooser says what comes next: the variables of a working set, or all that are free.
type chooser struct {
	sel  selector
	conj conjugate
}

// Solve runs a decomposition: it picks a working set of the free and the most violating variables, solves the
// subproblem in them by two-variable steps with second-order selection (Fan, Chen and Lin 2005, WSS 2) and, as often
// as takes the same time, by systems in all free variables at once; then it updates the gradient of all variables
// with the rows of those that moved. Where more variables are free than a working set holds, it moves all of them by
// conjugate gradients instead. It stops when m(a) − M(a) ≤ Tolerance (default 1e-3) and the gap is at most Gap,
// if one is asked for; see [Options]. The status is Numerical where K or P has values that are not finite. It panics
// when the shapes disagree.
func Solve(ctx context.Context, p *Pair, opt Options) *Result {
	s := p.begin(opt)
	r := &s.result
	for {
		s.extremes()
		r.KKT = max(0, s.m-s.M)
		if opt.Progress != nil {
			opt.Progress(r.Iterations, r.KKT)
		}
		switch {
		case r.KKT <= s.tol && s.closed(r):
			r.Status = status.Optimal
		case math.IsNaN(s.m - s.M):
			r.Status = status.Numerical
		case s.again:
			s.again = false
		case r.Iterations >= s.most:
			r.Status = status.IterationLimit
		default:
			r.Status = s.round(ctx, s.most-r.Iterations)
		}
		if r.Status != status.Unknown || s.beyond(s.a) {
			s.work.release()
			s.end(r)
			return r
		}
	}
}

// finite reports whether no value is NaN or infinite. A comparison with a NaN, from K or P, may pass a stopping test.
func finite(values ...float64) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// beyond reports whether ‖a‖ > Most. In the first working sets, which have only a part of the variables, half of Most
// is enough, so that a hopeless solve ends early.
func (s *pairState) beyond(a []float64) bool {
	const first = 4
	most := s.Most
	if s.result.Rounds <= first && !s.all {
		most /= 2
	}
	return most > 0 && dense.Dot(a, a) > most*most
}

// begin checks the problem and computes the gradient at the start.
func (p *Pair) begin(opt Options) *pairState {
	n := p.K.Len()
	if len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n || (p.Start != nil && len(p.Start) != n) {
		panic(fmt.Sprintf("smo: matrix of order %d with vectors of length %d, %d, %d, %d",
			n, len(p.P), len(p.Lo), len(p.Hi), len(p.Start)))
	}
	s := &pairState{Pair: p, n: n, goal: goal{tol: opt.Tolerance, gap: opt.Gap, most: opt.MaxIter},
		a: make([]float64, n), diag: make([]float64, n), saved: make([]float64, n),
		g: make([]float64, padded(n)), up: make([]float64, padded(n)), low: make([]float64, padded(n))}
	if s.tol <= 0 {
		s.tol = defaultPairTolerance
	}
	s.whole = s.tol
	if s.most <= 0 {
		s.most = max(defaultPairIter, 100*n)
	}
	if k, ok := p.K.(interface{ onePiece() bool }); ok {
		s.all = k.onePiece()
	}
	if k, ok := p.K.(interface{ inPlace() bool }); ok && opt.InPlace && k.inPlace() {
		s.all, s.rough = true, true
	}
	s.work = newWorking(p.K, s.all)
	p.K.Diag(s.diag)
	copy(s.g, p.P)
	var idx []int
	var coef []float64
	for i := range n {
		if p.Start != nil {
			s.a[i] = p.Start[i]
		}
		a := s.a[i]
		if !(a >= p.Lo[i] && a <= p.Hi[i]) || math.IsInf(p.Lo[i], 0) || math.IsInf(p.Hi[i], 0) {
			panic(fmt.Sprintf("smo: start[%d] = %v is outside [%v, %v], or that is not finite", i, a, p.Lo[i], p.Hi[i]))
		}
		switch {
		case a != 0 && p.KStart == nil:
			idx = append(idx, i)
			coef = append(coef, a)
		case a != 0:
			s.result.Added++
			s.result.Moved += math.Abs(a)
		}
	}
	s.result.count(coef)
	if p.KStart != nil {
		dense.Axpy(1, p.KStart[:n], s.g[:n])
	} else {
		// The start's gradient is not interruptible: without it there is no certificate.
		p.K.AddRows(context.Background(), s.g[:n], idx, coef)
	}
	for i := range s.g {
		if i < n {
			s.up[i], s.low[i] = freedom(s.a[i], p.Lo[i], p.Hi[i])
		} else {
			s.up[i], s.low[i] = inf, inf
		}
	}
	return s
}

// freedom returns 0 for up (low) when a may rise (fall), else +Inf. It has no branch: which variables are at a bound,
// and at which one, no processor can predict.
func freedom(a, lo, hi float64) (up, low float64) {
	return infinite(one(a >= hi)), infinite(one(a <= lo))
}

// infinite returns +Inf for 1 and 0 for 0.
func infinite(bit int) float64 { return math.Float64frombits(uint64(bit) * 0x7FF << 52) }

// extremes finds m = max{−g_i : a_i < hi_i} and M = min{−g_i : a_i > lo_i}.
func (s *pairState) extremes() { _, s.m, s.M = stepExtremes(s.g, s.up, s.low, s.g, s.g, 0) }

// round solves the subproblem in one working set.
func (s *pairState) round(ctx context.Context, maxIter int) status.Status {
	if s.spread() {
		if st, ok := s.conjugateStep(ctx); ok {
			return st
		}
	}
	s.conj.steps = 0
	w := s.sel.choose(s)
	s.work.load(s, w)
	in := s.work.problem()
	// Solving a subproblem much further than the whole problem is wasted on a wrong working set.
	share := innerTolerance
	if s.sel.complete {
		share = completeTolerance
	}
	eps := max(share*(s.m-s.M), 0.5*s.tol)
	if s.all {
		eps = s.tol // the subproblem is the whole problem
	}
	st := s.work.solve(ctx, eps, maxIter)
	before := s.result.Iterations
	s.result.Iterations += in.iterations
	s.result.Rounds++
	if s.rough && !s.work.shrunk() { // the subproblem has the whole gradient
		for _, v := range [...][2][]float64{{s.a, in.a}, {s.g, in.g}, {s.up, in.up}, {s.low, in.low}} {
			copy(v[0], v[1])
		}
		if in.iterations == 0 && st == status.Unknown {
			return status.Numerical // the worst pair cannot move: rounding errors are in the way
		}
		return st
	}
	idx, coef := in.changes(s, w)
	if len(idx) == 0 {
		if st == status.Unknown {
			return status.Numerical // the worst pair cannot move: rounding errors are in the way
		}
		return st
	}
	if !s.all {
		s.widen(ctx, in)
	}
	g := s.g[:s.n]
	copy(s.saved, g)
	s.result.count(coef)
	if err := s.K.AddRows(ctx, g, idx, coef); err != nil {
		copy(g, s.saved) // back to the last iterate whose gradient is known
		s.result.Iterations = before
		return status.FromContext(ctx)
	}
	for r, i := range w {
		s.a[i] = in.final[r]
		s.up[i], s.low[i] = freedom(s.a[i], s.Lo[i], s.Hi[i])
	}
	if s.all && len(w) < s.n {
		s.work, s.sel = newWorking(s.K, true), selector{}
	}
	return st
}

// wideShare is the least share of a full first working set that is free at its end where [pairState.widen] pays.
const wideShare = 0.5

// widen makes all variables one working set, on the matrix as a whole, where most of the first set ended free: then
// most of the others will be free as well, rows of nearly all are needed, and small sets undo one another's solutions.
// So do the largest ones once more variables are free than one holds.
func (s *pairState) widen(ctx context.Context, in *subproblem) {
	free, least := 0, wideShare*float64(s.sel.size)
	if s.result.Rounds > 1 {
		free, least = s.freeOutside(), conjugateShare*LargestSet
	}
	for r, i := range s.sel.w {
		if v := in.final[r]; v > s.Lo[i] && v < s.Hi[i] {
			free++
		}
	}
	k, ok := s.K.(interface{ Whole(context.Context) Matrix })
	if !ok || float64(free) < least {
		return
	}
	if whole := k.Whole(ctx); whole != nil {
		s.K, s.all = whole, true
	}
}

// freeOutside counts the free variables that are not in the working set.
func (s *pairState) freeOutside() (free int) {
	for i := range s.n {
		if s.up[i] == 0 && s.low[i] == 0 && s.sel.in[i] == 0 {
			free++
		}
	}
	return free
}

// count notes that rows of these coefficients are added to the gradient.
func (r *Result) count(coef []float64) {
	r.Added += len(coef)
	for _, c := range coef {
		r.Moved += math.Abs(c)
	}
}

// Certify computes KKT, Rho, Objective and Gap from the iterate A and the gradient G.
func (p *Pair) Certify(r *Result) {
	n := len(r.A)
	g, slope, bounds := r.G[:n], p.P[:n], [2][]float64{p.Hi[:n], p.Lo[:n]}
	m, M := p.extremes(r, 0)
	r.KKT = max(0, m-M)
	r.Rho = p.rho(r)
	r.Objective, r.Gap = 0, 0
	for i, a := range r.A {
		r.Objective += 0.5 * a * (g[i] + slope[i])
		// Each variable's share of the gap: a_i r_i − min{u r_i : lo_i ≤ u ≤ hi_i}, with r = g − ρ.
		d := g[i] - r.Rho
		r.Gap += d * (a - bounds[one(d > 0)][i])
	}
}

// extremes returns m and M of the iterate. A variable that is no further than rounding from a bound, relative to the
// largest, is at it. The comparison that is seldom true comes first: which variables are at a bound, and at which one,
// no processor can predict.
func (p *Pair) extremes(r *Result, rounding float64) (m, M float64) {
	m, M = -inf, inf
	lo, hi := p.Lo[:len(r.A)], p.Hi[:len(r.A)]
	for i, g := range r.G[:len(r.A)] {
		a := r.A[i]
		if -g > m && a < hi[i]-min(rounding, (hi[i]-lo[i])/4) {
			m = -g
		}
		if -g < M && a > lo[i]+min(rounding, (hi[i]-lo[i])/4) {
			M = -g
		}
	}
	return m, M
}

// rho is LIBSVM's calculate_rho: the mean gradient over free variables, else the
// middle between the bounds that the other variables give. A variable that only rounding keeps from its bound is not
// free: alone it would choose one end of an interval of multipliers.
func (p *Pair) rho(r *Result) float64 {
	var sum float64
	var free int
	largest := dense.Largest(r.A)
	lo, hi, g := p.Lo[:len(r.A)], p.Hi[:len(r.A)], r.G[:len(r.A)]
	for i, a := range r.A {
		if one(a > lo[i])&one(a < hi[i]) == 0 {
			continue
		}
		rounding := min(1e-15*largest, (hi[i]-lo[i])/4)
		if a > lo[i]+rounding && a < hi[i]-rounding {
			sum += g[i]
			free++
		}
	}
	if free > 0 {
		return sum / float64(free)
	}
	m, M := p.extremes(r, 1e-15*largest)
	switch {
	case math.IsInf(m, 0) && math.IsInf(M, 0):
		return 0
	case math.IsInf(m, 0):
		return -M
	case math.IsInf(M, 0):
		return -m
	}
	return -(m + M) / 2
}

// Bytes returns what [Solve] allocates at most for n variables, of which a step may move so many together, in addition
// to its vectors and its matrix.
func Bytes(n, together int) int64 {
	q := int64(min(n, LargestSet))
	bytes := 8*q*(q+2*lanes+8) + 8*slabSize
	if n > LargestSet {
		bytes += 8 * conjugateVectors * int64(n)
	}
	return bytes + 8*int64(together)*int64(together+maxWalls+8)
}

const (
	// LargestSet is the largest number of variables in a working set, which [Matrix.Select] gets in one call. When most
	// of a set end free, sets grow to it, twofold: smaller ones then take more rounds. A Newton step moves as many at
	// most; its factorisation takes as long as tens of thousands of two-variable steps.
	LargestSet = 2048
	// WholeSet is the order up to which one working set has all variables, and the rows of a dense matrix of [Stride] are
	// read where they are.
	WholeSet = 1024
)
