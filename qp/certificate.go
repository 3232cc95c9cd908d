package qp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Parts of the certificate's measure.
const (
	// ofTerms is the part of the objective's terms that the gap may be relative to if the objective is small, ofRow that
	// of a row's terms which a violation may be relative to.
	ofTerms = 1e-3
	ofRow   = 1e-6
	// ofSizes is the part of the sizes of all that cancels that the gap may be relative to, where the objective is 0.
	ofSizes = 1e-20
	// fourRoundings is what rounding X and Y leaves of a reduced cost, relative to its terms.
	fourRoundings = 0x1p-51
	// ofSums is the part of the sums that a reduced cost is made of which it is a rounding of.
	ofSums = 0x1p-40
	// towardsInfinity is the weight of a reduced cost that pushes to an infinite bound.
	towardsInfinity = 1e6
	// bySums is the residual above which the sums of sizes are computed that it is relative to.
	bySums = 1e-12
	// plainError is the error of a vectorised sum in double precision, relative to the sum of its terms' sizes.
	plainError = 0x1p-51
	// plainShare is the share of the tolerance that such errors may make of the gap.
	plainShare = 0.1
)

// evaluation is what a certificate is computed from: w = Qu + c − Aᵀy, and what the activities lack.
type evaluation struct {
	roots    []float64       // n: of Q's diagonal
	qx, aty  []float64       // n each: Qx and Aᵀy
	w        []float64       // n
	rest     []float64       // m: A·X less its rounded value, 0 in double precision
	sums     []dense.Doubled // n: scratch
	curve    float64         // XLowᵀ Q XLow
	value    float64         // the objective without its offset
	linear   float64         // Σ |c_j·x_j|
	quantity float64         // Σ_j √q_jj·|x_j|: Σ_k |q_jk·x_k| is at most √q_jj times it
	pull     float64         // Σ_i ‖a_i‖·|y_i|: no less than Σ_i |a_ij·y_i|
	doubled  bool
	excused  bool // a row is violated by more than 1e-9 of the bounds, and four roundings of its terms explain it
}

// certify sets the certificate's residuals, the activities and the objective of x and duals. A solver says which
// variables it holds at a bound: their reduced costs become the duals of the bounds.
func (s *problem) certify(r *Result, by *Solver) {
	for s.doubled = len(r.XLow) > 0; ; s.doubled = true {
		if s.doubled {
			s.evaluateDoubled(r)
		} else {
			s.evaluate(r)
		}
		if by != nil {
			by.boundDuals(r)
		}
		if s.measure(r) {
			return
		}
	}
}

// evaluate computes in double precision.
func (s *problem) evaluate(r *Result) {
	e, n := &s.evaluation, s.n
	s.mulQ(s.qx, r.X)
	dense.MulVec(r.Activity, s.a, n, r.X)
	clear(s.aty)
	dense.AddRows(s.aty, r.Y, s.a, n)
	e.quantity, e.pull, e.curve, e.linear = 0, 0, 0, 0
	linear := 0.0
	for j, x := range r.X {
		e.w[j] = s.qx[j] + s.c[j] - s.aty[j]
		e.quantity += s.roots[j] * math.Abs(x)
		linear += s.c[j] * x
		e.linear += math.Abs(s.c[j] * x)
	}
	for i, y := range r.Y {
		e.pull += s.norms[i] * math.Abs(y)
		e.rest[i] = 0
	}
	e.value = dense.Dot(s.qx, r.X)/2 + linear
	r.Objective = e.value + s.offset
}

