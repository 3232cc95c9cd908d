package direct_test

import (
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn/direct"
)

// BenchmarkTrain is one training with everything: centres, convex parts, 200 steps.
func BenchmarkTrain(b *testing.B) {
	for _, c := range []struct {
		n, d, k int
		widths  bool
	}{{1000, 2, 10, false}, {1000, 20, 10, false}, {1000, 20, 10, true}, {1000, 60, 10, false}, {1000, 60, 10, true},
		{10000, 20, 50, false}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/k=%d/widths=%v", c.n, c.d, c.k, c.widths), func(b *testing.B) {
			p := ref.Clouds(1, c.n, c.d)
			p.Threads = 1
			evals := 0
			for b.Loop() {
				r, err := direct.Trainer{MaxSV: c.k, FeatureWidths: c.widths, Tolerance: 1e-12}.Train(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				evals = r.Report.Figures.(direct.Figures).Evaluations
			}
			b.ReportMetric(float64(evals), "evaluations")
		})
	}
}
