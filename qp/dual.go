package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// feasible is the violation of a bound that the dual method ignores, relative to the bound and to |normal|·|x|.
const feasible = 1e-13

// strict is feasible where each constraint counts by itself.
const strict = 1e-12

// costs are those of the program that the factors belong to, with the proximal term if there is one.
func (s *Solver) costs() []float64 {
	if len(s.proximal.d) > 0 {
		return s.proximal.c
	}
	return s.problem.c
}

// restart sets x and the multipliers to the optimum under the active constraints. Those whose bound has gone, or whose
// multipliers have the wrong sign, are dropped.
func (s *Solver) restart() {
	a, f := &s.active, &s.factors
	f.project(s.costs())
	for l := len(a.which) - 1; l >= 0; l-- {
		lo, up := s.problem.bounds(int(a.which[l]))
		if math.IsInf(lo, 0) && math.IsInf(up, 0) {
			s.drop(l)
			continue
		}
		if math.IsInf(lo, 0) || math.IsInf(up, 0) {
			a.side[l] = 1
			if math.IsInf(lo, 0) {
				a.side[l] = -1
			}
		}
	}
	y := s.scratch.w
	for {
		q := f.q
		s.activeBounds(y[:q])
		f.solveTransposed(y[:q])
		for k := range q {
			a.dual[k] = y[k] + f.d[k]
		}
		f.solve(a.dual)
		l := s.wrongSign()
		if l < 0 {
			break
		}
		s.drop(l)
	}
	for k := f.q; k < f.n; k++ {
		y[k] = -f.d[k]
	}
	clear(s.x)
	dense.AddRows(s.x, y[:f.n], f.jt, f.ld)
	s.reach, s.low.used = 0, false
	s.candidates.rows = s.candidates.rows[:0]
}

// activeBounds writes the bounds that the active constraints meet.
func (s *Solver) activeBounds(b []float64) {
	for k, p := range s.active.which {
		lo, up := s.problem.bounds(int(p))
		b[k] = endOf(s.active.side[k], lo, up)
	}
}

// wrongSign returns the active constraint whose multiplier has the wrong sign by most, or −1.
func (s *Solver) wrongSign() int {
	a, worst, largest := &s.active, -1, 0.0
	for k, u := range a.dual {
		wrong := -u * a.side[k] * s.problem.normOf(int(a.which[k]))
		if !(wrong > largest) {
			continue
		}
		if lo, up := s.problem.bounds(int(a.which[k])); lo < up {
			worst, largest = k, wrong
		}
	}
	return worst
}

// activate puts a constraint at the end of the active set.
func (s *Solver) activate(p int, side, dual float64) {
	a := &s.active
	s.positions[p] = int32(len(a.which))
	a.which = append(a.which, int32(p))
	a.side = append(a.side, side)
	a.dual = append(a.dual, dual)
}

// drop takes the constraint at l away.
func (s *Solver) drop(l int) {
	s.factors.drop(l)
	s.deactivate(l)
}

// deactivate takes the constraint at l out of the active set.
func (s *Solver) deactivate(l int) {
	a := &s.active
	s.counts.iterations++
	s.positions[a.which[l]] = -1
	copy(a.which[l:], a.which[l+1:])
	copy(a.side[l:], a.side[l+1:])
	copy(a.dual[l:], a.dual[l+1:])
	k := len(a.which) - 1
	a.which, a.side, a.dual = a.which[:k], a.side[:k], a.dual[:k]
	for k := l; k < len(a.which); k++ {
		s.positions[a.which[k]] = int32(k)
	}
}

// iterate adds violated constraints until there is none.
func (s *Solver) iterate(ctx context.Context) status.Status {
	for {
		p, side, violation := s.violated()
		if p < 0 {
			return status.Optimal
		}
		if st := s.enter(ctx, p, side, violation); st != status.Optimal {
			return st
		}
	}
}

