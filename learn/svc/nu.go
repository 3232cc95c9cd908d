package svc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// nuSearch solves the ν variants. They have a second equality, uᵀa = want: Σα = ν l in ν-SVC, Σ(α + α*) = C ν l in
// ν-SVR (Schölkopf, Smola, Williamson & Bartlett 2000; Chang & Lin 2001). Its multiplier s is the margin of ν-SVC and
// the ε of ν-SVR. For a fixed s the program is C-SVC or ε-SVR:
//
//	φ(s) = min ½ aᵀKa + (p + s u)ᵀa − s want   subject to   lo ≤ a ≤ hi,  1ᵀa = 0
//
// φ is concave with slope uᵀa(s) − want, which is piecewise linear if K is definite. search brackets the zero of the
// slope. The two nearest solutions are interpolated to slope 0. The interpolation is the model once it satisfies the
// optimality conditions within both groups of variables, u > 0 and u < 0, to the tolerance (LIBSVM's rule), and the gap
// is small. While only the rule holds, the search is repeated from there with a smaller tolerance.
type nuSearch struct {
	*program
	q       *smo.Pair
	opt     smo.Options
	p, u    []float64
	want    float64
	lo, hi  *nuIterate // slope ≥ 0, slope ≤ 0; nil until one is known
	best    *nuIterate // interpolated between them
	last    *nuIterate // the one before, while lo or hi is nil
	streak  int        // successive iterates on one side: k > 0 on that of lo, −k on that of hi
	steps   int
	rounds  int
	stalled status.Status
	goal    nuGoal
}

// nuGoal is what a search wants to reach.
type nuGoal struct {
	refine    bool       // lo and hi have both been known: solve to the full tolerance
	tolerance float64    // violation
	max       int        // steps, once the violation was small enough and the gap was not; 0 before
	kept      *nuIterate // of the smallest gap among those within the first tolerance; nil for none
	gap       float64    // of kept, relative
}

// nuIterate is a solution for one s.
type nuIterate struct {
	s, slope float64
	coarse   bool    // solved only as far as the sign of the slope needs
	rho      float64 // −b
	a, ka    []float64
}

// searchMemory is the memory of a search over n variables, without the solver: five iterates, direction, costs, an
// order.
func searchMemory(n int) int64 { return 8 * 14 * int64(n) }

// search solves the program with the constraint uᵀa = want. It returns the solution of the program without it, and its
// C or ε.
func (m *program) search(ctx context.Context, p *learn.Problem, rows []int, q *smo.Pair,
	opt smo.Options) (*smo.Result, float64, error) {
	z := &nuSearch{program: m, q: q, opt: opt, p: append([]float64(nil), q.P...)}
	z.u, z.want = m.share(p, rows)
	z.goal.tolerance = m.tolerance
	s, largest, smallest := z.first(p, rows)
	if z.unit && !(s > 0) {
		return nil, 0, fmt.Errorf("%s: %w: the kernel is 0 for all samples, or the same, so no margin separates them; "+
			"scale the features, or choose another kernel", m.method, ErrShare)
	}
	const (
		maxSolves  = 200
		exactShare = 1e-9 // relative to want; the error of the objective is then as small
	)
	for solved := 0; ; solved++ {
		iterate := z.zero(s)
		if z.unit || s < largest {
			iterate = z.solve(ctx, s)
		}
		z.bracket(iterate)
		best := z.between()
		if best == nil || math.Abs(iterate.slope) <= exactShare*math.Abs(z.want) {
			best = iterate
		}
		z.best = best
		violation := z.violation(best)
		if z.opt.Progress != nil && !math.IsInf(violation, 1) {
			z.opt.Progress(z.steps, violation)
		}
		end := z.stalled
		switch {
		case violation <= z.goal.tolerance*z.scale(best.s) && z.closed(best, violation):
			end = status.Optimal
		case end == status.Unknown && (solved == maxSolves || math.IsNaN(iterate.slope) ||
			z.goal.kept != nil && z.steps >= z.goal.max):
			end = status.Numerical
		}
		if end != status.Unknown {
			best, end = z.returned(best, end)
			return z.result(best, end), z.parameter(best.s), nil
		}
		if s = z.next(iterate, largest); !(s >= smallest) {
			return nil, 0, fmt.Errorf("%s: %w: the classes overlap so that no margin is left; want at least %.4g times as much",
				m.method, ErrShare, iterate.slope/z.want+1)
		}
	}
}

