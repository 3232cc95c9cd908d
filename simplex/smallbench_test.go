package simplex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// smallProgram draws a program of m rows and n columns in boxes, and other bounds of its rows.
func smallProgram(m, n int, density float64) (lp LP, rights [][]float64) {
	r := rand.New(rand.NewPCG(1, uint64(m)))
	data := make([]float64, m*n)
	for i := range data {
		if r.Float64() < density {
			data[i] = r.Float64()
		}
	}
	lp = LP{C: make([]float64, n), Up: orFill(nil, n, 3), RowLo: orFill(nil, m, -inf), A: NewDense(m, n, data)}
	for j := range lp.C {
		lp.C[j] = -r.Float64()
	}
	for range 3000 {
		right := make([]float64, m)
		for i := range right {
			right[i] = 2 + 2*r.Float64()
		}
		rights = append(rights, right)
	}
	lp.RowUp = rights[0]
	return lp, rights
}

// BenchmarkSmall solves programs warm after each kind of change, and a new solver's first one.
func BenchmarkSmall(b *testing.B) {
	for _, size := range [][2]int{{10, 15}, {20, 30}, {50, 80}} {
		for _, density := range []float64{0.4, 1} {
			m, n := size[0], size[1]
			lp, rights := smallProgram(m, n, density)
			r := rand.New(rand.NewPCG(2, uint64(n)))
			costs := make([][]float64, 64)
			for k := range costs {
				costs[k] = make([]float64, n)
				for j := range costs[k] {
					costs[k][j] = -r.Float64()
				}
			}
			name := fmt.Sprintf("rows=%d/columns=%d/nonzero=%v/", m, n, density)
			for _, kind := range []struct {
				name   string
				change func(s *Solver, i int) error
			}{
				{"row-bounds", func(s *Solver, i int) error { return s.SetRowBounds(lp.RowLo, rights[i%len(rights)]) }},
				{"costs", func(s *Solver, i int) error { return s.SetCost(costs[i%len(costs)]) }},
				{"column-bounds", func(s *Solver, i int) error { return s.SetColBoundsAt(i%n, 0, float64(i%4)) }},
				{"entry", func(s *Solver, i int) error { return s.SetEntry(i%m, i*7%n, 0.1+float64(i%8)/8) }},
			} {
				b.Run(name+"start=warm/change="+kind.name, func(b *testing.B) {
					s, err := New(lp, Options{})
					if err != nil {
						b.Fatal(err)
					}
					benchmarkSolves(b, func(i int) *Solver {
						if err := kind.change(s, i); err != nil {
							b.Fatal(err)
						}
						return s
					})
				})
			}
			b.Run(name+"start=cold", func(b *testing.B) {
				p := lp
				benchmarkSolves(b, func(i int) *Solver {
					p.RowUp = rights[i%len(rights)]
					s, err := New(p, Options{})
					if err != nil {
						b.Fatal(err)
					}
					return s
				})
			})
		}
	}
}

// benchmarkSolves times what next does and the solve of what it returns, after some that warm up.
func benchmarkSolves(b *testing.B, next func(i int) *Solver) {
	ctx := context.Background()
	var r Result
	pivots := 0
	for i := range 100 {
		next(i).SolveInto(ctx, &r)
	}
	b.ReportAllocs()
	b.ResetTimer()
	begun := cpu.Seconds()
	for i := range b.N {
		next(i).SolveInto(ctx, &r)
		pivots += r.Iterations
	}
	b.ReportMetric(1e9*(cpu.Seconds()-begun)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(pivots)/float64(b.N), "pivots/op")
}

// BenchmarkPool solves the same programs on one goroutine and on two.
func BenchmarkPool(b *testing.B) {
	for _, size := range [][2]int{{10, 15}, {20, 30}, {50, 80}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("rows=%d/columns=%d/threads=%d", size[0], size[1], threads), func(b *testing.B) {
				lp, rights := smallProgram(size[0], size[1], 1)
				pool, err := NewPool(context.Background(), lp, Options{})
				if err != nil {
					b.Fatal(err)
				}
				change := func(i int, s *Solver) error { return s.SetRowBounds(lp.RowLo, rights[i%len(rights)]) }
				use := func(int, *Result) error { return nil }
				b.ReportAllocs()
				b.ResetTimer()
				begun := cpu.Seconds()
				if err := pool.Each(context.Background(), threads, b.N, change, use); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(1e9*(cpu.Seconds()-begun)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
