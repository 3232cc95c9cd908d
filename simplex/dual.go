package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// outcome says why a loop of pivots ended.
type outcome uint8

const (
	solved     outcome = iota // primal loop: no column improves; dual loop: no bound is violated
	noSolution                // primal loop: unbounded ray; dual loop: Farkas ray
	stopped                   // a limit; s.stop says which
	stuck                     // no acceptable pivot left
)

// dual runs the dual simplex method from dual feasible working costs until no
// basic variable violates its bounds.
func (s *Solver) dual(ctx context.Context, stop *status.Status) outcome {
	if !s.dualWeightsOn {
		s.resetDualWeights()
	}
	s.degenerate = 0
	for {
		if *stop = s.limit(ctx); *stop != status.Unknown {
			return stopped
		}
		if s.worn() {
			s.refactor()
			s.makeDualFeasible()
		}
		p, delta := s.chooseLeaving()
		if p < 0 {
			if s.b.updates > 0 {
				s.refactor()
				s.makeDualFeasible()
				if p, delta = s.chooseLeaving(); p < 0 && s.skips == 0 {
					return solved
				}
			}
			if p < 0 {
				if s.skips > 0 {
					return stuck
				}
				return solved
			}
		}
		if done := s.dualStep(p, delta); done {
			return noSolution
		}
	}
}

// dualStep makes one pivot with basic variable p leaving, which is delta beyond
// its bound. It reports whether the pivot row proves the program infeasible.
func (s *Solver) dualStep(p int32, delta float64) (infeasible bool) {
	above := delta > 0
	w := s.pivotRow(p)
	q := s.chooseEnteringDual(delta)
	if q < 0 {
		if s.b.updates > 0 {
			s.retry()
			return false
		}
		if s.provesInfeasible() {
			return true
		}
		s.skip(p)
		return false
	}
	c := s.mx.load(q)
	s.pivotColumn(c)
	pivot := s.entry(p, s.col, s.cols)
	if !s.safe(pivot, s.arow[q], pivotZero) {
		s.mx.release(c)
		if s.b.updates > 0 {
			s.retry()
		} else {
			s.skip(p)
		}
		return false
	}
	if q := int(q); s.d[q] != 0 && (s.d[q] > 0) != (s.pos[q] != AtUpper) && s.pos[q] != AtZero {
		s.wcost[q] -= s.d[q] // a step of the wrong sign: shift the cost so that it is 0
		s.d[q] = 0
		s.shifted = true
	}
	s.iter++
	theta := s.d[q] / pivot
	s.watchDegeneracy(theta)
	s.updateReducedCosts(q, p, theta)
	if len(s.flips) > 0 {
		s.flip(s.flips)
		if above {
			delta = s.x[p] - s.wup[p]
		} else {
			delta = s.x[p] - s.wlo[p]
		}
	}
	s.updateDualWeights(p, q, pivot)
	step := delta / pivot
	s.move(step, s.col, s.cols)
	s.x[q] += step
	if above {
		s.pos[p], s.x[p] = AtUpper, s.wup[p]
	} else {
		s.pos[p], s.x[p] = AtLower, s.wlo[p]
	}
	s.pos[q] = Basic
	s.b.replace(q, p, c, s.cols, w, pivot)
	if s.degenerate > stallLimit {
		s.perturbCosts()
	}
	return false
}

// retry starts afresh after rounding errors showed.
func (s *Solver) retry() {
	s.refactor()
	s.makeDualFeasible()
}

// skip leaves variable v out of pricing until the next factorisation.
func (s *Solver) skip(v int32) {
	if !s.skipped[v] {
		s.skipped[v] = true
		s.skips++
	}
}

// fewFlips is the number of columns whose sum costs less one by one than as a
// product with the whole matrix.
const fewFlips = 32

// flip moves nonbasic boxed variables to their other bounds, and the basic values with them.
func (s *Solver) flip(vars []int32) {
	clear(s.tau)
	n := s.mx.n
	many := len(vars) > fewFlips
	if many {
		clear(s.dx)
	}
	for _, v := range vars {
		old := s.x[v]
		s.pos[v] = AtLower + AtUpper - s.pos[v]
		s.place(int(v))
		if d := s.x[v] - old; many && int(v) < n {
			s.dx[v] = d
		} else {
			c := s.mx.load(v)
			c.addTo(s.tau, d)
			s.mx.release(c)
		}
	}
	if many {
		s.mx.mulAdd(s.tau, s.dx)
	}
	s.b.ftran(s.tau, s.taus)
	s.move(1, s.tau, s.taus)
}

// makeDualFeasible flips boxed variables whose reduced costs have the wrong sign
// and shifts the costs of the others so that theirs are 0.
func (s *Solver) makeDualFeasible() {
	s.flips = s.flips[:0]
	for v, p := range s.pos {
		if p == Basic || s.dualViolation(v) == 0 {
			continue
		}
		if p != AtZero && !math.IsInf(s.wlo[v], -1) && !math.IsInf(s.wup[v], 1) {
			s.flips = append(s.flips, int32(v))
			continue
		}
		s.wcost[v] -= s.d[v]
		s.d[v] = 0
		s.shifted = true
	}
	if len(s.flips) > 0 {
		s.flip(s.flips)
	}
}
