package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex/internal/lu"
	"github.com/sparsekm/sparsekm/status"
)

// result undoes the scaling and attaches the certificate. A result without proof
// is Numerical; a proven optimum is Optimal even if the solver gave up.
func (s *Solver) result(st status.Status) *Result {
	lp := &s.program.lp
	if interrupted(st) {
		r := s.point(0)
		r.Status, r.Certificate = st, estimate(lp, r, s.opt.Unit)
		return r
	}
	r := s.certified(0)
	r.Status = st
	switch st {
	case status.Optimal, status.Numerical:
		r.Status = status.Optimal
		if r.worst() <= s.program.tolerance {
			break
		}
		for _, share := range cleanings {
			if clean := s.certified(share); clean.worst() <= s.program.tolerance {
				clean.Status = status.Optimal
				return clean
			}
		}
		r.Status = status.Numerical
	case status.Infeasible:
		r.Farkas = s.farkas
	case status.Unbounded:
		for _, share := range append([]float64{0}, cleanings[:]...) {
			p := s.certified(share)
			p.Status, p.Ray = status.Unbounded, s.ray
			if new(Checker).checkRay(lp, p, s.program.tolerance) == nil {
				return p
			}
		}
		r.Status, r.Ray = status.Numerical, nil
	}
	return r
}

// cleanings are sizes, relative to the largest value, below which values count as rounding errors when the unchanged
// solution proves nothing. The second serves programs whose largest value is 100 and in which 1e-10 still counts.
var cleanings = [...]float64{roundingTolerance, 1e-15}

// point undoes the scaling of the primal and dual solutions. It moves columns into their bounds and duals to the
// signs that the row bounds allow. Their errors then show in the rows and in the reduced costs, which measure them
// relative to all terms. Values no larger than the given share of the largest become 0.
func (s *Solver) point(share float64) *Result {
	n, m := s.matrix.n, s.matrix.m
	r := &Result{Iterations: s.iterations, Basis: s.Basis(Basis{}),
		X: make([]float64, n), Activity: make([]float64, m), Y: make([]float64, m), ReducedCosts: make([]float64, n)}
	lp := &s.program.lp
	smallest := share * dense.Largest(s.values.x[:n])
	for j := range r.X {
		if math.Abs(s.values.x[j]) > smallest {
			r.X[j] = s.values.x[j] * s.matrix.scaleOfCol(j)
		}
		r.X[j] = max(lp.Lo[j], min(lp.Up[j], r.X[j]))
		if s.values.position[j] != Basic { // exactly on the bound, whatever scaling rounds
			r.X[j] = s.originalRest(j)
		}
	}
	s.matrix.mulAddRaw(r.Activity, r.X)
	smallest = share * dense.Largest(s.costs.d[n:])
	for i := range r.Y {
		if s.values.position[n+i] == Basic || math.Abs(s.costs.d[n+i]) <= smallest {
			continue
		}
		y := s.costs.d[n+i] * s.matrix.scaleOfRow(i) / s.program.costScale
		if untaken(y, lp.RowLo[i], lp.RowUp[i]) == 0 {
			r.Y[i] = y
		}
	}
	new(scratch).reducedCostsOf(lp, r)
	r.Objective = dense.Dot(lp.C, r.X) + lp.Offset
	return r
}

// certified returns a point with its certificate.
func (s *Solver) certified(share float64) *Result {
	r := s.point(share)
	r.Certificate = new(scratch).certify(&s.program.lp, r, s.opt.Unit)
	return r
}

// originalRest returns the caller's bound that nonbasic column j rests on.
func (s *Solver) originalRest(j int) float64 {
	return bounded(s.values.position[j], s.program.lp.Lo[j], s.program.lp.Up[j])
}

// reducedCostsOf sets the reduced costs to c − Aᵀy of the result's own y, so that the pair is consistent.
func (w *scratch) reducedCostsOf(lp *LP, r *Result) {
	list(&w.vector, r.Y)
	lp.A.Price(r.ReducedCosts, w.vector.Index, w.vector.Value)
	for j, c := range lp.C {
		r.ReducedCosts[j] = c - r.ReducedCosts[j]
	}
}

// provesInfeasible keeps the pivot row of the leaving variable as a Farkas ray if it proves, as it
// is or after a step of iterative refinement, that no x meets the true bounds.
func (s *Solver) provesInfeasible(leaving int32) bool {
	f := make([]float64, s.matrix.m)
	for t, r := range s.row.inverse.Index {
		f[r] = s.row.inverse.Value[t]
	}
	if !s.proves(f) {
		s.refineRow(f, leaving)
		if !s.proves(f) {
			return false
		}
	}
	return true
}

// proves reports whether multipliers of the scaled rows are a Farkas ray, and keeps it.
func (s *Solver) proves(f []float64) bool {
	s.farkas = make([]float64, len(f))
	for i, v := range f {
		s.farkas[i] = v * s.matrix.scaleOfRow(i)
	}
	return new(scratch).farkasGap(&s.program.lp, s.farkas) > 0
}

// refineRow does f −= B⁻ᵀ(Bᵀf − e) for the row of B⁻¹ that belongs to the leaving variable: the entries
// of basic columns in the pivot row, which should be 0 and 1, are its residual.
func (s *Solver) refineRow(f []float64, leaving int32) {
	residual, entry := make([]float64, s.program.variables()), s.row.entry
	if s.matrix.sparse() { // the pivot row has no entries of basic columns
		var v lu.Entries
		list(&v, f)
		entry = make([]float64, s.matrix.n)
		s.matrix.mulRows(entry, v.Index, v.Value)
	}
	for v, p := range s.values.position {
		switch {
		case p != Basic:
		case v < s.matrix.n:
			residual[v] = entry[v]
		default:
			residual[v] = -f[v-s.matrix.n]
		}
	}
	residual[leaving]--
	correction := make([]float64, len(f))
	s.basis.btran(correction, residual)
	for i, c := range correction {
		f[i] -= c
	}
	dropRounding(f) // which are of either sign, on rows that may have one bound
}

// setRay keeps the direction in which the entering variable of e goes up (sign 1)
// or down (−1), and the basic ones with it.
func (s *Solver) setRay(e exchange, sign float64) {
	ray := make([]float64, s.program.variables())
	ray[e.entering] = sign
	s.basis.each(e.direction, 0, func(v int32, a float64) { ray[v] = -sign * a })
	s.values.refineRay(ray) // of nearly parallel rows
	s.ray = ray[:s.matrix.n:s.matrix.n]
	dropRounding(s.ray)
	for j := range s.ray {
		s.ray[j] *= s.matrix.scaleOfCol(j)
	}
}

// dropRounding sets elements of x to 0 that are rounding errors relative to the largest.
func dropRounding(x []float64) {
	smallest := roundingTolerance * dense.Largest(x)
	for j, e := range x {
		if math.Abs(e) <= smallest {
			x[j] = 0
		}
	}
}
