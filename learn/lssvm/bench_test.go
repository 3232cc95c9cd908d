package lssvm_test

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/lssvm"
)

// The first solve of 1000 samples (kernel matrix, factorisation and solution of
// eq. (4) alone; and Dual's training, whose inverse also gives leave-one-out)
// beside the whole pruning path to 100, which contains a first solve of its own.
func BenchmarkPrune(b *testing.B) {
	const n = 1000
	p := clouds(2, n, 2)
	p.Threads = 1
	b.Run("op=first-solve/n=1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a, one, y := make([]float64, n*n), make([]float64, n), append([]float64(nil), p.Y...)
			gram.Pack[float64](p.Kernel, p.X, n, p.D).Full(a, n)
			for i := range n {
				a[i*n+i] += 0.1
				one[i] = 1
			}
			var f cholupdate.Factor
			if err := f.Factorize(context.Background(), a, n, n, 1); err != nil {
				b.Fatal(err)
			}
			f.Solve(one)
			f.Solve(y)
		}
	})
	b.Run("op=dual/n=1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := (lssvm.Dual{GammaReg: 10}).Train(context.Background(), p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("op=path/n=1000/sv=100", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			path, err := lssvm.Prune{GammaReg: 10, MinSV: 100}.Models(context.Background(), p)
			if err != nil || path[len(path)-1].Size != 100 {
				b.Fatal(len(path), err)
			}
		}
	})
}

// One leave-one-out figure for each of 15 values of γ, an inverse each.
func BenchmarkGrid(b *testing.B) {
	p := clouds(2, 500, 2)
	p.Threads = 1
	var grid []float64
	for e := -7; e <= 7; e++ {
		grid = append(grid, math.Pow(4, float64(e)))
	}
	b.Run("n=500/gammas=15", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := (lssvm.Dual{Grid: grid}).Train(context.Background(), p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
