package parallel_test

import (
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

func TestFor(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 2, 1000} {
			calls := make([]int32, n)
			busy := make([]atomic.Bool, parallel.Workers(threads))
			parallel.For(threads, n, func(w, i int) {
				if busy[w].Swap(true) {
					t.Errorf("two calls of worker %d overlap", w)
				}
				atomic.AddInt32(&calls[i], 1)
				busy[w].Store(false)
			})
			for i, c := range calls {
				if c != 1 {
					t.Fatalf("threads=%d n=%d: index %d was called %d times", threads, n, i, c)
				}
			}
		}
	}
}
