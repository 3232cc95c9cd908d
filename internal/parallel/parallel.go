// Package parallel splits loops over goroutines, and runs parts of work on several processors.
//
// Handing a part to a goroutine that sleeps takes as long as some fifty microseconds of work. So a goroutine that is
// done looks for more for as long before it sleeps. Panics of parts reach the goroutine that waits for them: a panic
// that nobody recovers ends the process, and only its own goroutine can recover it, so a C program that calls the
// library would end with it.
package parallel

import (
	"runtime"
	"sync/atomic"
)

// For calls f(worker, i) for each i in [0, n), on at most threads goroutines (0
// means GOMAXPROCS), and returns when all calls have. Calls with one worker
// number never overlap, so it may index scratch space; which worker gets which i
// is left to chance, so the result of a call must depend on i alone. A panic of f is a panic of For: see [Run].
func For(threads, n int, f func(worker, i int)) {
	threads = min(Workers(threads), n)
	if threads <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	if Loop(threads, n, f) {
		return
	}
	var next atomic.Int64
	Run(threads, func(w int) {
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
