package testutil

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// StoppedCollector reports whether the garbage collector stops the program, which
// [PeakHeap] needs. If not, it runs the test in a process of its own that has such a
// collector, and takes that one's outcome: the test should then return.
func StoppedCollector(t *testing.T) bool {
	t.Helper()
	const setting = "gcstoptheworld=1"
	if strings.Contains(os.Getenv("GODEBUG"), setting) {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG="+setting)
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated processor, which cannot start its own programs")
	}
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("with GODEBUG=%s: %v", setting, err)
	}
	return false
}

// PeakHeap runs f and returns how far the live heap rose above what it was before, in
// bytes. While f runs the garbage is collected whenever the heap has grown by 1 %, so
// that the figure is what f holds at a time, whatever it leaves behind; a collector
// that runs next to the program would count what is allocated meanwhile. Nothing else
// should allocate. A short peak may be missed while processors are busy: [PeakHeapFrom] is for
// tests that want one.
func PeakHeap(tb testing.TB, f func()) int64 {
	tb.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	runtime.GC() // the first leaves what pools keep
	before := live()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		largest := before
		for {
			select {
			case <-stop:
				peak <- max(largest, live()) // the last collection was while f ran
				return
			case <-time.After(200 * time.Microsecond):
				largest = max(largest, live())
			}
		}
	}()
	f()
	close(stop)
	return <-peak - before
}

// PeakHeapFrom runs f until its [PeakHeap] is at least that many bytes, twenty times at most, and returns the
// largest. A test that fails below it fails for what f holds then, not for a peak that was missed.
func PeakHeapFrom(tb testing.TB, atLeast int64, f func()) int64 {
	tb.Helper()
	peak := PeakHeap(tb, f)
	for try := 1; try < 20 && peak < atLeast; try++ {
		peak = max(peak, PeakHeap(tb, f))
	}
	return peak
}

// live is what the last collection found in use, and the system's own memory.
func live() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()) + cpu.Mapped()
}