// violated returns the constraint that is violated most, by its distance from x; equalities come before all others.
func (s *Solver) violated() (which int, side, violation float64) {
	p := s.problem
	s.reach = max(s.reach, math.Sqrt(dense.Dot(s.x, s.x)))
	s.far = max(s.far, s.reach)
	which, largest := s.amongCandidates()
	if which < 0 {
		dense.MulVec(s.ax, p.a, p.n, s.x)
		which, largest = s.farthest(-1, 0, 0, s.ax, p.rowLo, p.rowUp)
		s.collect(which, largest)
	}
	if !p.free {
		which, _ = s.farthest(which, largest, p.m, s.x, p.lo, p.up)
	}
	if which < 0 {
		return -1, 0, 0
	}
	lo, up := p.bounds(which)
	var v float64
	if which < p.m {
		v = s.ax[which]
	} else {
		v = s.x[which-p.m]
	}
	if lo-v >= v-up {
		return which, 1, lo - v
	}
	return which, -1, v - up
}

// candidates are rows that were violated much when all rows were last looked at. Large programs look at them alone as
// long as one is violated by half of the most at that time.
type candidates struct {
	rows []int32
	max  float64
}

// manyEntries is the number of entries of A from which on there are candidates.
const manyEntries = 1 << 14

// amongCandidates returns the candidate that is violated most, −1 if all rows have to be looked at.
func (s *Solver) amongCandidates() (which int, largest float64) {
	p := s.problem
	which, largest = -1, s.candidates.max/2
	for _, i := range s.candidates.rows {
		v := dense.Dot(p.a[int(i)*p.n:][:p.n], s.x)
		s.ax[i] = v
		if e := max(p.rowLo[i]-v, v-p.rowUp[i]); e*p.weights[i] > largest && s.significant(int(i), e, p.rowLo[i]-v >= e) {
			which, largest = int(i), e*p.weights[i]
		}
	}
	return which, largest
}

// collect makes candidates of the rows that are violated by half of the most.
func (s *Solver) collect(which int, largest float64) {
	p, c := s.problem, &s.candidates
	c.rows, c.max = c.rows[:0], largest
	if p.m*p.n < manyEntries || which < 0 {
		return
	}
	for i, v := range s.ax {
		e := max(p.rowLo[i]-v, v-p.rowUp[i]) * p.weights[i]
		if e > largest/2 && i != which && s.positions[i] < 0 && len(c.rows) < cap(c.rows) {
			c.rows = append(c.rows, int32(i))
		}
	}
}

// farthest looks for a violation that weighs more than most among the constraints from first on, with values v.
func (s *Solver) farthest(which int, largest float64, first int, v, lo, up []float64) (int, float64) {
	weights := s.problem.weights[first:][:len(v)]
	lo, up = lo[:len(v)], up[:len(v)]
	for i, value := range v {
		e, above := lo[i]-value, value-up[i]
		if above > e {
			e = above
		}
		if e*weights[i] > largest && s.significant(first+i, e, lo[i]-value >= above) {
			which, largest = first+i, e*weights[i]
		}
	}
	return which, largest
}

// significant reports whether a violation of constraint c is more than a rounding error: by the size of x, and, once a
// certificate has failed, by the constraint's own terms.
func (s *Solver) significant(c int, e float64, below bool) bool {
	if s.positions[c] >= 0 {
		return false
	}
	p := s.problem
	bound, up := p.bounds(c)
	if !below {
		bound = up
	}
	bound = math.Abs(bound)
	switch {
	case e > feasible*(bound+s.reach*p.normOf(c)):
		return true
	case !s.strict || !(e > strict*bound):
		return false
	case c < p.m:
		return e > strict*(bound+sizeOfDot(p.a[c*p.n:], s.x))
	}
	return e > strict*(bound+math.Abs(s.x[c-p.m]))
}

