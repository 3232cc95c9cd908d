package ssvclp

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// problem reads a two-class file.
func problem(tb testing.TB, path string, k gram.Kernel, zscore bool) *learn.Problem {
	tb.Helper()
	set, err := dataset.ReadFile(path, dataset.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if zscore {
		var sc *dataset.Scaling
		sc, err = dataset.FitZ(set)
		if err != nil {
			tb.Fatal(err)
		}
		set = sc.Apply(set)
	}
	y, err := set.Signs()
	if err != nil {
		tb.Fatal(err)
	}
	return &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: k}
}

func ripley(tb testing.TB) *learn.Problem {
	return problem(tb, testutil.Testdata(tb, "ripley.train.libsvm"), gram.RBFSigma(0.5), false)
}

func train(tb testing.TB, t learn.Trainer, p *learn.Problem) *learn.Result {
	tb.Helper()
	r, err := t.Train(tb.Context(), p)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// decide evaluates the expansion at every sample of p with the kernel's plain formula.
func decide(p *learn.Problem, r *learn.Result) []float64 {
	f := make([]float64, p.N)
	for i := range f {
		f[i] = r.Bias
		for s, j := range r.Support {
			f[i] += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
	}
	return f
}

// every takes each step-th point of p.
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
	if bad := append(v.Faults, v.Doubts(tr, &r.Report)...); len(bad) > 0 || r.Report.Status != status.Optimal {
		t.Errorf("%s: %s: %v %s: %v", what, tr.Name(), r.Report.Status, r.Report.Message, bad)
	}
}
