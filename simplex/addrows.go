package simplex

import "fmt"

// AddRows takes in the rows that the program's matrix has gained at its end, with
// the bounds of their activities (nil for none): the matrix's Dims must count them
// already, and the entries of the older rows must be what they were. The new
// activities start basic, so that the present basis stays dual feasible.
func (s *Solver) AddRows(lo, up []float64) error {
	m, n := s.lp.A.Dims()
	if n != s.mx.n || m < s.mx.m {
		return fmt.Errorf("simplex: the matrix is %d×%d now, the program was %d×%d", m, n, s.mx.m, s.mx.n)
	}
	add := m - s.mx.m
	add0 := LP{RowLo: lo, RowUp: up, A: &Sparse{Rows: add}}
	if err := add0.Validate(); err != nil {
		return err
	}
	add0 = add0.filled()
	s.lp.RowLo = append(append([]float64(nil), s.lp.RowLo...), add0.RowLo...)
	s.lp.RowUp = append(append([]float64(nil), s.lp.RowUp...), add0.RowUp...)
	s.mx.addRows(add)
	for range add {
		s.pos = append(s.pos, Basic)
	}
	s.resize()
	s.b = newBasis(s.mx)
	s.scaleBounds()
	s.scaleCosts()
	s.loaded = false
	return nil
}

// addRows takes in k rows that the parts have gained; they are not scaled.
func (mx *matrix) addRows(k int) {
	mx.m += k
	if mx.rowScale != nil {
		mx.rowScale = append(mx.rowScale, ones(k)...)
	}
	mx.spare = nil
	mx.unitRow, mx.unitCoef = nil, nil
	mx.findUnits(0)
}
