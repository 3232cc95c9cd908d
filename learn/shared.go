package learn

import "sync"

// SharedSet is a set of samples that several problems take their samples from, such as the folds of a cross-validation.
// It holds what their trainings share, and is safe for concurrent use.
type SharedSet struct {
	X    []float64 // N×D, row-major
	N, D int
	Y    []float64 // N labels, each +1 or −1

	mu    sync.Mutex
	left  int64
	items map[string]*item
}

// SharedRows says where a problem's samples stand in a shared set: sample i is row Rows[i] of it, with its label and
// the weight 1.
type SharedRows struct {
	Of   *SharedSet
	Rows []int
}

// NewSharedSet makes a shared set of n samples of dimension d. Its problems share no more than so many bytes.
func NewSharedSet(x, y []float64, n, d int, bytes int64) *SharedSet {
	return &SharedSet{X: x, Y: y, N: n, D: d, left: bytes, items: make(map[string]*item)}
}

type item struct {
	once  sync.Once
	value any
}

// SharedValue returns the value of a key, whose type is always the same. make is called once to make it, for all
// problems. The value is zero if fewer than so many bytes are left for sharing.
func SharedValue[T any](w *SharedSet, key string, bytes int64, make func() T) (value T) {
	w.mu.Lock()
	it := w.items[key]
	if it == nil && bytes <= w.left {
		it = new(item)
		w.items[key] = it
		w.left -= bytes
	}
	w.mu.Unlock()
	if it == nil {
		return value
	}
	it.once.Do(func() { it.value = make() })
	return it.value.(T)
}
