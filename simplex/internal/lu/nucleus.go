package lu

import (
	"context"
	"math"
	"slices"
)

// nucleus is what singletons leave: each row and each column has two entries or more. Rows hold
// the columns of their entries, columns rows and values.
type nucleus struct {
	rows           [][]int32
	columns        []Entries
	max            []float64 // column → its largest entry, −1 where it is not known
	byRows, byCols buckets   // by numbers of entries
	hit            []bool    // false
}

// buckets lists numbers by their counts.
type buckets struct {
	head             []int32 // count → first, −1
	next, prev, size []int32 // prev is −1 for the first; size −1 for what is in no list
}

func (b *buckets) reset(m int) {
	b.head, b.next, b.prev, b.size = grow(b.head, m+1), grow(b.next, m), grow(b.prev, m), grow(b.size, m)
	for i := range b.head {
		b.head[i] = -1
	}
	for i := range b.size {
		b.size[i] = -1
	}
}

func (b *buckets) drop(i int32) {
	if b.size[i] < 0 {
		return
	}
	if b.prev[i] >= 0 {
		b.next[b.prev[i]] = b.next[i]
	} else {
		b.head[b.size[i]] = b.next[i]
	}
	if b.next[i] >= 0 {
		b.prev[b.next[i]] = b.prev[i]
	}
	b.size[i] = -1
}

// put moves i to the list of a count.
func (b *buckets) put(i int32, count int) {
	b.drop(i)
	first := b.head[count]
	b.head[count], b.next[i], b.prev[i], b.size[i] = i, first, -1, int32(count)
	if first >= 0 {
		b.prev[first] = i
	}
}

// gather fills the nucleus with the rows and columns that are not pivoted, and returns their number.
func (e *elimination) gather() (left int) {
	m, n := len(e.pivotRow), &e.nucleus
	n.rows, n.columns = grow(n.rows, m), grow(n.columns, m)
	n.max, n.hit = grow(n.max, m), grow(n.hit, m)
	clear(n.hit)
	n.byRows.reset(m)
	n.byCols.reset(m)
	for r, c := range e.pivotCol {
		if c < 0 {
			n.rows[r] = n.rows[r][:0]
		}
	}
	for j, r := range e.pivotRow {
		if r >= 0 {
			continue
		}
		left++
		c := &n.columns[j]
		*c, n.max[j] = c.empty(), -1
		index, value := e.column(j)
		for t, i := range index {
			if e.pivotCol[i] < 0 && math.Abs(value[t]) >= negligible {
				c.Push(i, value[t])
				n.rows[i] = append(n.rows[i], int32(j))
			}
		}
		n.byCols.put(int32(j), len(c.Index))
	}
	for r, c := range e.pivotCol {
		if c < 0 {
			n.byRows.put(int32(r), len(n.rows[r]))
		}
	}
	return left
}

// eliminate pivots the nucleus. Columns without an entry that could be a pivot are left out. It is false if ctx ends.
func (e *elimination) eliminate(ctx context.Context) bool {
	if len(e.steps) == len(e.pivotRow) {
		return true
	}
	for left := e.gather(); left > 0; left-- {
		if left%64 == 0 && ctx.Err() != nil {
			return false
		}
		r, j, v := e.choose()
		if r < 0 {
			return true
		}
		e.step(r, j, v)
	}
	return true
}

// searched is how many rows and columns are looked at for a pivot.
const searched = 4

// choose returns the entry with the least Markowitz count among those of a few short rows
// and columns whose entries are large enough in their column, row −1 if none is left.
func (e *elimination) choose() (row, col int32, v float64) {
	n := &e.nucleus
	row = -1
	best, seen := math.MaxInt, 0
	consider := func(i, j int32, x float64) {
		if merit := (len(n.rows[i]) - 1) * (len(n.columns[j].Index) - 1); merit < best ||
			merit == best && math.Abs(x) > math.Abs(v) {
			best, row, col, v = merit, i, j, x
		}
	}
	for k := 1; k < len(n.byCols.head); k++ {
		for j := n.byCols.head[k]; j >= 0; {
			next := n.byCols.next[j]
			if highest := e.largest(j); highest <= dependent*e.size[j] {
				e.leaveOut(j)
			} else {
				c := &n.columns[j]
				for t, x := range c.Value {
					if math.Abs(x) >= threshold*highest {
						consider(c.Index[t], j, x)
					}
				}
				if seen++; best <= (k-1)*(k-1) || seen >= searched {
					return row, col, v
				}
			}
			j = next
		}
		for i := n.byRows.head[k]; i >= 0; i = n.byRows.next[i] {
			for _, j := range n.rows[i] {
				if x := n.columns[j].at(i); math.Abs(x) >= threshold*e.largest(j) && math.Abs(x) > dependent*e.size[j] {
					consider(i, j, x)
				}
			}
			if seen++; row >= 0 && (best <= k*(k-1) || seen >= searched) {
				return row, col, v
			}
		}
	}
	return row, col, v
}

