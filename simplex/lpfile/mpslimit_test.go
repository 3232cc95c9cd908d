package lpfile

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
)

// TestMPSWithin: a file may not make the reader take more than it is given, however it is packed.
func TestMPSWithin(t *testing.T) {
	for name, long := range map[string]string{
		"rows":    "ROWS\n N f\n" + lines(2000, " L r%d\n"),
		"columns": "ROWS\n N f\nCOLUMNS\n" + lines(2000, " c%d f 1\n"),
		"entries": "ROWS\n N f\n" + lines(900, " L r%d\n") + "COLUMNS\n" + lines(40000, " c r%d 1\n"),
		"a name":  "ROWS\n N f\n L " + strings.Repeat("a", 600000) + "\n",
	} {
		_, err := Read(strings.NewReader(long), Limits{Bytes: 400000})
		if err == nil || !strings.Contains(err.Error(), "more than 400000 bytes of memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(strings.NewReader(example), Limits{Bytes: 400000}); err != nil {
		t.Error(err)
	}
	line := "ROWS\n" + strings.Repeat(" ", 2<<20) + "N f\n"
	var owner *Error
	if _, err := Read(strings.NewReader(line), Limits{Linear: true}); !errors.As(err, &owner) || owner.Line != 2 {
		t.Errorf("a line of two mebibytes: %v", err)
	}
	wide := "ROWS\n N f\n" + lines(30, " L"+strings.Repeat(" ", 500000)+"r%d\n") // names hold no lines
	before := heap()
	p := newMPSReader(strings.NewReader(wide), newBuilder(1<<20))
	p.read()
	testutil.AtMost(t, "bytes held after 15 million of blanks", float64(heap()-before), 4e6)
	runtime.KeepAlive(p)
	runtime.KeepAlive(wide)
}

// lines returns n lines of a format with their numbers.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// heap returns the bytes of the heap that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestDenseBytes counts what the dense copies take beyond what is counted by entry.
func TestDenseBytes(t *testing.T) {
	for entries, want := range map[int]int{2: 0, 3: 16*9 - 20*3, 6: 16*9 - 20*6, 9: 0} {
		a := &simplex.Sparse{Rows: 3}
		for j := range 3 {
			var rows []int32
			for i := range 3 {
				if 3*i+j < entries {
					rows = append(rows, int32(i))
				}
			}
			a.Append(rows, slices.Repeat([]float64{1}, len(rows)))
		}
		if got := denseBytes(a); got != want {
			t.Errorf("%d of 9 entries: %d bytes, want %d", entries, got, want)
		}
	}
}
