package cpu_test

import (
	"runtime"
	"testing"
	"time"

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

// Large memory comes from the system, is lent again, and goes back once nothing refers to it.
func TestMemory(t *testing.T) {
	const size = cpu.LargePagesFrom
	before := cpu.Mapped()
	x := cpu.Memory[float32](size, size)
	if len(x) != size || runtime.GOOS == "linux" && cpu.Mapped() < 4*size {
		t.Fatalf("%d elements, %d bytes mapped", len(x), cpu.Mapped())
	}
	for i := range x {
		x[i] = float32(i)
	}
	held := cpu.Mapped()
	cpu.Release(x)
	if y := cpu.Memory[float32](size-5, size); len(y) != size-5 || cpu.Mapped() > held+4*size+cpu.LargePagesFrom {
		t.Fatalf("%d elements, %d bytes mapped", len(y), cpu.Mapped())
	} else {
		cpu.Release(y)
	}
	for try := 0; cpu.Mapped() > before; try++ { // the pool forgets, then cleanups run
		if try == 1000 {
			t.Fatalf("%d bytes are still mapped", cpu.Mapped())
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if small := cpu.Memory[float64](100, 200); len(small) != 100 {
		t.Fatalf("%d elements", len(small))
	}
}
