package skm

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/status"
)

// TestAfresh: at a hinge cost of 1e7 columns depend on each other to the last digits, and none of these models was
// proved optimal by the pivots that led to it. Begun afresh, once, most of their programs are.
func TestAfresh(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of pivots")
	}
	const n, most = 100, 4 // in their last bits, levels and architectures differ
	cells := []struct {
		seed  uint64
		gamma float64
	}{{1, 0.05}, {2, 0.05}, {4, 0.005}, {6, 0.05}, {9, 0.05}, {11, 0.005}, {12, 0.005}, {14, 0.005}, {15, 0.05}}
	given := 0
	for _, c := range cells {
		p := problem(t, dataset.PelegMeir(n, 0.2, c.seed), gram.RBF(c.gamma))
		r, err := LPSVC{C: 1e7}.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.Optimal {
			given++
		}
	}
	if given > most {
		t.Errorf("%d of %d models are given up", given, len(cells))
	}
}
