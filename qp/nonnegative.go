package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// NNLS returns the x ≥ 0 with the least ‖Ax − b‖; half its square is the objective of the result.
//
// Block principal pivoting (Portugal, Júdice and Vicente, 1994) guesses which elements of x are 0, and moves all that
// have a value or a slope of the wrong sign to the other side at once, with a factor of the other columns only. It
// refines x by residuals of A itself. Where its guesses do not settle, as with fewer rows than columns, elements become
// free one by one (Lawson and Hanson, 1974). What then has no certificate, the dual method solves.
func NNLS(ctx context.Context, a *simplex.Dense, b []float64) (*Result, error) {
	from := arenas.Get().(*arena)
	defer from.free()
	of, err := newGram(a, b, from)
	if err != nil {
		return nil, err
	}
	s := newNonNegative(of, from)
	if (s.pivot(ctx) || s.oneByOne(ctx)) && s.refine() {
		return s.result(), nil
	}
	return Solve(ctx, of.qp(), Options{})
}

// gram is ½‖Ax − b‖² as a quadratic function: ½xᵀAᵀAx + cᵀx + offset.
type gram struct {
	a      *simplex.Dense
	b      []float64
	n      int
	q, c   []float64
	offset float64
}

func newGram(a *simplex.Dense, b []float64, from *arena) (*gram, error) {
	if err := checkShape(a); err != nil {
		return nil, err
	}
	m, n := a.Dims()
	if len(b) != m {
		return nil, invalid("%d values for %d rows", len(b), m)
	}
	memory := from.slab(n*n + n)
	s := &gram{a: a, b: b, n: n, q: memory.take(n * n), c: memory.take(n), offset: dense.Dot(b, b) / 2}
	if m > 0 && n > 0 {
		dense.AddRows(s.c, b, a.Data, a.Stride)
		view := dense.Of(a.Data, m, n, a.Stride)
		if err := dense.MulLower(context.Background(), 1, 1, view.T(), view, dense.Of(s.q, n, n, n)); err != nil {
			return nil, err
		}
	}
	whole := finite(s.offset)
	for i := range n {
		s.c[i] = -s.c[i]
		for j, v := range s.q[i*n : i*n+i] {
			s.q[j*n+i] = v
		}
		whole = whole && finite(s.q[i*n+i]) // a sum of squares of all entries of the column
	}
	if !whole {
		return s, s.notFinite()
	}
	return s, nil
}

// notFinite names the entry or the value that is not finite, if it is not a sum that overflows.
func (s *gram) notFinite() error {
	for i, v := range s.b {
		if !finite(v) {
			return invalid("value %d is %v", i, v)
		}
		for j, e := range s.a.Row(i) {
			if !finite(e) {
				return invalid("entry of row %d and column %d is %v", i, j, e)
			}
		}
	}
	return nil
}

func (s *gram) qp() QP {
	lp := simplex.LP{C: s.c, Offset: s.offset, A: simplex.NewDense(0, s.n, nil)}
	return QP{LP: lp, Q: simplex.NewDense(s.n, s.n, s.q)}
}

// nonNegative is block principal pivoting: the free elements of x solve their least squares, the others are 0.
type nonNegative struct {
	*gram
	free     []int32   // the free elements, ascending
	isFree   []bool    // n
	u        []float64 // by rows, n+1 apart: UᵀU is AᵀA of the free columns, and behind it stands U⁻ᵀ times −c of them
	x, y     []float64 // n: y is the slope AᵀAx + c
	w        []float64 // n
	slack    []float64 // n: the slope that counts as 0
	residual []float64 // m: b − Ax
	moves    int
	worst    float64 // what the certificate calls the dual residual
}

// ofLargest is the part of the largest terms that a slope may be relative to.
const ofLargest = 1e-3

// settled is the slope, relative to ‖a_j‖·‖b‖, that is a rounding error; so is that share of ‖b‖/‖a_j‖ as a value.
const settled = 1e-13

func newNonNegative(of *gram, from *arena) *nonNegative {
	n := of.n
	memory, result := from.slab(n*(n+1)+2*n+len(of.b)), make(slab, 2*n)
	s := &nonNegative{gram: of, free: make([]int32, 0, n), isFree: make([]bool, n), u: memory.take(n * (n + 1)),
		x: result.take(n), y: result.take(n), w: memory.take(n), slack: memory.take(n), residual: memory.take(len(of.b))}
	for j := range n {
		s.slack[j] = settled * math.Sqrt(2*of.offset*of.q[j*n+j])
	}
	return s
}

// pivot reports whether the guesses have settled.
func (s *nonNegative) pivot(ctx context.Context) bool {
	copy(s.y, s.c)
	for fewest, patience := s.n+1, 3; ; patience-- {
		wrong := s.exchange()
		s.moves += wrong
		if wrong == 0 {
			return true
		}
		if wrong < fewest {
			fewest, patience = wrong, 4
		}
		if patience == 0 || ctx.Err() != nil {
			return false
		}
		s.solve()
		s.slope()
	}
}

// slope sets y from AᵀA.
func (s *nonNegative) slope() {
	dense.MulVec(s.y, s.q, s.n, s.x)
	dense.Axpy(1, s.c, s.y)
}

