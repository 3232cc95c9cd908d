package testutil

import (
	"testing"
	"time"
)

var kept [][]byte

// TestPeakHeap measures what is held, what is let go half-way, and garbage.
func TestPeakHeap(t *testing.T) {
	if !StoppedCollector(t) {
		return
	}
	const mib = 1 << 20
	hold := func(n int) {
		for range n {
			kept = append(kept, make([]byte, mib))
		}
		time.Sleep(100 * time.Millisecond) // for a sampler on a busy core
	}
	for _, c := range []struct {
		name string
		f    func()
		want int64 // MiB
	}{
		{"held", func() { hold(20) }, 20},
		{"let go", func() { hold(10); kept = nil; hold(4) }, 10},
		{"garbage", func() {
			for range 2000 {
				kept = append(kept[:0], make([]byte, mib)) // the last one is held until then
			}
		}, 2},
	} {
		got := PeakHeap(t, c.f)
		t.Logf("%s: %.2f MiB", c.name, float64(got)/mib)
		if !(got >= c.want*mib-mib/2 && got <= c.want*mib+mib/2) {
			t.Errorf("%s: %.2f MiB, want about %d", c.name, float64(got)/mib, c.want)
		}
		kept = nil
	}
}
