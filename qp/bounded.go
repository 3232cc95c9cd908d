package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// NNLS returns the x ≥ 0 with the least ‖Ax − b‖. It is [BVLS] without bounds of its own.
func NNLS(ctx context.Context, a *simplex.Dense, b []float64) (*Result, error) {
	return BVLS(ctx, a, b, nil, nil)
}

// BVLS returns the x with lo ≤ x ≤ up and the least ‖Ax − b‖; half its square is the objective of the result, +Inf if
// that overflows. Bounds may be infinite; nil is 0 for lo and +Inf for up. For weights, multiply the rows of A and b by
// their square roots: heavy rows, such as a sum that is to be 1, lose no digits of the others.
//
// Block principal pivoting (Portugal, Júdice and Vicente, 1994) by AᵀA guesses which elements of x are at a bound. If
// refinement by residuals of A does not prove the guess, the method of Stark and Parker (1995) goes on from it, with
// Householder factors of A's free columns that keep the digits of every row (Cox and Higham, 1998). It refines x and
// the residual r = b − Ax together (Björck, 1967), both in doubled precision.
//
// A column counts as dependent, so that its element of x stays where it is, if what the others leave of it is below
// 1e-14 in every row, relative to the row's largest element.
//
// The status is optimal, a limit or numerical trouble, never infeasible or unbounded. DualResidual is the largest slope
// a_jᵀr of a wrong sign, or of any if x_j is between its bounds, relative to ‖a_j‖·‖r‖. Gap is the part of ‖Ax − b‖²
// that is more than ‖r‖², where r has those slopes and is refined, but for what the rounding of x to float64 explains:
// Ax − b may differ by some 2⁻⁵⁰ of |b_i| + Σ_j |a_ij·x_j| in row i. If it is no more than that, both are 0.
func BVLS(ctx context.Context, a *simplex.Dense, b, lo, up []float64) (*Result, error) {
	from := arenas.Get().(*arena)
	defer from.free()
	g, err := newGram(a, b, from)
	if err != nil {
		return nil, err
	}
	s := newGuess(g, from)
	if err := s.bound(lo, up); err != nil {
		return nil, err
	}
	if !s.scaled() {
		return s.rescaled(ctx)
	}
	if (s.pivot(ctx) || s.oneByOne(ctx)) && s.refine() {
		return s.result(), nil
	}
	return newOrthogonal(s).solve(ctx), nil
}

// bound sets the bounds, and x to 0 or the bound nearest to it.
func (s *guess) bound(lo, up []float64) error {
	for _, v := range [][]float64{lo, up} {
		if v != nil && len(v) != s.n {
			return invalid("%d bounds for %d columns", len(v), s.n)
		}
	}
	for j := range s.n {
		s.up[j] = inf
		if lo != nil {
			s.lo[j] = lo[j]
		}
		if up != nil {
			s.up[j] = up[j]
		}
		if l, u := s.lo[j], s.up[j]; !(l <= u) || l == inf || u == -inf {
			return invalid("variable %d has the bounds %v and %v", j, l, u)
		}
	}
	s.fromZero = lo == nil && up == nil
	s.start()
	return nil
}

// start sets x to 0, or to the bound nearest to it.
func (s *guess) start() {
	for j := range s.n {
		s.x[j] = min(max(0, s.lo[j]), s.up[j])
		s.isFree[j] = s.lo[j] < s.x[j] && s.x[j] < s.up[j]
	}
}

// scaled reports whether no sum of squares overflows or loses digits to underflow.
func (s *guess) scaled() bool {
	const most = 1e200
	ok := s.offset == 0 || s.offset > 1/most && s.offset < most
	for j := range s.n {
		v := s.q[j*s.n+j]
		ok = ok && (v == 0 && s.empty(j) || v > 1/most && v < most)
	}
	return ok
}

func (s *guess) empty(j int) bool {
	for i := range s.b {
		if s.a.Row(i)[j] != 0 {
			return false
		}
	}
	return true
}

