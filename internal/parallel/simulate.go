package parallel

import "sync/atomic"

// simulation runs parts one after another, and computes how long they would take in parallel.
type simulation struct {
	now   func() float64 // seconds of processor time
	saved float64        // seconds that parallel parts would save
}

// simulated is the simulation that is running, nil for none.
var simulated atomic.Pointer[simulation]

// Simulate runs f on one processor as if every part of a [Run] had a processor of its own. It returns the work in
// seconds of processor time, and the length of the critical path. It ignores contention for memory and the cost of
// handing over work. It is for benchmarks: one simulation at a time, and no other [Run] meanwhile.
func Simulate(now func() float64, f func()) (work, path float64) {
	s := &simulation{now: now}
	if !simulated.CompareAndSwap(nil, s) {
		panic("workers: a simulation next to another")
	}
	defer simulated.Store(nil)
	start := now()
	f()
	work = now() - start
	return work, work - s.saved
}

// run calls f for every part, each as if on a processor of its own.
func (s *simulation) run(parts int, f func(part int)) {
	var sum, last float64
	for i := range parts {
		t := s.took(func() { f(i) })
		sum, last = sum+t, max(last, t)
	}
	s.saved += sum - last
}

// took returns the simulated duration of f.
func (s *simulation) took(f func()) float64 {
	start := s.now() - s.saved
	f()
	return s.now() - s.saved - start
}

// loop calls f(worker, i) for each i in [0, n). Each index goes to the worker that would be free first.
func (s *simulation) loop(workers, n int, f func(worker, i int)) {
	busy := make([]float64, workers)
	var sum, last float64
	for i := range n {
		w := 0
		for v, until := range busy {
			if until < busy[w] {
				w = v
			}
		}
		t := s.took(func() { f(w, i) })
		busy[w] += t
		sum, last = sum+t, max(last, busy[w])
	}
	s.saved += sum - last
}
