package learntest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// PeakHeap calls f and returns the most bytes of live heap that f added to what
// there was before: what the collector, which runs each time that the heap has
// grown by a twentieth, found in use. A sample is taken every 100 µs or so.
func PeakHeap(tb testing.TB, f func()) int64 {
	tb.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	before := liveHeap()
	peak := before
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
				peak = max(peak, liveHeap())
			}
		}
	}()
	f()
	close(stop)
	<-done
	return peak - before
}

func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
