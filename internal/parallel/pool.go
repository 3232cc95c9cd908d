package parallel

import (
	"sync"
	"sync/atomic"
)

// Pool lends workers, such as solvers with their memory, to any number of goroutines.
type Pool[W any] struct {
	New  func() W       // makes one more
	Keep func(w W) bool // whether a worker that comes back may be lent again

	mutex sync.Mutex
	free  []W
}

// Take returns a worker that nobody else has.
func (p *Pool[W]) Take() W {
	p.mutex.Lock()
	if k := len(p.free); k > 0 {
		w := p.free[k-1]
		p.free = p.free[:k-1]
		p.mutex.Unlock()
		return w
	}
	p.mutex.Unlock()
	return p.New()
}

// Return gives a worker back.
func (p *Pool[W]) Return(w W) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.Keep(w) {
		p.free = append(p.free, w)
	}
}

// together is the number of items that a goroutine of [Pool.Each] takes at a time.
const together = 4

// Each calls f for each i in [0, count) with a worker that no other call has, on up to threads goroutines (0 means
// GOMAXPROCS). After an error no more calls begin; Each returns that of the least i among those that failed.
func (p *Pool[W]) Each(threads, count int, f func(w W, i int) error) error {
	workers := make([]W, min(Workers(threads), max(count, 1)))
	for k := range workers {
		workers[k] = p.Take()
	}
	defer func() {
		for _, w := range workers {
			p.Return(w)
		}
	}()
	var first failure
	Chunks(len(workers), count, together, func(k, lo, hi int) {
		for i := lo; i < hi && !first.seen.Load(); i++ {
			if err := f(workers[k], i); err != nil {
				first.note(i, err)
			}
		}
	})
	return first.err
}

// failure is the first error by the number of its item.
type failure struct {
	seen  atomic.Bool // which many goroutines read often
	mutex sync.Mutex
	at    int
	err   error
}

func (f *failure) note(i int, err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.err == nil || i < f.at {
		f.at, f.err = i, err
	}
	f.seen.Store(true)
}
