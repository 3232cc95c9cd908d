package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// feasible is the violation of a bound that the dual method ignores, relative to the bound and to |normal|·|x|.
const feasible = 1e-13

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
	s.reach = 0
	s.candidates.rows = s.candidates.rows[:0]
}

// activeBounds writes the bounds that the active constraints meet.
func (s *Solver) activeBounds(b []float64) {
	for k, p := range s.active.which {
		lo, up := s.problem.bounds(int(p))
		b[k] = lo
		if s.active.side[k] < 0 {
			b[k] = up
		}
	}
}

// wrongSign returns the active constraint whose multiplier has the wrong sign by most, or −1.
func (s *Solver) wrongSign() int {
	a, worst, most := &s.active, -1, 0.0
	for k, u := range a.dual {
		wrong := -u * a.side[k] * s.problem.normOf(int(a.which[k]))
		if !(wrong > most) {
			continue
		}
		if lo, up := s.problem.bounds(int(a.which[k])); lo < up {
			worst, most = k, wrong
		}
	}
	return worst
}

// drop takes the constraint at l away.
func (s *Solver) drop(l int) {
	a := &s.active
	s.counts.iterations++
	s.positions[a.which[l]] = -1
	s.factors.drop(l)
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
	which, most := s.amongCandidates()
	if which < 0 {
		dense.MulVec(s.ax, p.a, p.n, s.x)
		which, most = s.farthest(-1, 0, 0, s.ax, p.rowLo, p.rowUp)
		s.collect(which, most)
	}
	if !p.free {
		which, _ = s.farthest(which, most, p.m, s.x, p.lo, p.up)
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
	most float64
}

// manyEntries is the number of entries of A from which on there are candidates.
const manyEntries = 1 << 14

// amongCandidates returns the candidate that is violated most, −1 if all rows have to be looked at.
func (s *Solver) amongCandidates() (which int, most float64) {
	p := s.problem
	which, most = -1, s.candidates.most/2
	for _, i := range s.candidates.rows {
		v := dense.Dot(p.a[int(i)*p.n:][:p.n], s.x)
		s.ax[i] = v
		if e := max(p.rowLo[i]-v, v-p.rowUp[i]); e*p.weights[i] > most && s.significant(int(i), e, p.rowLo[i]-v >= e) {
			which, most = int(i), e*p.weights[i]
		}
	}
	return which, most
}

// collect makes candidates of the rows that are violated by half of the most.
func (s *Solver) collect(which int, most float64) {
	p, c := s.problem, &s.candidates
	c.rows, c.most = c.rows[:0], most
	if p.m*p.n < manyEntries || which < 0 {
		return
	}
	for i, v := range s.ax {
		e := max(p.rowLo[i]-v, v-p.rowUp[i]) * p.weights[i]
		if e > most/2 && i != which && s.positions[i] < 0 && len(c.rows) < cap(c.rows) {
			c.rows = append(c.rows, int32(i))
		}
	}
}

// farthest looks for a violation that weighs more than most among the constraints from first on, with values v.
func (s *Solver) farthest(which int, most float64, first int, v, lo, up []float64) (int, float64) {
	weights := s.problem.weights[first:][:len(v)]
	lo, up = lo[:len(v)], up[:len(v)]
	for i, at := range v {
		e, above := lo[i]-at, at-up[i]
		if above > e {
			e = above
		}
		if e*weights[i] > most && s.significant(first+i, e, lo[i]-at >= above) {
			which, most = first+i, e*weights[i]
		}
	}
	return which, most
}

// significant reports whether a violation of constraint c is more than a rounding error.
func (s *Solver) significant(c int, e float64, below bool) bool {
	if s.positions[c] >= 0 {
		return false
	}
	bound, up := s.problem.bounds(c)
	if !below {
		bound = up
	}
	return e > feasible*(math.Abs(bound)+s.reach*s.problem.normOf(c))
}

// enter makes a violated constraint active, and drops those that it makes multipliers change sign.
func (s *Solver) enter(ctx context.Context, p int, side, violation float64) status.Status {
	a, f := &s.active, &s.factors
	s.project(p)
	f.step()
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
			s.positions[p] = int32(len(a.which))
			a.which = append(a.which, int32(p))
			a.side = append(a.side, side)
			a.dual = append(a.dual, u)
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
	least := 0.0
	if !independent {
		for k, v := range r {
			least = max(least, math.Abs(v)*s.problem.normOf(int(a.which[k])))
		}
		least *= 1e-11
	}
	for k, v := range r {
		to := v * side * a.side[k] // positive: the multiplier goes towards 0
		if !(to > 0) || !independent && to*s.problem.normOf(int(a.which[k])) <= least {
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
	p, f := s.problem, &s.factors
	sum := s.scratch.duals[:f.q] // of the active normals, which is the one that failed
	s.project(s.failed.which)
	copy(sum, f.d)
	f.solve(sum)
	for range 2 {
		s.normals(s.scratch.n, sum)
		e := s.scratch.n
		for j := range e {
			e[j] = -e[j]
		}
		if q := s.failed.which; q < p.m {
			dense.Axpy(1, p.a[q*p.n:][:p.n], e)
		} else {
			e[q-p.m]++
		}
		f.project(e)
		f.solve(f.d[:f.q])
		dense.Axpy(1, f.d[:f.q], sum)
	}
	r.Farkas = resized(r.Farkas, p.m)
	clear(r.Farkas)
	most := 1.0
	for k, q := range s.active.which {
		if int(q) < p.m {
			r.Farkas[q] = -s.failed.side * sum[k]
			most = max(most, math.Abs(sum[k]))
		}
	}
	for i, v := range r.Farkas {
		if math.Abs(v) <= rounding*most {
			r.Farkas[i] = 0
		}
	}
	if s.failed.which < p.m {
		r.Farkas[s.failed.which] = s.failed.side
	}
	if p.farkasGap(r.Farkas) > 0 {
		return true
	}
	r.Farkas = r.Farkas[:0]
	return false
}

// normals writes the sum of the active normals with these factors.
func (s *Solver) normals(dst, factors []float64) {
	p := s.problem
	clear(dst)
	clear(s.scratch.m)
	for k, q := range s.active.which {
		if q := int(q); q < p.m {
			s.scratch.m[q] = factors[k]
		} else {
			dst[q-p.m] += factors[k]
		}
	}
	dense.AddRows(dst, s.scratch.m, p.a, p.n)
}

// polish reports x and the multipliers after steps of refinement, as long as these lower the residuals.
func (s *Solver) polish(r *Result) {
	s.refineTrue()
	s.report(r)
	for k := 0; k < 3 && !(r.worst() <= polished); k++ {
		before := r.worst()
		copy(s.scratch.kept, s.x)
		kept := s.scratch.duals[:len(s.active.dual)]
		copy(kept, s.active.dual)
		if s.refineTrue(); s.report(r) < before {
			continue
		}
		copy(s.x, s.scratch.kept)
		copy(s.active.dual, kept)
		s.report(r)
		break
	}
	if r.worst() <= s.opt.Tolerance {
		return
	}
	for j, v := range s.x {
		if math.Abs(v) <= noise*s.far {
			s.x[j] = 0
		}
	}
	s.report(r)
}

// noise is the share of the largest numbers of a sum below which a number is a rounding error.
const noise = 1e-15

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
	s.reach = 0
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
	f.project(e)
	f.solveTransposed(y[:f.q])
	copy(y[f.q:], f.d[f.q:])
	for k := range f.q {
		f.d[k] = y[k] - f.d[k]
	}
	dense.AddRows(s.x, y[:f.n], f.jt, f.ld)
	f.solve(f.d[:f.q])
	dense.Axpy(1, f.d[:f.q], a.dual)
}

// leastDual is the size below which a multiplier is a rounding error, with that of the proximal term, which is small.
func (s *Solver) leastDual() float64 {
	most := dense.Largest(s.problem.c)
	for j, v := range s.proximal.curves {
		most = max(most, v*math.Abs(s.x[j]))
	}
	return noise * most
}

// report writes x, within its bounds, and the multipliers, with the signs that they may have, and certifies them.
func (s *Solver) report(r *Result) (worst float64) {
	p := s.problem
	clear(r.Y)
	clear(r.BoundDuals)
	for j, v := range s.x {
		r.X[j] = max(p.lo[j], min(p.up[j], v))
	}
	least := s.leastDual()
	for k, q := range s.active.which {
		u := s.active.dual[k]
		lo, up := p.bounds(int(q))
		if lo < up && u*s.active.side[k] < 0 || math.Abs(u)*p.normOf(int(q)) <= least {
			u = 0
		}
		if int(q) < p.m {
			r.Y[q] = u
			continue
		}
		j := int(q) - p.m
		r.BoundDuals[j] = u
		r.X[j] = lo
		if s.active.side[k] < 0 {
			r.X[j] = up
		}
	}
	p.certify(r)
	return r.worst()
}
