package ssvclp

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// every takes each step-th sample of p.
func every(p *learn.Problem, step int) *learn.Problem {
	q := &learn.Problem{D: p.D, Kernel: p.Kernel}
	for i := 0; i < p.N; i += step {
		q.X = append(q.X, p.X[i*p.D:(i+1)*p.D]...)
		q.Y = append(q.Y, p.Y[i])
		q.N++
	}
	return q
}

// allCoefs is the expansion as the vector (α_0, α_1, ..., α_l).
func allCoefs(p *learn.Problem, r *learn.Result) []float64 {
	a := make([]float64, p.N+1)
	a[0] = r.Bias
	for s, i := range r.Support {
		a[i+1] = r.Coef[s]
	}
	return a
}

// judge holds a training against the definition, recomputed in plain loops.
func judge(t *testing.T, what string, tr learn.Trainer, p *learn.Problem, r *learn.Result) {
	t.Helper()
	v := check.New(p).Machine(tr, r)
	if bad := append(v.Faults, v.Doubts(tr, &r.Report)...); len(bad) > 0 || r.Report.Status != status.FixedPoint {
		t.Errorf("%s: %s: %v %s: %v", what, tr.Name(), r.Report.Status, r.Report.Message, bad)
	}
}