// evaluateDoubled computes in doubled precision.
func (s *problem) evaluateDoubled(r *Result) {
	e, n := &s.evaluation, s.n
	sums := e.sums
	var objective dense.Doubled
	e.quantity, e.linear = 0, 0
	for j, x := range r.X {
		e.quantity += s.roots[j] * math.Abs(x)
		e.linear += math.Abs(s.c[j] * x)
		d := dotDoubled(s.q[j*n:][:n], r.X)
		s.qx[j] = d.Value()
		objective.AddProduct(x/2, d)
		objective.AddProduct(x, dense.Doubled{Hi: s.c[j]})
		d.Add(s.c[j])
		sums[j] = d
	}
	e.value = objective.Value()
	objective.Add(s.offset)
	r.Objective = objective.Value()
	e.curve = 0
	if len(r.XLow) > 0 {
		s.mulQ(e.w, r.XLow)
		e.curve = dense.Dot(e.w, r.XLow)
		for j, v := range e.w {
			sums[j].Add(v)
		}
	}
	clear(s.aty)
	dense.AddRows(s.aty, r.Y, s.a, n)
	e.pull = 0
	for i, v := range r.Y {
		e.pull += s.norms[i] * math.Abs(v)
		a := s.a[i*n:][:n]
		d := dotDoubled(a, r.X)
		r.Activity[i] = d.Value()
		d.Add(-r.Activity[i])
		e.rest[i] = d.Value()
		y := dense.Doubled{Hi: v}
		if len(r.YLow) > 0 {
			y.Lo = r.YLow[i]
		}
		if y.Hi == 0 && y.Lo == 0 {
			continue
		}
		for j, entry := range a {
			sums[j].AddProduct(-entry, y)
		}
	}
	for j := range e.w {
		e.w[j] = sums[j].Value()
	}
}

// dotDoubled is aᵀx.
func dotDoubled(a, x []float64) (d dense.Doubled) {
	a = a[:len(x)]
	for i, v := range x {
		if v != 0 {
			d.AddProduct(a[i], dense.Doubled{Hi: v})
		}
	}
	return d
}

// measure sets the residuals and the gap from the evaluation, and reports whether its precision suffices.
func (s *problem) measure(r *Result) (exact bool) {
	e := &s.evaluation
	r.PrimalResidual, r.DualResidual, e.excused = 0, 0, false
	gap, far, doubt := e.curve/2, 0.0, 0.0
	size := max(math.Abs(e.value), ofTerms*(math.Abs(e.value)+e.linear))
	nothing := plainShare * s.tolerance * size / endlessLength // a reduced cost that no range makes anything of
	for i, v := range r.Activity {
		lo, up := s.rowLo[i], s.rowUp[i]
		if v < lo || v > up || v != v || e.rest[i] != 0 && (v == lo || v == up) {
			r.PrimalResidual = max(r.PrimalResidual, s.rowResidual(i, v, r.X))
		}
		if y := r.Y[i]; y != 0 {
			b := endOf(y, lo, up)
			if math.IsInf(b, 0) || y != y {
				r.DualResidual = 1
				continue
			}
			gap += math.Abs(y * (v - b + e.rest[i]))
			doubt += math.Abs(y) * max(math.Abs(v), math.Abs(b))
		}
	}
	for j, x := range r.X {
		lo, up, w, z := s.lo[j], s.up[j], e.w[j], r.BoundDuals[j]
		if x < lo || x > up || x != x {
			b := endOf(lo-x, lo, up)
			r.PrimalResidual = max(r.PrimalResidual, relative(max(lo-x, x-up), b, ofRow*x))
		}
		if b := endOf(z, lo, up); z != 0 && math.IsInf(b, 0) {
			r.DualResidual = 1
		}
		if math.Abs(w-z) > nothing {
			r.DualResidual = max(r.DualResidual, s.dualResidual(j, math.Abs(w-z), bySums, r))
		}
		if math.Abs(w) <= nothing {
			continue
		}
		if b := endOf(w, lo, up); math.IsInf(b, 0) {
			far = max(far, s.towards(j, math.Abs(w), r))
			gap += math.Abs(w * x)
		} else {
			gap += math.Abs(w * (x - b))
		}
		doubt += s.uncertain(j, x, w)
	}
	doubt = max(doubt, e.quantity*e.quantity/2)
	size = max(size, ofSizes*doubt)
	r.Gap = max(relative(gap, size, 0), towardsInfinity*far)
	if !(r.Gap < 1) || !finite(r.Objective) || dense.Largest(r.X) >= endlessLength {
		r.Gap = 1
	}
	return e.doubled || plainError*doubt <= plainShare*s.tolerance*size && !(far > 0)
}

// uncertain is what an error of double precision in w may change the gap by, over that error.
func (s *problem) uncertain(j int, x, w float64) float64 {
	lo, up := s.lo[j], s.up[j]
	sizes := math.Abs(s.c[j]) + s.roots[j]*s.quantity + s.pull
	sure, reach := math.Abs(w) > plainError*sizes, 0.0
	if !math.IsInf(lo, 0) && !(sure && w < 0) {
		reach = math.Abs(x - lo)
	}
	if !math.IsInf(up, 0) && !(sure && w > 0) {
		reach = max(reach, math.Abs(x-up))
	}
	return sizes * reach
}

