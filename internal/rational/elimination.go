package rational

// elimination is the LU factorisation of a square matrix modulo p: sparse pivots first, those of the least fill-in
// (Markowitz, 1957), then a dense factorisation of what is left.
type elimination struct {
	field
	steps []step
	rest  *denseFactors // nil if the steps did all
	rows  []int32       // of the rest
	cols  []int32
}

// step eliminates a column by a row.
type step struct {
	row, col int32
	inverse  uint64  // of the pivot
	lower    []entry // rows that lost multiples of the row, by those
	upper    []entry // the row's entries without the pivot
}

// entry is one of a row or a column.
type entry struct {
	pos   int32
	value uint64
}

// active is what is left to eliminate.
type active struct {
	*elimination
	lines    [][]entry // the entries by rows
	holders  [][]int32 // rows that have or had an entry, by columns
	inColumn []int     // number of entries
	rowDone  []bool
	colDone  []bool
	left     int // rows without a pivot
	nonzeros int
	place    []int32 // scratch: 1 + the place of a column in a row
}

// denseShare is the share of nonzeros from which on the rest is dense.
const denseShare = 0.3

// eliminate factors the matrix with the given rows, which it changes. If it is singular, it returns the rows and
// columns without pivots.
func eliminate(f field, lines [][]entry, memory *budget) (e *elimination, rows, cols []int32, err error) {
	n := len(lines)
	e = &elimination{field: f}
	a := &active{elimination: e, lines: lines, holders: make([][]int32, n), inColumn: make([]int, n),
		rowDone: make([]bool, n), colDone: make([]bool, n), left: n, place: make([]int32, n)}
	for i, line := range lines {
		a.nonzeros += len(line)
		for _, v := range line {
			a.holders[v.pos] = append(a.holders[v.pos], int32(i))
			a.inColumn[v.pos]++
		}
	}
	for a.left > 0 && float64(a.nonzeros) < denseShare*float64(a.left)*float64(a.left) || a.left == 1 {
		i, k := a.choose()
		if i < 0 {
			break
		}
		a.pivot(i, k)
	}
	for i := range n {
		if !a.rowDone[i] {
			e.rows = append(e.rows, int32(i))
		}
		if !a.colDone[i] {
			e.cols = append(e.cols, int32(i))
		}
	}
	if len(e.rows) == 0 {
		return e, nil, nil, nil
	}
	if err = memory.takeRest(len(e.rows)); err != nil {
		return nil, nil, nil, err
	}
	rows, cols = a.factorRest()
	return e, rows, cols, nil
}

// choose returns a row and the place of the pivot in it: of the column or row with the least entries, the entry
// that meets the least entries the other way. It returns −1 if there are none.
func (a *active) choose() (row int32, place int) {
	bestRow, bestCol := int32(-1), int32(-1)
	for i, line := range a.lines {
		if !a.rowDone[i] && len(line) > 0 && (bestRow < 0 || len(line) < len(a.lines[bestRow])) {
			bestRow = int32(i)
		}
		if k := a.inColumn[i]; !a.colDone[i] && k > 0 && (bestCol < 0 || k < a.inColumn[bestCol]) {
			bestCol = int32(i)
		}
	}
	if bestRow < 0 {
		return -1, 0
	}
	if len(a.lines[bestRow]) > a.inColumn[bestCol] {
		bestRow = -1
		for _, i := range a.holders[bestCol] {
			if k := a.find(i, bestCol); k >= 0 && (bestRow < 0 || len(a.lines[i]) < len(a.lines[bestRow])) {
				bestRow, place = i, k
			}
		}
		return bestRow, place
	}
	for k, v := range a.lines[bestRow] {
		if a.inColumn[v.pos] < a.inColumn[a.lines[bestRow][place].pos] {
			place = k
		}
	}
	return bestRow, place
}

// find returns the place of a column in an active row, −1 if it has no entry there.
func (a *active) find(row, col int32) int {
	if a.rowDone[row] {
		return -1
	}
	for k, v := range a.lines[row] {
		if v.pos == col {
			return k
		}
	}
	return -1
}

