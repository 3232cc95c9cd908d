package lu

import "math"

// negligible is the size of an element that a solve leaves out. At 1e-14, which is what cancellation leaves of
// numbers near 1, programs with coefficients of 1e-9 have had wrong answers.
const negligible = 1e-20

// triangle is a triangular matrix by columns: once element i of the solution is known,
// its entries times that are to be subtracted.
type triangle struct {
	lists
	pivot   []float64 // the diagonal; nil for ones
	vain    int       // solves to come that go without a search
	touched int       // elements and entries that solves have come by
}

// bothWays is a triangular matrix by columns and by rows.
type bothWays struct {
	columns, rows triangle
	room, inRow   []int32 // scratch of take
}

// take makes it the m×m matrix of the given entries, whose rows have spare room.
func (b *bothWays) take(e *entries, m int, spare int32) {
	b.room, b.inRow = grow(b.room, m), grow(b.inRow, m)
	clear(b.room)
	for r := range b.inRow {
		b.inRow[r] = spare
	}
	for k, i := range e.Index {
		b.room[e.column[k]]++
		b.inRow[i]++
	}
	b.columns.reset(b.room)
	b.rows.reset(b.inRow)
	for k, i := range e.Index {
		b.push(i, e.column[k], e.Value[k])
	}
	b.columns.touched, b.rows.touched = 0, 0
}

// push adds an entry.
func (b *bothWays) push(row, column int32, v float64) {
	b.columns.push(column, row, v)
	b.rows.push(row, column, v)
}

// drop takes out row or column p of a matrix: by is the matrix by rows or by columns, across is it by the other.
func drop(by, across *triangle, p int32) {
	list, _ := by.of(p)
	for _, i := range list {
		across.remove(i, p)
	}
	by.length[p] = 0
}

// touches returns those of the solves since take.
func (b *bothWays) touches() int { return b.columns.touched + b.rows.touched }

// finish makes element i of x that of the solution and subtracts its entries.
func (t *triangle) finish(x []float64, i int32) (any bool) {
	v := x[i]
	if v == 0 {
		return false
	}
	if t.pivot != nil {
		v /= t.pivot[i]
	}
	if math.Abs(v) < negligible {
		x[i] = 0
		return false
	}
	x[i] = v
	index, value := t.of(i)
	t.touched += 1 + len(index)
	for e, r := range index {
		x[r] -= value[e] * v
	}
	return true
}

// search finds what the elements of a sparse right-hand side reach.
type search struct {
	marked []bool
	found  []int32 // in an order in which every element comes after those that it reaches
	path   []int32 // elements under way
	next   []int32 // the next entry of each of those
}

func newSearch(m int) *search { return &search{marked: make([]bool, m)} }

const (
	hyperShare = 10 // the share of the elements, 1 in so many, up to which a search pays
	pause      = 5  // solves without a search after one in vain
	fewStarts  = 2  // elements to start from that are searched from all the same
)

// run fills found. It gives up, with false, where more than limit elements are reached.
func (s *search) run(t *triangle, from []int32, limit int) bool {
	s.found = s.found[:0]
	for _, i := range from {
		if s.marked[i] {
			continue
		}
		s.visit(t, i)
		if len(s.found) > limit {
			s.forget()
			return false
		}
	}
	s.forget()
	return true
}

func (s *search) forget() {
	for _, i := range s.found {
		s.marked[i] = false
	}
}

// visit adds i and what it reaches.
func (s *search) visit(t *triangle, i int32) {
	s.marked[i] = true
	if t.length[i] == 0 {
		s.found = append(s.found, i)
		return
	}
	s.path = append(s.path[:0], i)
	s.next = append(s.next[:0], t.start[i])
	for len(s.path) > 0 {
		top := len(s.path) - 1
		pos := s.path[top]
		e, end := s.next[top], t.start[pos]+t.length[pos]
		for e < end && s.marked[t.index[e]] {
			e++
		}
		if e == end {
			s.found = append(s.found, pos)
			s.path, s.next = s.path[:top], s.next[:top]
			continue
		}
		s.next[top] = e + 1
		down := t.index[e]
		s.marked[down] = true
		if t.length[down] == 0 {
			s.found = append(s.found, down)
			continue
		}
		s.path = append(s.path, down)
		s.next = append(s.next, t.start[down])
	}
}

// solve makes x the solution. order lists the elements so that each comes before, or if
// backwards after, those that it reaches, and rank where they are; elements below 0 are passed over.
func (t *triangle) solve(x *Vector, s *search, rank, order []int32, backwards bool) {
	limit := len(x.Value) / hyperShare
	if t.vain > 0 && len(x.Index) > fewStarts {
		t.vain--
	} else if len(x.Index) <= limit && !s.run(t, x.Index, limit) {
		t.vain = pause
	} else if len(x.Index) <= limit {
		x.Index = x.Index[:0]
		for k := len(s.found) - 1; k >= 0; k-- {
			if i := s.found[k]; t.finish(x.Value, i) {
				x.Index = append(x.Index, i)
			}
		}
		return
	}
	t.pass(x, rank, order, backwards)
}

// pass is solve by a look at every element from the first one on that is not 0. Two looks count as a touch.
func (t *triangle) pass(x *Vector, rank, order []int32, backwards bool) {
	first, last := int32(len(order)), int32(-1)
	for _, i := range x.Index {
		first, last = min(first, rank[i]), max(last, rank[i])
	}
	x.Index = x.Index[:0]
	if backwards {
		t.touched += int(last) / 2
		for k := last; k >= 0; k-- {
			if i := order[k]; i >= 0 && x.Value[i] != 0 && t.finish(x.Value, i) {
				x.Index = append(x.Index, i)
			}
		}
		return
	}
	t.touched += (len(order) - int(first)) / 2
	for _, i := range order[first:] {
		if i >= 0 && x.Value[i] != 0 && t.finish(x.Value, i) {
			x.Index = append(x.Index, i)
		}
	}
}
