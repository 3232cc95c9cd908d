package ssvc

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/status"
)

// What a training allocates stays within its budget. In two dimensions many hinge losses
// are between their bounds, which is what the solver's own memory grows with.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	set := dataset.PelegMeir(500, 0.2, 3)
	y, err := set.Signs()
	if err != nil {
		t.Fatal(err)
	}
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBFSigma(0.5)}
	for _, tr := range []learn.Trainer{
		A{}, A{C: 10, Norm: 1.5, MaxIter: 5}, A{TwoNorm: 0.1}, A{Norm: math.Inf(1), MaxIter: 300}, A{Norm: 1}, ssvclp.B{}, ssvclp.B{C: 100}, ssvclp.W{},
	} {
		p.Memory = tr.EstimateMemory(p.N, p.D)
		if a, quadratic := tr.(A); !quadratic || a.Norm == 1 {
			p.Memory += 4 << 20 // for working rows beyond those that the estimate counts
		}
		smallest := int64(p.N) * 100 * 8
		peak := testutil.PeakHeapFrom(t, smallest, func() { ref.Train(t, tr, p) })
		if peak > p.Memory || peak < smallest {
			t.Errorf("%s %+v: %d bytes at most, the budget is %d", tr.Name(), tr, peak, p.Memory)
		}
	}
	p.Memory = ssvclp.B{}.EstimateMemory(p.N, p.D)
	r := ref.Train(t, ssvclp.B{C: 100}, p)
	if st, message := r.Report.Status, r.Report.Message; st != status.IterationLimit || len(r.Support) == 0 ||
		!strings.Contains(message, "memory budget") {
		t.Errorf("372 working rows in the memory for 256: %v, %d vectors, message %q", st, len(r.Support), message)
	}
}
