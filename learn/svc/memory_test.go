package svc

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// What a training allocates stays within its budget, with room for a few rows, for many, and for the whole matrix. A
// narrow kernel asks for that.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	for _, gamma := range []float64{0.05, 2} {
		p := clouds(rand.New(rand.NewPCG(15, 16)), 2500, 8, gram.RBF(gamma))
		for _, tr := range []Trainer{{C: 10}, {C: 10, Tolerance: 1e-9}} { // single and double precision
			for _, extra := range []int64{0, 2 << 20, 40 << 20, 80 << 20} {
				p.Memory = tr.EstimateMemory(p.N, p.D) + extra
				peak := testutil.PeakHeapFrom(t, 100<<10, func() { mustTrain(t, tr, p) })
				if peak > p.Memory || peak < 100<<10 {
					t.Errorf("gamma %v, %+v, %d more: %d bytes at most, the budget is %d", gamma, tr, extra, peak, p.Memory)
				}
			}
		}
	}
}
