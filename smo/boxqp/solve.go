// Package boxqp solves convex quadratic programs over a box,
//
//	min Q(b) = ½ bᵀHb + pᵀb   subject to   lo ≤ b ≤ hi
//
// with H = ZZᵀ as a [Factor], by a proximal point method with semismooth Newton steps and an active-set method. It
// takes plain slices and knows nothing of kernels, labels or where Z comes from.
package boxqp

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/status"
)

const (
	// tau replaces a curvature that is not positive, as in LIBSVM.
	tau = 1e-12
	// largestSet is the largest order of the systems of steps, in free variables or in the image, up to 8192 dimensions;
	// from 16,384 on it is largestWide. largestBasis is that of the orthogonal factors.
	largestSet   = 2048
	largestWide  = 4096
	largestBasis = 1024
)

// Problem is a quadratic program; bounds may be infinite. The dual (11) of Huang et al. (2010) is the case p = −1, lo =
// 0, hi = C; in signed variables b_i = y_i β_i it is p = −y with bounds [0, C] or [−C, 0].
type Problem struct {
	H      *Factor
	P      []float64
	Lo, Hi []float64
	// Start is the first iterate, moved into the box; nil means zero.
	Start []float64
	// Image is a guess of the solution's image u = Zᵀb, the primal variable.
	// It need not be the image of Start. Nil means the image of Start.
	Image []float64
}

// Options bounds a solve. The zero value means the defaults.
type Options struct {
	// Tolerance is the largest violation of the optimality conditions at which the solver stops, in units of the
	// gradient; 0 means 1e-6.
	Tolerance float64
	// MaxIter limits the products with the whole of H; 0 means 300. Ordinary problems take 5 to 30.
	MaxIter int
	// Exact makes the solver go on below Tolerance until rounding errors are all that is left.
	Exact bool
	// Gap, when positive, lets the solver stop with Optimal at this gap, relative to ½‖U‖², whatever the violations.
	Gap float64
	// Literal takes the paper's own method: single-variable SMO by (12) and (13), with H formed, until no violation
	// exceeds Tolerance, 1e-3 for 0, or after MaxIter steps, 9999 for 0. The gap may stay open.
	Literal bool
	// Threads is the number of goroutines; 0 means GOMAXPROCS. It does not change the result.
	Threads int
	// Progress, when not nil, is called now and then from the solving goroutine
	// with the steps taken and the violation that is left.
	Progress func(iterations int, violation float64)
}

// Result is the last iterate of [Solve], with its certificate.
type Result struct {
	Status status.Status
	B      []float64
	// G is the gradient Zu + p with the primal variable u, computed afresh.
	G []float64
	// U is the primal variable u of min ½‖u‖² + Σ max{−b_i (Zu + p)_i : lo_i ≤ b_i ≤ hi_i}. At
	// the optimum it is Zᵀb, but more accurate than Zᵀb as computed from B: it does not carry the rounding errors of B.
	U []float64
	// KKT is the largest |G_i| of a variable that is free to move downhill.
	KKT float64
	// Objective is Q(B).
	Objective float64
	// Gap is Objective minus the value of the Lagrangian dual: ½‖U − ZᵀB‖² plus
	// Σ G_i (B_i − lo_i) over G_i > 0 plus Σ −G_i (hi_i − B_i) over G_i < 0.
	// The optimum lies in [Objective−Gap, Objective]. Gap is infinite when
	// a bound on the downhill side of G_i is infinite, and when ctx ended before a certificate was computed.
	Gap    float64
	Passes int // products with the whole of H
	Steps  int // single-variable steps (12)
	Newton int // steps in all free variables at once
}

const (
	defaultTolerance = 1e-6
	defaultPasses    = 300
)

// state is a solve in progress.
type state struct {
	*Problem
	n      int
	b, g   []float64
	diag   []float64
	tol    float64
	limit  int // passes
	opt    Options
	idx    []int     // scratch: variables that moved, or are not zero
	coef   []float64 // scratch: by how much, or their values
	result Result
}

