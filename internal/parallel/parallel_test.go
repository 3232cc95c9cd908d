package parallel_test

import (
	"fmt"
	"strings"
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

// A panic of a worker is one of the caller's goroutine, which can recover it, and ends the loop.
func TestForPanics(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		var calls atomic.Int32
		var got any
		func() {
			defer func() { got = recover() }()
			parallel.For(threads, 1<<20, func(_, i int) {
				if calls.Add(1); i == 5 {
					panic("gram: a bad kernel")
				}
			})
		}()
		if got == nil || !strings.Contains(fmt.Sprint(got), "gram: a bad kernel") || calls.Load() == 1<<20 {
			t.Errorf("%d threads: panic %v after %d calls", threads, got, calls.Load())
		}
	}
}
