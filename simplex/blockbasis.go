package simplex

import (
	"context"
	"slices"
)

// blockBasis holds a basis by the inverse of its dense block.
//
// Each row r is either covered by a basic variable whose column has its only
// entry there, or belongs to R. The other basic variables are S, |S| = |R|:
//
//	        unit vars   S
//	    ⎡  diag(coef)   A[C,S] ⎤  covered rows C
//	B = ⎣      0        A[R,S] ⎦  rows R
//
// so that solving with B needs only the inverse of A[R,S].
type blockBasis struct {
	*members
	coverInv []float64 // row → 1/coefficient of that variable, 0 in R
	place    []int32   // row → its place in order
	order    []int32   // C, then R from its end: the t-th row of R is in place m − 1 − t
	slot     []int32   // variable → its index in vars, or −1
	rows     []int32   // R
	cols     []column  // columns of S
	sorted   bool      // dense ones are by places and not by rows
	inverse  inverse   // of A[R,S]

	rhs, solution []float64   // |S| scratch
	covered       []float64   // |C| scratch of each vector, by places
	targets       [][]float64 // what dense columns are subtracted from
	group         columnGroup
}

// worn reports whether the inverse should be computed again. The error of rank-one
// changes grows with their number, and an inversion costs as much as |S| of them.
func (b *blockBasis) worn() bool {
	return b.updates >= max(100, len(b.vars))
}

// load finds C, R and S.
func (b *blockBasis) load(ctx context.Context, pos []Position) {
	for _, c := range b.cols {
		b.matrix.release(c)
	}
	b.rows, b.vars, b.cols, b.sorted = b.rows[:0], b.vars[:0], b.cols[:0], false
	if len(b.slot) != len(pos) {
		b.slot = make([]int32, len(pos))
	}
	for r := range b.cover {
		b.cover[r], b.coverInv[r], b.place[r], b.order[r] = -1, 0, int32(r), int32(r)
	}
	for v := range pos {
		b.slot[v] = -1
		if pos[v] != Basic {
			continue
		}
		r, _, unit := b.matrix.unit(int32(v))
		switch {
		case !unit:
			b.slot[v] = int32(len(b.vars))
			b.vars = append(b.vars, int32(v))
		case b.cover[r] < 0:
			b.setCover(r, int32(v))
		default:
			pos[v] = AtLower
		}
	}
	for r := range b.cover {
		if b.cover[r] < 0 {
			b.addRow(int32(r))
		}
	}
	for _, v := range b.vars {
		b.cols = append(b.cols, b.hold(b.matrix.load(v)))
	}
	b.square(pos)
	b.factor(ctx, pos)
}

// addRows adds the new rows of the matrix. Their logicals are basic, so that
// R, S and the inverse of A[R,S] stay the same.
func (b *blockBasis) addRows() bool {
	covered, from, m := len(b.order)-len(b.rows), len(b.cover), b.matrix.m
	order := slices.Clone(b.order[:covered])
	for r := from; r < m; r++ {
		b.cover = append(b.cover, b.logical(int32(r)))
		b.coverInv = append(b.coverInv, -1)
		b.slot = append(b.slot, -1)
		order = append(order, int32(r))
	}
	b.order, b.place = append(order, b.order[covered:]...), make([]int32, m)
	for p, r := range b.order {
		b.place[r] = int32(p)
	}
	b.lengthen(from, covered)
	b.sort()
	return true
}

// lengthen gives the columns of S their entries of the rows from the given one on, which come after the
// covered rows before. They are read by rows: column by column each would be a cache miss.
func (b *blockBasis) lengthen(from, covered int) {
	pos := from
	if b.sorted {
		pos = covered
	}
	for i, c := range b.cols {
		if !c.dense {
			b.cols[i] = b.matrix.load(b.vars[i])
			continue
		}
		b.cols[i].value = b.matrix.buffer()
		copy(b.cols[i].value, c.value[:pos])
		copy(b.cols[i].value[pos+b.matrix.m-from:], c.value[pos:])
	}
	row := make([]float64, b.matrix.n)
	for r := from; r < b.matrix.m; r++ {
		b.matrix.mulRows(row, b.matrix.rowIndex[r:r+1], []float64{1})
		for i, c := range b.cols {
			if c.dense {
				c.value[pos+r-from] = row[b.vars[i]]
			}
		}
	}
}

func (b *blockBasis) setCover(r, v int32) {
	_, coef, _ := b.matrix.unit(v)
	b.cover[r], b.coverInv[r] = v, 1/coef
}

// square drops columns or covers rows until |S| = |R|.
func (b *blockBasis) square(pos []Position) {
	for len(b.vars) > len(b.rows) {
		pos[b.vars[len(b.vars)-1]] = AtLower
		b.dropVar(len(b.vars) - 1)
	}
	for len(b.rows) > len(b.vars) {
		b.coverRow(len(b.rows)-1, pos)
	}
}

// dropVar takes the variable of slot i out of S; the last one takes its slot.
func (b *blockBasis) dropVar(i int) {
	v, last := b.vars[i], len(b.vars)-1
	b.matrix.release(b.cols[i])
	b.vars[i], b.cols[i] = b.vars[last], b.cols[last]
	b.slot[b.vars[i]], b.slot[v] = int32(i), -1
	b.vars, b.cols = b.vars[:last], b.cols[:last]
}