// Solve minimises Q to a KKT violation of at most the tolerance. Status is Unbounded when a variable with h_ii = 0 has
// no bound on its downhill side; any other unbounded problem ends at the limit. Solve panics when the shapes disagree.
//
// A proximal point method with semismooth Newton steps comes near the active set. A parametric
// active-set method then ends at the optimum exactly, however ill-conditioned H is. Optimal means that KKT is within
// Tolerance and Gap within 5e-7 max(1, −Objective+Gap). Numerical means that rounding errors leave more than that;
// KKT and Gap tell how much. The result is judged as the pair (U, B): see [Result].
func Solve(ctx context.Context, p *Problem, opt Options) *Result {
	c := p.H.phases(p.begin(ctx, opt))
	if opt.Literal {
		c.result.Status = c.literal(ctx)
	} else {
		c.result.Status = c.solve(ctx)
	}
	r := c.finish()
	notFinite := r.KKT-r.KKT != 0 || r.Objective-r.Objective != 0 || math.IsNaN(r.Gap) // see Gap for infinite ones
	if r.Status == status.Optimal && notFinite {
		r.Status = status.Numerical
	}
	return r
}

// begin checks the problem and sets the first iterate.
func (p *Problem) begin(ctx context.Context, opt Options) *state {
	n := p.H.n
	if len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n || p.Start != nil && len(p.Start) != n {
		panic(fmt.Sprintf("boxqp: problem of order %d with %d linear terms, %d and %d bounds, %d starting values",
			n, len(p.P), len(p.Lo), len(p.Hi), len(p.Start)))
	}
	s := &state{Problem: p, n: n, b: make([]float64, n), g: make([]float64, n), diag: make([]float64, n), opt: opt}
	s.tol, s.limit = opt.Tolerance, opt.MaxIter
	if s.tol <= 0 {
		s.tol = defaultTolerance
	}
	if s.limit <= 0 {
		s.limit = defaultPasses
	}
	for i := range n {
		if !(p.Lo[i] <= p.Hi[i]) {
			panic(fmt.Sprintf("boxqp: bounds %v and %v of variable %d", p.Lo[i], p.Hi[i], i))
		}
		var v float64
		if p.Start != nil {
			v = p.Start[i]
		}
		s.b[i] = clip(v, p.Lo[i], p.Hi[i])
	}
	p.H.threads = parallel.Workers(opt.Threads)
	p.H.diagonal(ctx, s.diag)
	return s
}

// unbounded reports whether a variable that no row of H restrains falls without end.
func (s *state) unbounded() bool {
	for i, h := range s.diag {
		if h == 0 && (s.P[i] < 0 && math.IsInf(s.Hi[i], 1) || s.P[i] > 0 && math.IsInf(s.Lo[i], -1)) {
			return true
		}
	}
	return false
}

// nonzero lists the nonzero variables in idx and coef.
func (s *state) nonzero() {
	s.idx, s.coef = s.idx[:0], s.coef[:0]
	for i, v := range s.b {
		if v != 0 {
			s.idx = append(s.idx, i)
			s.coef = append(s.coef, v)
		}
	}
}

// violation returns the largest violation of the optimality conditions.
func (s *state) violation() (v float64) {
	for i, g := range s.g {
		v = max(v, violation(s.b[i], s.Lo[i], s.Hi[i], g))
	}
	return v
}

// violation is |g| when a variable can move downhill inside its bounds, else 0.
func violation(b, lo, hi, g float64) float64 {
	if g > 0 && b > lo {
		return g
	}
	if g < 0 && b < hi {
		return -g
	}
	return 0
}

func clip(v, lo, hi float64) float64 { return min(max(v, lo), hi) }

// singleStep minimises over one variable with gradient g and curvature h, eq. (12) of Huang et al. (2010).
func singleStep(b, lo, hi, g, h float64) float64 { return clip(b-g/max(h, tau), lo, hi) }

// entrant is a variable at a bound, or free, with the gain of a single step in it.
type entrant struct {
	i    int
	gain float64
}

// byGain sorts by falling gain.
func byGain(a, b entrant) int { return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.i, b.i)) }

// largest is the largest order of the systems of steps in r dimensions.
func largest(r int) int { return min(max(largestSet, r/4), largestWide) }

// Bytes returns what [Solve] takes at most, or nearly, for a [Factor] of n rows in r dimensions: vectors, an orthogonal
// basis of the free rows, the elements of H between rows that have been free, and square matrices of the order of the
// free part.
func Bytes(n, r int) int64 {
	const vectors = 32 * 8
	largest := largest(r)
	kept, free, order := int64(min(n, largest)), int64(min(n, r, largestBasis)), int64(min(n, r, largest))
	return int64(n+r)*vectors + 8*(int64(r)*min(free+free/4, int64(n))+2*free*free+order*order+kept*(kept+256))
}
