package parallel_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"time"
)

// panicOf returns what f panics with.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestPanics(t *testing.T) {
	var done atomic.Int32
	got := panicOf(func() {
		parallel.Run(8, func(i int) {
			if i == 3 {
				parallel.Run(1, func(int) { here() })
			}
			done.Add(1)
		})
	})
	p, ok := got.(*parallel.Panic)
	if !ok || p.Value != "gram: a bad kernel" || !strings.Contains(p.Error(), "parallel_test.here") || done.Load() != 7 {
		t.Errorf("panic %v after %d of 7 others", got, done.Load())
	}
	got = panicOf(func() {
		var none []int
		parallel.Run(2, func(int) { none[1]++ })
	})
	var fault runtime.Error
	if err, ok := got.(error); !ok || !errors.As(err, &fault) {
		t.Errorf("panic %v, want the runtime's error in its chain", got)
	}
	if got = panicOf(func() { parallel.Run(1, func(int) {}) }); got != nil {
		t.Errorf("panic %v of nothing", got)
	}
}

func here() { panic("gram: a bad kernel") }

// Every part runs once, also where Runs are inside of others, follow one another at once, and come from many
// goroutines.
func TestRun(t *testing.T) {
	var outer sync.WaitGroup
	for range 4 {
		outer.Go(func() {
			for round := range 2000 {
				parts := round % 7
				calls := make([]atomic.Int32, parts*3)
				parallel.Run(parts, func(i int) {
					parallel.Run(3, func(k int) { calls[3*i+k].Add(1) })
				})
				for i := range calls {
					if c := calls[i].Load(); c != 1 {
						t.Errorf("part %d of %d was run %d times", i, parts, c)
						return
					}
				}
			}
		})
	}
	outer.Wait()
}

// A part runs on another goroutine where there is a processor for it: these two wait for each other, as parts must not,
// and would wait for ever otherwise.
func TestBeside(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one processor")
	}
	for range 100 {
		var there atomic.Int32
		parallel.Run(2, func(int) {
			there.Add(1)
			for there.Load() < 2 {
				runtime.Gosched()
			}
		})
	}
}

// Helpers that find no more work end.
func TestHelpersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 100 {
		parallel.Run(8, func(int) {})
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// What handing over an empty part takes, to a helper that looks for work and to one that has to be started.
func BenchmarkRun(b *testing.B) {
	for _, pause := range []time.Duration{0, time.Millisecond} {
		b.Run("pause="+pause.String(), func(b *testing.B) {
			var spent time.Duration
			for range b.N {
				time.Sleep(pause)
				begin := time.Now()
				parallel.Run(2, func(int) {
					for from := time.Now(); time.Since(from) < 10*time.Microsecond; {
					}
				})
				spent += time.Since(begin)
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/run")
		})
	}
}
