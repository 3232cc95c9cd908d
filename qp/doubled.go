package qp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// doubledSteps is the largest number of refinements in doubled precision.
const doubledSteps = 12

// refineDoubled refines x and the multipliers in doubled precision, as long as the steps become shorter.
func (s *Solver) refineDoubled() {
	q := len(s.active.dual)
	if !s.low.used {
		clear(s.low.x)
		clear(s.low.dual[:q])
		s.low.used = true
	}
	before, beforeDual := inf, inf
	for range doubledSteps {
		s.residualsDoubled()
		step := s.factors.z[:s.problem.n]
		clear(step)
		s.correct(step)
		length, dual := s.lengthOf(step), dense.Largest(s.factors.d[:q])
		if !(length < before/2 || dual < beforeDual/2) {
			return
		}
		for j, e := range step {
			s.x[j], s.low.x[j] = twoSum(s.x[j], s.low.x[j], e)
		}
		for k, e := range s.factors.d[:q] {
			s.active.dual[k], s.low.dual[k] = twoSum(s.active.dual[k], s.low.dual[k], e)
		}
		if before, beforeDual = length, dual; length == 0 && dual == 0 {
			return
		}
	}
}

// lengthOf is the length of a step of x, in units of the objective's roots.
func (s *Solver) lengthOf(step []float64) (length float64) {
	for j, e := range step {
		length = max(length, s.problem.roots[j]*math.Abs(e))
	}
	if length == 0 {
		length = dense.Largest(step)
	}
	return length
}

// twoSum adds e to hi + lo.
func twoSum(hi, lo, e float64) (float64, float64) {
	d := dense.Doubled{Hi: hi, Lo: lo}
	d.Add(e)
	v := d.Value()
	return v, (d.Hi - v) + d.Lo
}

// residualsDoubled writes those that refineBy writes, rounded once: −Qx − c + Nu to scratch.n, b − Nᵀx to scratch.w.
func (s *Solver) residualsDoubled() {
	p, a, n := s.problem, &s.active, s.problem.n
	sums := p.sums
	y := s.scratch.w
	s.activeBounds(y[:s.factors.q])
	for j := range sums {
		d := dotDoubled(p.q[j*n:][:n], s.x)
		d.Add(p.c[j])
		sums[j] = dense.Doubled{Hi: -d.Hi, Lo: -d.Lo}
	}
	p.mulQ(s.scratch.n, s.low.x)
	for j, v := range s.scratch.n {
		sums[j].Add(-v)
	}
	for k, q := range a.which {
		u := dense.Doubled{Hi: a.dual[k], Lo: s.low.dual[k]}
		if j := int(q) - p.m; j >= 0 {
			sums[j].Add(u.Hi)
			sums[j].Add(u.Lo)
			y[k] = (y[k] - s.x[j]) - s.low.x[j]
			continue
		}
		row := p.a[int(q)*n:][:n]
		d := dotDoubled(row, s.x)
		d.Add(-y[k])
		d.Add(dense.Dot(row, s.low.x))
		y[k] = -d.Value()
		for j, e := range row {
			sums[j].AddProduct(e, u)
		}
	}
	for j, d := range sums {
		s.scratch.n[j] = d.Value()
	}
}
