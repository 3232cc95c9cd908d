package simplex

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
