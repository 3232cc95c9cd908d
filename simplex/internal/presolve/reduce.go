package presolve

import (
	"context"
	"math"
	"slices"
)

// tolerance is what passes for rounding, relative, where bounds that a reduction finds meet or cross.
const tolerance = 1e-9

// Reduce makes p smaller. It returns nil if there is nothing to gain: nothing could be taken out, the
// program shows to be infeasible, or unbounded unless it is infeasible, or ctx ended before.
func Reduce(ctx context.Context, p *Program) *Reduced {
	s := newState(p)
	for pass, before := 0, -1; pass < parallelPasses && len(s.done) > before; pass++ {
		if !s.reduceAll(ctx) {
			return nil
		}
		before = len(s.done)
		if !s.mergeParallel() {
			return nil
		}
	}
	if !s.reduceAll(ctx) || len(s.done) == 0 {
		return nil
	}
	return s.rest()
}

// reduceAll takes out rows and columns one by one until none can go. It is false where Reduce has nothing to gain.
func (s *state) reduceAll(ctx context.Context) bool {
	for steps := 0; ; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return false
		}
		ok := true
		if i := s.dirtyRows.pop(); i >= 0 {
			ok = !s.rowAlive[i] || s.reduceRow(i)
		} else if j := s.dirtyCols.pop(); j >= 0 {
			ok = !s.colAlive[j] || s.reduceCol(j)
		} else {
			return true
		}
		if !ok {
			return false
		}
	}
}

// rest gathers the rows and columns that are alive.
func (s *state) rest() *Reduced {
	r := &Reduced{state: s}
	number := make([]int32, s.m)
	for i, alive := range s.rowAlive {
		if alive {
			number[i] = int32(len(r.Rows))
			r.Rows = append(r.Rows, i)
			r.RowLo = append(r.RowLo, s.RowLo[i])
			r.RowUp = append(r.RowUp, s.RowUp[i])
		}
	}
	r.Start = []int{0}
	for j, alive := range s.colAlive {
		if !alive {
			continue
		}
		r.Cols = append(r.Cols, j)
		r.C = append(r.C, s.C[j])
		r.Lo = append(r.Lo, s.Lo[j])
		r.Up = append(r.Up, s.Up[j])
		s.eachInCol(j, func(i int, a float64) {
			r.Index = append(r.Index, number[i])
			r.Value = append(r.Value, a)
		})
		r.Start = append(r.Start, len(r.Index))
	}
	return r
}

// Solution is a basis with the values x of the columns and the duals y of the rows.
type Solution struct {
	Rows, Cols []Position
	X, Y       []float64
}

// Restore returns a solution of the given program from one of what is left. It can be called once.
func (r *Reduced) Restore(small Solution) Solution {
	s := r.state
	s.x, s.y, s.row, s.col = make([]float64, s.n), make([]float64, s.m), make([]Position, s.m), make([]Position, s.n)
	for k, i := range r.Rows {
		s.row[i], s.y[i] = small.Rows[k], small.Y[k]
	}
	for k, j := range r.Cols {
		s.col[j], s.x[j] = small.Cols[k], small.X[k]
	}
	for _, undo := range slices.Backward(s.done) {
		undo()
	}
	return Solution{Rows: s.row, Cols: s.col, X: s.x, Y: s.y}
}

// activity is the range of a row's sum, or of a part of it, by the bounds of its columns.
type activity struct {
	min, max float64
	terms    float64 // sizes of the finite ones
}

// activity returns that of row i without the term of column but.
func (s *state) activity(i, but int) (a activity) {
	s.eachInRow(i, func(j int, v float64) {
		if j == but {
			return
		}
		lo, up := ordered(v, s.Lo[j], s.Up[j])
		a.min, a.max = a.min+v*lo, a.max+v*up
		a.terms += sizeOf(v*lo) + sizeOf(v*up)
	})
	return a
}

