package centres

import (
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// BenchmarkEval is one evaluation of objective and gradient; BenchmarkBound what its two products and its exp cost
// alone, at the fastest that the model does.
func BenchmarkEval(b *testing.B) { eachShape(b, benchEval) }

// BenchmarkEvalKernels is the same of the other kernels with slopes.
func BenchmarkEvalKernels(b *testing.B) {
	for _, kind := range []gram.Kind{gram.KindRBF, gram.KindMatern32, gram.KindMatern52, gram.KindRationalQuadratic} {
		b.Run("kernel="+kind.String(), func(b *testing.B) {
			eachShape(b, func(b *testing.B, p *Problem, k int) {
				p.Kernel.Kind, p.Kernel.Alpha = kind, 1.5
				benchEval(b, p, k)
			})
		})
	}
}

func benchEval(b *testing.B, p *Problem, k int) {
	f, err := NewFitter(b.Context(), p)
	if err != nil {
		b.Fatal(err)
	}
	o := newObjective(p, f.s, &Model{K: k})
	x, grad := make([]float64, o.size()), make([]float64, o.size())
	for i := range x {
		x[i] = 0.1 * float64(i%7)
	}
	for b.Loop() {
		o.eval(b.Context(), x, grad)
	}
}

func BenchmarkBound(b *testing.B) {
	eachShape(b, func(b *testing.B, p *Problem, k int) {
		const m, depth = 240, 256
		left, right, out := make([]float64, m*depth), make([]float64, depth*m), make([]float64, m*m)
		e := make([]float64, 1024)
		for i := range e {
			e[i] = -float64(i) / 100
		}
		times := float64(2*p.N*p.D*k) / (m * m * depth)
		done := 0.0
		for b.Loop() {
			for done += times; done >= 1; done-- {
				if err := dense.Mul(b.Context(), 1, 1, dense.Of(left, m, depth, depth), dense.Of(right, depth, m, m),
					dense.Of(out, m, m, m)); err != nil {
					b.Fatal(err)
				}
			}
			for i := 0; i < p.N*k; i += len(e) {
				n := min(len(e), p.N*k-i)
				gram.ExpNeg(out[:n], e[:n])
			}
		}
	})
}

func eachShape(b *testing.B, run func(b *testing.B, p *Problem, k int)) {
	for _, c := range []struct {
		n, d, k int
		widths  Widths
	}{{1000, 20, 10, Fixed}, {1000, 60, 10, Fixed}, {1000, 60, 10, Each}, {10000, 20, 50, Fixed}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/k=%d/widths=%d", c.n, c.d, c.k, c.widths), func(b *testing.B) {
			run(b, clouds(c.n, c.d, 1, SquaredHinge, c.widths), c.k)
		})
	}
}