// rescaled solves with columns, b and bounds that are multiplied by powers of 2, so that their largest elements are
// about 1.
func (s *guess) rescaled(ctx context.Context) (*Result, error) {
	m, n := len(s.b), s.n
	exponent := func(v float64) int { _, e := math.Frexp(v); return e }
	a, top := simplex.NewDense(m, n, make([]float64, m*n)), exponent(dense.Largest(s.b))
	b, lo, up, e := make([]float64, m), make([]float64, n), make([]float64, n), make([]int, n)
	for i, v := range s.b {
		b[i] = math.Ldexp(v, -top)
		for j, v := range s.a.Row(i)[:n] {
			if v != 0 {
				e[j] = max(e[j], exponent(v)+2000)
			}
		}
	}
	for j := range n {
		if e[j] > 0 {
			e[j] -= 2000
		}
		lo[j], up[j] = math.Ldexp(s.lo[j], e[j]-top), math.Ldexp(s.up[j], e[j]-top)
		for i := range m {
			a.Row(i)[j] = math.Ldexp(s.a.Row(i)[j], -e[j])
		}
		if lo[j] == inf || up[j] == -inf {
			return nil, invalid("variable %d has the bounds %v and %v, whose products with its column overflow",
				j, s.lo[j], s.up[j])
		}
	}
	r, err := BVLS(ctx, a, b, lo, up)
	if err != nil {
		return nil, err
	}
	r.Objective = math.Ldexp(r.Objective, 2*top)
	for j, v := range r.X {
		bound := v == lo[j] || v == up[j]
		r.BoundDuals[j] = math.Ldexp(r.BoundDuals[j], e[j]+top)
		if v == lo[j] && r.BoundDuals[j] >= 0 && !math.IsInf(s.lo[j], 0) {
			v = s.lo[j]
		} else if bound && !math.IsInf(s.up[j], 0) {
			v = s.up[j]
		} else {
			v = math.Ldexp(v, top-e[j])
		}
		if r.X[j] = max(min(v, s.up[j], math.MaxFloat64), s.lo[j], -math.MaxFloat64); math.IsInf(v, 0) {
			r.Status = status.Numerical
		}
	}
	return r, nil
}

// wrong is the part of column j's slope, that of ½‖Ax − b‖², by which x_j could lower it.
func (s *guess) wrong(j int, x, slope float64) float64 {
	if x <= s.lo[j] {
		slope = min(slope, 0)
	}
	if x >= s.up[j] {
		slope = max(slope, 0)
	}
	return slope
}

// orthogonal is the method of Stark and Parker by orthogonal factors.
type orthogonal struct {
	*guess
	columns [][]float64 // n columns of A
	v       [][]float64 // the free ones: Householder vectors below R
	live    []int32     // their indices, the first rank of them independent
	rank    int
	factor  []float64 // of each Householder vector
	diag    []float64 // of R
	row     []int     // the row of A at each place
	largest []float64 // of each row of the free columns, by place
	z       []dense.Doubled
	r       []dense.Doubled // b − Az
	rounded []float64       // r rounded
	t, h    []float64       // m
	terms   []float64       // |b_i| + Σ_j |a_ij·z_j|
}

func newOrthogonal(g *guess) *orthogonal {
	m, n := len(g.b), g.n
	memory := make(slab, 2*n*m+2*n+5*m)
	s := &orthogonal{guess: g, factor: memory.take(n), diag: memory.take(n), row: make([]int, m),
		largest: memory.take(m), rounded: memory.take(m), t: memory.take(m), h: memory.take(m), terms: memory.take(m),
		z: make([]dense.Doubled, n), r: make([]dense.Doubled, m), columns: make([][]float64, n), v: make([][]float64, n)}
	for j := range n {
		s.columns[j], s.v[j] = memory.take(m), memory.take(m)
		for i := range m {
			s.columns[j][i] = g.a.Row(i)[j]
		}
	}
	return s
}

