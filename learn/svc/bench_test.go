package svc

import (
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

func BenchmarkTrain(b *testing.B) {
	sets := []struct {
		name string
		c    float64
		tol  float64
		load func(testing.TB) *learn.Problem
	}{
		{"banana5300/C=1", 1, 1e-3, func(tb testing.TB) *learn.Problem { return read(tb, "open/banana.libsvm", gram.RBF(1)) }},
		{"banana5300/C=316", 316, 1e-3, func(tb testing.TB) *learn.Problem { return read(tb, "open/banana.libsvm", gram.RBF(1)) }},
		{"ringnorm5000/C=1", 1, 1e-3, func(tb testing.TB) *learn.Problem {
			return head(read(tb, "open/ringnorm.libsvm.gz", gram.RBF(0.05)), 5000)
		}},
		{"mnist6000/C=10", 10, 1e-3, func(tb testing.TB) *learn.Problem { return digits(tb, 6000) }},
	}
	for _, s := range sets {
		b.Run("set="+s.name, func(b *testing.B) {
			p := s.load(b)
			p.Threads = 1
			var r *learn.Result
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if r, err = (Trainer{C: s.c, Tolerance: s.tol}).Train(b.Context(), p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Report.InnerIterations), "steps")
			b.ReportMetric(float64(r.Report.Iterations), "sets")
			b.ReportMetric(float64(r.Report.Figures.(Figures).RowsComputed), "rows")
			b.ReportMetric(float64(len(r.Support)), "SV")
			b.ReportMetric(r.Report.Seconds.Gram*1e3, "gram-ms")
			b.ReportMetric(r.Report.Duality.Objective, "dual")
		})
	}
}