// reduceRow takes row i out if it may. It is false if no x meets the row.
func (s *state) reduceRow(i int) bool {
	lo, up := s.RowLo[i], s.RowUp[i]
	if s.rowCount[i] == 1 {
		return s.singletonRow(i)
	}
	a := s.activity(i, -1)
	smallest, largest, slack := a.min, a.max, tolerance*max(a.terms, sizeOf(lo), sizeOf(up), s.rowSize[i])
	switch {
	case smallest > up+slack || largest < lo-slack:
		return false
	case smallest >= lo && largest <= up, s.rowCount[i] == 0: // without entries 0 is out of [lo, up] by rounding alone
		s.dropRow(i)
		s.done = append(s.done, func() { s.row[i], s.y[i] = Basic, 0 })
	case smallest >= up-1e-3*slack:
		s.force(i, AtUpper)
	case largest <= lo+1e-3*slack:
		s.force(i, AtLower)
	case smallest >= lo && isFinite(lo):
		s.RowLo[i] = math.Inf(-1) // for its columns, which then may have a direction
		s.eachInRow(i, func(j int, _ float64) { s.dirtyCols.push(j) })
	case largest <= up && isFinite(up):
		s.RowUp[i] = math.Inf(1)
		s.eachInRow(i, func(j int, _ float64) { s.dirtyCols.push(j) })
	case lo == up && s.rowCount[i] == 2:
		return s.doubleton(i)
	}
	return true
}

// sizeOf returns |v|, 0 where it is infinite.
func sizeOf(v float64) float64 {
	if isFinite(v) {
		return math.Abs(v)
	}
	return 0
}

// given says which bounds a row or column has from another.
type given struct{ lo, up bool }

// at reports whether a variable at position p rests on one of them.
func (g given) at(p Position) bool { return p == AtLower && g.lo || p == AtUpper && g.up }

// tighten moves the bounds lo and up to newLo and newUp, computed from terms of the given size, where these are
// tighter. It is false where they cross, by more than rounding.
func tighten(lo, up *float64, newLo, newUp, size float64) (g given, ok bool) {
	if newLo > *lo {
		*lo, g.lo = newLo, true
	}
	if newUp < *up {
		*up, g.up = newUp, true
	}
	if *lo > *up {
		if *lo-*up > tolerance*max(math.Abs(*lo), math.Abs(*up), size) || !isFinite(*lo) || !isFinite(*up) {
			return g, false
		}
		*lo = *up
	}
	return g, true
}

// singletonRow takes out a row with one entry, whose bounds become those of its column where they are tighter. Undone,
// the column is basic where it rests on a bound that the row gave.
func (s *state) singletonRow(i int) bool {
	j, a := s.rows[i].only(s.colAlive)
	gave, ok := s.tighten(j, a, s.RowLo[i], s.RowUp[i], s.rowSize[i])
	if !ok {
		return false
	}
	s.dropRow(i)
	s.done = append(s.done, func() {
		position := s.col[j]
		s.row[i], s.y[i] = Basic, 0
		if gave.at(position) {
			s.y[i] = s.reducedCost(j) / a
			s.row[i], s.col[j] = position.turned(a), Basic
		}
	})
	return true
}

// tighten gives column j the bounds that lo ≤ a·x_j ≤ up means, computed from terms of the given size. It is false
// where they contradict its own.
func (s *state) tighten(j int, a, lo, up, size float64) (g given, ok bool) {
	lo, up = ordered(a, lo/a, up/a)
	if g, ok = tighten(&s.Lo[j], &s.Up[j], lo, up, size/math.Abs(a)); ok {
		s.eachInCol(j, func(i int, _ float64) { s.dirtyRows.push(i) })
		s.dirtyCols.push(j)
	}
	return g, ok
}

// force takes out row i, which its columns meet only where each is at the bound that makes the sum least (the row is at
// its upper bound) or largest, and the columns. Undone, the row has the dual that makes the sign of every reduced cost
// right, and the column is basic whose is then 0.
func (s *state) force(i int, where Position) {
	type forced struct {
		fixed
		a float64
	}
	var cols []forced
	s.eachInRow(i, func(j int, a float64) { cols = append(cols, forced{s.resting(j, where.turned(-a)), a}) })
	s.dropRow(i)
	for _, c := range cols {
		s.dropCol(c.j, c.value)
	}
	s.done = append(s.done, func() {
		s.row[i], s.y[i] = Basic, 0
		sign, y, basic := 1.0, 0.0, -1
		if where == AtUpper {
			sign = -1
		}
		for _, c := range cols {
			if ratio := s.reducedCost(c.j) / c.a; !c.both && sign*ratio > sign*y {
				y, basic = ratio, c.j
			}
		}
		if basic >= 0 {
			s.row[i], s.y[i] = where, y
		}
		for _, c := range cols {
			c.putBack(s)
		}
		if basic >= 0 {
			s.col[basic] = Basic
		}
	})
}
