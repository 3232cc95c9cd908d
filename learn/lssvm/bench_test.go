package lssvm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
)

// clouds is a two-class problem: n points of dimension d, labels by a curved surface with noise.
func clouds(seed uint64, n, d int) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Kernel: gram.RBF(1 / float64(2*d))}
	for i := range n {
		s := 0.3 * rng.NormFloat64()
		for k := range d {
			v := rng.NormFloat64()
			p.X[i*d+k] = v
			s += v*v/float64(d) + v*float64(k%3-1)/4
		}
		p.Y[i] = 1
		if s < 1 {
			p.Y[i] = -1
		}
	}
	p.Y[0], p.Y[n-1] = 1, -1
	return p
}

func BenchmarkSelect(b *testing.B) {
	for _, c := range []struct{ n, d, sv int }{{400, 2, 40}, {2000, 18, 200}, {20000, 20, 100}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/sv=%d", c.n, c.d, c.sv), func(b *testing.B) {
			p := clouds(1, c.n, c.d)
			p.Threads, p.Memory = 1, 2<<30
			for b.Loop() {
				s, err := lssvm.LDA{Eta: 1e-12, MaxSV: c.sv}.Select(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(s.Support)), "sv")
			}
		})
	}
}
