package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

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
	j := &job{f: f, parts: int32(parts)}
	j.left.Store(j.parts)
	j.wait.Add(parts)
	if parts > 1 {
		enlist(j, min(parts, runtime.GOMAXPROCS(0))-1)
	}
	j.work()
	j.await()
	if p := j.first.Load(); p != nil {
		panic(p)
	}
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

// await waits for the parts that other goroutines have taken, which usually end soon.
func (j *job) await() {
	for w := newPatience(); j.left.Load() > 0; {
		if !w.more() {
			j.wait.Wait()
			return
		}
	}
}
