package presolve

import "math"

// Position is where a variable rests, numbered as package simplex numbers it.
type Position uint8

const (
	Basic Position = iota
	AtLower
	AtUpper
	AtZero
)

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
	rowStart  []int // the matrix by rows
	rowIndex  []int32
	rowValue  []float64
	rowAlive  []bool
	colAlive  []bool
	rowCount  []int // entries in columns that are alive
	colCount  []int
	rowSize   []float64 // sizes of the terms that a row's bounds have lost: what they are rounded beside
	dirtyRows queue
	dirtyCols queue
	done      []reduction

	// While reductions are undone: duals of the rows that are there again, and positions.
	y        []float64
	row, col []Position
}

// reduction is a step that can be undone: it sets the positions of the row and columns that it took, and the
// row's dual.
type reduction interface{ undo(s *state) }

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
	s := &state{m: m, n: n, Program: Program{Start: p.Start, Index: p.Index, Value: p.Value}}
	for _, v := range [][2]*[]float64{{&s.C, &p.C}, {&s.Lo, &p.Lo}, {&s.Up, &p.Up}, {&s.RowLo, &p.RowLo}, {&s.RowUp, &p.RowUp}} {
		*v[0] = append([]float64(nil), *v[1]...)
	}
	s.rowAlive, s.colAlive = make([]bool, m), make([]bool, n)
	s.rowCount, s.colCount = make([]int, m), make([]int, n)
	s.rowStart, s.rowSize = make([]int, m+1), make([]float64, m)
	for _, i := range p.Index {
		s.rowStart[i+1]++
	}
	for i := range m {
		s.rowAlive[i], s.rowCount[i] = true, s.rowStart[i+1]
		s.rowStart[i+1] += s.rowStart[i]
	}
	s.rowIndex, s.rowValue = make([]int32, len(p.Index)), make([]float64, len(p.Index))
	next := append([]int(nil), s.rowStart[:m]...)
	for j := range n {
		s.colAlive[j], s.colCount[j] = true, p.Start[j+1]-p.Start[j]
		for e := p.Start[j]; e < p.Start[j+1]; e++ {
			i := p.Index[e]
			s.rowIndex[next[i]], s.rowValue[next[i]] = int32(j), p.Value[e]
			next[i]++
		}
	}
	s.dirtyRows, s.dirtyCols = full(m), full(n)
	return s
}

// eachInRow calls f for the entries of row i in columns that are alive.
func (s *state) eachInRow(i int, f func(j int, a float64)) {
	for e := s.rowStart[i]; e < s.rowStart[i+1]; e++ {
		if j := int(s.rowIndex[e]); s.colAlive[j] {
			f(j, s.rowValue[e])
		}
	}
}

// eachInCol calls f for the entries of column j in rows that are alive.
func (s *state) eachInCol(j int, f func(i int, a float64)) {
	for e := s.Start[j]; e < s.Start[j+1]; e++ {
		if i := int(s.Index[e]); s.rowAlive[i] {
			f(i, s.Value[e])
		}
	}
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
	for e := s.Start[j]; e < s.Start[j+1]; e++ {
		if y := s.y[s.Index[e]]; y != 0 {
			d -= s.Value[e] * y
		}
	}
	return d
}

func isFinite(v float64) bool { return !math.IsInf(v, 0) }
