package presolve

import "math"

// joined is column k, t times column i at t times its cost: column i has become x_i + t·x_k (Andersen and Andersen,
// 1995: duplicate columns). All bounds are finite: where one is not, the costs push the other column to one of its own.
type joined struct {
	i, k             int
	t                float64
	lo, up, loK, upK float64
}

// join makes one column of i and k where their costs are in proportion too. A column bounded below and one bounded
// above are left: their sum could rest at 0, where neither of them does.
func (s *state) join(i, k int, t float64) {
	r := joined{i, k, t, s.Lo[i], s.Up[i], s.Lo[k], s.Up[k]}
	smallest, largest := ordered(t, t*r.loK, t*r.upK)
	lo, up := r.lo+smallest, r.up+largest
	if sum(s.C[k], -t*s.C[i]) != 0 || !isFinite(lo) || !isFinite(up) {
		return
	}
	s.Lo[i], s.Up[i] = lo, up
	s.dropCol(k, 0)
	s.dirtyCols.push(i)
	s.done = append(s.done, func() { r.undo(s) })
}

// undo lets both rest where the sum rests.
func (r joined) undo(s *state) {
	s.colAlive[r.k] = true
	position := s.col[r.i]
	if position == Basic {
		r.split(s)
		return
	}
	atK := position.turned(r.t)
	s.col[r.k] = atK
	s.x[r.i], s.x[r.k] = [2]float64{r.lo, r.up}[position-AtLower], [2]float64{r.loK, r.upK}[atK-AtLower]
}

// split lets one of the two rest on a bound, so that the other, which is basic, is within its own: k, or i where that
// is the shorter one.
func (r joined) split(s *state) {
	z, smallest := s.x[r.i], math.Inf(1) // how far the other is beyond its bounds
	try := func(xI, xK float64, atI, atK Position) {
		beyond := max(r.lo-xI, xI-r.up, math.Abs(r.t)*max(r.loK-xK, xK-r.upK), 0)
		if beyond < smallest {
			smallest = beyond
			s.x[r.i], s.x[r.k], s.col[r.i], s.col[r.k] = xI, xK, atI, atK
		}
	}
	try(z-r.t*r.loK, r.loK, Basic, AtLower)
	try(z-r.t*r.upK, r.upK, Basic, AtUpper)
	try(r.lo, (z-r.lo)/r.t, AtLower, Basic)
}
