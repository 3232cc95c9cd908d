package simplex

import "math"

// pivotRow computes row p of B⁻¹ (s.rho) and of B⁻¹N (s.arow), p basic. It returns
// w for basis.replace.
func (s *Solver) pivotRow(p int32) []float64 {
	w := s.b.btranUnit(p, &s.rho, s.w)
	n := s.mx.n
	s.mx.price(s.arow[:n], s.rho.index, s.rho.value)
	for t, r := range s.rho.index {
		s.arow[n+int(r)] = -s.rho.value[t]
	}
	return w
}

// pivotColumn computes B⁻¹a for column c into s.col and s.cols.
func (s *Solver) pivotColumn(c column) {
	clear(s.col)
	c.addTo(s.col, 1)
	s.b.ftran(s.col, s.cols)
}

// entry returns the element of basic variable v in the column split in rows and S parts.
func (s *Solver) entry(v int32, row, part []float64) float64 {
	if i := s.b.slot[v]; i >= 0 {
		return part[i]
	}
	r, _, _ := s.mx.unit(v)
	return row[r]
}

// safe reports whether a pivot, computed once by column and once by row, can be
// trusted. With a fresh inverse there is none better to hope for: then small ones pass too.
func (s *Solver) safe(byColumn, byRow, small float64) bool {
	size, apart := math.Abs(byColumn), math.Abs(byColumn-byRow)
	if s.b.updates > 0 {
		return apart <= 1e-7*(1+size) && size >= small
	}
	return apart <= 1e-4*size && size >= pivotZero
}

// move adds −step times a column, split in rows and S parts, to the basic values.
func (s *Solver) move(step float64, row, part []float64) {
	if step == 0 {
		return
	}
	for r, v := range s.b.cover {
		if v >= 0 {
			s.x[v] -= step * row[r]
		}
	}
	for i, v := range s.b.vars {
		s.x[v] -= step * part[i]
	}
}

// updateReducedCosts does d −= theta·arow, and sets the d of the pair that changes places.
func (s *Solver) updateReducedCosts(q, p int32, theta float64) {
	n := s.mx.n
	if theta != 0 {
		addMul(s.d[:n], -theta, s.arow[:n])
		for _, r := range s.rho.index {
			s.d[n+int(r)] -= theta * s.arow[n+int(r)]
		}
	}
	s.d[q], s.d[p] = 0, -theta
}

// worn reports whether the basis has changed often enough for its inverse to be
// computed afresh: the error of rank-one changes grows with their number, and an
// inversion costs as much as |S| of them.
func (s *Solver) worn() bool { return s.b.updates >= max(100, len(s.b.vars)) }
