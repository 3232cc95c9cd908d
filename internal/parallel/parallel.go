// Package parallel splits loops over goroutines.
package parallel

import (
	"runtime"
	"sync/atomic"

	"github.com/sparsekm/sparsekm/internal/workers"
)

// For calls f(worker, i) for each i in [0, n), on at most threads goroutines (0
// means GOMAXPROCS), and returns when all calls have. Calls with one worker
// number never overlap, so it may index scratch space; which worker gets which i
// is left to chance, so the result of a call must depend on i alone. A panic of f is one of For, see package workers.
func For(threads, n int, f func(worker, i int)) {
	threads = min(Workers(threads), n)
	if threads <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	if workers.Loop(threads, n, f) {
		return
	}
	var next atomic.Int64
	workers.Run(threads, func(w int) {
		defer next.Store(int64(n)) // where f panics the others need not go on
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(w, i)
		}
	})
}

// Workers is the number of workers that threads asks for: GOMAXPROCS when it is 0 or less.
func Workers(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}