// solve goes from the guess to an optimum.
func (s *orthogonal) solve(ctx context.Context) *Result {
	for j, x := range s.x {
		if !finite(x) { // the guess had no meaning
			x = 0
		}
		s.x[j] = min(max(x, s.lo[j]), s.up[j])
		s.isFree[j] = s.lo[j] < s.x[j] && s.x[j] < s.up[j]
	}
	banned, smallest := make([]bool, s.n), inf
	s.descend(ctx, 3*s.n+10, func() bool {
		s.leastSquares(ctx)
		return s.stop(s.live, s.x, func(j int32) float64 { return s.z[j].Value() })
	}, func() int {
		if size := dense.Dot(s.rounded, s.rounded); size < smallest {
			smallest = size
			clear(banned)
		}
		next := s.steepest(banned)
		if next < 0 || s.isRounding(s.rounded) {
			return -1
		}
		banned[next] = true
		return next
	})
	s.round()
	r := s.certified(ctx)
	if r.Status == status.Numerical {
		s.withoutNoise()
		r = s.certified(ctx)
	}
	return r
}

// round sets the free elements of x to float64 one after the other. Each one takes up, as far as it can, what the
// rounding of those before has done to a row of R (Babai, 1986), so that a heavy row is off by one rounding only.
func (s *orthogonal) round() {
	off := s.w[:s.rank]
	for k := s.rank - 1; k >= 0; k-- {
		j, sum := s.live[k], 0.0
		for t := k + 1; t < s.rank; t++ {
			sum += s.v[t][k] * off[t]
		}
		z := s.z[j]
		s.x[j] = min(max(z.Plus(dense.Doubled{Hi: -sum / s.diag[k]}).Hi, s.lo[j]), s.up[j])
		off[k] = dense.Doubled{Hi: s.x[j]}.Plus(z.Times(-1)).Hi
	}
}

// withoutNoise makes elements 0 that are rounding errors of the refinement, and r the residual of the others.
func (s *orthogonal) withoutNoise() {
	size := math.Sqrt(2 * s.offset)
	for j, x := range s.x {
		size = max(size, math.Abs(x)*s.lengths[j])
	}
	for j, x := range s.x {
		if math.Abs(x)*s.lengths[j] < 0x1p-80*size && s.lo[j] <= 0 && s.up[j] >= 0 {
			s.x[j], s.z[j] = 0, dense.Doubled{}
		}
	}
	clear(s.r)
	for i := range s.r {
		s.r[i] = s.residualOf(i)
		s.rounded[i] = s.r[i].Hi
	}
}

// residualOf is row i of b − Az − r. It sets the size of its terms.
func (s *orthogonal) residualOf(i int) dense.Doubled {
	sum, size := dense.Doubled{Hi: s.b[i]}.Plus(s.r[i].Times(-1)), math.Abs(s.b[i])
	for j, e := range s.a.Row(i)[:s.n] {
		if s.z[j].Hi != 0 {
			sum.AddProduct(-e, s.z[j])
			size += math.Abs(e * s.z[j].Hi)
		}
	}
	s.terms[i] = size
	return sum.Plus(dense.Doubled{})
}

// steepest returns the element at a bound whose slope is steepest by the length of its column, of a wrong sign and no
// rounding error; −1 if there is none.
func (s *orthogonal) steepest(banned []bool) int {
	next, largest := -1, 0.0
	for j := range s.n {
		if banned[j] || s.isFree[j] {
			continue
		}
		slope, size := s.slopeOf(j)
		if v := math.Abs(s.wrong(j, s.x[j], slope)); v > settled*size && v > largest*s.lengths[j] {
			next, largest = j, v/s.lengths[j]
		}
	}
	return next
}

// slopeOf is −a_jᵀr, and the size of its terms or of what cannot be seen of it.
func (s *orthogonal) slopeOf(j int) (slope, size float64) {
	var sum dense.Doubled
	var floor float64
	for i, v := range s.columns[j] {
		sum.AddProduct(-v, s.r[i])
		size += math.Abs(v * s.rounded[i])
		floor += math.Abs(v * s.terms[i])
	}
	return sum.Value(), max(size, 0x1p-90/settled*floor)
}

