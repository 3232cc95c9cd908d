package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

func eachLevel(b *testing.B, f func(b *testing.B)) {
	for _, l := range cpu.Available() {
		b.Run("level="+l.String(), func(b *testing.B) {
			defer cpu.Use(l)()
			f(b)
		})
	}
}

func perEntry(b *testing.B, entries int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
}

func BenchmarkExp(b *testing.B) {
	const n = 4096
	src, dst := make([]float64, n), make([]float64, n)
	for i := range src {
		src[i] = -20 * float64(i) / n
	}
	b.Run("type=float64/level=math.Exp", func(b *testing.B) {
		for b.Loop() {
			for i, x := range src {
				dst[i] = math.Exp(x)
			}
		}
		perEntry(b, n)
	})
	for _, percent := range []int{0, 1, 5, 100} {
		b.Run(fmt.Sprintf("type=float64/tiny=%d%%", percent), func(b *testing.B) { benchExp[float64](b, n, percent, 700) })
		b.Run(fmt.Sprintf("type=float32/tiny=%d%%", percent), func(b *testing.B) { benchExp[float32](b, n, percent, 80) })
	}
}

// benchExp has so many percent of its arguments between −far and −far − 60, where results are about the least normal
// number, subnormal, or 0.
func benchExp[T Float](b *testing.B, n, percent int, far float64) {
	src, dst := make([]T, n), make([]T, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		src[i] = T(-20 * rng.Float64())
		if rng.IntN(100) < percent {
			src[i] = T(-far - 60*rng.Float64())
		}
	}
	eachLevel(b, func(b *testing.B) {
		for b.Loop() {
			ExpNeg(dst, src)
		}
		perEntry(b, n)
	})
}

func BenchmarkRow(b *testing.B) {
	for _, d := range []int{2, 20, 60, 784} {
		b.Run(fmt.Sprintf("d=%d/type=float64", d), func(b *testing.B) { benchRow[float64](b, 5000, d) })
		b.Run(fmt.Sprintf("d=%d/type=float32", d), func(b *testing.B) { benchRow[float32](b, 5000, d) })
	}
	for _, n := range []int{1, 2, 3, 7, 8, 9, 100} {
		for _, d := range []int{1, 2, 3} {
			b.Run(fmt.Sprintf("n=%d/d=%d/type=float64", n, d), func(b *testing.B) { benchRow[float64](b, n, d) })
		}
	}
}

func benchRow[T Float](b *testing.B, n, d int) {
	p := Pack[T](RBF(0.5/float64(d)), points(n, d), n, d)
	dst := make([]T, n)
	eachLevel(b, func(b *testing.B) {
		i := 0
		for b.Loop() {
			p.Row(dst, i)
			if i++; i == n {
				i = 0
			}
		}
		perEntry(b, n)
	})
}

func BenchmarkRows(b *testing.B) {
	for _, d := range []int{2, 20, 60, 784} {
		k := RBF(0.5 / float64(d))
		b.Run(fmt.Sprintf("rows=8/d=%d/type=float64", d), func(b *testing.B) { benchRows[float64](b, k, 5000, d, 8) })
		b.Run(fmt.Sprintf("rows=8/d=%d/type=float32", d), func(b *testing.B) { benchRows[float32](b, k, 5000, d, 8) })
		b.Run(fmt.Sprintf("rows=2/d=%d/type=float64", d), func(b *testing.B) { benchRows[float64](b, k, 5000, d, 2) })
		b.Run(fmt.Sprintf("rows=2/d=%d/type=float32", d), func(b *testing.B) { benchRows[float32](b, k, 5000, d, 2) })
	}
}

func BenchmarkRowsLaplacian(b *testing.B) {
	for _, d := range []int{2, 20, 784} {
		k := Laplacian(0.5 / float64(d))
		b.Run(fmt.Sprintf("rows=8/d=%d/type=float64", d), func(b *testing.B) { benchRows[float64](b, k, 5000, d, 8) })
		b.Run(fmt.Sprintf("rows=8/d=%d/type=float32", d), func(b *testing.B) { benchRows[float32](b, k, 5000, d, 8) })
	}
}

// BenchmarkRowsCurves has a value of each function of squared distances next to RBF's.
func BenchmarkRowsCurves(b *testing.B) {
	const d = 20
	g := 0.5 / float64(d)
	for _, k := range []Kernel{RBF(g), Matern12(g), Matern32(g), Matern52(g), RationalQuadratic(1.5, g)} {
		name := k.Kind.String()
		b.Run("kernel="+name+"/type=float64", func(b *testing.B) { benchRows[float64](b, k, 5000, d, 8) })
		b.Run("kernel="+name+"/type=float32", func(b *testing.B) { benchRows[float32](b, k, 5000, d, 8) })
	}
}

func benchRows[T Float](b *testing.B, k Kernel, n, d, m int) {
	p := Pack[T](k, points(n, d), n, d)
	dst := make([][]T, m)
	idx := make([]int, m)
	for r := range dst {
		dst[r] = make([]T, n)
		idx[r] = r * 13 % n
	}
	eachLevel(b, func(b *testing.B) {
		for b.Loop() {
			p.Rows(dst, idx)
		}
		perEntry(b, n*m)
		b.ReportMetric(2*float64(d)*float64(n*m)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	})
}

// BenchmarkFull has rows that begin on cache lines (ld = Stride) and rows that do not (ld = n).
func BenchmarkFull(b *testing.B) {
	for _, d := range []int{2, 20, 60, 784} {
		for _, n := range []int{4999, 5000, 5001} {
			for _, ld := range []string{"n", "stride"} {
				b.Run(fmt.Sprintf("n=%d/d=%d/ld=%s/type=float64", n, d, ld), func(b *testing.B) { benchFull[float64](b, n, d, ld) })
				b.Run(fmt.Sprintf("n=%d/d=%d/ld=%s/type=float32", n, d, ld), func(b *testing.B) { benchFull[float32](b, n, d, ld) })
			}
		}
	}
}

func benchFull[T Float](b *testing.B, n, d int, rows string) {
	p := Pack[T](RBF(0.5/float64(d)), points(n, d), n, d)
	ld := n
	if rows == "stride" {
		ld = Stride[T](n)
	}
	dst := Aligned[T](n * ld)
	p.Full(dst, ld) // the first one pays for mapping the pages
	smallest := math.Inf(1)
	for b.Loop() {
		begin := cpu.Seconds()
		p.Full(dst, ld)
		smallest = min(smallest, cpu.Seconds()-begin)
	}
	b.ReportMetric(1e3*smallest, "least-cpu-ms")
	perEntry(b, n*n)
}
