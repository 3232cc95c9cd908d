package cpu_test

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Memory comes back whole, to who wants as much and no less, and to one alone.
func TestReuse(t *testing.T) {
	const size = 1000
	x := make([]float32, size)
	for range 100 { // a pool may lose what it was given
		cpu.Release(x[:10])
		if y := cpu.Reuse[float32](size+1, 2*size); y != nil {
			t.Fatalf("%d elements for who wants %d", len(y), size+1)
		}
		cpu.Release(x[:10])
		if y := cpu.Reuse[float32](1, size-1); y != nil {
			t.Fatalf("%d elements for who has room for %d", len(y), size-1)
		}
		cpu.Release(x[:10])
		y := cpu.Reuse[float32](size/2, size)
		if y == nil {
			continue
		}
		if len(y) != size || &y[0] != &x[0] {
			t.Fatalf("%d elements, want the %d that were released", len(y), size)
		}
		if z := cpu.Reuse[float32](size, size); z != nil {
			t.Fatal("the same memory twice")
		}
		return
	}
	t.Error("nothing comes back")
}
