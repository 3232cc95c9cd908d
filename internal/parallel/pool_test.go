package parallel_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// TestPool: no worker is lent twice at a time, every item is done once, and workers that are not kept do not come back.
func TestPool(t *testing.T) {
	type worker struct {
		busy atomic.Bool
		left int // items until it is not kept
	}
	var made atomic.Int32
	p := &parallel.Pool[*worker]{New: func() *worker { made.Add(1); return &worker{left: 3} },
		Keep: func(w *worker) bool { return w.left > 0 }}
	const count = 1000
	var done [count]atomic.Int32
	for range 3 {
		err := p.Each(16, count, func(w *worker, i int) error {
			if w.busy.Swap(true) {
				t.Error("a worker is lent twice")
			}
			done[i].Add(1)
			w.left--
			w.busy.Store(false)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range done {
		if n := done[i].Load(); n != 3 {
			t.Fatalf("item %d was done %d times", i, n)
		}
	}
	before := made.Load()
	w := p.Take()
	w.left = 1
	p.Return(w)
	if p.Take() != w || made.Load() > before+1 {
		t.Error("a worker that is kept does not come back")
	}
	w.left = 0
	p.Return(w)
	if p.Take() == w {
		t.Error("a worker that is not kept comes back")
	}
}

// TestPoolError: the error is that of the least item among those that failed.
func TestPoolError(t *testing.T) {
	p := &parallel.Pool[int]{New: func() int { return 0 }, Keep: func(int) bool { return true }}
	bad := errors.New("bad")
	calls := 0
	err := p.Each(1, 100, func(_, i int) error {
		if calls++; i == 7 {
			return bad
		}
		return nil
	})
	if err != bad || calls != 8 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := p.Each(0, 0, nil); err != nil {
		t.Errorf("no items: %v", err)
	}
}
