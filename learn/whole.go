package learn

import (
	"sync"
)

// Whole is a set of samples of which several problems have a part each, as those of cross-validation do, with what
// their trainings share. It is safe for concurrent use.
type SharedSet struct {
	X    []float64 // N×D, row-major
	N, D int
	Y    []float64 // N labels, each +1 or −1

	mu    sync.Mutex
	left  int64
	items map[string]*item
}

// Part says of which whole a problem's samples are: sample i is point Rows[i] of it, with its label and the weight 1.
type SharedRows struct {
	Of   *SharedSet
	Rows []int
}

// NewSharedSet makes a whole whose parts share no more than so many bytes.
func NewSharedSet(x, y []float64, n, d int, bytes int64) *SharedSet {
	return &SharedSet{X: x, Y: y, N: n, D: d, left: bytes, items: make(map[string]*item)}
}

// item is something shared.
type item struct {
	once  sync.Once
	value any
}

// Share returns what make, called once for all parts, makes of a key, or nil where so many bytes are more than what is
// left for sharing. What make returns nil for stays nil.
func (w *SharedSet) Share(key string, bytes int64, make func() any) any {
	w.mu.Lock()
	it := w.items[key]
	if it == nil && bytes <= w.left {
		it = new(item)
		w.items[key] = it
		w.left -= bytes
	}
	w.mu.Unlock()
	if it == nil {
		return nil
	}
	it.once.Do(func() { it.value = make() })
	return it.value
}
