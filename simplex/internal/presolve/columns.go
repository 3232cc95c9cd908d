package presolve

import "math"

// reduceCol takes column j out if it may. It is false if the program is unbounded or infeasible.
func (s *state) reduceCol(j int) bool {
	lo, up, c := s.Lo[j], s.Up[j], s.C[j]
	if lo == up {
		s.fix(j, AtLower)
		return true
	}
	mayFall, mayRise := true, true // as far as the rows go
	s.eachInCol(j, func(i int, a float64) {
		toLo, toUp := ordered(a, isFinite(s.RowLo[i]), isFinite(s.RowUp[i]))
		mayFall, mayRise = mayFall && !toLo, mayRise && !toUp
	})
	switch {
	case mayFall && c >= 0 && isFinite(lo):
		s.fix(j, AtLower)
	case mayRise && c <= 0 && isFinite(up):
		s.fix(j, AtUpper)
	case mayFall && c > 0 || mayRise && c < 0:
		return false
	case s.colCount[j] == 0: // free, without cost
		s.fix(j, AtZero)
	case s.colCount[j] == 1:
		s.singletonCol(j)
	}
	return true
}

// fixed is a column that has one value, or that may rest on a bound whatever the others are.
type fixed struct {
	j     int
	where Position
	both  bool // its bounds are equal
	value float64
}

func (s *state) fix(j int, position Position) {
	v := 0.0
	switch position {
	case AtLower:
		v = s.Lo[j]
	case AtUpper:
		v = s.Up[j]
	}
	s.done = append(s.done, fixed{j, position, s.Lo[j] == s.Up[j], v})
	s.dropCol(j, v)
}

func (r fixed) undo(s *state) {
	if s.col[r.j] = r.where; r.both {
		s.col[r.j] = s.sideOf(r.j)
	}
	s.x[r.j], s.colAlive[r.j] = r.value, true
}

// sideOf returns the bound that the reduced cost of a column asks for whose bounds are equal: they may come
// from different rows.
func (s *state) sideOf(j int) Position {
	if s.reducedCost(j) < 0 {
		return AtUpper
	}
	return AtLower
}

// singletonCol takes out a column with one entry: with its row if that implies its bounds, or as the slack of
// an equation.
func (s *state) singletonCol(j int) {
	var i int
	var a float64
	s.eachInCol(j, func(row int, v float64) { i, a = row, v })
	dual := s.C[j] / a // the row's dual where the column is basic
	equation := s.RowLo[i] == s.RowUp[i]
	position := AtLower
	if dual < 0 || dual == 0 && !isFinite(s.RowLo[i]) {
		position = AtUpper
	}
	rests := isFinite(s.RowLo[i]) && position == AtLower || isFinite(s.RowUp[i]) && position == AtUpper
	switch {
	case rests && s.impliedFree(i, j, a):
		s.turnCosts(i, j, dual)
		s.dropRow(i)
		s.dropCol(j, 0)
		s.done = append(s.done, freeColumn{i, j, a, dual, position})
	case equation && s.rowCount[i] > 1:
		s.turnCosts(i, j, dual)
		smallest, largest := ordered(a, a*s.Lo[j], a*s.Up[j])
		s.done = append(s.done, slack{i, j, a, dual, s.RowLo[i]})
		s.RowLo[i], s.RowUp[i] = s.RowLo[i]-largest, s.RowUp[i]-smallest
		s.dropCol(j, 0)
	}
}

// turnCosts adds the cost of column j to those of the other columns of row i.
func (s *state) turnCosts(i, j int, dual float64) {
	if dual == 0 {
		return
	}
	s.eachInRow(i, func(k int, v float64) {
		if k != j {
			c := s.C[k] - dual*v
			if math.Abs(c) <= 1e-14*(math.Abs(s.C[k])+math.Abs(dual*v)) {
				c = 0
			}
			s.C[k] = c
			s.dirtyCols.push(k)
		}
	})
}

// turnBack undoes turnCosts: the columns that are there again by now are those that were there then.
func (s *state) turnBack(i int, dual float64) {
	if dual != 0 {
		s.eachInRow(i, func(k int, v float64) { s.C[k] += dual * v })
	}
}

// impliedFree reports whether row i keeps column j within its bounds, whatever the other columns are within theirs.
func (s *state) impliedFree(i, j int, a float64) bool {
	if !isFinite(s.Lo[j]) && !isFinite(s.Up[j]) {
		return true
	}
	others := s.activity(i, j)
	lo, up := ordered(a, (s.RowLo[i]-others.max)/a, (s.RowUp[i]-others.min)/a)
	return lo >= s.Lo[j] && up <= s.Up[j]
}

// freeColumn is a column with one entry, and its row, which rests on a bound.
type freeColumn struct {
	i, j    int
	a, dual float64
	where   Position // of the row
}

func (r freeColumn) undo(s *state) {
	s.turnBack(r.i, r.dual)
	s.y[r.i], s.row[r.i], s.col[r.j], s.colAlive[r.j] = r.dual, r.where, Basic, true
	bound := s.RowLo[r.i]
	if r.where == AtUpper {
		bound = s.RowUp[r.i]
	}
	s.x[r.j] = (bound - s.sumWithout(r.i, r.j)) / r.a
}

// slack is a column with entry a in equation i alone, which has become a range without it.
type slack struct {
	i, j         int
	a, dual, rhs float64
}

// undo gives the column the place that the range's activity has: where this is at its lower bound the column's
// term is at its largest.
func (r slack) undo(s *state) {
	s.turnBack(r.i, r.dual)
	s.y[r.i] += r.dual
	switch position := s.row[r.i]; {
	case position == Basic:
		s.col[r.j] = Basic
	case (position == AtLower) == (r.a > 0):
		s.col[r.j] = AtUpper
	default:
		s.col[r.j] = AtLower
	}
	s.row[r.i], s.colAlive[r.j] = AtLower, true
	s.x[r.j] = (r.rhs - s.sumWithout(r.i, r.j)) / r.a
}