func (b *blockBasis) coverRow(t int, pos []Position) {
	r := b.rows[t]
	b.dropRow(t)
	b.setCover(r, b.logical(r))
	pos[b.logical(r)] = Basic
}

// addRow takes row r into R.
func (b *blockBasis) addRow(r int32) {
	b.swapPlaces(int(b.place[r]), b.placeOf(len(b.rows)))
	b.rows = append(b.rows, r)
}

// dropRow takes the t-th row out of R.
func (b *blockBasis) dropRow(t int) {
	last := len(b.rows) - 1
	b.swapPlaces(b.placeOf(t), b.placeOf(last))
	b.rows[t] = b.rows[last]
	b.rows = b.rows[:last]
}

// factor inverts A[R,S] afresh. The columns of S that depend on others leave, for the logicals of the rows left over.
func (b *blockBasis) factor(ctx context.Context, pos []Position) (repaired bool) {
	b.sort()
	for {
		var pivotRow []int32
		ok := b.gather(ctx)
		if ok {
			pivotRow, ok = b.inverse.factor(ctx)
		}
		b.updates, b.broken = 0, !ok && pivotRow == nil
		if ok || b.broken {
			return repaired
		}
		repaired = true
		b.repair(pivotRow, pos)
	}
}

// repair drops the columns that found no pivot and covers the rows that were none.
func (b *blockBasis) repair(pivotRow []int32, pos []Position) {
	pivoted := make([]bool, len(b.rows))
	for _, t := range pivotRow {
		if t >= 0 {
			pivoted[t] = true
		}
	}
	for i := len(pivotRow) - 1; i >= 0; i-- {
		if pivotRow[i] < 0 {
			pos[b.vars[i]] = AtLower
			b.dropVar(i)
		}
	}
	for t := len(pivoted) - 1; t >= 0; t-- {
		if !pivoted[t] {
			b.coverRow(t, pos)
		}
	}
}

// gatherRows is the number of rows that gather writes at a time: as many values of a dense column as a cache line has.
const gatherRows = 8

// gather writes A[R,S] into the memory of the inverse. It is false if ctx ends before.
func (b *blockBasis) gather(ctx context.Context) bool {
	k := len(b.vars)
	b.inverse.blank(k)
	for from := 0; from < k; from += gatherRows {
		if ctx.Err() != nil {
			return false
		}
		for s, c := range b.cols {
			if !c.dense {
				continue
			}
			for t := from; t < min(from+gatherRows, k); t++ {
				b.inverse.set(t, s, b.entry(c, b.rows[t]))
			}
		}
	}
	for s, c := range b.cols {
		if c.dense {
			continue
		}
		for e, r := range c.index {
			if b.cover[r] < 0 {
				b.inverse.set(b.indexOf(r), s, c.value[e])
			}
		}
	}
	return true
}

// exchange is replace. S and R stay, grow or shrink with the kinds of the
// two columns; the inverse changes by rank one each time.
func (b *blockBasis) exchange(e exchange) {
	_, _, entersUnit := b.matrix.unit(e.entering)
	leavesBlock := b.slot[e.leaving] >= 0
	switch {
	case !entersUnit && leavesBlock:
		b.swapColumn(e)
	case !entersUnit:
		b.growBlock(e)
	case leavesBlock:
		b.shrinkBlock(e)
	default:
		b.swapCover(e)
	}
}

// swapColumn puts a column of S instead of another.
func (b *blockBasis) swapColumn(e exchange) {
	i := b.slot[e.leaving]
	b.inverse.replaceColumn(int(i), e.direction.block)
	b.slot[e.leaving] = -1
	b.matrix.release(b.cols[i])
	b.vars[i], b.cols[i], b.slot[e.entering] = e.entering, b.hold(e.column), i
}

// growBlock takes a column into S and the row that the leaving variable covers into R.
func (b *blockBasis) growBlock(e exchange) {
	r, coef, _ := b.matrix.unit(e.leaving)
	b.inverse.border(e.direction.block, e.row.block, e.pivot*coef)
	b.cover[r], b.coverInv[r] = -1, 0
	b.addRow(r)
	b.slot[e.entering] = int32(len(b.vars))
	b.vars = append(b.vars, e.entering)
	b.cols = append(b.cols, b.hold(e.column))
}

// shrinkBlock drops a column of S and the row of R that the entering variable covers.
func (b *blockBasis) shrinkBlock(e exchange) {
	r, _, _ := b.matrix.unit(e.entering)
	i, t := int(b.slot[e.leaving]), b.indexOf(r)
	b.inverse.remove(i, t)
	b.dropVar(i)
	b.dropRow(t)
	b.setCover(r, e.entering)
}

// swapCover covers another row, which leaves R for the row that is given up, or the same row by another variable.
func (b *blockBasis) swapCover(e exchange) {
	from, _, _ := b.matrix.unit(e.leaving)
	to, _, _ := b.matrix.unit(e.entering)
	if from == to {
		b.setCover(to, e.entering)
		return
	}
	t := b.indexOf(to)
	b.inverse.replaceRow(t, e.row.block)
	b.swapPlaces(int(b.place[from]), int(b.place[to]))
	b.rows[t] = from
	b.cover[from], b.coverInv[from] = -1, 0
	b.setCover(to, e.entering)
}
