package learn

import (
	"context"
	"sync"

	"github.com/sparsekm/sparsekm/status"
)

// SharedSet holds what trainings on parts of the same samples share, such as those of the folds of a cross-validation.
// It is safe for concurrent use.
type SharedSet struct {
	Bytes int64 // that it may hold

	mu    sync.Mutex
	used  int64
	items map[string]*item
}

// HoldingOut is a trainer that shares work between a training on all samples and trainings without some of them.
type HoldingOut interface {
	Trainer
	// TrainHeldOut is Train, and finds the decision value of each sample by a training without its fold. fold[i] is that
	// of sample i, from 0, or −1: then the value is the model's own. held is nil where each fold needs a training of its
	// own.
	TrainHeldOut(ctx context.Context, p *Problem, fold []int) (r *Result, held []float64, err error)
}

// Deciding is a trainer that finds decision values of all samples of a problem by a training on some of them.
type Deciding interface {
	Trainer
	// DecideAll trains on some rows of a valid p that has a [Problem.Shared]. Trainings with the same slice Y are of the
	// same rows; alone says that no others have the kernel. It returns nil where that needs a training of its own.
	DecideAll(ctx context.Context, p *Problem, rows, of []int, alone bool) *Decided
}

// Decided is what a training leaves if nobody keeps its model.
type Decided struct {
	Values []float64 // decision values of all samples
	Used   []bool    // whether a sample is a support vector; of equal ones the first
	Status status.Status
}

type item struct {
	once  sync.Once
	value any
}

// SharedValue returns the value of a key, whose type is always the same. find is called once, for all problems. The
// value is zero if fewer than so many bytes are left for sharing.
func SharedValue[T any](w *SharedSet, key string, bytes int64, find func() T) (value T) {
	w.mu.Lock()
	it := w.items[key]
	if it == nil && bytes <= w.Bytes-w.used {
		if w.items == nil {
			w.items = make(map[string]*item)
		}
		it = new(item)
		w.items[key] = it
		w.used += bytes
	}
	w.mu.Unlock()
	if it == nil {
		return value
	}
	it.once.Do(func() { it.value = find() })
	return it.value.(T)
}