// isRounding reports whether errors of the rounding of x to float64 explain the residual r, element by element.
func (s *orthogonal) isRounding(r []float64) bool {
	for i, v := range r {
		if !(math.Abs(v) <= 0x1p-50*s.terms[i]) {
			return false
		}
	}
	return true
}

// certified judges x by the refined residual.
func (s *orthogonal) certified(ctx context.Context) *Result {
	s.exactly(s.x)
	r, apart := s.guess.result(), 0.0
	for i, v := range s.t {
		apart += (v - s.rounded[i]) * (v - s.rounded[i])
	}
	size, left := math.Sqrt(dense.Dot(s.rounded, s.rounded)), dense.Dot(s.t, s.t)
	terms := math.Sqrt(dense.Dot(s.terms, s.terms))
	over, own := math.Sqrt(apart)-0x1p-52*terms, 0.0
	r.Objective, r.DualResidual, r.Gap = left/2, 0, 0
	// An optimum without a residual in doubled precision has slopes that are rounding errors.
	perfect := s.isRounding(s.t) || size <= 0x1p-80*terms && over <= 0
	if over > 0 && !perfect {
		r.Gap = over * over / left
	}
	for j := range s.n {
		slope, terms := s.slopeOf(j)
		wrong := math.Abs(s.wrong(j, s.x[j], slope))
		if !perfect {
			own = max(own, relative(wrong, terms, 0))
			r.DualResidual = max(r.DualResidual, relative(wrong, s.lengths[j]*size, 0))
		}
		if wrong != 0 || s.isFree[j] {
			slope = 0
		}
		r.BoundDuals[j] = slope
	}
	if !(max(r.Gap, r.DualResidual, own) <= defaultTolerance) || !finite(left) {
		r.Status = status.Numerical
	}
	if ctx.Err() != nil {
		r.Status = status.FromContext(ctx)
	}
	return r
}

// exactly sets t to b − Ax, rounded once, and the sizes of its terms.
func (s *orthogonal) exactly(x []float64) {
	for i, v := range s.b {
		sum, size := dense.Doubled{Hi: v}, math.Abs(v)
		for j, e := range s.a.Row(i)[:s.n] {
			sum.AddProduct(-e, dense.Doubled{Hi: x[j]})
			size += math.Abs(e * x[j])
		}
		s.t[i], s.terms[i] = sum.Value(), size
	}
}

// leastSquares sets z to the least squares of the free elements, and r to b − Az. Elements of dependent columns stay.
func (s *orthogonal) leastSquares(ctx context.Context) {
	for dependent := 1e-14; ; dependent *= 16 {
		s.decompose(ctx, dependent)
		for j, v := range s.x {
			s.z[j] = dense.Doubled{Hi: v}
		}
		clear(s.r)
		if s.converge() || dependent > 1e-6 || ctx.Err() != nil {
			return
		}
	}
}

// converge refines, and reports whether the corrections became small.
func (s *orthogonal) converge() bool {
	before := inf
	for k := range 12 {
		change, size := s.correct()
		if !(change > 0x1p-96*size) {
			return true
		}
		if k > 1 && !(change < before/4) {
			return change <= 0x1p-60*size
		}
		before = change
	}
	return true
}

