package boxqp

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The dual of an SSVC's first round by Newton steps and by the paper's single-variable steps, which end at 9999 of them
// or at a violation of 1e-3: gap is what is left then, relative to the objective.
func BenchmarkBox(b *testing.B) {
	for _, n := range []int{250, 1000} {
		for _, c := range []float64{1, 10, 100} {
			z, p := ripple(rand.New(rand.NewPCG(9, 1)), n, c)
			for name, literal := range map[string]bool{"newton": false, "paper": true} {
				b.Run(fmt.Sprintf("by=%s/n=%d/C=%v", name, n, c), func(b *testing.B) {
					p.H = NewFactor(z, n, n+1, n+1)
					var r *Result
					for b.Loop() {
						r = Solve(b.Context(), p, Options{Literal: literal, Threads: 1})
					}
					b.ReportMetric(float64(r.Steps), "steps")
					b.ReportMetric(r.Gap/-r.Objective, "gap")
				})
			}
		}
	}
}