// pivot eliminates by the entry at a place of a row.
func (a *active) pivot(row int32, place int) {
	line := a.lines[row]
	s := step{row: row, col: line[place].pos, inverse: a.invert(line[place].value)}
	s.upper = append(s.upper, line[:place]...)
	s.upper = append(s.upper, line[place+1:]...)
	a.rowDone[row], a.colDone[s.col] = true, true
	a.left--
	a.nonzeros -= len(line)
	for _, v := range line {
		a.inColumn[v.pos]--
	}
	for _, i := range a.holders[s.col] {
		k := a.find(i, s.col)
		if k < 0 {
			continue
		}
		factor := a.mul(a.lines[i][k].value, s.inverse)
		s.lower = append(s.lower, entry{i, factor})
		a.subtract(i, k, factor, s.upper)
	}
	a.steps = append(a.steps, s)
}

// subtract takes factor times a pivot row from a row, whose entry at the given place it removes.
func (a *active) subtract(row int32, place int, factor uint64, upper []entry) {
	line := a.lines[row]
	before := len(line)
	a.inColumn[line[place].pos]--
	line[place] = line[before-1]
	line = line[:before-1]
	for k, v := range line {
		a.place[v.pos] = int32(k) + 1
	}
	for _, v := range upper {
		change := a.mul(factor, v.value)
		if k := a.place[v.pos]; k > 0 {
			line[k-1].value = a.sub(line[k-1].value, change)
			continue
		}
		line = append(line, entry{v.pos, a.sub(0, change)})
		a.holders[v.pos] = append(a.holders[v.pos], row)
		a.inColumn[v.pos]++
	}
	kept := line[:0]
	for _, v := range line {
		a.place[v.pos] = 0
		if v.value == 0 {
			a.inColumn[v.pos]--
			continue
		}
		kept = append(kept, v)
	}
	a.nonzeros += len(kept) - before
	a.lines[row] = kept
}

// factorRest factors the dense rest and returns its rows and columns without pivots.
func (a *active) factorRest() (rows, cols []int32) {
	e, n := a.elimination, len(a.elimination.rows)
	for k, j := range a.cols {
		a.place[j] = int32(k)
	}
	data := make([]uint64, n*n)
	for k, i := range e.rows {
		for _, v := range a.lines[i] {
			data[k*n+int(a.place[v.pos])] = v.value
		}
	}
	e.rest = &denseFactors{field: a.field, n: n, lu: data}
	rows, cols = e.rest.factor()
	return pick(e.rows, rows), pick(e.cols, cols)
}

// solve returns the solution x of A·x = b, and destroys b.
func (e *elimination) solve(b []uint64) []uint64 {
	for _, s := range e.steps {
		if t := b[s.row]; t != 0 {
			for _, v := range s.lower {
				b[v.pos] = e.sub(b[v.pos], e.mul(v.value, t))
			}
		}
	}
	x := make([]uint64, len(b))
	if e.rest != nil {
		scatter(x, e.cols, e.rest.solve(gather(b, e.rows)))
	}
	for k := len(e.steps) - 1; k >= 0; k-- {
		s := &e.steps[k]
		t := b[s.row]
		for _, v := range s.upper {
			if x[v.pos] != 0 {
				t = e.sub(t, e.mul(v.value, x[v.pos]))
			}
		}
		x[s.col] = e.mul(t, s.inverse)
	}
	return x
}

// solveTransposed returns the solution y of Aᵀ·y = c, and destroys c.
func (e *elimination) solveTransposed(c []uint64) []uint64 {
	y := make([]uint64, len(c))
	for k := range e.steps {
		s := &e.steps[k]
		t := e.mul(c[s.col], s.inverse)
		y[s.row] = t
		if t == 0 {
			continue
		}
		for _, v := range s.upper {
			c[v.pos] = e.sub(c[v.pos], e.mul(v.value, t))
		}
	}
	if e.rest != nil {
		scatter(y, e.rows, e.rest.solveTransposed(gather(c, e.cols)))
	}
	for k := len(e.steps) - 1; k >= 0; k-- {
		s := &e.steps[k]
		t := y[s.row]
		for _, v := range s.lower {
			if y[v.pos] != 0 {
				t = e.sub(t, e.mul(v.value, y[v.pos]))
			}
		}
		y[s.row] = t
	}
	return y
}

func gather(x []uint64, places []int32) []uint64 {
	y := make([]uint64, len(places))
	for k, i := range places {
		y[k] = x[i]
	}
	return y
}

func scatter(x []uint64, places []int32, values []uint64) {
	for k, i := range places {
		x[i] = values[k]
	}
}
