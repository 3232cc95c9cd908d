// Package parallel splits loops over goroutines, and runs parts of work on several processors.
//
// Waking a goroutine takes as long as some fifty microseconds of work. So a goroutine without work polls for that
// long before it sleeps. A panic of a part reaches the goroutine that waits for the parts. Only the panicking
// goroutine could recover it otherwise, and an unrecovered panic ends the process: also a C program that calls the
// library.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
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
	if s := simulated.Load(); s != nil {
		s.loop(threads, n, f)
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

// Panic is the value with which Run panics: the first panic of a part, and its stack.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\nin a worker:\n%s", p.Value, p.Stack) }

// Unwrap returns the value if it is an error, as the runtime's panics are.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Run calls f(0) to f(parts−1), in parallel as far as processors are free, and returns when all have ended. A part
// must not wait for another one, because they may run one after the other. If a part panics, Run panics with a
// [Panic].
func Run(parts int, f func(part int)) {
	if s := simulated.Load(); s != nil {
		s.run(parts, f)
		return
	}
	j := newJob(parts, f)
	if parts > 1 {
		enlist(j, min(parts, runtime.GOMAXPROCS(0))-1)
	}
	j.work()
	j.finish()
}

// job is the parts of one Run.
type job struct {
	f     func(part int)
	parts int32
	next  atomic.Int32 // the first part that no goroutine has taken
	left  atomic.Int32 // parts that have not ended
	wait  sync.WaitGroup
	first atomic.Pointer[Panic]
}

func newJob(parts int, f func(part int)) *job {
	j := &job{f: f, parts: int32(parts)}
	j.left.Store(j.parts)
	j.wait.Add(parts)
	return j
}

// work runs parts until all are taken.
func (j *job) work() {
	for i := j.next.Add(1) - 1; i < j.parts; i = j.next.Add(1) - 1 {
		j.part(int(i))
	}
}

func (j *job) part(i int) {
	defer func() {
		if v := recover(); v != nil {
			p, ok := v.(*Panic) // from a nested Run
			if !ok {
				p = &Panic{v, debug.Stack()}
			}
			j.first.CompareAndSwap(nil, p)
		}
		j.left.Add(-1)
		j.wait.Done()
	}()
	j.f(i)
}

// finish waits for all parts, and panics if one of them has.
func (j *job) finish() {
	j.await()
	if p := j.first.Load(); p != nil {
		panic(p)
	}
}

// await waits for the parts that other goroutines have taken, which usually end soon.
func (j *job) await() {
	for w := newPatience(); j.left.Load() > 0; {
		if !w.more() {
			j.wait.Wait()
			return
		}
	}
}
