package svc

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// What a training allocates stays within its budget, with room for a few rows and for many.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	p := clouds(rand.New(rand.NewPCG(15, 16)), 2500, 8, gram.RBF(0.05))
	for _, tr := range []Trainer{{C: 1}, {C: 1, Tolerance: 1e-9}} { // single and double precision
		for _, extra := range []int64{0, 2 << 20} {
			p.Memory = tr.EstimateMemory(p.N, p.D) + extra
			peak := testutil.PeakHeapFrom(t, 100<<10, func() { mustTrain(t, tr, p) })
			if peak > p.Memory || peak < 100<<10 {
				t.Errorf("%+v: %d bytes at most, the budget is %d", tr, peak, p.Memory)
			}
		}
	}
}