// at returns the value with index i, which there is.
func (c *Entries) at(i int32) float64 { return c.Value[slices.Index(c.Index, i)] }

// cut takes entry t out.
func (c *Entries) cut(t int) {
	last := len(c.Index) - 1
	c.Index[t], c.Value[t] = c.Index[last], c.Value[last]
	c.Index, c.Value = c.Index[:last], c.Value[:last]
}

// largest returns the largest |entry| of column j of the nucleus.
func (e *elimination) largest(j int32) float64 {
	n := &e.nucleus
	if n.max[j] < 0 {
		n.max[j] = 0
		for _, x := range n.columns[j].Value {
			n.max[j] = max(n.max[j], math.Abs(x))
		}
	}
	return n.max[j]
}

// leaveOut takes column j, which depends on those pivoted, out of the nucleus.
func (e *elimination) leaveOut(j int32) {
	n := &e.nucleus
	for _, i := range n.columns[j].Index {
		n.forget(i, j)
		n.byRows.put(i, len(n.rows[i]))
	}
	n.byCols.drop(j)
}

// forget takes column j out of row i.
func (n *nucleus) forget(i, j int32) {
	row := n.rows[i]
	last := len(row) - 1
	row[slices.Index(row, j)] = row[last]
	n.rows[i] = row[:last]
}

// step pivots column j on row r, whose entry is v. Multipliers and new entries below negligible are left out, as
// are entries that cancel: so every entry of the nucleus differs from 0.
func (e *elimination) step(r, j int32, v float64) {
	n := &e.nucleus
	e.pivoted(r, j, v)
	n.byCols.drop(j)
	n.byRows.drop(r)
	from := len(e.lower.Index)
	for t, i := range n.columns[j].Index {
		if i == r {
			continue
		}
		n.forget(i, j)
		if l := n.columns[j].Value[t] / v; math.Abs(l) >= negligible {
			e.lower.put(i, r, l)
			e.work[i] = l
		} else {
			n.byRows.put(i, len(n.rows[i]))
		}
	}
	lower := e.lower.Index[from:]
	for _, c := range n.rows[r] {
		if c != j {
			e.subtract(c, r, lower)
			n.byCols.put(c, len(n.columns[c].Index))
		}
	}
	for _, i := range lower {
		e.work[i] = 0
		n.byRows.put(i, len(n.rows[i]))
	}
}

// subtract takes the pivot row's entry out of column c and does a step of the elimination there.
func (e *elimination) subtract(c, r int32, lower []int32) {
	n := &e.nucleus
	column := &n.columns[c]
	place := slices.Index(column.Index, r)
	f := column.Value[place]
	column.cut(place)
	e.upper.put(r, c, f)
	n.max[c] = -1
	for t := 0; t < len(column.Index); t++ {
		i := column.Index[t]
		l := e.work[i]
		if l == 0 {
			continue
		}
		n.hit[i] = true
		was := column.Value[t]
		x := was - l*f
		column.Value[t] = x
		if math.Abs(x) < negligible || math.Abs(x) < 1e-15*math.Abs(was) {
			column.cut(t)
			n.forget(i, c)
			t--
		}
	}
	for _, i := range lower {
		if n.hit[i] {
			n.hit[i] = false
			continue
		}
		if x := -e.work[i] * f; math.Abs(x) >= negligible {
			column.Push(i, x)
			n.rows[i] = append(n.rows[i], c)
		}
	}
}
