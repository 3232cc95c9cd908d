package blocked

import (
	"errors"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// A kernel that panics in a worker panics in the goroutine that asked for the row.
func TestWorkerPanics(t *testing.T) {
	const n, d = 256, 20000
	k := gram.Custom(func(x, z []float64) float64 {
		if x[0] == 200 || z[0] == 200 {
			panic("a kernel that fails")
		}
		return 0
	})
	x := make([]float64, n*d)
	x[200*d] = 200
	m := New(gram.Pack[float64](k, x, n, d), 1<<20, 2)
	if m.split(n, 2*d+evalCost) < 2 {
		t.Fatal("one worker")
	}
	defer func() {
		var p *parallel.Panic
		if err, ok := recover().(error); !ok || !errors.As(err, &p) || p.Value != "a kernel that fails" {
			t.Errorf("panic %v", err)
		}
	}()
	m.Rows([]int{0})
	t.Error("no panic")
}