// bracket replaces lo or hi by a new solution.
func (z *nuSearch) bracket(iterate *nuIterate) {
	if iterate.slope >= 0 {
		z.lo, z.streak = iterate, max(z.streak, 0)+1
	}
	if iterate.slope <= 0 {
		z.hi, z.streak = iterate, min(z.streak, 0)-1
	}
}

// parameter is the C of C-SVC or the ε of ε-SVR that belongs to s.
func (z *nuSearch) parameter(s float64) float64 {
	if z.unit {
		return 1 / s
	}
	return s
}

// scale converts the tolerance from units of the returned model.
func (z *nuSearch) scale(s float64) float64 {
	if !z.unit {
		return 1
	}
	return min(1, s)
}

// first returns the s to begin with, and the largest and smallest s possible. A margin below 10⁻⁶ of the samples'
// squared distance in feature space counts as none: C-SVC has it at 10⁶ times the natural C.
func (z *nuSearch) first(p *learn.Problem, rows []int) (s, largest, smallest float64) {
	if z.unit {
		x := func(r int) []float64 { return p.X[rows[r]*p.D : (rows[r]+1)*p.D] }
		own, spread, size := p.Kernel.Eval(x(0), x(0)), 0.0, 0.0
		for r := range rows {
			k := p.Kernel.Eval(x(r), x(r))
			size = max(size, k)
			spread = max(spread, own+k-2*p.Kernel.Eval(x(0), x(r)))
		}
		spread = max(spread, 0x1p-40*size)
		return spread / 2, math.Inf(1), 1e-6 * spread
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, i := range rows {
		lo, hi = min(lo, p.Y[i]), max(hi, p.Y[i])
	}
	largest = hi/2 - lo/2 // every sample is in the tube
	return largest / 8, largest, 0
}

// zero is the solution of a regression whose tube contains all samples.
func (z *nuSearch) zero(s float64) *nuIterate {
	return &nuIterate{s: s, slope: -z.want, a: make([]float64, len(z.p)), ka: make([]float64, len(z.p))}
}

// solve solves the program for s, with a warm start from the best iterate.
func (z *nuSearch) solve(ctx context.Context, s float64) *nuIterate {
	for v := range z.p {
		z.q.P[v] = z.p[v] + s*z.u[v]
	}
	if z.best != nil {
		z.q.Start, z.q.KStart = z.best.a, z.best.ka
	}
	opt := z.opt
	opt.Progress, opt.Gap = nil, 0
	opt.Tolerance = z.goal.tolerance * z.scale(s) / 4
	z.goal.refine = z.goal.refine || z.lo != nil && z.hi != nil
	if !z.goal.refine {
		opt.Tolerance = max(opt.Tolerance, 5e-3*s)
	}
	if opt.MaxIter > 0 {
		opt.MaxIter = max(1, opt.MaxIter-z.steps)
	}
	if g := z.goal; g.kept != nil && (opt.MaxIter <= 0 || opt.MaxIter > g.max-z.steps) {
		opt.MaxIter = max(1, g.max-z.steps)
	}
	r := smo.Solve(ctx, z.q, opt)
	z.steps += r.Iterations
	z.rounds += r.Rounds
	if r.Status != status.Optimal {
		z.stalled = r.Status
		if r.Status == status.Unknown { // ‖a‖ beyond q.Most
			z.stalled = status.Numerical
		}
	}
	iterate := &nuIterate{s: s, slope: -z.want, coarse: !z.goal.refine, rho: r.Rho, a: r.A, ka: r.G}
	for v := range r.G {
		r.G[v] -= z.q.P[v]
		iterate.slope += z.u[v] * r.A[v]
	}
	return iterate
}

// between interpolates lo and hi linearly to slope 0; if only one is known, it returns that one.
func (z *nuSearch) between() *nuIterate {
	switch {
	case z.lo == nil:
		return z.hi
	case z.hi == nil || z.lo == z.hi:
		return z.lo
	}
	t := z.lo.slope / (z.lo.slope - z.hi.slope)
	iterate := &nuIterate{s: z.lo.s + t*(z.hi.s-z.lo.s), a: make([]float64, len(z.p)), ka: make([]float64, len(z.p))}
	for v := range iterate.a {
		iterate.a[v] = z.lo.a[v]
		if z.hi.a[v] != z.lo.a[v] { // equal values, above all bounds, stay exact
			iterate.a[v] += t * (z.hi.a[v] - z.lo.a[v])
		}
		iterate.ka[v] = z.lo.ka[v] + t*(z.hi.ka[v]-z.lo.ka[v])
	}
	return iterate
}

// groups returns m and M of the optimality conditions (see [smo.Result]) for the variables with u > 0 and u < 0.
func (z *nuSearch) groups(iterate *nuIterate) (m, M [2]float64) {
	m, M = [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	for v, a := range iterate.a {
		g, group := -iterate.ka[v]-z.p[v], 0
		if z.u[v] < 0 {
			group = 1
		}
		if a < z.q.Hi[v] {
			m[group] = max(m[group], g)
		}
		if a > z.q.Lo[v] {
			M[group] = min(M[group], g)
		}
	}
	return m, M
}

// violation is the largest violation of the optimality conditions by a pair of one group; infinite until s is
// bracketed.
func (z *nuSearch) violation(iterate *nuIterate) float64 {
	if (z.lo == nil || z.hi == nil) && !z.ended(iterate) {
		return math.Inf(1)
	}
	m, M := z.groups(iterate)
	return max(0, m[0]-M[0], m[1]-M[1])
}

// settle moves s to agree with the multipliers of the groups, −(m + M)/2 each. A pair from different groups then
// violates the conditions no more than one from the same group.
func (z *nuSearch) settle(iterate *nuIterate) {
	m, M := z.groups(iterate)
	if s := (m[0] + M[0] - m[1] - M[1]) / 4; s-s == 0 && s > 0 && !z.ended(iterate) {
		iterate.s = s
	}
}

// ended reports whether s can go no further: ε = 0 with fewer errors than ν allows.
func (z *nuSearch) ended(iterate *nuIterate) bool {
	return !z.unit && iterate.s == 0 && iterate.slope < 0
}

// next is the s to try: by the secant method. If one side has not moved for a while, its slope counts less (the
// Illinois variant of regula falsi), so that both sides converge.
func (z *nuSearch) next(iterate *nuIterate, largest float64) float64 {
	if far := z.stale(); far != nil {
		return far.s
	}
	if z.lo == nil && z.hi == nil {
		return z.best.s
	}
	if z.hi == nil && z.lo.s == 0 {
		return 1e-6 * largest
	}
	guess := z.quantile(iterate)
	if last := z.last; last != nil {
		const beyond = 1.5 // overshoot the secant step, to bracket the zero
		guess = iterate.s + beyond*iterate.slope*(iterate.s-last.s)/(last.slope-iterate.slope)
	}
	z.last = iterate
	switch {
	case z.hi == nil: // the guess may be NaN
		return min(16*z.lo.s, largest, max(1.05*z.lo.s, math.Ldexp(z.lo.s, z.streak-4), finiteOr(guess, 0)))
	case z.lo == nil && !z.unit && z.hi.s < 1e-3*largest:
		return 0
	case z.lo == nil:
		return max(z.hi.s/16, min(0.999*z.hi.s, math.Ldexp(z.hi.s, z.streak+4), finiteOr(guess, z.hi.s)))
	}
	lo, hi := z.lo.slope, z.hi.slope
	if z.streak > 1 {
		hi = math.Ldexp(hi, 1-z.streak)
	} else if z.streak < -1 {
		lo = math.Ldexp(lo, 1+z.streak)
	}
	return z.lo.s + lo/(lo-hi)*(z.hi.s-z.lo.s)
}

// stale drops an end of the bracket that was solved coarsely, if many successive solutions were on the other side: its
// sign may have been wrong. It returns the dropped end, nil if none.
func (z *nuSearch) stale() (far *nuIterate) {
	const many = 3
	switch {
	case z.streak >= many && z.hi != nil && z.hi.coarse:
		far, z.hi = z.hi, nil
	case z.streak <= -many && z.lo != nil && z.lo.coarse:
		far, z.lo = z.lo, nil
	}
	return far
}

func finiteOr(v, other float64) float64 {
	if v-v != 0 {
		return other
	}
	return v
}

// quantile is the s at which the present model would satisfy uᵀa = want: the variables that gain by s have that much
// room between their bounds.
func (z *nuSearch) quantile(iterate *nuIterate) float64 {
	gain, order := make([]float64, len(z.p)), make([]int, len(z.p))
	for v, u := range z.u {
		order[v], gain[v] = v, -u*(iterate.ka[v]+z.p[v]-iterate.rho) // y f, or an error on one side
	}
	slices.SortFunc(order, func(a, b int) int {
		if z.unit {
			return cmp.Compare(gain[a], gain[b])
		}
		return cmp.Compare(gain[b], gain[a])
	})
	room := math.Abs(z.want)
	for _, v := range order {
		if room -= z.q.Hi[v] - z.q.Lo[v]; room <= 0 {
			return max(gain[v], 0)
		}
	}
	return iterate.s
}

// returned is the iterate to return, with its status: of those within the tolerance the one with the smallest gap.
func (z *nuSearch) returned(iterate *nuIterate, end status.Status) (*nuIterate, status.Status) {
	switch {
	case z.goal.kept == nil || end == status.Optimal:
		return iterate, end
	case end == status.TimeLimit || end == status.Cancelled:
		return z.goal.kept, end
	}
	return z.goal.kept, status.GapOpen
}

// result converts the solution to the units of C-SVC or ε-SVR.
func (z *nuSearch) result(iterate *nuIterate, st status.Status) *smo.Result {
	if st.Done() {
		z.settle(iterate)
	}
	unit := 1.0
	if z.unit && iterate.s > 0 {
		unit = iterate.s
	}
	r := &smo.Result{Status: st, A: iterate.a, G: iterate.ka, Iterations: z.steps, Rounds: z.rounds}
	for v := range z.p {
		z.q.P[v] = (z.p[v] + iterate.s*z.u[v]) / unit
		z.q.Lo[v] /= unit
		z.q.Hi[v] /= unit
		iterate.a[v] = min(max(iterate.a[v]/unit, z.q.Lo[v]), z.q.Hi[v])
		iterate.ka[v] = iterate.ka[v]/unit + z.q.P[v]
	}
	z.q.Certify(r)
	return r
}

// closed reports whether the gap of an iterate within the tolerance is small enough. If it is not, the tolerance
// becomes smaller, and a new bracket is to be found.
func (z *nuSearch) closed(iterate *nuIterate, violation float64) bool {
	if z.libsvm {
		return true
	}
	c := *iterate
	z.settle(&c)
	r := &smo.Result{A: iterate.a, G: slices.Clone(iterate.ka)}
	for v := range z.p {
		z.q.P[v] = z.p[v] + c.s*z.u[v]
	}
	dense.Axpy(1, z.q.P, r.G)
	z.q.Certify(r)
	found := r.RelativeGap()
	if !(found > z.gap()) {
		return true
	}
	const effort, minEffort = 4, 10_000 // as [smo.Pair]
	g := &z.goal
	if g.kept == nil {
		g.max = z.steps + effort*z.steps + minEffort
	}
	if g.kept == nil || found < g.gap {
		g.kept, g.gap = iterate, found
	}
	g.tolerance = min(violation/z.scale(iterate.s), g.tolerance) * min(max(z.gap()/found/2, 1e-3), 0.25)
	z.lo, z.hi, z.last, z.streak, z.goal.refine = nil, nil, nil, 0, true
	return false
}
