package ssvc

import (
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

func BenchmarkTrainA(b *testing.B) {
	sets := []struct {
		name   string
		file   string
		kernel gram.Kernel
		c      float64
		zscore bool
	}{
		{"banana1000/C=1", "open/banana-1000.libsvm", gram.RBF(1), 1, false},
		{"german/C=3.16", "open/german.libsvm", gram.RBF(0.018), 3.16, true},
		{"german/C=10", "open/german.libsvm", gram.RBFSigma(12), 10, true},
		{"ringnorm1000/C=1", "open/ringnorm-1000.libsvm", gram.RBF(0.05), 1, false},
		{"banana1000/C=316", "open/banana-1000.libsvm", gram.RBF(1), 316, false},
	}
	for _, s := range sets {
		b.Run("set="+s.name, func(b *testing.B) {
			p := ref.File(b, testutil.Shared(b, s.file), s.kernel, s.zscore)
			p.Threads = 1
			var r *learn.Result
			for b.Loop() {
				var err error
				if r, err = (A{C: s.c}).Train(b.Context(), p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Report.Iterations), "rounds")
			b.ReportMetric(float64(len(r.Support)), "SV")
			b.ReportMetric(r.Report.Seconds.Gram*1e3, "gram-ms")
		})
	}
}
