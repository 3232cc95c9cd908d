package qp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// drawn is a dense definite program with n variables and m rows, about half of n active at its optimum.
func drawn(rng *rand.Rand, n, m int) QP {
	b := normal(rng, n*n)
	q := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := plainDot(b[i*n:][:n], b[j*n:][:n]) / float64(n)
			if i == j {
				v += 0.1
			}
			q[i*n+j], q[j*n+i] = v, v
		}
	}
	p := QP{Q: simplex.NewDense(n, n, q)}
	p.C, p.A = normal(rng, n), simplex.NewDense(m, n, normal(rng, m*n))
	p.Lo, p.Up = constant(n, -inf), constant(n, inf)
	p.RowLo, p.RowUp = constant(m, -inf), make([]float64, m)
	for i := range m {
		p.RowUp[i] = rng.Float64()
	}
	return p
}

func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func constant(n int, v float64) []float64 {
	c := make([]float64, n)
	for i := range c {
		c[i] = v
	}
	return c
}

func BenchmarkSolve(b *testing.B) {
	ctx := context.Background()
	for _, of := range [][2]int{{20, 40}, {200, 400}, {1000, 2000}} {
		n, m := of[0], of[1]
		rng := rand.New(rand.NewPCG(34, uint64(n)))
		p := drawn(rng, n, m)
		costs := make([][]float64, 64) // near the program's own
		for k := range costs {
			costs[k] = normal(rng, n)
			for j := range costs[k] {
				costs[k][j] = p.C[j] + 0.1*costs[k][j]
			}
		}
		name := fmt.Sprintf("variables=%d/rows=%d/", n, m)
		var r Result
		b.Run(name+"cold", func(b *testing.B) {
			b.ReportAllocs()
			iterations := 0
			for k := 0; b.Loop(); k++ {
				p.C = costs[k%len(costs)]
				s, err := New(p, Options{})
				if err != nil {
					b.Fatal(err)
				}
				s.SolveInto(ctx, &r)
				iterations += r.Iterations
			}
			b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
		})
		b.Run(name+"warm", func(b *testing.B) {
			s, err := New(p, Options{})
			if err != nil {
				b.Fatal(err)
			}
			s.SolveInto(ctx, &r)
			b.ReportAllocs()
			iterations := 0
			for k := 0; b.Loop(); k++ {
				if err := s.SetCost(costs[k%len(costs)]); err != nil {
					b.Fatal(err)
				}
				if s.SolveInto(ctx, &r); r.Status != status.Optimal {
					b.Fatal(r.Status)
				}
				iterations += r.Iterations
			}
			b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
		})
	}
}

func BenchmarkNNLS(b *testing.B) {
	rng := rand.New(rand.NewPCG(34, 6))
	a, right := simplex.NewDense(200, 50, normal(rng, 200*50)), normal(rng, 200)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NNLS(context.Background(), a, right); err != nil {
			b.Fatal(err)
		}
	}
}
