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

// resting returns column j fixed where a position says.
func (s *state) resting(j int, where Position) fixed {
	value := [...]float64{AtLower: s.Lo[j], AtUpper: s.Up[j], AtZero: 0}[where]
	return fixed{j, where, s.Lo[j] == s.Up[j], value}
}

func (s *state) fix(j int, where Position) {
	r := s.resting(j, where)
	s.done = append(s.done, func() { r.putBack(s) })
	s.dropCol(j, r.value)
}

func (r fixed) putBack(s *state) {
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
	i, a := s.cols[j].only(s.rowAlive)
	dual := s.C[j] / a // the row's dual where the column is basic
	equation := s.RowLo[i] == s.RowUp[i]
	position := AtLower
	if dual < 0 || dual == 0 && !isFinite(s.RowLo[i]) {
		position = AtUpper
	}
	rests := isFinite(s.RowLo[i]) && position == AtLower || isFinite(s.RowUp[i]) && position == AtUpper
	switch {
	case rests && s.impliedFree(i, j, a):
		s.freeColumn(i, j, a, position)
	case equation && s.rowCount[i] > 1:
		s.slack(i, j, a)
	}
}

// freeColumn takes out column j, with entry a in row i alone, and the row, which rests on the bound of a position.
func (s *state) freeColumn(i, j int, a float64, where Position) {
	dual := s.C[j] / a
	s.turnCosts(i, j, dual)
	s.dropRow(i)
	s.dropCol(j, 0)
	s.done = append(s.done, func() {
		s.turnBack(i, dual)
		s.y[i], s.row[i], s.col[j], s.colAlive[j] = dual, where, Basic, true
		bound := s.RowLo[i]
		if where == AtUpper {
			bound = s.RowUp[i]
		}
		s.x[j] = (bound - s.sumWithout(i, j)) / a
	})
}

// slack takes out column j, with entry a in equation i alone, which becomes a range without it. Undone, the column has
// the place that the range's activity has: where this is at its lower bound the column's term is at its largest.
func (s *state) slack(i, j int, a float64) {
	dual, rhs := s.C[j]/a, s.RowLo[i]
	s.turnCosts(i, j, dual)
	smallest, largest := ordered(a, a*s.Lo[j], a*s.Up[j])
	s.RowLo[i], s.RowUp[i] = rhs-largest, s.RowUp[i]-smallest
	s.dropCol(j, 0)
	s.done = append(s.done, func() {
		s.turnBack(i, dual)
		s.y[i] += dual
		s.col[j] = s.row[i]
		if s.row[i] != Basic {
			s.col[j] = s.row[i].turned(-a)
		}
		s.row[i], s.colAlive[j] = AtLower, true
		s.x[j] = (rhs - s.sumWithout(i, j)) / a
	})
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