// enter makes a violated constraint active, and drops those that it makes multipliers change sign.
func (s *Solver) enter(ctx context.Context, p int, side, violation float64) status.Status {
	a, f := &s.active, &s.factors
	s.project(p)
	f.step()
	s.low.used = false
	u := 0.0
	for {
		switch {
		case s.counts.iterations >= s.counts.limit:
			return status.IterationLimit
		case ctx.Err() != nil:
			return status.FromContext(ctx)
		}
		s.counts.iterations++
		r := s.scratch.w[:f.q]
		copy(r, f.d)
		f.solve(r)
		square := s.independent()
		partial, l := s.blocking(r, side, square > 0)
		full := inf
		if square > 0 {
			full = violation / square
		}
		t := min(partial, full)
		if math.IsInf(t, 1) || t != t {
			s.failed = failed{p, side}
			return status.Infeasible
		}
		dense.Axpy(-side*t, r, a.dual)
		u += side * t
		if square > 0 {
			dense.Axpy(side*t, f.z[:f.n], s.x)
			violation -= t * square
		}
		if full <= partial {
			f.add(square)
			s.activate(p, side, u)
			return status.Optimal
		}
		a.dual[l] = 0
		s.drop(l)
		dense.Axpy(f.d[f.q], f.row(f.q), f.z)
	}
}

// blocking returns the step at which the first multiplier becomes 0, and whose it is. Where the normal depends on the
// active ones, r are the factors of the sum that it is; those that are rounding errors do not count.
func (s *Solver) blocking(r []float64, side float64, independent bool) (step float64, l int) {
	a := &s.active
	step, l = inf, -1
	smallest := 0.0
	if !independent {
		for k, v := range r {
			smallest = max(smallest, math.Abs(v)*s.problem.normOf(int(a.which[k])))
		}
		smallest *= 1e-11
	}
	for k, v := range r {
		to := v * side * a.side[k] // positive: the multiplier goes towards 0
		if !(to > 0) || !independent && to*s.problem.normOf(int(a.which[k])) <= smallest {
			continue
		}
		t := max(a.dual[k]*a.side[k], 0) / to
		if t >= step {
			continue
		}
		if lo, up := s.problem.bounds(int(a.which[k])); lo < up {
			step, l = t, k
		}
	}
	return step, l
}

// farkas sets r's Farkas ray from the constraint that failed, and reports whether it proves anything.
func (s *Solver) farkas(r *Result) bool {
	f := &s.factors
	sum := s.scratch.duals[:f.q] // of the active normals, which is the one that failed
	s.project(s.failed.which)
	copy(sum, f.d)
	f.solve(sum)
	for range 3 {
		s.normalsLess(sum)
		f.project(s.scratch.n)
		f.solve(f.d[:f.q])
		dense.Axpy(1, f.d[:f.q], sum)
	}
	return s.farkasOf(r, sum)
}

// farkasOf is farkas for the factors of the active normals whose sum is the one that failed.
func (s *Solver) farkasOf(r *Result, factors []float64) bool {
	m := s.problem.m
	r.Farkas = resized(r.Farkas, m)
	clear(r.Farkas)
	for k, q := range s.active.which {
		if int(q) < m {
			r.Farkas[q] = -s.failed.side * factors[k]
		}
	}
	if s.failed.which < m {
		r.Farkas[s.failed.which] = s.failed.side
	}
	return s.provesInfeasible(r)
}

// provesInfeasible reports whether r's Farkas ray proves anything, and takes it away if not.
func (s *Solver) provesInfeasible(r *Result) bool {
	p, largest := s.problem, 0.0
	for i, v := range r.Farkas {
		largest = max(largest, math.Abs(v)*p.norms[i])
	}
	raw := s.scratch.m
	copy(raw, r.Farkas)
	for i, v := range r.Farkas {
		if math.Abs(v)*p.norms[i] <= negligible*largest {
			r.Farkas[i] = 0
		}
	}
	if p.farkasGap(r.Farkas, s.margin) > 0 {
		return true
	}
	if copy(r.Farkas, raw); p.farkasGap(r.Farkas, s.margin) > 0 {
		return true
	}
	r.Farkas = r.Farkas[:0]
	return false
}

