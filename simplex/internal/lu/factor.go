package lu

import (
	"context"
	"math"
)

const (
	// dependent is the least pivot, relative to the largest entry of its column of B, that is taken.
	dependent = 1e-11
	// threshold is the least pivot of the last part, relative to the largest entry left in its column.
	threshold = 0.1
)

// elimination is a factorisation under way. Columns have the numbers that the caller gives
// them until they are pivoted.
type elimination struct {
	column   func(j int) ([]int32, []float64)
	pivotRow []int32 // column → the row that it was pivoted on, −1 before
	pivotCol []int32 // row → its column, −1 before

	byRow              lists // B by rows
	rowCount, colCount []int32
	size               []float64 // column → its largest entry of B
	queue              []int32

	lower, upper entries // of L and U so far; U's have the numbers of columns
	nucleus      nucleus
	work         []float64 // zeros
	steps        []int32
	pivot        []float64
}

// entries are those of a matrix in any order. The columns of L are known by the rows that they were pivoted on.
type entries struct {
	Entries         // rows and values
	column  []int32 // of each
}

func (e *entries) reset() { e.Entries, e.column = e.empty(), e.column[:0] }

func (e *entries) put(row, column int32, v float64) {
	e.Push(row, v)
	e.column = append(e.column, column)
}

// Factor factors the matrix whose column j has the entries that column returns, m columns in all. It
// returns the places of the columns, valid until the next call: the row that each was pivoted on, −1 for
// columns that depend on others; then there are no factors, nor when ctx ends, where places is nil.
func (f *Factors) Factor(ctx context.Context, column func(j int) ([]int32, []float64)) (places []int32, ok bool) {
	if f.elimination == nil {
		f.elimination = &elimination{}
	}
	e := f.elimination
	e.begin(f.m, column)
	e.columnSingletons()
	e.rowSingletons()
	if !e.eliminate(ctx) {
		return nil, false
	}
	if len(e.steps) < f.m {
		return e.pivotRow, false
	}
	f.take(e)
	return e.pivotRow, true
}

// begin reads the matrix.
func (e *elimination) begin(m int, column func(j int) ([]int32, []float64)) {
	e.column = column
	e.pivotRow, e.pivotCol = grow(e.pivotRow, m), grow(e.pivotCol, m)
	e.rowCount, e.colCount, e.size = grow(e.rowCount, m), grow(e.colCount, m), grow(e.size, m)
	e.work, e.pivot = grow(e.work, m), grow(e.pivot, m)
	clear(e.work)
	clear(e.rowCount)
	e.lower.reset()
	e.upper.reset()
	e.steps, e.queue = e.steps[:0], e.queue[:0]
	for j := range m {
		e.pivotRow[j], e.pivotCol[j], e.size[j] = -1, -1, 0
		index, value := column(j)
		for t, i := range index {
			e.rowCount[i]++
			e.size[j] = max(e.size[j], math.Abs(value[t]))
		}
		e.colCount[j] = int32(len(index))
		if len(index) == 1 {
			e.queue = append(e.queue, int32(j))
		}
	}
	e.byRow.reset(e.rowCount)
	for j := range m {
		index, value := column(j)
		for t, i := range index {
			e.byRow.push(i, int32(j), value[t])
		}
	}
}

// take notes that column j is pivoted on row r.
func (e *elimination) pivoted(r, j int32, v float64) {
	e.pivotRow[j], e.pivotCol[r], e.pivot[r] = r, j, v
	e.steps = append(e.steps, r)
}

// columnSingletons pivots on columns that have one entry left. The other entries of their rows are U's.
func (e *elimination) columnSingletons() {
	for len(e.queue) > 0 {
		j := e.queue[len(e.queue)-1]
		e.queue = e.queue[:len(e.queue)-1]
		r, v := e.left(j)
		if r < 0 || !(math.Abs(v) > dependent*e.size[j]) {
			continue
		}
		e.pivoted(r, j, v)
		columns, values := e.byRow.of(r)
		for t, c := range columns {
			if e.pivotRow[c] >= 0 {
				continue
			}
			e.upper.put(r, c, values[t])
			if e.colCount[c]--; e.colCount[c] == 1 {
				e.queue = append(e.queue, c)
			}
		}
	}
}

// left returns an entry of column j whose row is not pivoted yet, row −1 if there is none.
func (e *elimination) left(j int32) (row int32, v float64) {
	index, value := e.column(int(j))
	for t, i := range index {
		if e.pivotCol[i] < 0 {
			return i, value[t]
		}
	}
	return -1, 0
}

// rowSingletons pivots on rows that have one column left. The other entries of these columns are L's.
func (e *elimination) rowSingletons() {
	for r, c := range e.pivotCol {
		if c >= 0 {
			continue
		}
		e.rowCount[r] = 0
		columns, _ := e.byRow.of(int32(r))
		for _, j := range columns {
			if e.pivotRow[j] < 0 {
				e.rowCount[r]++
			}
		}
		if e.rowCount[r] == 1 {
			e.queue = append(e.queue, int32(r))
		}
	}
	for len(e.queue) > 0 {
		r := e.queue[len(e.queue)-1]
		e.queue = e.queue[:len(e.queue)-1]
		columns, values := e.byRow.of(r)
		for t, j := range columns {
			if e.pivotRow[j] >= 0 {
				continue
			}
			if v := values[t]; math.Abs(v) > dependent*e.size[j] {
				e.pivotRowSingleton(r, j, v)
			}
			break
		}
	}
}

func (e *elimination) pivotRowSingleton(r, j int32, pivot float64) {
	e.pivoted(r, j, pivot)
	index, value := e.column(int(j))
	for t, i := range index {
		if e.pivotCol[i] >= 0 {
			continue
		}
		e.lower.put(i, r, value[t]/pivot)
		if e.rowCount[i]--; e.rowCount[i] == 1 {
			e.queue = append(e.queue, i)
		}
	}
}

// take builds the factors.
func (f *Factors) take(e *elimination) {
	f.steps = append(f.steps[:0], e.steps...)
	f.order = append(f.order[:0], e.steps...)
	f.step = grow(f.step, f.m)
	for k, r := range f.steps {
		f.step[r] = int32(k)
	}
	f.rank = append(f.rank[:0], f.step...)
	f.exchanges, f.eta = f.exchanges[:0], f.eta.empty()
	for k, j := range e.upper.column {
		e.upper.column[k] = e.pivotRow[j]
	}
	f.lower.take(&e.lower, f.m, 0)
	f.upper.take(&e.upper, f.m, spareRoom)
	f.upper.columns.pivot = append(f.upper.columns.pivot[:0], e.pivot...)
	f.upper.rows.pivot = f.upper.columns.pivot
	filled := len(e.upper.Index)
	f.wear = wear{entries: filled, filled: filled + len(e.lower.Index)}
}

// spareRoom is what the rows of U may gain by exchanges before they move.
const spareRoom = 3
