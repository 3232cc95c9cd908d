package testutil

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// PeakHeap runs f and returns how far the live heap rose above what it was before, in
// bytes. While f runs the garbage is collected whenever the heap has grown by 1 %, so
// that the figure is what f holds at a time, whatever it leaves behind. Nothing else
// should allocate meanwhile. It can miss a peak that lasts less than about a
// millisecond, but never reports one that there was not.
func PeakHeap(tb testing.TB, f func()) int64 {
	tb.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	before := live()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(200 * time.Microsecond):
				most = max(most, live())
			}
		}
	}()
	f()
	close(stop)
	return <-peak - before
}

// live is what the last collection found in use.
func live() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