// negligible is the share of a ray's largest element below which an element is tried as 0.
const negligible = 1e-12

// normalsLess writes the normal that failed, less the sum of the active ones with these factors, to scratch.n.
func (s *Solver) normalsLess(factors []float64) {
	p, n := s.problem, s.problem.n
	sums := p.sums
	clear(sums)
	add := func(factor float64, q int) {
		if q >= p.m {
			sums[q-p.m].Add(factor)
			return
		}
		for j, a := range p.a[q*n:][:n] {
			sums[j].AddProduct(factor, dense.Doubled{Hi: a})
		}
	}
	add(1, s.failed.which)
	for k, q := range s.active.which {
		add(-factors[k], int(q))
	}
	for j, d := range sums {
		s.scratch.n[j] = d.Value()
	}
}

// polish reports x and the multipliers after steps of refinement, as long as these lower the residuals; then after
// steps in doubled precision, since what double precision leaves of a gradient is 1e-16 of Q's entries, which may be
// more than the whole cost.
func (s *Solver) polish(r *Result) {
	s.refineTrue()
	s.report(r)
	for k := 0; k < 3 && !(r.worst() <= polished); k++ {
		before := r.worst()
		s.keep()
		if s.refineTrue(); s.report(r) < before {
			continue
		}
		s.putBack(r)
		break
	}
	if r.worst() <= s.opt.Tolerance || s.snap(r, noise) {
		return
	}
	before := r.worst()
	s.keep()
	s.refineDoubled()
	s.zeroBelow(noise * noise)
	if !(s.report(r) < before) {
		s.putBack(r)
	}
}

// noise is the share of the largest element of x below which one is tried as 0, its square in doubled precision.
const noise = 1e-15

// snap makes 0 of the elements of x and the multipliers below this share of the largest ones of the solve, if that
// lowers the residuals, and reports whether they are within the tolerance then: a row of noise alone violates a bound
// of 0 by all of its terms.
func (s *Solver) snap(r *Result, share float64) bool {
	before := r.worst()
	s.keep()
	if s.zeroBelow(share) && !(s.report(r) < before) {
		s.putBack(r)
	}
	return r.worst() <= s.opt.Tolerance
}

// zeroBelow makes 0 of elements of x and multipliers below this share of the largest ones, and reports whether there
// are any.
func (s *Solver) zeroBelow(share float64) (changed bool) {
	dual := s.active.dual
	zero := func(v, low []float64, size float64) {
		for j, e := range v {
			if e != 0 && math.Abs(e) <= size {
				v[j], low[j], changed = 0, 0, true
			}
		}
	}
	far := max(s.far, dense.Largest(s.x))
	zero(s.x, s.low.x, share*far)
	zero(dual, s.low.dual, share*max(dense.Largest(s.problem.c), dense.Largest(dual), far*s.problem.curvature()))
	return changed
}

// keep remembers x and the multipliers; putBack makes them those of the result again.
func (s *Solver) keep() {
	copy(s.scratch.kept, s.x)
	copy(s.scratch.keptLow, s.low.x)
	copy(s.scratch.duals, s.active.dual)
	copy(s.scratch.dualsLow, s.low.dual)
	s.low.kept = s.low.used
}

func (s *Solver) putBack(r *Result) {
	copy(s.x, s.scratch.kept)
	copy(s.low.x, s.scratch.keptLow)
	copy(s.active.dual, s.scratch.duals)
	copy(s.low.dual, s.scratch.dualsLow)
	s.low.used = s.low.kept
	s.report(r)
}

// polished is the residual that polish is content with.
const polished = 1e-12

