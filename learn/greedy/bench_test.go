package greedy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/greedy"
)

func BenchmarkSelect(b *testing.B) {
	for _, c := range []struct{ n, d, sv int }{{400, 2, 40}, {2000, 18, 200}, {4000, 20, 4000}, {20000, 20, 100}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/sv=%d", c.n, c.d, c.sv), func(b *testing.B) {
			p := clouds(1, c.n, c.d)
			p.Threads, p.Memory = 1, 2<<30
			eta := 1e-12
			if c.sv == c.n {
				eta = 1e-4
			}
			for b.Loop() {
				s, err := greedy.LDA{Eta: eta, MaxSV: c.sv}.Select(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(s.Support)), "sv")
			}
		})
	}
}

// Every sample is independent of those before it.
func BenchmarkCholesky(b *testing.B) {
	for _, gamma := range []float64{1. / 40, 0.5} {
		b.Run(fmt.Sprintf("gamma=%v", gamma), func(b *testing.B) {
			p := clouds(1, 2000, 20)
			p.Kernel = gram.RBF(gamma)
			p.Threads = 1
			for b.Loop() {
				r, err := greedy.Cholesky{}.Train(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Support)), "sv")
				b.ReportMetric(*r.Report.Residual, "residual")
			}
		})
	}
}