// oneByOne is the method of Lawson and Hanson from x = 0: it frees the element of the steepest slope by the length of
// its column, and goes towards the least squares of the free ones until the first of these is 0, which stays so.
func (s *nonNegative) oneByOne(ctx context.Context) bool {
	clear(s.isFree)
	clear(s.x)
	copy(s.y, s.c)
	kept := make([]float64, s.n)
	for range 3 * s.n {
		next, steepest := -1, -1.0
		for j, v := range s.y {
			if v /= s.slack[j]; !s.isFree[j] && v < steepest {
				next, steepest = j, v
			}
		}
		if next < 0 {
			return true
		}
		s.isFree[next] = true
		s.moves++
		for {
			copy(kept, s.x)
			if s.solve(); !s.stopAtZero(kept) {
				break
			}
		}
		if ctx.Err() != nil {
			return false
		}
		s.slope()
	}
	return false
}

// stopAtZero moves x back to the first place on the way from kept where an element is 0, and reports whether that is
// not the end. Elements that are 0 there are free no longer.
func (s *nonNegative) stopAtZero(kept []float64) bool {
	way := 1.0
	for _, j := range s.free {
		if s.x[j] < 0 {
			way = min(way, kept[j]/(kept[j]-s.x[j]))
		}
	}
	if way == 1 {
		return false
	}
	for _, j := range s.free {
		at := kept[j] + way*(s.x[j]-kept[j])
		if at <= 0 || s.x[j] < 0 && way == kept[j]/(kept[j]-s.x[j]) {
			at, s.isFree[j] = 0, false
			s.moves++
		}
		s.x[j] = at
	}
	return true
}

// exchange moves the elements whose value or slope has the wrong sign, and counts them.
func (s *nonNegative) exchange() (wrong int) {
	for j, free := range s.isFree {
		if free {
			if s.x[j] < 0 && s.x[j]*s.q[j*s.n+j] < -s.slack[j] {
				s.isFree[j] = false
				wrong++
			}
		} else if s.y[j] < -s.slack[j] {
			s.isFree[j] = true
			wrong++
		}
	}
	return wrong
}

// solve factors AᵀA of the free columns and sets x. A column that depends on those before it stays 0.
func (s *nonNegative) solve() {
	n, ld := s.n, s.n+1
	s.free = s.free[:0]
	for j, free := range s.isFree {
		if free {
			s.free = append(s.free, int32(j))
		}
	}
	k := len(s.free)
	for i, j := range s.free {
		row, from := s.u[i*ld:][:k+1], s.q[int(j)*n:][:n]
		for t := i; t < k; t++ {
			row[t] = from[s.free[t]]
		}
		row[k] = -s.c[j]
		for t := range i {
			s.w[t] = -s.u[t*ld+i]
		}
		dense.AddRows(row[i:], s.w[:i], s.u[i:], ld)
		if !(row[i] > singular*from[j]) {
			clear(row[i:])
			row[i] = inf
			continue
		}
		length := math.Sqrt(row[i])
		for t := i; t <= k; t++ {
			row[t] /= length
		}
	}
	for i := range k {
		s.w[i] = s.u[i*ld+k]
	}
	s.backward()
	clear(s.x)
	for i, j := range s.free {
		s.x[j] = s.w[i]
	}
}

// forward does w = U⁻ᵀw.
func (s *nonNegative) forward() {
	k, ld := len(s.free), s.n+1
	for i := range k {
		row := s.u[i*ld:][:k]
		s.w[i] /= row[i]
		dense.Axpy(-s.w[i], row[i+1:], s.w[i+1:])
	}
}

// backward does w = U⁻¹w.
func (s *nonNegative) backward() {
	k, ld := len(s.free), s.n+1
	for i := k - 1; i >= 0; i-- {
		row := s.u[i*ld:][:k]
		s.w[i] = (s.w[i] - dense.Dot(row[i+1:], s.w[i+1:])) / row[i]
	}
}

// refine corrects x by the residuals of A, and reports whether it is an optimum. One step gives nearly what an
// orthogonal factor of A does (Björck, 1987); further ones follow as long as the dual residual is no rounding error.
func (s *nonNegative) refine() bool {
	s.slopes()
	for range 3 {
		for i, j := range s.free {
			s.w[i] = s.y[j]
		}
		s.forward()
		s.backward()
		for i, j := range s.free {
			s.x[j] = max(0, s.x[j]-s.w[i])
		}
		if s.slopes(); s.worst <= polished {
			break
		}
	}
	return s.worst <= defaultTolerance
}

// slopes sets the residual, the slopes by it, and the worst of those that have the wrong sign.
func (s *nonNegative) slopes() {
	dense.MulVec(s.residual, s.a.Data, s.a.Stride, s.x)
	for i, v := range s.b {
		s.residual[i] -= v
	}
	clear(s.y)
	dense.AddRows(s.y, s.residual, s.a.Data, s.a.Stride)
	terms := dense.Largest(s.c)
	for j, v := range s.y {
		terms = max(terms, math.Abs(v-s.c[j]))
	}
	s.worst = 0
	for j, v := range s.y {
		if s.x[j] > 0 || v < 0 {
			s.worst = max(s.worst, relative(math.Abs(v), max(math.Abs(s.c[j]), ofLargest*terms), v-s.c[j]))
		}
	}
}

func (s *nonNegative) result() *Result {
	r := &Result{Status: status.Optimal, Objective: dense.Dot(s.residual, s.residual) / 2, X: s.x, Activity: []float64{},
		Y: []float64{}, BoundDuals: s.y, Iterations: s.moves}
	r.DualResidual = s.worst
	for j, v := range s.y {
		if s.x[j] > 0 || v < 0 {
			s.y[j] = 0
		}
	}
	return r
}
