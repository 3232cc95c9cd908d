package learn

import (
	"context"
	"sync"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// SharedSet is a set of samples that several problems take their samples from, such as the folds of a cross-validation.
// It holds what their trainings share, and is safe for concurrent use.
type SharedSet struct {
	X    []float64 // N×D, row-major
	N, D int
	Y    []float64 // N labels, each +1 or −1; nil if they differ from part to part, as those of pairs of classes do

	// Costs are the values of C that parts are trained at, nil if unknown. A training may start from the solution for a
	// smaller one.
	Costs []float64

	mu    sync.Mutex
	left  int64
	items map[string]*item

	compared  sync.Once
	different bool // no two samples have equal features
}

// allDifferent reports whether no two of the samples that are listed have equal features; false where only a comparison
// of them can say it.
func (s *SharedRows) allDifferent() bool {
	if s == nil {
		return false
	}
	w := s.Of
	w.compared.Do(func() {
		first, _ := Distinct(w.X, w.N, w.D)
		w.different = len(first) == w.N
	})
	if !w.different {
		return false
	}
	met := make([]bool, w.N)
	for _, i := range s.Rows {
		if met[i] {
			return false
		}
		met[i] = true
	}
	return true
}

// SharedRows says where a problem's samples stand in a shared set: sample i is row Rows[i] of it, with its label if the
// set has labels.
type SharedRows struct {
	Of   *SharedSet
	Rows []int
}

// Part returns where those of the samples stand that are listed; nil for nil.
func (s *SharedRows) Part(indices []int) *SharedRows {
	if s == nil {
		return nil
	}
	rows := deal.Pick(s.Rows, indices)
	return &SharedRows{s.Of, rows}
}

// sharing is a trainer that shares work among the parts of a [SharedSet].
type sharing interface {
	Trainer
	// SharedBytes returns the memory of what parts of n samples of dimension d share, with labels in common or with
	// labels of their own. It is 0 if sharing does not pay.
	SharedBytes(n, d int, common bool) int64
}

// HoldingOut is a trainer that shares work between a training on all samples and trainings without some of them.
type HoldingOut interface {
	Trainer
	// TrainHeldOut is Train, and finds the decision value of each sample by a training without its fold. fold[i] is that
	// of sample i, from 0, or −1: then the value is the model's own. held is nil where each fold needs a training of its
	// own.
	TrainHeldOut(ctx context.Context, p *Problem, fold []int) (r *Result, held []float64, err error)
}

// Share makes the samples of p a shared set, for parts of them that tr will be trained on. y are the labels of all
// parts, each +1 or −1, or nil for parts with labels of their own. What is shared counts as in use. Nothing changes if
// that does not pay, takes more than a quarter of the memory that is left, or if p is a part already.
func (p *Problem) Share(tr Trainer, y []float64) {
	s, ok := tr.(sharing)
	if !ok || p.Shared != nil {
		return
	}
	bytes := s.SharedBytes(p.N, p.D, y != nil)
	if bytes == 0 || bytes > p.Budget(tr.Name(), p.N, p.D).Left()/4 {
		return
	}
	rows := deal.All(p.N)
	p.Shared = &SharedRows{NewSharedSet(p.X, y, p.N, p.D, bytes), rows}
	p.InUse += bytes
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
