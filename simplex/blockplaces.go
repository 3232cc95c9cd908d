package simplex

import "slices"

// A solve needs A[C,S] alone, but for the rows of R by which it begins. Where R is a good part of the
// rows, the dense columns of S are held with C first; where it is not, changing
// the order of every vector would cost more than the rows of R do.

// sortedShare and unsortedShare are the parts of the rows, 1 in so many, from which on dense columns
// are held by places, and up to which by rows.
const (
	sortedShare   = 4
	unsortedShare = 8
)

// sort changes how dense columns are held where R has become large or small enough.
func (b *blockBasis) sort() {
	m, k := len(b.order), len(b.rows)
	want := sortedShare*k >= m || b.sorted && unsortedShare*k > m
	if want == b.sorted {
		return
	}
	b.sorted = want
	for i, c := range b.cols {
		if !c.dense {
			continue
		}
		value := b.matrix.buffer()
		for p, r := range b.order {
			if want {
				value[p] = c.value[r]
			} else {
				value[r] = c.value[p]
			}
		}
		b.matrix.release(c)
		b.cols[i].value = value
	}
}

// hold returns a column as S holds it, in exchange for c.
func (b *blockBasis) hold(c column) column {
	if !c.dense || !b.sorted {
		return c
	}
	value := b.matrix.buffer()
	b.byPlace(value, c.value)
	b.matrix.release(c)
	return column{value: value, dense: true}
}

// byPlace writes the elements of x in the first places to dst.
func (b *blockBasis) byPlace(dst, x []float64) {
	for p, r := range b.order[:len(dst)] {
		dst[p] = x[r]
	}
}

// placeOf returns the place of the t-th row of R.
func (b *blockBasis) placeOf(t int) int { return len(b.order) - 1 - t }

// indexOf returns the index in R of its row r.
func (b *blockBasis) indexOf(r int32) int { return len(b.order) - 1 - int(b.place[r]) }

// swapPlaces exchanges the rows in two places.
func (b *blockBasis) swapPlaces(p, q int) {
	if p == q {
		return
	}
	b.order[p], b.order[q] = b.order[q], b.order[p]
	b.place[b.order[p]], b.place[b.order[q]] = int32(p), int32(q)
	if !b.sorted {
		return
	}
	for _, c := range b.cols {
		if c.dense {
			c.value[p], c.value[q] = c.value[q], c.value[p]
		}
	}
}

// entry returns that of row r in column c of S.
func (b *blockBasis) entry(c column, r int32) float64 {
	if c.dense {
		if b.sorted {
			r = b.place[r]
		}
		return c.value[r]
	}
	if t := slices.Index(c.index, r); t >= 0 {
		return c.value[t]
	}
	return 0
}