// refineTrue is refine for the program itself: a proximal step under the active constraints, if Q is semidefinite.
func (s *Solver) refineTrue() {
	s.problem.mulQ(s.scratch.n, s.x)
	s.refineBy(s.problem.c)
}

// refine corrects x and the multipliers by the residuals of the program that the factors belong to.
func (s *Solver) refine() {
	s.problem.mulQ(s.scratch.n, s.x)
	for j, d := range s.proximal.d {
		s.scratch.n[j] += d * s.x[j]
	}
	s.refineBy(s.costs())
}

// refineBy corrects x and the multipliers u by their residuals e = Nu − Qx − c and h = b − Nᵀx, where scratch.n is Qx:
// with Jᵀe and y = R⁻ᵀh, x grows by J₁y + J₂J₂ᵀe and u by R⁻¹(y − J₁ᵀe).
func (s *Solver) refineBy(costs []float64) {
	p, f, a := s.problem, &s.factors, &s.active
	e := s.scratch.n
	s.reach, s.low.used = 0, false
	clear(s.scratch.m)
	dense.MulVec(s.ax, p.a, p.n, s.x)
	y := s.scratch.w
	s.activeBounds(y[:f.q])
	for j, c := range costs {
		e[j] = -c - e[j]
	}
	for k, q := range a.which {
		if q := int(q); q < p.m {
			s.scratch.m[q] = a.dual[k]
			y[k] -= s.ax[q]
		} else {
			e[q-p.m] += a.dual[k]
			y[k] -= s.x[q-p.m]
		}
	}
	dense.AddRows(e, s.scratch.m, p.a, p.n)
	s.correct(s.x)
	dense.Axpy(1, f.d[:f.q], a.dual)
}

// correct adds the correction of x by the residuals in scratch.n and scratch.w to dst; that of u is in the factors' d.
func (s *Solver) correct(dst []float64) {
	f, y := &s.factors, s.scratch.w
	f.project(s.scratch.n)
	f.solveTransposed(y[:f.q])
	copy(y[f.q:], f.d[f.q:])
	for k := range f.q {
		f.d[k] = y[k] - f.d[k]
	}
	dense.AddRows(dst, y[:f.n], f.jt, f.ld)
	f.solve(f.d[:f.q])
}

// report writes x, within its bounds, and the multipliers, with the signs that they may have, and certifies them.
func (s *Solver) report(r *Result) (worst float64) {
	p, low := s.problem, s.low.used
	clear(r.Y)
	r.XLow, r.YLow = r.XLow[:0], r.YLow[:0]
	if low {
		r.XLow, r.YLow = resized(r.XLow, p.n), resized(r.YLow, p.m)
		clear(r.YLow)
	}
	for j, v := range s.x {
		r.X[j] = max(p.lo[j], min(p.up[j], v))
		if low {
			r.XLow[j] = (v - r.X[j]) + s.low.x[j]
		}
	}
	for k, q := range s.active.which {
		u, lo, up := s.active.dual[k], 0.0, 0.0
		if lo, up = p.bounds(int(q)); int(q) >= p.m {
			j := int(q) - p.m
			r.X[j] = endOf(s.active.side[k], lo, up)
			if low {
				r.XLow[j] = 0
			}
			continue
		}
		if lo == up || u*s.active.side[k] > 0 {
			r.Y[q] = u
			if low {
				r.YLow[q] = s.low.dual[k]
			}
		}
	}
	p.certify(r, s)
	return r.worst()
}

// boundDuals makes the reduced costs of the active bounds their duals, if they have the sign that these may have.
func (s *Solver) boundDuals(r *Result) {
	p := s.problem
	clear(r.BoundDuals)
	for k, q := range s.active.which {
		if j := int(q) - p.m; j >= 0 {
			if w := p.w[j]; w*s.active.side[k] > 0 || p.lo[j] == p.up[j] {
				r.BoundDuals[j] = w
			}
		}
	}
}