// correct adds to z and r the solution of r + Az = b, Aᵀr = 0 for its residuals, and returns the largest change and
// size of z's elements by the lengths of their columns.
func (s *orthogonal) correct() (change, size float64) {
	for i := range s.b {
		s.rounded[i] = s.residualOf(i).Hi
	}
	for place, i := range s.row {
		s.t[place] = s.rounded[i]
	}
	for k, v := range s.v[:s.rank] {
		dense.Axpy(-s.factor[k]*dense.Dot(v[k:], s.t[k:]), v[k:], s.t[k:])
	}
	for k, j := range s.live[:s.rank] {
		var g dense.Doubled
		for i, v := range s.columns[j] {
			g.AddProduct(-v, s.r[i])
		}
		s.h[k] = (g.Value() - dense.Dot(s.v[k][:k], s.h[:k])) / s.diag[k]
	}
	w := s.w[:s.rank]
	for k := range w {
		w[k] = s.t[k] - s.h[k]
		s.t[k] = s.h[k]
	}
	for k := s.rank - 1; k >= 0; k-- {
		w[k] /= s.diag[k]
		dense.Axpy(-w[k], s.v[k][:k], w[:k])
	}
	for k := s.rank - 1; k >= 0; k-- {
		v := s.v[k]
		dense.Axpy(-s.factor[k]*dense.Dot(v[k:], s.t[k:]), v[k:], s.t[k:])
	}
	for place, i := range s.row {
		s.r[i] = s.r[i].Plus(dense.Doubled{Hi: s.t[place]})
		s.rounded[i] = s.r[i].Hi
	}
	for k, j := range s.live[:s.rank] {
		s.z[j] = s.z[j].Plus(dense.Doubled{Hi: w[k]})
		change = max(change, math.Abs(w[k])*s.lengths[j])
		size = max(size, math.Abs(s.z[j].Hi)*s.lengths[j])
	}
	return change, size
}

// decompose factors the free columns with pivoting of columns and of rows. A column is dependent if each element that
// is left of it is below this part of its row's largest one, by the lengths of the columns.
func (s *orthogonal) decompose(ctx context.Context, dependent float64) {
	s.live, s.rank = s.live[:0], 0
	for i := range s.row {
		s.row[i] = i
	}
	clear(s.largest)
	for j, free := range s.isFree {
		if free && s.lengths[j] > 0 {
			v := s.v[len(s.live)]
			copy(v, s.columns[j])
			for i, e := range v {
				s.largest[i] = max(s.largest[i], math.Abs(e)/s.lengths[j])
			}
			s.live = append(s.live, int32(j))
		}
	}
	for k := 0; k < min(len(s.live), len(s.b)) && ctx.Err() == nil; k++ {
		next, highest := -1, 0.0
		for c := k; c < len(s.live); c++ {
			v, value := s.v[c][k:], s.lengths[s.live[c]]
			length := math.Sqrt(dense.Dot(v, v)) / value
			if length > highest && (length > 1e-8 || s.counts(v, s.largest[k:], dependent*value)) {
				next, highest = c, length
			}
		}
		if next < 0 {
			return
		}
		s.v[k], s.v[next] = s.v[next], s.v[k]
		s.live[k], s.live[next] = s.live[next], s.live[k]
		s.reflect(k)
		s.rank++
	}
}

func (s *orthogonal) counts(v, largest []float64, dependent float64) bool {
	for i, e := range v {
		if math.Abs(e) > dependent*largest[i] {
			return true
		}
	}
	return false
}

// reflect makes column k 0 below its diagonal, after its largest element has come there.
func (s *orthogonal) reflect(k int) {
	v := s.v[k]
	length := math.Sqrt(dense.Dot(v[k:], v[k:]))
	top := k
	for i := k + 1; i < len(v); i++ {
		if math.Abs(v[i]) > math.Abs(v[top]) {
			top = i
		}
	}
	for _, u := range s.v[:len(s.live)] {
		u[k], u[top] = u[top], u[k]
	}
	s.row[k], s.row[top] = s.row[top], s.row[k]
	s.largest[k], s.largest[top] = s.largest[top], s.largest[k]
	s.diag[k] = -math.Copysign(length, v[k])
	v[k] -= s.diag[k]
	s.factor[k] = -1 / (s.diag[k] * v[k])
	for _, u := range s.v[k+1 : len(s.live)] {
		dense.Axpy(-s.factor[k]*dense.Dot(v[k:], u[k:]), v[k:], u[k:])
	}
}
