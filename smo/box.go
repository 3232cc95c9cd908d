package smo

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/status"
)

// Box is the quadratic program
//
//	min Q(b) = ½ bᵀHb + pᵀb   subject to   lo ≤ b ≤ hi
//
// with H symmetric positive semidefinite. Bounds may be infinite. The dual (11) of
// Huang et al. (2010) is the case p = −1, lo = 0, hi = C; in signed variables
// b_i = y_i β_i it is p = −y with bounds [0, C] or [−C, 0].
type Box struct {
	// H is the matrix. A [Factor] is solved faster than any other: see Solve.
	H      Matrix
	P      []float64
	Lo, Hi []float64
	// Start is the point to begin at, moved into the box; nil means zero.
	Start []float64
	// Image is, for a Factor H = ZZᵀ, a guess of the solution's image u = Zᵀb, which
	// need not be the image of Start: the primal variable of the machine whose dual
	// this is. Nil means the image of Start.
	Image []float64
}

// BoxResult is the point that [Box.Solve] stopped at, with its certificate.
type BoxResult struct {
	Status status.Status
	B      []float64
	// G is the gradient, computed afresh: at a Factor Zu + p for the primal point u, else Hb + p.
	G []float64
	// U is, for a Factor H = ZZᵀ, the primal point u of
	// min ½‖u‖² + Σ max{−b_i (Zu + p)_i : lo_i ≤ b_i ≤ hi_i}. At the optimum it is Zᵀb; it is
	// known better than that, since rounding errors of b come to nothing in it.
	U []float64
	// KKT is the largest |G_i| of a variable that is free to move downhill.
	KKT float64
	// Objective is Q(B).
	Objective float64
	// Gap is Objective minus the Lagrangian dual's value, which is
	// Σ G_i (B_i − lo_i) over G_i > 0 plus Σ −G_i (hi_i − B_i) over G_i < 0, and at a Factor
	// ½‖U − ZᵀB‖² beside: the optimum lies in [Objective−Gap, Objective]. It is infinite when
	// G_i points along an infinite bound, or nothing was computed before ctx ended.
	Gap    float64
	Passes int // products with the whole of H
	Steps  int // single-variable steps (12)
	Newton int // steps in all free variables at once
}

const (
	defaultBoxTolerance = 1e-6
	defaultBoxPasses    = 300
)

// boxState is a solve in progress.
type boxState struct {
	*Box
	n      int
	b, g   []float64
	diag   []float64
	tol    float64
	limit  int // passes
	opt    Options
	idx    []int     // scratch: variables that moved, or are not zero
	coef   []float64 // scratch: by how much, or their values
	work   boxInner
	pair   *point // at a Factor
	result BoxResult
}

// Solve minimises Q to a KKT violation of at most Tolerance (default 1e-6); MaxIter
// limits the products with the whole of H (default 300; ordinary problems take 5 to 30). Status is Unbounded
// when a variable with h_ii = 0 has no bound on its downhill side; any other unbounded problem
// ends at the limit. It panics when the shapes disagree.
//
// At a Factor, proximal points with semismooth Newton steps bring the active set near, and
// a path of active sets ends at the optimum exactly, however ill-conditioned H is. Optimal then
// means that KKT is within Tolerance and Gap within 5e-7 max(1, −Objective+Gap); Numerical
// means that rounding errors leave more than that, and how much is in KKT and Gap. The
// result is judged as a pair (U, B): see BoxResult.
//
// At any other matrix it works on a set of variables at a time: the free ones and those
// whose single step (12) of Huang et al. gains most by their selection rule (13). The
// subproblem is solved by such steps and, where they crawl, by Newton steps on its
// free variables; then one pass over H gives every gradient.
func (p *Box) Solve(ctx context.Context, opt Options) *BoxResult {
	s := p.begin(ctx, opt)
	r := &s.result
	if s.unbounded() {
		r.Status = status.Unbounded
		return s.finish()
	}
	if f, ok := s.H.(*Factor); ok && f.r > 0 && s.n > 1 {
		r.Status = s.solveFactor(ctx, f)
		return s.finish()
	}
	s.refresh()
	for r.Status == status.Unknown {
		r.Status = s.workingSets(ctx)
		if r.Status != status.Optimal {
			break
		}
		if s.refresh(); s.violation() > s.tol { // rounding had hidden a violation
			r.Status = status.Unknown
		}
	}
	return s.finish()
}

