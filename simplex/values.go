package simplex

import "github.com/sparsekm/sparsekm/internal/dense"

// values is the basic solution: where every variable rests and what it is worth, x_N on bounds and B·x_B = −N·x_N.
type values struct {
	program  *program
	basis    *basis
	position []Position
	x        []float64
	refined  bool // x is as refine has left it

	change     basicVector // scratch of compute, refine and flip
	structural []float64   // n scratch of compute and flip
}

// resize gives it the positions of a program of another size.
func (s *values) resize(position []Position) {
	s.position, s.x = position, zeros(s.x, len(position))
	s.change, s.structural = s.basis.newVector(), grow(s.structural, s.program.matrix.n)
}

// settle puts every nonbasic variable on a bound that it has.
func (s *values) settle() {
	for v, p := range s.position {
		if p != Basic {
			s.position[v] = s.program.rest(v, p)
		}
	}
	s.placeAll()
}

// placeAll sets the values of the nonbasic variables.
func (s *values) placeAll() {
	for v := range s.position {
		s.place(v)
	}
}

// place sets the value of nonbasic variable v from its position.
func (s *values) place(v int) {
	s.refined = false
	switch s.position[v] {
	case AtLower:
		s.x[v] = s.program.lower[v]
	case AtUpper:
		s.x[v] = s.program.upper[v]
	case AtZero:
		s.x[v] = 0
	}
}

// opposite returns the other bound's position for a nonbasic boxed variable.
func (p Position) opposite() Position {
	if p == AtLower {
		return AtUpper
	}
	return AtLower
}

// compute solves B·x_B = −N·x_N.
func (s *values) compute() {
	s.refined = false
	n := s.program.matrix.n
	copy(s.structural, s.x[:n])
	for j := range s.structural {
		if s.position[j] == Basic {
			s.structural[j] = 0
		}
	}
	rhs := s.change.covered
	clear(rhs)
	s.program.matrix.mulAdd(rhs, s.structural)
	for i := range rhs {
		rhs[i] = -rhs[i]
		if s.position[n+i] != Basic {
			rhs[i] += s.x[n+i]
		}
	}
	s.change.written()
	s.basis.ftran(s.change)
	for r, v := range s.basis.cover {
		if v >= 0 {
			s.x[v] = rhs[r]
		}
	}
	for i, v := range s.basis.vars {
		s.x[v] = s.change.block[i]
	}
}

// refine is one step of iterative refinement: B·δ = −(A·x − s). It returns the largest |δ|
// relative to the largest basic value, or to 1.
func (s *values) refine() (change float64) {
	n := s.program.matrix.n
	rhs := s.change.covered
	clear(rhs)
	s.program.matrix.mulAdd(rhs, s.x[:n])
	for i := range rhs {
		rhs[i] = s.x[n+i] - rhs[i]
	}
	s.change.written()
	s.basis.ftran(s.change)
	s.move(-1, s.change)
	change = s.basis.largest(s.change) / max(1, dense.Largest(s.x))
	s.refined = change <= accurate // else another step may pay
	return change
}

// refineRay is such a step for a direction in which rows and columns may go: B·δ = −(A·r − s) for its own r and s.
func (s *values) refineRay(ray []float64) {
	x, refined := s.x, s.refined
	s.x = ray
	s.refine()
	s.x, s.refined = x, refined
}

// move adds −step times the direction to the basic values.
func (s *values) move(step float64, direction basicVector) {
	s.refined = false
	if step == 0 {
		return
	}
	if d := direction.nonzero; d != nil {
		for _, r := range d.Index {
			s.x[s.basis.cover[r]] -= step * d.Value[r]
		}
		return
	}
	for r, v := range s.basis.cover {
		if v >= 0 {
			s.x[v] -= step * direction.covered[r]
		}
	}
	for i, v := range s.basis.vars {
		s.x[v] -= step * direction.block[i]
	}
}

// So many columns, and a share 1 in fewShare of all, cost less one by one than as a product with the whole matrix.
const fewFlips, fewShare = 32, 8

// flip moves nonbasic boxed variables to their other bounds, and the basic values with them.
func (s *values) flip(vars []int32) {
	s.beginFlip(vars)
	s.basis.ftran(s.change)
	s.endFlip(vars)
}

// beginFlip writes the change of N·x_N by flips to s.change, whose solution endFlip expects there.
func (s *values) beginFlip(vars []int32) {
	a := s.program.matrix
	s.change.clear()
	many := len(vars) > max(fewFlips, a.n/fewShare) && !a.sparse()
	if many {
		clear(s.structural)
	}
	for _, v := range vars {
		if d := s.across(v); many && int(v) < a.n {
			s.structural[v] = d
		} else {
			c := a.load(v)
			s.change.add(c, d)
			a.release(c)
		}
	}
	if many {
		a.mulAdd(s.change.covered, s.structural)
	}
}

// across returns the way from the bound that boxed variable v rests on to the other one.
func (s *values) across(v int32) float64 {
	width := s.program.upper[v] - s.program.lower[v]
	if s.position[v] == AtUpper {
		return -width
	}
	return width
}

// endFlip moves the variables.
func (s *values) endFlip(vars []int32) {
	for _, v := range vars {
		s.position[v] = s.position[v].opposite()
		s.place(int(v))
	}
	s.move(1, s.change)
}

// beyond returns how far x_v is above its upper (> 0) or below its lower bound (< 0), 0 within tolerance.
func (s *values) beyond(v int32) float64 {
	x, tolerance := s.x[v], s.program.primalTolerance
	if e := x - s.program.upper[v]; e > tolerance {
		return e
	}
	if e := x - s.program.lower[v]; e < -tolerance {
		return e
	}
	return 0
}

// feasible reports whether every basic variable is within its bounds. A NaN is not.
func (s *values) feasible() bool {
	for v, p := range s.position {
		if p == Basic && s.beyond(int32(v)) != 0 {
			return false
		}
	}
	return finite(s.x)
}
