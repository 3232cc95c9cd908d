package cpu_test

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Memory comes back whole, to who wants as much and no less, and to one alone. What is of another size stays.
func TestReuse(t *testing.T) {
	const size = 1000
	for range 100 { // a pool may lose what it was given
		x := make([]float32, size)
		cpu.Release(x[:10])
		if y := cpu.Reuse[float32](size+1, 2*size); y != nil {
			t.Fatalf("%d elements for who wants %d", len(y), size+1)
		}
		if y := cpu.Reuse[float32](1, size-1); y != nil {
			t.Fatalf("%d elements for who has room for %d", len(y), size-1)
		}
		y := cpu.Reuse[float32](size/2, size)
		if y == nil {
			continue
		}
		if len(y) != size {
			t.Fatalf("%d elements, want the %d that were released", len(y), size)
		}
		if z := cpu.Reuse[float32](size, size); z != nil && &y[0] == &z[0] {
			t.Fatal("the same memory twice")
		}
		return
	}
	t.Error("nothing comes back")
}
