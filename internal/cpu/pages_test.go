package cpu_test

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// What is asked for is of any length and place, and stays as it is.
func TestLarge(t *testing.T) {
	for _, n := range []int{0, 1, cpu.LargePagesFrom/8 - 1, cpu.LargePagesFrom / 8, 3*cpu.LargePagesFrom/8 + 5} {
		x := make([]float64, n+3)[3:]
		y := cpu.LargePages(x)
		if len(y) != n || n > 0 && &x[0] != &y[0] {
			t.Fatalf("%d values become %d, or move", n, len(y))
		}
		for i := range y {
			if y[i] != 0 {
				t.Fatalf("value %d of %d is %v", i, n, y[i])
			}
			y[i] = float64(i)
		}
		for i := range x {
			if x[i] != float64(i) {
				t.Fatalf("value %d of %d is %v", i, n, x[i])
			}
		}
	}
}

// Linux marks the memory, unless it is told otherwise; emulators of other processors need not.
func TestLargeOnLinux(t *testing.T) {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if runtime.GOOS+runtime.GOARCH != "linuxamd64" || err != nil || !strings.Contains(string(mode), "[madvise]") {
		t.Skip("no large pages for who asks")
	}
	x := cpu.LargePages(make([]float64, 8<<20))
	for i := 0; i < len(x); i += 512 {
		x[i] = 1
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if line := sc.Text(); strings.HasPrefix(line, "VmFlags:") && strings.Contains(line, " hg") {
			runtime.KeepAlive(x)
			return
		}
	}
	t.Error("no part of the memory is marked for large pages")
}
