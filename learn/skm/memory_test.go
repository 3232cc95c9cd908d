package skm

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// What a training allocates stays within its budget, and where working rows have no room in it
// the model of those that have is the best so far, which says so.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	const late = 256 << 10 // what a collector that comes late leaves, and what is there twice while working rows join
	p := problem(t, dataset.PelegMeir(500, 0.2, 3), gram.RBFSigma(0.5))
	for _, tr := range []learn.Trainer{Trainer{C: 0.01}, L1SVM{C: 10}, L0SVM{C: 10}, LPSVC{C: 100}} {
		p.Memory = tr.EstimateMemory(p.N, p.D) + 4<<20
		var err error
		smallest := int64(p.N) * 200 * 8
		peak := testutil.PeakHeapFrom(t, smallest, func() { _, err = tr.Train(t.Context(), p) })
		if err != nil || peak > p.Memory+late || peak < smallest {
			t.Errorf("%s: %d bytes at most, the budget is %d, error %v", tr.Name(), peak, p.Memory, err)
		}
		p.Memory = tr.EstimateMemory(p.N, p.D)
		var r *learn.Result
		peak = testutil.PeakHeap(t, func() { r, err = tr.Train(t.Context(), p) })
		switch {
		case err != nil || peak > p.Memory+late:
			t.Errorf("%s: %d bytes at most, the budget is %d, error %v", tr.Name(), peak, p.Memory, err)
		case r.Report.Status != status.IterationLimit || !strings.Contains(r.Report.Message, "memory budget") ||
			len(r.Support) == 0:
			t.Errorf("%s with the memory of 256 working rows: %v, %d vectors, message %q", tr.Name(), r.Report.Status,
				len(r.Support), r.Report.Message)
		}
	}
	for _, tr := range overFew(10, 100, "") {
		p.Memory = tr.EstimateMemory(p.N, p.D) + 4<<20
		var err error
		peak := testutil.PeakHeap(t, func() { _, err = tr.Train(t.Context(), p) })
		if err != nil || peak > p.Memory+late {
			t.Errorf("%s over candidates: %d bytes at most, the budget is %d, error %v", tr.Name(), peak, p.Memory, err)
		}
	}
}
