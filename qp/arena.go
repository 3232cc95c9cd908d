package qp

import "sync"

// slab is memory for many vectors.
type slab []float64

// take cuts n zeros off.
func (m *slab) take(n int) []float64 {
	v := (*m)[:n:n]
	*m = (*m)[n:]
	return v
}

// arena is memory that one call leaves to the next. A nil arena makes new memory.
type arena struct {
	values []float64
	used   int
	more   int // what it had not
}

// maxKept is the largest number of values that an arena keeps, 512 KiB.
const maxKept = 1 << 16

var arenas = sync.Pool{New: func() any { return new(arena) }}

// slab returns n zeros.
func (a *arena) slab(n int) slab {
	if a == nil {
		return make(slab, n)
	}
	if n > len(a.values)-a.used {
		a.more += n
		return make(slab, n)
	}
	v := a.values[a.used:][:n:n]
	a.used += n
	clear(v)
	return v
}

// free leaves the memory to another call. Nothing may refer to it any more.
func (a *arena) free() {
	if need := a.used + a.more; a.more > 0 && need <= maxKept {
		a.values = make([]float64, need)
	}
	a.used, a.more = 0, 0
	arenas.Put(a)
}
