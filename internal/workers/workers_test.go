package workers_test

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/internal/workers"
)

// panicOf returns what f panics with.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestGroup(t *testing.T) {
	var done atomic.Int32
	got := panicOf(func() {
		var g workers.Group
		for i := range 8 {
			g.Go(func() {
				if i == 3 {
					var inner workers.Group
					inner.Go(func() { here() })
					inner.Wait()
				}
				done.Add(1)
			})
		}
		g.Wait()
	})
	p, ok := got.(*workers.Panic)
	if !ok || p.Value != "gram: a bad kernel" || !strings.Contains(p.Error(), "workers_test.here") || done.Load() != 7 {
		t.Errorf("panic %v after %d of 7 others", got, done.Load())
	}
	got = panicOf(func() {
		var g workers.Group
		var none []int
		g.Go(func() { none[1]++ })
		g.Wait()
	})
	var fault runtime.Error
	if err, ok := got.(error); !ok || !errors.As(err, &fault) {
		t.Errorf("panic %v, want the runtime's error in its chain", got)
	}
	if got = panicOf(func() { var g workers.Group; g.Go(func() {}); g.Wait() }); got != nil {
		t.Errorf("panic %v of nothing", got)
	}
}

func here() { panic("gram: a bad kernel") }
