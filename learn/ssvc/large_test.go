package ssvc

import (
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Kernel values of 1e14 to 1e68 with λ = 1: no double has the dual solution of such a first round.
func TestLargeKernelValues(t *testing.T) {
	for _, offset := range []float64{1e5, 1e7} {
		for _, k := range []gram.Kernel{gram.Linear(), gram.Poly(3, 40, 0)} {
			for _, n := range []int{6, 40} {
				p := &learn.Problem{N: n, D: 1, Kernel: k}
				for i := range n {
					p.X = append(p.X, offset+float64(i*i%17)+0.1*float64(i))
					p.Y = append(p.Y, float64(1-i%3/2*2))
				}
				r, err := A{C: 100}.Train(t.Context(), p)
				if err != nil {
					t.Fatalf("%v, offset %g, n %d: %v", k.Kind, offset, n, err)
				}
				optimal(t, fmt.Sprintf("%v, offset %g, n %d", k.Kind, offset, n), r)
			}
		}
	}
}

// Compared with a bias of 5 a coefficient of 1e-24 is no small one where kernel values are 1e24.
func TestSmallCoefficients(t *testing.T) {
	p := &learn.Problem{N: 2, D: 1, Kernel: gram.Linear(), X: []float64{2e12, 3e12}, Y: []float64{-1, 1}}
	r := ref.Train(t, A{C: 1000}, p)
	optimal(t, "two samples", r)
	if len(r.Support) == 0 || r.Bias == 0 {
		t.Errorf("%d vectors and bias %v, want both", len(r.Support), r.Bias)
	}
}

func optimal(t *testing.T, what string, r *learn.Result) {
	t.Helper()
	if r.Report.Status != status.FixedPoint {
		t.Errorf("%s: %v, %s", what, r.Report.Status, r.Report.Message)
	}
}
