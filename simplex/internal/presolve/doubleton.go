package presolve

import (
	"math"
	"slices"
)

const (
	// longest is how many entries a row or column may have that a substitution changes: it looks through them.
	longest = 1000
	// spread is the largest quotient of the two entries of a doubleton equation.
	spread = 1e3
)

// doubleton is an equation a·x_j + b·x_k = rhs. Column j has been replaced by (rhs − b·x_k)/a, and its bounds have
// become those of column k where they are tighter (Andersen and Andersen, 1995: doubleton equations).
//
// Every entry that k gains is one that j has lost: the matrix loses two entries at least.
type doubleton struct {
	i, j, k   int
	a, b, rhs float64
	gave      given
	cost      float64 // of k before
	column    line    // k before
	changes   []change
}

// change is an entry of column k in row i that was another: the one at place e there, 0 where it is new.
type change struct {
	i, e  int
	value float64
	added bool
}

// doubleton takes out row i, an equation of two columns, with the shorter of them. It is false if no x meets
// the bounds.
func (s *state) doubleton(i int) bool {
	r := doubleton{i: i, j: -1, rhs: s.RowLo[i]}
	s.eachInRow(i, func(j int, a float64) {
		if r.j < 0 {
			r.j, r.a = j, a
		} else {
			r.k, r.b = j, a
		}
	})
	if s.colCount[r.j] > s.colCount[r.k] {
		r.j, r.a, r.k, r.b = r.k, r.b, r.j, r.a
	}
	if q := math.Abs(r.b / r.a); !(q <= spread && q >= 1/spread) || !s.short(r.j) || len(s.cols[r.k].index) > longest {
		return true
	}
	// Column k takes the bounds of b·x_k = rhs − a·x_j.
	lo, up := ordered(-r.a, r.rhs-r.a*s.Lo[r.j], r.rhs-r.a*s.Up[r.j])
	var ok bool
	if r.gave, ok = s.tighten(r.k, r.b, lo, up, math.Abs(r.rhs)+s.rowSize[r.i]); !ok {
		return false
	}
	s.dropRow(i)
	s.dropCol(r.j, r.rhs/r.a)
	s.substitute(&r)
	s.done = append(s.done, func() { r.undo(s) })
	return true
}

// short reports whether column j and its rows are no longer than a substitution may look through.
func (s *state) short(j int) bool {
	ok := len(s.cols[j].index) <= longest
	s.eachInCol(j, func(i int, _ float64) { ok = ok && len(s.rows[i].index) <= longest })
	return ok
}

// substitute adds −b/a times column j to column k.
func (s *state) substitute(r *doubleton) {
	t := -r.b / r.a
	r.cost, r.column = s.C[r.k], s.cols[r.k]
	s.C[r.k] = sum(s.C[r.k], t*s.C[r.j])
	var column line
	push := func(i int, v float64) {
		if v != 0 {
			column.add(int32(i), v)
		}
	}
	s.eachInCol(r.j, func(i int, a float64) { s.work[i] = t * a })
	s.eachInCol(r.k, func(i int, v float64) {
		if s.work[i] == 0 {
			push(i, v)
			return
		}
		v, s.work[i] = sum(v, s.work[i]), 0
		push(i, v)
		r.changes = append(r.changes, s.change(i, r.k, v))
	})
	s.eachInCol(r.j, func(i int, _ float64) {
		if v := s.work[i]; v != 0 {
			s.work[i] = 0
			push(i, v)
			r.changes = append(r.changes, s.change(i, r.k, v))
		}
	})
	s.cols[r.k], s.colCount[r.k] = column, len(column.index)
	s.dirtyCols.push(r.k)
}

// sum returns a + b, 0 where they cancel but for rounding.
func sum(a, b float64) float64 {
	if c := a + b; math.Abs(c) > 1e-14*(math.Abs(a)+math.Abs(b)) {
		return c
	}
	return 0
}

// change makes v the entry of column k in row i.
func (s *state) change(i, k int, v float64) change {
	r := &s.rows[i]
	if e := slices.Index(r.index, int32(k)); e >= 0 {
		old := r.value[e]
		r.value[e] = v
		s.rowCount[i] += entries(v) - entries(old)
		return change{i, e, old, false}
	}
	r.add(int32(k), v)
	s.rowCount[i]++
	return change{i, len(r.index) - 1, 0, true}
}

// entries returns 1 for a value that is an entry.
func entries(v float64) int {
	if v == 0 {
		return 0
	}
	return 1
}

// undo makes column j basic, or column k where it rests on a bound that j gave: j rests there then.
func (r *doubleton) undo(s *state) {
	for n := len(r.changes) - 1; n >= 0; n-- {
		c := r.changes[n]
		if l := &s.rows[c.i]; c.added {
			l.index, l.value = l.index[:c.e], l.value[:c.e]
		} else {
			l.value[c.e] = c.value
		}
	}
	s.C[r.k], s.cols[r.k], s.colAlive[r.j] = r.cost, r.column, true
	s.x[r.j] = (r.rhs - r.b*s.x[r.k]) / r.a
	s.row[r.i], s.y[r.i] = AtLower, 0
	position := s.col[r.k]
	if !r.gave.at(position) {
		s.y[r.i], s.col[r.j] = s.reducedCost(r.j)/r.a, Basic
		return
	}
	s.y[r.i], s.col[r.j], s.col[r.k] = s.reducedCost(r.k)/r.b, position.turned(-r.a/r.b), Basic
}
