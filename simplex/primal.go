package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// primal runs the primal simplex method from a primal feasible basis until no
// reduced cost has the wrong sign.
func (s *Solver) primal(ctx context.Context, stop *status.Status) outcome {
	for v := range s.primalWeight {
		s.primalWeight[v] = 1
	}
	s.dualWeightsOn = false
	s.degenerate = 0
	for {
		if *stop = s.limit(ctx); *stop != status.Unknown {
			return stopped
		}
		if s.worn() {
			s.refactor()
		}
		q := s.chooseEntering()
		if q < 0 && s.b.updates > 0 {
			s.refactor()
			q = s.chooseEntering()
		}
		if q < 0 {
			if s.skips > 0 {
				return stuck
			}
			return solved
		}
		if unbounded := s.primalStep(q); unbounded {
			return noSolution
		}
	}
}

// chooseEntering is Devex pricing (Harris, 1973): the largest d²/weight.
func (s *Solver) chooseEntering() (q int32) {
	q = -1
	best := 0.0
	for v, p := range s.pos {
		if p == Basic {
			continue
		}
		e := s.dualViolation(v)
		if e == 0 || s.skipped[v] {
			continue
		}
		if score := e * e / s.primalWeight[v]; score > best {
			best, q = score, int32(v)
		}
	}
	return q
}

// primalStep moves nonbasic variable q until a basic variable or q itself meets a
// bound. It reports whether nothing stops it.
func (s *Solver) primalStep(q int32) (unbounded bool) {
	dir := 1.0
	if s.d[q] > 0 {
		dir = -1
	}
	c := s.mx.load(q)
	s.pivotColumn(c)
	p, step := s.chooseLeavingPrimal(dir)
	if own := s.wup[q] - s.wlo[q]; own <= step {
		s.mx.release(c)
		if math.IsInf(own, 1) {
			if s.b.updates > 0 {
				s.refactor()
				return false
			}
			s.setRay(q, dir)
			return true
		}
		s.iter++
		s.pos[q] = AtLower + AtUpper - s.pos[q]
		s.place(int(q))
		s.move(dir*own, s.col, s.cols)
		return false
	}
	pivot := s.entry(p, s.col, s.cols)
	w := s.pivotRow(p)
	if !s.safe(pivot, s.arow[q], 1e-7*s.largest()) {
		s.mx.release(c)
		if s.b.updates > 0 {
			s.refactor()
		} else {
			s.skip(q)
		}
		return false
	}
	s.iter++
	s.watchDegeneracy(step)
	s.updatePrimalWeights(q, p, pivot)
	s.updateReducedCosts(q, p, s.d[q]/pivot)
	s.move(dir*step, s.col, s.cols)
	s.x[q] += dir * step
	if dir*pivot > 0 {
		s.pos[p], s.x[p] = AtLower, s.wlo[p]
	} else {
		s.pos[p], s.x[p] = AtUpper, s.wup[p]
	}
	s.pos[q] = Basic
	s.b.replace(q, p, c, s.cols, w, pivot)
	if s.degenerate > stallLimit {
		s.perturbBounds()
	}
	return false
}

// largest returns the largest |entry| of the pivot column.
func (s *Solver) largest() float64 {
	var most float64
	for _, v := range s.col {
		most = max(most, math.Abs(v))
	}
	for _, v := range s.cols[:len(s.b.vars)] {
		most = max(most, math.Abs(v))
	}
	return most
}

// chooseLeavingPrimal is Harris's two-pass ratio test on x_B − t·dir·column: of the
// basic variables that leave their bounds by no more than the tolerance, the one with the
// largest entry. Without any, step is infinite.
func (s *Solver) chooseLeavingPrimal(dir float64) (p int32, step float64) {
	limit := math.Inf(1)
	s.eachBasic(func(v int32, a float64) {
		if room := s.room(v, a*dir); room < math.Inf(1) {
			limit = min(limit, (max(room, 0)+s.tolP)/math.Abs(a))
		}
	})
	p, step = -1, math.Inf(1)
	if math.IsInf(limit, 1) {
		return p, step
	}
	var most float64
	s.eachBasic(func(v int32, a float64) {
		size := math.Abs(a)
		if room := s.room(v, a*dir); room <= limit*size && size > most {
			most, p, step = size, v, max(room, 0)/size
		}
	})
	return p, step
}

// eachBasic calls f for the basic variables with entries in the pivot column that are not tiny.
func (s *Solver) eachBasic(f func(v int32, a float64)) {
	for r, a := range s.col {
		if math.Abs(a) > pivotZero {
			f(s.b.cover[r], a)
		}
	}
	for i, v := range s.b.vars {
		if a := s.cols[i]; math.Abs(a) > pivotZero {
			f(v, a)
		}
	}
}

// room returns how far basic variable v can go when it falls (a > 0) or rises (a < 0).
func (s *Solver) room(v int32, a float64) float64 {
	if a > 0 {
		return s.x[v] - s.wlo[v]
	}
	return s.wup[v] - s.x[v]
}

// updatePrimalWeights follows the pivot of q for p (Forrest and Goldfarb, 1992, section 4).
func (s *Solver) updatePrimalWeights(q, p int32, pivot float64) {
	n := s.mx.n
	wq := s.primalWeight[q] / (pivot * pivot)
	most := 1.0
	for j, a := range s.arow[:n] {
		w := max(s.primalWeight[j], a*a*wq)
		s.primalWeight[j] = w
		most = max(most, w)
	}
	for _, r := range s.rho.index {
		v := n + int(r)
		s.primalWeight[v] = max(s.primalWeight[v], s.arow[v]*s.arow[v]*wq)
	}
	s.primalWeight[p] = max(wq, 1)
	if most > 1e7 { // the reference framework is worn out: begin another
		for v := range s.primalWeight {
			s.primalWeight[v] = 1
		}
	}
}
