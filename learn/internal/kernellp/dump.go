package kernellp

import (
	"math"

	"github.com/sparsekm/sparsekm/simplex"
)

// Whole states the program for p with all its rows, so that any other solver can check it. It holds the n×n matrix.
func (s *Solver) Whole(p Costs) *simplex.LP {
	n := len(s.y)
	mx := newGrown(n, s.shape.SumToOne, nil)
	_, cols := mx.Dims() // without the columns of ceilings in use
	lo, up := s.columnBounds(0)
	lp := &simplex.LP{C: s.costs(p)[:cols], Lo: lo[:cols], Up: up[:cols]}
	lp.RowLo, lp.RowUp = s.rowBounds(p, spaced(n, n))
	for i := range n {
		mx.append(append([]float64(nil), s.k.Rows([]int{i})[0]...), -s.y[i], 1)
	}
	lp.A = mx
	if s.shape.Ceiling > 0 {
		eta := &simplex.Sparse{Rows: n + 1}
		for i, y := range s.y {
			eta.Append([]int32{int32(i + 1)}, []float64{-y})
			lp.C = append(lp.C, s.shape.Ceiling)
			lp.Lo = append(lp.Lo, 0)
			lp.Up = append(lp.Up, math.Inf(1))
		}
		lp.A = simplex.Blocks{mx, eta}
	}
	return lp
}
