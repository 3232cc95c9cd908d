package greedy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/learn/greedy"
)

func BenchmarkSelect(b *testing.B) {
	for _, c := range []struct{ n, d, sv int }{{400, 2, 40}, {2000, 18, 200}, {20000, 20, 100}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/sv=%d", c.n, c.d, c.sv), func(b *testing.B) {
			p := clouds(1, c.n, c.d)
			p.Threads, p.Memory = 1, 2<<30
			for b.Loop() {
				s, err := greedy.LDA{Eta: 1e-12, MaxSV: c.sv}.Select(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(s.Support)), "sv")
			}
		})
	}
}
