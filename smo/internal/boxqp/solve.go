// Package boxqp solves convex quadratic programs over a box,
//
//	min Q(b) = ½ bᵀHb + pᵀb   subject to   lo ≤ b ≤ hi
//
// with H = ZZᵀ as a [Factor], by a proximal point method with semismooth Newton steps and an active-set method.
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
	// largestSet is the largest order of the systems in free variables, and largestImage of those for the image, which
	// are solved where more variables are free.
	largestSet   = 1024
	largestImage = 2048
)

// Grow returns a slice of length n, in v's own memory when that suffices.
func Grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// Problem is the quadratic program of package smo's Box, with the same fields.
type Problem struct {
	H      *Factor
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
	result Result
}

// Solve minimises Q: see Solve of package smo's Box.
func (p *Problem) Solve(ctx context.Context, opt Options) *Result {
	c := p.H.phases(p.begin(ctx, opt))
	c.result.Status = c.solve(ctx)
	return c.finish()
}

// begin checks the problem and sets the first iterate.
func (p *Problem) begin(ctx context.Context, opt Options) *state {
	n := p.H.n
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
