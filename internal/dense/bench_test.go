package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// eachLevel runs f at every level of the host; work is the number of multiplications of a call.
func eachLevel(b *testing.B, name string, work int, f func()) {
	for _, l := range cpu.Available() {
		b.Run(fmt.Sprintf("%s/level=%v", name, l), func(b *testing.B) {
			defer cpu.Use(l)()
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(2*float64(work)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkAddOuter(b *testing.B) {
	for _, s := range [][2]int{{11, 16}, {21, 32}, {51, 80}, {65, 256}} {
		m, n := s[0], s[1]
		c, coef, x := make([]float64, m*n), make([]float64, m), make([]float64, n)
		eachLevel(b, fmt.Sprintf("m=%d/n=%d", m, n), m*n, func() { AddOuter(c, n, coef, x) })
	}
}

func BenchmarkAddRows(b *testing.B) {
	for _, s := range [][2]int{
		{20, 20}, {100, 3}, {100, 17}, {100, 100}, {200, 256},
		{1000, 16}, {1000, 200}, {5300, 16}, {5300, 100}, {20000, 16},
	} {
		n, k := s[0], s[1]
		rng := rand.New(rand.NewPCG(1, 2))
		y, coef, a := lend(rng, n, 0).s(), lend(rng, k, 0).s(), lend(rng, n*k, 0).s()
		rows, narrow := make([][]float64, k), make([][]float32, k)
		for q := range rows {
			rows[q], narrow[q] = a[q*n:(q+1)*n], make([]float32, n)
			for j := range narrow[q] { // else all pages would be the one of zeros
				narrow[q][j] = 1
			}
		}
		eachLevel(b, fmt.Sprintf("n=%d/rows=%d/type=strided", n, k), n*k, func() { AddRows(y, coef, a, n) })
		eachLevel(b, fmt.Sprintf("n=%d/rows=%d/type=float64", n, k), n*k, func() { AddGathered(y, coef, rows) })
		eachLevel(b, fmt.Sprintf("n=%d/rows=%d/type=float32", n, k), n*k, func() { AddGathered(y, coef, narrow) })
	}
}

func BenchmarkMulVec(b *testing.B) {
	for _, s := range [][2]int{{1000, 4}, {1000, 8}, {1000, 16}, {1000, 24}, {1000, 100}, {1000, 1000}, {16, 5300}, {256, 200}, {256, 2000}} {
		m, n := s[0], s[1]
		rng := rand.New(rand.NewPCG(1, 2))
		dst, coef := make([]float64, m), make([]float64, m)
		x, y, a := lend(rng, n, 0).s(), lend(rng, n, 0).s(), lend(rng, m*n, 0).s()
		rows := make([][]float64, m)
		for q := range rows {
			rows[q] = a[q*n : (q+1)*n]
		}
		eachLevel(b, fmt.Sprintf("op=strided/m=%d/n=%d", m, n), m*n, func() { MulVec(dst, a, n, x) })
		eachLevel(b, fmt.Sprintf("op=gathered/m=%d/n=%d", m, n), m*n, func() { AddMulGathered(dst, rows, x) })
		eachLevel(b, fmt.Sprintf("op=both/m=%d/n=%d", m, n), 2*m*n, func() { AddBoth(dst, coef, a, n, x, y) })
	}
}

func BenchmarkTiles(b *testing.B) {
	for _, s := range [][2]int{{64, 4}, {1000, 2}, {1000, 20}} {
		n, k := s[0], s[1]
		rng := rand.New(rand.NewPCG(1, 2))
		c, a := make([]float64, 4*n), lend(rng, k*n, 0).s()
		start, coef := make([]float64, 4), lend(rng, 4*k, 0).s()
		eachLevel(b, fmt.Sprintf("op=rows/m=4/k=%d/n=%d", k, n), 4*k*n, func() { MulRows(c, n, start, coef, k, a, n, k, n) })
	}
	for _, n := range []int{64, 1000, 20000} { // first level of the caches, first, second
		rng := rand.New(rand.NewPCG(1, 2))
		a, x, dst := lend(rng, 4*n, 0).s(), lend(rng, 2*n, 0).s(), make([]float64, 8)
		eachLevel(b, fmt.Sprintf("op=dots/n=%d", n), 8*n, func() { AddDots(dst, 4, a, n, 4, x, n, 2, n) })
		for i := range a {
			a[i] = 1
		}
		eachLevel(b, fmt.Sprintf("op=scale/n=%d", n), n/2, func() { Scale(x[:n], a[:n]) })
	}
}

// A block of a matrix whose rows are in pages of their own, as the products pack it.
func BenchmarkPack(b *testing.B) {
	const n = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	a := Of(lend(rng, n*n, 0).s(), n, n, n)
	dst := make([]float64, depth*width)
	right, left := a.Sub(0, depth, 0, width), a.Sub(0, width, 0, depth).T()
	for _, l := range cpu.Available() {
		for name, pack := range map[string]func(){
			"rows":    func() { packPanels(dst, right, table.Active().nr, depth) },
			"columns": func() { packPanels(dst, left, table.Active().mr, depth) },
		} {
			b.Run(fmt.Sprintf("op=%s/level=%v", name, l), func(b *testing.B) {
				defer cpu.Use(l)()
				b.SetBytes(16 * depth * width)
				for b.Loop() {
					pack()
				}
			})
		}
	}
}