// begin checks the problem and sets the starting point.
func (p *Box) begin(ctx context.Context, opt Options) *boxState {
	n := p.H.Len()
	if len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n || p.Start != nil && len(p.Start) != n {
		panic(fmt.Sprintf("smo: Box of order %d with %d linear terms, %d and %d bounds, %d starting values",
			n, len(p.P), len(p.Lo), len(p.Hi), len(p.Start)))
	}
	s := &boxState{Box: p, n: n, b: make([]float64, n), g: make([]float64, n), diag: make([]float64, n), opt: opt}
	s.tol, s.limit = opt.Tolerance, opt.MaxIter
	if s.tol <= 0 {
		s.tol = defaultBoxTolerance
	}
	if s.limit <= 0 {
		s.limit = defaultBoxPasses
	}
	for i := range n {
		if !(p.Lo[i] <= p.Hi[i]) {
			panic(fmt.Sprintf("smo: bounds %v and %v of variable %d", p.Lo[i], p.Hi[i], i))
		}
		var v float64
		if p.Start != nil {
			v = p.Start[i]
		}
		s.b[i] = clip(v, p.Lo[i], p.Hi[i])
	}
	if f, ok := p.H.(*Factor); ok {
		f.threads = parallel.Workers(opt.Threads)
		f.diagonal(ctx, s.diag)
	} else {
		p.H.Diag(s.diag)
	}
	return s
}

// unbounded reports whether a variable that no row of H restrains falls without end.
func (s *boxState) unbounded() bool {
	for i, h := range s.diag {
		if h == 0 && (s.P[i] < 0 && math.IsInf(s.Hi[i], 1) || s.P[i] > 0 && math.IsInf(s.Lo[i], -1)) {
			return true
		}
	}
	return false
}

// refresh computes the gradient from nothing, free of what updates have added up.
func (s *boxState) refresh() {
	s.nonzero()
	copy(s.g, s.P)
	// The context is looked at between passes: an incomplete gradient would spoil the result.
	_ = s.H.AddRows(context.Background(), s.g, s.idx, s.coef)
	s.result.Passes++
}

// nonzero lists the nonzero variables in idx and coef.
func (s *boxState) nonzero() {
	s.idx, s.coef = s.idx[:0], s.coef[:0]
	for i, v := range s.b {
		if v != 0 {
			s.idx, s.coef = append(s.idx, i), append(s.coef, v)
		}
	}
}

// violation returns the largest violation of the optimality conditions.
func (s *boxState) violation() (v float64) {
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

// finish computes the residuals of the point reached.
func (s *boxState) finish() *BoxResult {
	r := &s.result
	if c := s.pair; c != nil {
		if r.Status == status.TimeLimit || r.Status == status.Cancelled {
			c.kkt, c.gap = math.Inf(1), math.Inf(1) // what is there may be of an earlier pair
		}
		r.B, r.G, r.U, r.KKT, r.Gap = s.b, s.g, c.u, c.kkt, c.gap
		r.Objective = dense.Dot(c.image, c.image)/2 + dense.Dot(s.P, s.b)
		return r
	}
	if r.Status != status.Optimal {
		s.refresh()
	}
	r.B, r.G, r.KKT = s.b, s.g, s.violation()
	r.Objective = (dense.Dot(s.b, s.g) + dense.Dot(s.b, s.P)) / 2
	for i, g := range s.g {
		switch {
		case g > 0 && s.b[i] > s.Lo[i]:
			r.Gap += g * (s.b[i] - s.Lo[i])
		case g < 0 && s.b[i] < s.Hi[i]:
			r.Gap -= g * (s.Hi[i] - s.b[i])
		}
	}
	if f, ok := s.H.(*Factor); ok { // without rows or columns
		r.U = slices.Clone(f.u)
	}
	if math.IsNaN(r.Objective) {
		r.Status = status.Numerical
	}
	return r
}

func clip(v, lo, hi float64) float64 { return min(max(v, lo), hi) }
