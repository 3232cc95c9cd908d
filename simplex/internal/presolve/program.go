package presolve

import (
	"math"
	"slices"
)

// Position is where a variable rests, numbered as in package simplex.
type Position uint8

const (
	Basic   Position = iota // in the basis
	AtLower                 // nonbasic at its lower bound
	AtUpper                 // nonbasic at its upper bound
	AtZero                  // nonbasic and free
)

// turned returns the bound that a variable rests on when its multiple by factor rests on p.
func (p Position) turned(factor float64) Position {
	p, _ = ordered(factor, p, AtLower+AtUpper-p)
	return p
}

// ordered returns what belongs to the bounds of a multiple by factor, given what belongs to those of the variable.
func ordered[T any](factor float64, lo, up T) (T, T) {
	if factor < 0 {
		return up, lo
	}
	return lo, up
}

// Program is a linear program with its matrix by columns: the entries of column j are Value[Start[j]:Start[j+1]], in
// rows Index[Start[j]:Start[j+1]].
type Program struct {
	Start        []int
	Index        []int32
	Value        []float64
	C, Lo, Up    []float64
	RowLo, RowUp []float64
}

// Reduced is what is left of a program, and how to come back.
type Reduced struct {
	Program
	Rows, Cols []int // those of the given program, in order

	state *state
}

// state is the program while it is made smaller. Bounds and costs are those of the present stage.
type state struct {
	Program
	m, n      int
	cols      []line // the matrix at the present stage; entries that are 0 do not count
	rows      []line
	rowAlive  []bool
	colAlive  []bool
	rowCount  []int // entries in columns that are alive
	colCount  []int
	rowSize   []float64 // sizes of the terms taken out of a row's bounds, which their rounding is relative to
	dirtyRows queue
	dirtyCols queue
	done      []func() // undo the reductions: each sets the positions, values and duals of what it took

	work []float64 // m zeros

	restored
}

// restored is the solution while reductions are undone: values of the columns, duals of the rows, and positions.
type restored struct {
	x, y     []float64
	row, col []Position
}

// line holds the entries of a row or a column.
type line struct {
	index []int32
	value []float64
}

// add appends an entry.
func (l *line) add(i int32, v float64) {
	l.index = append(l.index, i)
	l.value = append(l.value, v)
}

// queue holds numbers, each once.
type queue struct {
	list []int
	in   []bool
}

func (q *queue) push(i int) {
	if !q.in[i] {
		q.in[i] = true
		q.list = append(q.list, i)
	}
}

// pop returns a number, −1 if there is none.
func (q *queue) pop() int {
	if len(q.list) == 0 {
		return -1
	}
	i := q.list[0]
	q.list = q.list[1:]
	q.in[i] = false
	return i
}

func full(n int) queue {
	q := queue{in: make([]bool, n)}
	for i := range n {
		q.push(i)
	}
	return q
}

func newState(p *Program) *state {
	m, n := len(p.RowLo), len(p.C)
	s := &state{m: m, n: n, cols: make([]line, n), rows: make([]line, m), work: make([]float64, m)}
	s.C, s.Lo, s.Up = slices.Clone(p.C), slices.Clone(p.Lo), slices.Clone(p.Up)
	s.RowLo, s.RowUp = slices.Clone(p.RowLo), slices.Clone(p.RowUp)
	s.rowAlive, s.colAlive = make([]bool, m), make([]bool, n)
	s.rowCount, s.colCount = make([]int, m), make([]int, n)
	s.rowSize = make([]float64, m)
	for _, i := range p.Index {
		s.rowCount[i]++
	}
	index, value := make([]int32, len(p.Index)), make([]float64, len(p.Index))
	for i, k := range s.rowCount { // no line has room for more: one that grows moves
		s.rowAlive[i], s.rows[i] = true, line{index[:0:k], value[:0:k]}
		index, value = index[k:], value[k:]
	}
	for j := range n {
		from, to := p.Start[j], p.Start[j+1]
		s.colAlive[j], s.colCount[j] = true, to-from
		s.cols[j] = line{p.Index[from:to:to], p.Value[from:to:to]}
		for e := from; e < to; e++ {
			r := &s.rows[p.Index[e]]
			r.add(int32(j), p.Value[e])
		}
	}
	s.dirtyRows, s.dirtyCols = full(m), full(n)
	return s
}

// eachInRow calls f for the entries of row i in columns that are alive.
func (s *state) eachInRow(i int, f func(j int, a float64)) { s.rows[i].each(s.colAlive, f) }

// eachInCol calls f for the entries of column j in rows that are alive.
func (s *state) eachInCol(j int, f func(i int, a float64)) { s.cols[j].each(s.rowAlive, f) }

// each calls f for the entries that are alive.
func (l line) each(alive []bool, f func(i int, v float64)) {
	for e, i := range l.index {
		if v := l.value[e]; alive[i] && v != 0 {
			f(int(i), v)
		}
	}
}

// only returns the entry that is alive of a line that has one.
func (l line) only(alive []bool) (i int, v float64) {
	l.each(alive, func(k int, e float64) { i, v = k, e })
	return i, v
}

// dropRow takes row i out.
func (s *state) dropRow(i int) {
	s.rowAlive[i] = false
	s.eachInRow(i, func(j int, _ float64) {
		s.colCount[j]--
		s.dirtyCols.push(j)
	})
}

// dropCol takes column j out, at value v.
func (s *state) dropCol(j int, v float64) {
	s.colAlive[j] = false
	s.eachInCol(j, func(i int, a float64) {
		s.rowCount[i]--
		s.dirtyRows.push(i)
		if v != 0 {
			s.RowLo[i] -= a * v
			s.RowUp[i] -= a * v
			s.rowSize[i] += math.Abs(a * v)
		}
	})
}

// reducedCost returns c_j − Σ a_ij·y_i by the costs and duals of the present stage.
func (s *state) reducedCost(j int) float64 {
	d := s.C[j]
	for e, i := range s.cols[j].index {
		if y := s.y[i]; y != 0 {
			d -= s.cols[j].value[e] * y
		}
	}
	return d
}

// sumWithout returns the sum of row i at the present stage but for the term of column j.
func (s *state) sumWithout(i, j int) (sum float64) {
	s.eachInRow(i, func(k int, v float64) {
		if k != j {
			sum += v * s.x[k]
		}
	})
	return sum
}

func isFinite(v float64) bool { return !math.IsInf(v, 0) }