// towards is what a reduced cost of size w that pushes to an infinite bound counts: nothing where it is a rounding of
// the sums that it is made of, or four roundings of their terms.
func (s *problem) towards(j int, w float64, r *Result) float64 {
	if w <= ofSums*max(math.Abs(s.c[j]), math.Abs(s.qx[j]), math.Abs(s.aty[j])) {
		return 0
	}
	if !s.doubled {
		return inf
	}
	return s.dualResidual(j, w, fourRoundings, r) - fourRoundings
}

// endOf is the bound that a dual or a reduced cost of this sign belongs to.
func endOf(dual, lo, up float64) float64 {
	if dual < 0 {
		return up
	}
	return lo
}

// relative is e by the larger size, 0 of 0.
func relative(e, a, b float64) float64 {
	if e == 0 {
		return 0
	}
	return e / max(math.Abs(a), math.Abs(b))
}

// rowResidual is the violation of row i, 0 if four roundings of its terms explain it.
func (s *problem) rowResidual(i int, v float64, x []float64) float64 {
	lo, up, rest := s.rowLo[i], s.rowUp[i], s.rest[i]
	e := max(lo-v-rest, v-up+rest)
	if e <= 0 {
		return 0
	}
	b := endOf(lo-v-rest, lo, up)
	sizes := math.Abs(v)
	if e > fourRoundings*sizes {
		sizes = sizeOfDot(s.a[i*s.n:], x)
	}
	if e <= fourRoundings*sizes {
		s.excused = s.excused || e > checkTolerance*max(math.Abs(b), s.extent*s.norms[i])
		return 0
	}
	return relative(e, b, ofRow*sizes)
}

// dualResidual is e relative to the terms of a reduced cost; where it is at most enough, to some of them.
func (s *problem) dualResidual(j int, e, enough float64, r *Result) float64 {
	if rel := relative(e, max(math.Abs(s.c[j]), math.Abs(s.qx[j])), s.aty[j]); rel <= enough {
		return rel
	}
	sum := math.Abs(s.c[j]) + sizeOfDot(s.q[j*s.n:], r.X)
	for i, y := range r.Y {
		if y != 0 {
			sum += math.Abs(y * s.a[i*s.n+j])
		}
	}
	return relative(e, sum, 0)
}

// sizeOfDot returns Σ |a_i·x_i|.
func sizeOfDot(a, x []float64) (sum float64) {
	a = a[:len(x)]
	for i, v := range x {
		sum += math.Abs(v * a[i])
	}
	return sum
}

// objectiveSize sums the absolute terms of the objective; qx is Qx.
func (s *problem) objectiveSize(x []float64) float64 {
	size := math.Abs(s.offset) + math.Abs(dense.Dot(s.qx, x)/2)
	for j, v := range x {
		size += math.Abs(s.c[j] * v)
	}
	return size
}

// farkasGap returns by how much the ranges of fᵀAx and fᵀs, x and s within their bounds, are apart, less this share
// of the size of their terms, at least four roundings; positive means that no x is feasible. Entries of Aᵀf that so few
// roundings explain count as 0 where a bound is infinite, and so does a multiplier that has no others. Bounds that
// cross need no f.
func (s *problem) farkasGap(f []float64, share float64) float64 {
	if s.crossed >= 0 {
		return inf
	}
	sums, sizes := s.sums, s.aty
	clear(sums)
	clear(sizes)
	for i, v := range f {
		if v == 0 {
			continue
		}
		for j, a := range s.a[i*s.n:][:s.n] {
			sums[j].AddProduct(v, dense.Doubled{Hi: a})
			sizes[j] += math.Abs(v * a)
		}
	}
	var smallest, highest rangeEnd
	for j, sum := range sums {
		e, lo, up := sum.Value(), s.lo[j], s.up[j]
		if (math.IsInf(lo, 0) || math.IsInf(up, 0)) && math.Abs(e) <= fourRoundings*sizes[j] {
			continue
		}
		smallest.add(e, sizes[j], lo, up)
		highest.add(e, sizes[j], up, lo)
	}
	for i, v := range f {
		largest, counts := 0.0, false
		for j, a := range s.a[i*s.n:][:s.n] {
			e := math.Abs(v * a)
			largest, counts = max(largest, e), counts || e > fourRoundings*sizes[j]
		}
		if largest > 0 && !counts {
			continue
		}
		smallest.add(-v, math.Abs(v), s.rowLo[i], s.rowUp[i])
		highest.add(-v, math.Abs(v), s.rowUp[i], s.rowLo[i])
	}
	share = max(share, fourRoundings)
	return max(smallest.above(1, share), highest.above(-1, share))
}

