package svc

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
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
		{"ringnorm7400/C=100", 100, 1e-3, func(tb testing.TB) *learn.Problem {
			return load(tb, testutil.Shared(tb, "open/ringnorm.libsvm.gz"), true, gram.RBF(0.05))
		}},
		{"twonorm7400-narrow/C=100", 100, 1e-3, func(tb testing.TB) *learn.Problem { return twonorm(tb, 7400, gram.RBF(0.5)) }},
		{"mnist6000/C=10", 10, 1e-3, func(tb testing.TB) *learn.Problem { return digits(tb, 6000) }},
	}
	for _, s := range sets {
		b.Run("set="+s.name, func(b *testing.B) {
			p := s.load(b)
			p.Threads = 1
			var r *learn.Result
			b.ReportAllocs()
			begin := cpu.Seconds()
			for b.Loop() {
				var err error
				if r, err = (Trainer{C: s.c, Tolerance: s.tol}).Train(b.Context(), p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpu.Seconds()-begin)*1e3/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(r.Report.InnerIterations), "steps")
			b.ReportMetric(float64(r.Report.Iterations), "sets")
			b.ReportMetric(float64(r.Report.Figures.(Figures).RowsComputed), "rows")
			b.ReportMetric(float64(len(r.Support)), "SV")
			b.ReportMetric(r.Report.Seconds.Gram*1e3, "gram-ms")
			b.ReportMetric(r.Report.Duality.Objective, "dual")
		})
	}
}

// twonorm is drawn, z-scored.
func twonorm(tb testing.TB, n int, k gram.Kernel) *learn.Problem {
	tb.Helper()
	set := dataset.Twonorm(n, 1)
	z, err := dataset.FitZ(set)
	if err != nil {
		tb.Fatal(err)
	}
	set = z.Apply(set)
	p := &learn.Problem{X: set.X, N: n, D: set.D, Y: make([]float64, n), Kernel: k}
	for i, class := range set.Y {
		if p.Y[i] = -1; class == 0 {
			p.Y[i] = 1
		}
	}
	return p
}
