package testutil

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// PeakHeap returns by how many bytes the live heap rose at most while f ran. It makes
// collections frequent and reads what each of them left.
func PeakHeap(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	before := liveHeap()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for {
			select {
			case <-stop:
				peak <- max(most, liveHeap())
				return
			case <-time.After(200 * time.Microsecond):
				most = max(most, liveHeap())
			}
		}
	}()
	f()
	close(stop)
	return <-peak - before
}

// liveHeap is what the last collection found reachable.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
