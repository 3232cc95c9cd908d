package bayes

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/learn"
)

// BenchmarkFast trains regression models: Friedman's first problem, which wants many vectors, and noisy sin(x)/x.
func BenchmarkFast(b *testing.B) {
	for _, of := range []struct {
		name  string
		set   *dataset.Set
		gamma float64
	}{{"friedman1-1000", dataset.Friedman(1, 1000, 1, 1), 0.5}, {"friedman2-400", dataset.Friedman(2, 400, 1, 1), 1e-6},
		{"sinc-1000", dataset.Sinc(1000, 0.1, 1), 0.1}} {
		p := &learn.Problem{X: of.set.X, N: of.set.N, D: of.set.D, Task: learn.Regress, Y: of.set.Targets,
			Kernel: gram.RBF(of.gamma), Resources: learn.Resources{Threads: 1}}
		b.Run("set="+of.name, func(b *testing.B) {
			start := cpu.Seconds()
			for b.Loop() {
				r, err := Fast{}.Train(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Coef)), "vectors")
				b.ReportMetric(-r.Report.Objective, "log-evidence")
				b.ReportMetric(float64(r.Report.Iterations), "steps")
			}
			b.ReportMetric((cpu.Seconds()-start)/float64(b.N), "cpu-s/op")
		})
	}
}
