package parallel_test

import (
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Work set aside runs on another goroutine, or not at all; end may be called again.
func TestAside(t *testing.T) {
	begun, free := make(chan bool), make(chan bool)
	var ended atomic.Bool
	end := parallel.Aside(func() {
		begun <- true
		<-free
		ended.Store(true)
	})
	<-begun
	close(free)
	for range 2 {
		if end(); !ended.Load() {
			t.Fatal("end did not wait")
		}
	}
	for range 1000 {
		var running atomic.Bool
		end = parallel.Aside(func() {
			running.Store(true)
			running.Store(false)
		})
		end()
		if end(); running.Load() {
			t.Fatal("it runs after its end")
		}
	}
	parallel.Simulate(func() float64 { return 0 }, func() {
		parallel.Aside(func() { t.Error("it runs in a simulation") })()
	})
	end = parallel.Aside(func() {
		begun <- true
		panic("bad")
	})
	<-begun
	if p, ok := panicOf(end).(*parallel.Panic); !ok || p.Value != "bad" {
		t.Errorf("the panic becomes %v", p)
	}
}
