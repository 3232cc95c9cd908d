package qp

import (
	"cmp"
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// extended is the dual method in doubled precision, for the programs that double precision leaves without a proof. It
// begins without constraints and is about twenty times slower; [factors] says what J, R, d and z are. The active set is
// the solver's, whose factors are then those of another one.
type extended struct {
	measures
	s      *Solver
	n, q   int
	jt, r  []wide // n×n each: rows of Jᵀ, columns of R
	d, z   []wide
	x, u   []wide    // u of the active constraints
	c      []wide    // costs with those of the proximal term
	damped []float64 // D's diagonal
	far    float64   // the largest |x| so far
}

// measures say what the dual method in doubled precision takes for a rounding error: of the data, which are numbers in
// double precision, or of its own.
type measures struct {
	feasible  float64 // violations, relative to a constraint's own terms
	dependent float64 // the part of a normal that does not depend on the active ones
}

var (
	ofData = measures{1e-14, 1e-12}
	ofOwn  = measures{1e-24, 1e-21}
)

// wideNoise is the share of the largest |x| below which a violation is a rounding error of its own.
const wideNoise = 1e-27

// wideSingular is the pivot of Q below which Q is treated as semidefinite, relative to the element of the diagonal.
const wideSingular = 1e-21

// Proximal terms by Q's diagonal: one below every number of double precision, and those that make a Q definite whose
// entries were rounded.
const damping = 1e-22

var shifts = [...]float64{1e-15, 1e-14, 1e-13, 1e-12}

// inDoubled solves the program in doubled precision. Where Q is semidefinite only but for the rounding of its entries,
// and proximal steps end at no optimum, it adds the least share of the diagonal that makes Q so.
func (s *Solver) inDoubled(ctx context.Context, r *Result) status.Status {
	e := newExtended(s)
	st := status.Numerical
	defer s.refactor(false)
	for _, e.measures = range [...]measures{ofData, ofOwn} {
		for _, share := range [...]float64{0, damping} {
			if e.factorize(ctx, share) {
				if st = e.approach(ctx, r, share > 0); st != status.Numerical {
					return st
				}
			}
		}
	}
	e.measures = ofData
	if ctx.Err() != nil {
		return status.FromContext(ctx)
	}
	for _, share := range shifts {
		if r.Shift > 0 || !s.problem.rounded() || !e.factorize(ctx, share) {
			continue
		}
		if st = e.approach(ctx, r, true); st != status.Numerical {
			break
		}
		undo := s.problem.add(share)
		defer undo()
		r.Shift = share
		if e.factorize(ctx, damping) {
			st = e.approach(ctx, r, true)
		}
	}
	return st
}

// add adds a share of Q's diagonal to it, until undo is called.
func (s *problem) add(share float64) (undo func()) {
	before := make([]float64, s.n)
	for j := range before {
		before[j] = s.q[j*s.n+j]
		s.q[j*s.n+j] += share * before[j]
	}
	return func() {
		for j, v := range before {
			s.q[j*s.n+j] = v
		}
	}
}

// semidefinite reports whether Q is so in doubled precision.
func (s *problem) semidefinite() bool {
	return newExtended(&Solver{problem: s}).factorize(context.Background(), damping)
}

func newExtended(s *Solver) *extended {
	n := s.problem.n
	take := func(k int) []wide { return make([]wide, k) }
	return &extended{s: s, n: n, jt: take(n * n), r: take(n * n), d: take(n), z: take(n), x: take(n), u: take(n)[:0],
		c: take(n), damped: make([]float64, n)}
}

// curvature is the largest element of Q's diagonal; where Q is 0, one for costs of this size.
func (s *problem) curvature() (largest float64) {
	for j := range s.n {
		largest = max(largest, s.q[j*s.n+j])
	}
	if largest == 0 {
		if largest = 1e3 * dense.Largest(s.c); largest == 0 {
			largest = 1
		}
	}
	return largest
}

// damp sets d to a share of Q's diagonal, in which the largest element stands in the place of zeros.
func (s *problem) damp(d []float64, share float64) {
	largest := s.curvature()
	for j := range d {
		d[j] = share * cmp.Or(s.q[j*s.n+j], largest)
	}
}

// factorize computes L⁻¹ of Q + D into jt, by way of L in r, and reports whether it is definite and ctx has not ended.
func (e *extended) factorize(ctx context.Context, share float64) bool {
	n, q := e.n, e.s.problem.q
	e.s.problem.damp(e.damped, share)
	clear(e.jt)
	for i := range n {
		if ctx.Err() != nil {
			return false
		}
		li := e.r[i*n:][:i+1]
		for j := range i + 1 {
			lj := e.r[j*n:][:j+1]
			v := wide{Hi: q[i*n+j]}
			smallest := wideSingular * v.Hi
			if i == j {
				v = sum(v, wide{Hi: e.damped[i]})
			}
			v = sum(v, negative(wideDot(li[:j], lj[:j])))
			if i > j {
				li[j] = quotient(v, lj[j])
				continue
			}
			if !(v.Hi > 0 && (share > 0 || v.Hi > smallest)) {
				return false
			}
			li[i] = root(v)
		}
		row := e.jt[i*n:][:n]
		for k := range i {
			wideAxpy(negative(li[k]), e.jt[k*n:][:k+1], row[:k+1])
		}
		row[i] = wide{Hi: 1}
		for k := range row[:i+1] {
			row[k] = quotient(row[k], li[i])
		}
	}
	clear(e.r)
	e.q, e.u = 0, e.u[:0]
	e.s.noneActive()
	return true
}

// approach goes from one proximal step to the next, as that of a solver does; without a term there is one.
func (e *extended) approach(ctx context.Context, r *Result, damped bool) status.Status {
	s, p, x := e.s, e.s.problem, &e.s.proximal
	x.centre, x.ray = resized(x.centre, e.n), resized(x.ray, e.n)
	clear(x.centre)
	for range doubledSteps {
		x.steps++
		for j, v := range p.c {
			e.c[j] = sum(wide{Hi: v}, negative(product(wide{Hi: e.damped[j]}, wide{Hi: x.centre[j]})))
		}
		e.restart()
		st := e.iterate(ctx)
		e.handOver()
		s.report(r)
		if st == status.Infeasible && e.farkas(r) || st.Limit() {
			return st
		}
		if r.worst() <= s.opt.Tolerance || s.snap(r, noise*noise) || s.snap(r, noise) {
			return status.Optimal
		}
		if !damped || st == status.Infeasible {
			break
		}
		for j, v := range s.x {
			x.ray[j] = v - x.centre[j]
		}
		copy(x.centre, s.x)
		length, endless := s.falls()
		if kept := s.active; endless {
			if s.unbounded(r, false, true) || len(x.feasible) > 0 && s.unboundedFrom(r, false) {
				return status.Unbounded
			}
			s.noneActive()
			for k, c := range kept.which {
				s.activate(int(c), kept.side[k], kept.dual[k])
			}
		}
		copy(x.centre, s.x)
		for j, v := range x.ray {
			if length > 1 && !math.IsInf(length, 1) {
				x.centre[j] += length * v
			}
		}
	}
	return status.Numerical
}

// handOver gives x and the multipliers to the solver.
func (e *extended) handOver() {
	s := e.s
	for j, v := range e.x {
		s.x[j], s.low.x[j] = v.Hi, v.Lo
	}
	for k, v := range e.u {
		s.active.dual[k], s.low.dual[k] = v.Hi, v.Lo
	}
	s.low.used = true
	s.far = max(s.far, e.far)
}

// row and column are those of Jᵀ and R.
func (e *extended) row(k int) []wide    { return e.jt[k*e.n:][:e.n] }
func (e *extended) column(k int) []wide { return e.r[k*e.n:][:k+1] }

// project sets d to Jᵀ times the normal of a constraint.
func (e *extended) project(c int) {
	p := e.s.problem
	for k := range e.d {
		row := e.row(k)
		if c >= p.m {
			e.d[k] = row[c-p.m]
			continue
		}
		var v wide
		for j, a := range p.a[c*e.n:][:e.n] {
			if a != 0 {
				v = sum(v, product(wide{Hi: a}, row[j]))
			}
		}
		e.d[k] = v
	}
}

// solve overwrites v, of q elements, with R⁻¹v, and solveTransposed with R⁻ᵀv.
func (e *extended) solve(v []wide) {
	for k := e.q - 1; k >= 0; k-- {
		c := e.column(k)
		v[k] = quotient(v[k], c[k])
		wideAxpy(negative(v[k]), c[:k], v[:k])
	}
}

func (e *extended) solveTransposed(v []wide) {
	for k := range e.q {
		c := e.column(k)
		v[k] = quotient(sum(v[k], negative(wideDot(c[:k], v[:k]))), c[k])
	}
}

// restart sets x and the multipliers to the optimum under the active constraints, and drops those whose multipliers
// have the wrong sign.
func (e *extended) restart() {
	p, a := e.s.problem, &e.s.active
	e.far = 0
	for {
		for k := range e.d {
			e.d[k] = wideDot(e.row(k), e.c)
		}
		y := e.z[:e.q]
		for k, c := range a.which {
			lo, up := p.bounds(int(c))
			y[k] = wide{Hi: endOf(a.side[k], lo, up)}
		}
		e.solveTransposed(y)
		e.u = e.u[:e.q]
		for k, v := range y {
			e.u[k] = sum(v, e.d[k])
		}
		e.solve(e.u)
		for k, u := range e.u {
			a.dual[k] = u.Hi
		}
		worst := e.s.wrongSign()
		if worst < 0 {
			break
		}
		e.drop(worst)
	}
	clear(e.x)
	for k := range e.n {
		if k < e.q {
			wideAxpy(e.z[k], e.row(k), e.x)
		} else {
			wideAxpy(negative(e.d[k]), e.row(k), e.x)
		}
	}
}

// iterate adds violated constraints until there is none.
func (e *extended) iterate(ctx context.Context) status.Status {
	for {
		c, side, violation := e.violated()
		if c < 0 {
			return status.Optimal
		}
		if st := e.enter(ctx, c, side, violation); st != status.Optimal {
			return st
		}
	}
}

// violated returns the constraint that is violated most, by its distance from x; equalities come before all others.
func (e *extended) violated() (which int, side float64, violation wide) {
	p := e.s.problem
	for _, v := range e.x {
		e.far = max(e.far, math.Abs(v.Hi))
	}
	which, largest := -1, 0.0
	for c := range p.m + p.n {
		var v wide
		terms := 0.0
		if c < p.m {
			for j, a := range p.a[c*e.n:][:e.n] {
				if a != 0 {
					v = sum(v, product(wide{Hi: a}, e.x[j]))
					terms += math.Abs(a * e.x[j].Hi)
				}
			}
		} else {
			v = e.x[c-p.m]
			terms = math.Abs(v.Hi)
		}
		if e.s.positions[c] >= 0 {
			continue
		}
		lo, up := p.bounds(c)
		for _, s := range [2]float64{1, -1} {
			b := endOf(s, lo, up)
			if math.IsInf(b, 0) {
				continue
			}
			by := sum(wide{Hi: b}, negative(v))
			if s < 0 {
				by = negative(by)
			}
			if by.Hi*p.weights[c] > largest && by.Hi > e.feasible*(math.Abs(b)+terms)+wideNoise*e.far*p.normOf(c) {
				which, side, violation, largest = c, s, by, by.Hi*p.weights[c]
			}
		}
	}
	return which, side, violation
}

// enter makes a violated constraint active, and drops those that it makes multipliers change sign.
func (e *extended) enter(ctx context.Context, c int, side float64, violation wide) status.Status {
	s := e.s
	e.project(c)
	var u wide
	for {
		switch {
		case s.counts.iterations >= s.counts.limit:
			return status.IterationLimit
		case ctx.Err() != nil:
			return status.FromContext(ctx)
		}
		s.counts.iterations++
		clear(e.z)
		for k := e.q; k < e.n; k++ {
			wideAxpy(e.d[k], e.row(k), e.z)
		}
		square := e.independent()
		r := make([]wide, e.q)
		copy(r, e.d)
		e.solve(r)
		step, l := e.blocking(r, side, square.Hi > 0)
		full := false
		if square.Hi > 0 {
			if t := quotient(violation, square); l < 0 || t.Hi <= step.Hi {
				step, full = t, true
			}
		} else if l < 0 {
			s.failed = failed{c, side}
			return status.Infeasible
		}
		t := step
		if side < 0 {
			t = negative(step)
		}
		wideAxpy(negative(t), r, e.u)
		u = sum(u, t)
		if square.Hi > 0 {
			wideAxpy(t, e.z, e.x)
			violation = sum(violation, negative(product(step, square)))
		}
		if full {
			e.add(c, side, u)
			return status.Optimal
		}
		e.drop(l)
	}
}

// independent returns |d₂|², 0 if the normal depends on the active ones.
func (e *extended) independent() wide {
	square := wideDot(e.d[e.q:], e.d[e.q:])
	if all := square.Hi + wideDot(e.d[:e.q], e.d[:e.q]).Hi; !(square.Hi > e.dependent*e.dependent*all) {
		return wide{}
	}
	return square
}

// blocking returns the step at which the first multiplier becomes 0, and whose it is, −1 if there is none.
func (e *extended) blocking(r []wide, side float64, independent bool) (step wide, l int) {
	p, a := e.s.problem, &e.s.active
	smallest := 0.0
	if !independent {
		for k, v := range r {
			smallest = max(smallest, math.Abs(v.Hi)*p.normOf(int(a.which[k])))
		}
		smallest *= e.dependent
	}
	l = -1
	for k, v := range r {
		if v.Hi*side*a.side[k] <= 0 || math.Abs(v.Hi)*p.normOf(int(a.which[k])) <= smallest {
			continue
		}
		if lo, up := p.bounds(int(a.which[k])); lo == up {
			continue
		}
		t := quotient(e.u[k], v)
		if side < 0 {
			t = negative(t)
		}
		if t.Hi < 0 {
			t = wide{}
		}
		if l < 0 || t.Hi < step.Hi || t.Hi == step.Hi && t.Lo < step.Lo {
			step, l = t, k
		}
	}
	return step, l
}

// add makes the constraint active of which d is Jᵀn: rotations of neighbouring columns of J leave one element of d₂.
func (e *extended) add(c int, side float64, u wide) {
	for k := e.n - 1; k > e.q; k-- {
		t := newWideRotation(e.d[k-1], e.d[k])
		t.apply(&e.d[k-1], &e.d[k])
		t.applyRows(e.row(k-1), e.row(k))
	}
	copy(e.column(e.q), e.d[:e.q+1])
	e.q++
	e.u = append(e.u, u)
	e.s.activate(c, side, u.Hi)
}

// drop takes active constraint l away; d turns with J.
func (e *extended) drop(l int) {
	for j := l + 1; j < e.q; j++ {
		c := e.column(j)
		e.turn(newWideRotation(c[j-1], c[j]), j)
	}
	for j := l + 1; j < e.q; j++ {
		copy(e.r[(j-1)*e.n:][:j], e.r[j*e.n:][:j])
	}
	e.q--
	e.u = append(e.u[:l], e.u[l+1:]...)
	e.s.deactivate(l)
}

// turn applies a rotation to rows j−1 and j of R, of J and of d.
func (e *extended) turn(t wideRotation, j int) {
	for i := j; i < e.q; i++ {
		c := e.column(i)
		t.apply(&c[j-1], &c[j])
	}
	t.apply(&e.d[j-1], &e.d[j])
	t.applyRows(e.row(j-1), e.row(j))
}

// farkas sets r's Farkas ray from the constraint that failed, and reports whether it proves anything.
func (e *extended) farkas(r *Result) bool {
	e.project(e.s.failed.which)
	e.solve(e.d[:e.q])
	factors := e.s.scratch.w[:e.q]
	for k, v := range e.d[:e.q] {
		factors[k] = v.Hi
	}
	return e.s.farkasOf(r, factors)
}

// dualPoint gives r the low parts of the point where the objective is least under the constraints that r says are
// active, and reports whether there is one. Whether it proves anything is for the certificate to say.
func (s *problem) dualPoint(r *Result) bool {
	e := newExtended(&Solver{problem: s, positions: make([]int32, s.m+s.n)})
	e.measures = ofData
	if !finite(r.Objective) || !e.factorize(context.Background(), 0) && !e.factorize(context.Background(), damping) {
		return false
	}
	for c := range s.m + s.n {
		lo, up := s.bounds(c)
		side := 0.0
		if c < s.m {
			side = r.Y[c]
		} else if x := r.X[c-s.m]; x == lo && s.w[c-s.m] > 0 {
			side = 1
		} else if x == up && s.w[c-s.m] < 0 {
			side = -1
		}
		if side == 0 || math.IsInf(endOf(side, lo, up), 0) || e.q == e.n {
			continue
		}
		e.project(c)
		if square := e.independent(); square.Hi > 0 {
			e.add(c, math.Copysign(1, side), wide{})
		}
	}
	for j, v := range s.c {
		e.c[j] = sum(wide{Hi: v}, negative(product(wide{Hi: e.damped[j]}, wide{Hi: r.X[j]})))
	}
	e.restart()
	r.XLow, r.YLow = make([]float64, s.n), make([]float64, s.m)
	for j, v := range e.x {
		r.XLow[j] = sum(v, wide{Hi: -r.X[j]}).Hi
	}
	for i, y := range r.Y {
		r.YLow[i] = -y
	}
	for k, c := range e.s.active.which {
		if i := int(c); i < s.m {
			r.YLow[i] = sum(e.u[k], wide{Hi: -r.Y[i]}).Hi
		} else {
			r.XLow[i-s.m] = 0
		}
	}
	return true
}
