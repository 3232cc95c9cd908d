// Package boxqp solves convex quadratic programs over a box,
//
//	min Q(b) = ½ bᵀHb + pᵀb   subject to   lo ≤ b ≤ hi
//
// [Problem.Solve] takes H = ZZᵀ as a [Factor], by a proximal point method with semismooth Newton steps and an
// active-set method, or as any other [Matrix], by working sets.
package boxqp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/status"
)

// tau replaces a curvature that is not positive, as in LIBSVM.
const tau = 1e-12

// Grow returns a slice of length n, in v's own memory when that suffices.
func Grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// Matrix is a symmetric positive semidefinite matrix, as [github.com/sparsekm/sparsekm/smo.Matrix].
type Matrix interface {
	Len() int
	Diag(dst []float64)
	Select(idx []int)
	SubRow(dst []float64, r int)
	AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error
}

// Problem is the quadratic program of package smo's Box, with the same fields.
type Problem struct {
	H      Matrix
	P      []float64
	Lo, Hi []float64
	Start  []float64 // nil means zero
	Image  []float64 // nil means the image of Start
}

// Options are the options of package smo, field by field.
type Options struct {
	Tolerance float64
	MaxIter   int
	Exact     bool
	Gap       float64
	Threads   int
	Progress  func(iterations int, violation float64)
}

// Result is package smo's BoxResult, field by field.
type Result struct {
	Status    status.Status
	B         []float64
	G         []float64
	U         []float64
	KKT       float64
	Objective float64
	Gap       float64
	Passes    int
	Steps     int
	Newton    int
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
	work   subproblem
	pair   *pair // at a Factor
	result Result
}

// Solve minimises Q: see Solve of package smo's Box.
func (p *Problem) Solve(ctx context.Context, opt Options) *Result {
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

// begin checks the problem and sets the first iterate.
func (p *Problem) begin(ctx context.Context, opt Options) *state {
	n := p.H.Len()
	if len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n || p.Start != nil && len(p.Start) != n {
		panic(fmt.Sprintf("smo: Box of order %d with %d linear terms, %d and %d bounds, %d starting values",
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
func (s *state) unbounded() bool {
	for i, h := range s.diag {
		if h == 0 && (s.P[i] < 0 && math.IsInf(s.Hi[i], 1) || s.P[i] > 0 && math.IsInf(s.Lo[i], -1)) {
			return true
		}
	}
	return false
}

// refresh computes the gradient from nothing, free of what updates have added up.
func (s *state) refresh() {
	s.nonzero()
	copy(s.g, s.P)
	// The context is looked at between passes: an incomplete gradient would spoil the result.
	_ = s.H.AddRows(context.Background(), s.g, s.idx, s.coef)
	s.result.Passes++
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

// finish fills in the last iterate and its residuals.
func (s *state) finish() *Result {
	r := &s.result
	if c := s.pair; c != nil {
		if r.Status == status.TimeLimit || r.Status == status.Cancelled {
			r.Objective = c.restore()
		} else {
			r.Objective = c.objective()
		}
		r.B, r.G, r.U, r.KKT, r.Gap = s.b, s.g, c.u, c.kkt, c.gap
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

// Scratch returns the bytes that [Box.Solve] takes at most, or nearly, for a
// [Factor] of n rows in r dimensions: vectors, an orthogonal basis of the free rows, the elements
// of H between rows that have been free, and square matrices of the order of the free part.
func Scratch(n, r int) int64 {
	const vectors = 32 * 8
	kept, free := int64(min(n, largestSet)), int64(min(n, r, largestSet))
	order := free // of the systems
	if r <= largestImage {
		order = int64(min(n, r))
	}
	return int64(n+r)*vectors + 8*(int64(r)*min(free+free/4, int64(n))+3*order*order+kept*(kept+256))
}
