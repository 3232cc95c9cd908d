package limits

import (
	"testing"
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The loops end, and what FMA says that it did follows from the width of a level's vectors.
func TestLoops(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, turns := range []int{0, 1, 7} {
			if got, want := FMA(turns), float64(48**lanes.Active()*turns); got != want {
				t.Errorf("%d turns are %v operations, want %v", turns, got, want)
			}
		}
		x := make([]float64, 4*Step)
		for n := 0; n <= len(x); n += Step {
			Read(x[:n], 2)
		}
	})
}

// The portable loop looks at every element.
func TestReadsAll(t *testing.T) {
	defer cpu.Use(cpu.Generic)()
	x := make([]float64, 2*Step)
	for i := range x {
		x[i] = 1
		Read(x, 1)
		if sinkBits == 0 {
			t.Fatalf("element %d was not read", i)
		}
		x[i] = 0
	}
}

// The portable sums are used, so that no compiler leaves them out.
func TestMultiplies(t *testing.T) {
	defer cpu.Use(cpu.Generic)()
	sink = 0
	FMA(10)
	if !(sink > 3.9 && sink < 4.1) { // x/2 + 1/4 eight times tends to 8/2
		t.Errorf("the sum of the portable loop is %v", sink)
	}
}

// Every element of a buffer is stored, and none beyond it.
func TestWritesAll(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		x := make([]float64, 6*Step)
		at := int(-uintptr(unsafe.Pointer(&x[0]))%64) / 8 // Rule 2 of package unsafe: a number
		for n := 0; n <= 4*Step; n += Step {
			for i := range x {
				x[i] = 1
			}
			Write(x[at+64 : at+64+n])
			for i, v := range x {
				want := 1.0
				if i >= at+64 && i < at+64+n {
					want = 0
				}
				if v != want {
					t.Fatalf("%d elements: element %d is %v, want %v", n, i-at-64, v, want)
				}
			}
		}
	})
}
