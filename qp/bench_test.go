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

// BenchmarkSolve solves programs warm after each kind of change, and a new solver's first one.
func BenchmarkSolve(b *testing.B) {
	for _, source := range [][2]int{{20, 40}, {200, 400}, {1000, 2000}} {
		n, m := source[0], source[1]
		rng := rand.New(rand.NewPCG(34, uint64(n)))
		p := drawn(rng, n, m)
		near := func(v []float64) [][]float64 {
			all := make([][]float64, 64)
			for k := range all {
				all[k] = normal(rng, len(v))
				for j := range all[k] {
					all[k][j] = v[j] + 0.1*all[k][j]
				}
			}
			return all
		}
		costs, rows, columns := near(p.C), near(p.RowUp), near(constant(n, 1))
		name := fmt.Sprintf("rows=%d/columns=%d/", m, n)
		b.Run(name+"start=cold", func(b *testing.B) {
			benchmarkSolves(b, func(k int) *Solver {
				q := p
				q.C = costs[k%len(costs)]
				s, err := New(q, Options{})
				if err != nil {
					b.Fatal(err)
				}
				return s
			})
		})
		for _, kind := range []struct {
			name   string
			change func(s *Solver, k int) error
		}{
			{"costs", func(s *Solver, k int) error { return s.SetCost(costs[k%len(costs)]) }},
			{"row-bounds", func(s *Solver, k int) error { return s.SetRowBounds(p.RowLo, rows[k%len(rows)]) }},
			{"column-bounds", func(s *Solver, k int) error { return s.SetColBounds(p.Lo, columns[k%len(columns)]) }},
		} {
			b.Run(name+"start=warm/change="+kind.name, func(b *testing.B) {
				s, err := New(p, Options{})
				if err != nil {
					b.Fatal(err)
				}
				benchmarkSolves(b, func(k int) *Solver {
					if err := kind.change(s, k); err != nil {
						b.Fatal(err)
					}
					return s
				})
			})
		}
	}
}

// benchmarkSolves times what next does and the solve of what it returns, after one that warms up.
func benchmarkSolves(b *testing.B, next func(k int) *Solver) {
	ctx := context.Background()
	var r Result
	next(0).SolveInto(ctx, &r)
	b.ReportAllocs()
	iterations := 0
	for k := 1; b.Loop(); k++ {
		if next(k).SolveInto(ctx, &r); r.Status != status.Optimal {
			b.Fatal(r.Status)
		}
		iterations += r.Iterations
	}
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
}

func BenchmarkNNLS(b *testing.B) {
	for _, source := range [][2]int{{30, 10}, {50, 20}, {200, 50}} {
		b.Run(fmt.Sprintf("rows=%d/columns=%d", source[0], source[1]), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(34, 6))
			a, right := simplex.NewDense(source[0], source[1], normal(rng, source[0]*source[1])), normal(rng, source[0])
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NNLS(context.Background(), a, right); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
