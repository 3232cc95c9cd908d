package boxqp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The dual of an SSVC's first round by Newton steps, and by the paper's single-variable steps: 9999 as printed, then
// enough of them to end at their tolerance where 200,000 do. gap is what the dual objective leaves open.
func BenchmarkBox(b *testing.B) {
	type problem struct {
		of string
		z  []float64
		p  *Problem
	}
	for _, c := range []float64{1, 10, 100} {
		drawn, p := ripple(rand.New(rand.NewPCG(9, 1)), 1000, c)
		ripley, q := ripleys(b, 0.5, c)
		narrow, v := ripleys(b, 0.02, c) // H is nearly diagonal, but for the bias
		for _, at := range []problem{{"ripley", ripley, q}, {"narrow", narrow, v}, {"drawn", drawn, p}} {
			n := len(at.p.P)
			for _, by := range []struct {
				name string
				opt  Options
			}{{"newton", Options{}}, {"paper", Options{Literal: true}}, {"paper-on", Options{Literal: true, MaxIter: 200_000}}} {
				b.Run(fmt.Sprintf("of=%s/n=%d/C=%v/by=%s", at.of, n, c, by.name), func(b *testing.B) {
					at.p.H = NewFactor(at.z, n, n+1, n+1)
					by.opt.Threads = 1
					var r *Result
					least := math.Inf(1)
					for b.Loop() {
						begun := cpu.Seconds()
						r = Solve(b.Context(), at.p, by.opt)
						least = min(least, cpu.Seconds()-begun)
					}
					b.ReportMetric(1e3*least, "least-cpu-ms")
					b.ReportMetric(float64(r.Steps), "steps")
					b.ReportMetric(float64(r.Newton), "newton")
					b.ReportMetric(float64(r.Passes), "passes")
					b.ReportMetric(r.Objective, "objective")
					b.ReportMetric(r.Gap, "gap")
				})
			}
		}
	}
}

// ripleys is the dual (11) of an SSVC's first round on Ripley's samples.
func ripleys(tb testing.TB, sigma, c float64) (z []float64, p *Problem) {
	tb.Helper()
	set, err := dataset.ReadFile(testutil.Testdata(tb, "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	n := set.N
	z = make([]float64, n*(n+1))
	gram.Pack[float64](gram.RBFSigma(sigma), set.X, n, set.D).Full(z, n+1)
	p = &Problem{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i, class := range set.Y {
		p.P[i], p.Hi[i] = -1, c
		z[i*(n+1)+n] = 1
		for j := range n + 1 {
			z[i*(n+1)+j] *= float64(2*class - 1)
		}
	}
	return z, p
}
