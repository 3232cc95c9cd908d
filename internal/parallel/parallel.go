// Package parallel splits loops over goroutines, and runs parts of work on several processors.
//
// Waking a goroutine takes as long as some fifty microseconds of work. So a goroutine without work polls for that
// long before it sleeps. A panic of a part reaches the goroutine that waits for the parts. Only the panicking
// goroutine could recover it otherwise, and an unrecovered panic ends the process: also a C program that calls the
// library.
package parallel

import (
	"runtime"
	"sync/atomic"
)

// For calls f(worker, i) for each i in [0, n) on at most threads goroutines (0 means GOMAXPROCS), and returns when
// all calls have returned. Calls with the same worker number never overlap, so worker may index scratch memory.
// Chance decides which worker gets which i, so the result of a call must depend on i alone. If f panics, For panics:
// see [Run].
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
		defer next.Store(int64(n)) // after a panic the other workers stop early
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(w, i)
		}
	})
}

// Chunks is For over chunks of n items, each of the given size but the last: f gets items lo to hi.
func Chunks(threads, n, size int, f func(worker, lo, hi int)) {
	For(threads, (n+size-1)/size, func(worker, k int) { f(worker, k*size, min((k+1)*size, n)) })
}

// Workers returns threads, or GOMAXPROCS if threads ≤ 0.
func Workers(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}
