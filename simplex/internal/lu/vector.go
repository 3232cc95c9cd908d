package lu

import (
	"math"
	"slices"
)

// Vector has m elements, of which those in Index may be other than 0.
type Vector struct {
	Value []float64
	Index []int32 // without repetition
}

// NewVector returns m zeros.
func NewVector(m int) *Vector { return &Vector{Value: make([]float64, m)} }

// Set makes element i, which is 0 and not in Index, x.
func (v *Vector) Set(i int32, x float64) {
	v.Value[i] = x
	v.Index = append(v.Index, i)
}

// cancelled is what stays of elements whose terms cancel, so that they are not taken for new ones.
const cancelled = 1e-200

// Add does v_i += x.
func (v *Vector) Add(i int32, x float64) {
	if v.Value[i] == 0 {
		v.Index = append(v.Index, i)
	}
	if v.Value[i] += x; v.Value[i] == 0 {
		v.Value[i] = cancelled
	}
}

// Clear makes every element 0.
func (v *Vector) Clear() {
	if 4*len(v.Index) > len(v.Value) {
		clear(v.Value)
	} else {
		for _, i := range v.Index {
			v.Value[i] = 0
		}
	}
	v.Index = v.Index[:0]
}

// Gather makes Index the elements that are not 0.
func (v *Vector) Gather() {
	v.Index = v.Index[:0]
	for i, x := range v.Value {
		if x != 0 {
			v.Index = append(v.Index, int32(i))
		}
	}
}

// Entries is a sparse vector by its indices and values.
type Entries struct {
	Index []int32
	Value []float64
}

// Push appends an entry.
func (e *Entries) Push(i int32, x float64) {
	e.Index = append(e.Index, i)
	e.Value = append(e.Value, x)
}

// empty returns none, in the memory of e.
func (e *Entries) empty() Entries { return Entries{e.Index[:0], e.Value[:0]} }

// take makes e the elements of v that are not negligible.
func (e *Entries) take(v *Vector) {
	*e = e.empty()
	for _, i := range v.Index {
		if x := v.Value[i]; math.Abs(x) >= negligible {
			e.Push(i, x)
		}
	}
}

// lists are m growing lists of entries in one piece of memory.
type lists struct {
	start, length, room []int32
	index               []int32
	value               []float64
}

// reset makes m empty lists with the given room each.
func (l *lists) reset(room []int32) {
	m := len(room)
	l.start, l.length, l.room = grow(l.start, m), grow(l.length, m), grow(l.room, m)
	var pos int32
	for i, k := range room {
		l.start[i], l.length[i], l.room[i] = pos, 0, k
		pos += k
	}
	l.index, l.value = grow(l.index, int(pos)), grow(l.value, int(pos))
}

// of returns list i, views.
func (l *lists) of(i int32) ([]int32, []float64) {
	from, to := l.start[i], l.start[i]+l.length[i]
	return l.index[from:to], l.value[from:to]
}

// push appends an entry to list i, which moves to the end where it has no room.
func (l *lists) push(i, index int32, value float64) {
	k := l.length[i]
	if k == l.room[i] {
		from, to := l.start[i], int32(len(l.index))
		more := 2*k + 4
		l.index, l.value = extend(l.index, int(more)), extend(l.value, int(more))
		copy(l.index[to:], l.index[from:from+k])
		copy(l.value[to:], l.value[from:from+k])
		l.start[i], l.room[i] = to, more
	}
	pos := l.start[i] + k
	l.index[pos], l.value[pos] = index, value
	l.length[i]++
}

// reserve gives list i, which is empty, room for k entries.
func (l *lists) reserve(i, k int32) {
	if k <= l.room[i] {
		return
	}
	l.start[i], l.room[i] = int32(len(l.index)), k
	l.index, l.value = extend(l.index, int(k)), extend(l.value, int(k))
}

// remove takes the entry with the given index out of list i.
func (l *lists) remove(i, index int32) {
	from, last := l.start[i], l.start[i]+l.length[i]-1
	for e := from; e <= last; e++ {
		if l.index[e] == index {
			l.index[e], l.value[e] = l.index[last], l.value[last]
			l.length[i]--
			return
		}
	}
}

// grow returns n elements of any contents, buf's own where they suffice.
func grow[T any](buf []T, n int) []T { return slices.Grow(buf[:0], n)[:n] }

// extend returns buf with more elements of any contents.
func extend[T any](buf []T, more int) []T { return slices.Grow(buf, more)[:len(buf)+more] }