// rangeEnd is one end of the range of a sum, and the sum of its terms' sizes: +Inf if the end is infinite.
type rangeEnd struct {
	sum  dense.Doubled
	size float64
}

// add adds e, a sum of terms of this size, times the first bound if e is positive, and times the second one if it is
// negative.
func (r *rangeEnd) add(e, size, positive, negative float64) {
	if e == 0 {
		return
	}
	if e < 0 {
		positive = negative
	}
	if r.size += math.Abs(size * positive); finite(r.size) {
		r.sum.AddProduct(e, dense.Doubled{Hi: positive})
	}
}

// above is by how much the end is above 0, or below it with sign −1, for sure.
func (r *rangeEnd) above(sign, share float64) float64 {
	if !finite(r.size) {
		return -inf
	}
	return sign*r.sum.Value() - share*r.size
}

// Parts of the measure of rays.
const (
	// endlessLength is the length along which a ray must fall: a bound from there on is infinite.
	endlessLength = 1e20
	// ofRoundedRay is the curvature that rounding a ray explains, for elements and variables in units where Q's diagonal
	// is 1: another unit of a variable changes nothing.
	ofRoundedRay = 1e-30
	// noCurvature and noSlope are what counts as none along a ray and as no element of Q·ray, relative to their terms,
	// for a Q whose entries are so rounded that it is not semidefinite.
	noCurvature = 0x1p-46
	noSlope     = 1e-6
)

// rounded reports whether Q is not semidefinite, but for the rounding of its entries.
func (s *problem) rounded() bool {
	if !s.known.semidefinite {
		s.known.semidefinite, s.known.rounded = true, !s.semidefinite()
	}
	return s.known.rounded
}

// checkRay verifies that a ray keeps every x feasible and lowers the objective for ever.
func (s *problem) checkRay(ray []float64) error {
	leaves := func(v, lo, up float64) bool { return v > 0 && !math.IsInf(up, 1) || v < 0 && !math.IsInf(lo, -1) }
	var slope, curve dense.Doubled
	size, sizeOfCurve, steepest, roots := 0.0, 0.0, 0.0, 0.0
	for j, v := range ray {
		if !finite(v) || leaves(v, s.lo[j], s.up[j]) {
			return unproven("the ray leaves the bounds of variable %d", j)
		}
		slope.AddProduct(v, dense.Doubled{Hi: s.c[j]})
		size += math.Abs(s.c[j] * v)
		q := s.q[j*s.n:][:s.n]
		g, sizes := dotDoubled(q, ray), sizeOfDot(q, ray)
		curve.AddProduct(v, g)
		sizeOfCurve += math.Abs(v) * sizes
		roots = max(roots, s.roots[j]*math.Abs(v))
		steepest = max(steepest, relative(math.Abs(g.Value()), sizes, 0))
	}
	for i := range s.m {
		a := s.a[i*s.n:][:s.n]
		e := dotDoubled(a, ray).Value()
		if leaves(e, s.rowLo[i], s.rowUp[i]) && !(math.Abs(e) <= fourRoundings*sizeOfDot(a, ray)) {
			return unproven("the ray leaves the bounds of row %d", i)
		}
	}
	falls := -slope.Value()
	if !(falls > fourRoundings*size) {
		return unproven("the objective changes by %g along the ray", -falls)
	}
	k, longest := curve.Value(), dense.Largest(ray)
	switch {
	case k*endlessLength <= falls*longest, k <= ofRoundedRay*float64(s.n*s.n)*roots*roots:
	case k <= noCurvature*sizeOfCurve && steepest <= noSlope && s.rounded():
	default:
		return unproven("the objective curves by %g along a ray of slope %g", k, -falls)
	}
	return nil
}
