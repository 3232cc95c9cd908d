package svc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Over the features and over kernel values the machines of many points are the same: a polynomial of degree 1 is the
// linear kernel for those who do not know.
func TestFlat(t *testing.T) {
	const n, d = 4000, 6
	rng := rand.New(rand.NewPCG(1, 6))
	p := clouds(rng, n, d, gram.Linear())
	p.Weight = make([]float64, n)
	for i := range n {
		p.Weight[i] = float64(rng.IntN(4)) / 2
	}
	values := clouds(rng, n, d, gram.Linear())
	values.Task = learn.Regress
	for i := range n {
		values.Y[i] = values.X[i*d] - 2*values.X[i*d+1] + 0.2*rng.NormFloat64()
	}
	for name, c := range map[string]struct {
		tr learn.Trainer
		p  *learn.Problem
	}{
		"svc": {Trainer{C: 3, Tolerance: 1e-6}, p},
		"svr": {SVR{C: 0.5, Epsilon: 0.1, Tolerance: 1e-6}, values},
	} {
		other := *c.p
		other.Kernel = gram.Poly(1, 1, 0)
		flat, err := c.tr.Train(t.Context(), c.p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.tr.Train(t.Context(), &other)
		if err != nil {
			t.Fatal(err)
		}
		if flat.Report.Status != status.Optimal || flat.Report.InnerIterations != 0 {
			t.Errorf("%s: %v after %d steps over kernel rows", name, flat.Report.Status, flat.Report.InnerIterations)
		}
		at := want.Report.Objective
		testutil.Near(t, name+": objective", flat.Report.Objective, at, 1e-6*math.Abs(at))
		testutil.AtMost(t, name+": gap", flat.Report.Duality.Gap, 1e-6)
		testutil.Near(t, name+": bias", flat.Bias, want.Bias, 1e-4)
		rows := *c.p
		rows.Kernel, rows.X, rows.D = gram.Linear().On(csr.FromDense(c.p.X, n, d)), make([]float64, n), 1
		for i := range n {
			rows.X[i] = float64(i)
		}
		sparse, err := c.tr.Train(t.Context(), &rows)
		if err != nil {
			t.Fatal(err)
		}
		if sparse.Report.Status != status.Optimal || sparse.Report.InnerIterations != 0 {
			t.Errorf("%s of rows: %v after %d steps", name, sparse.Report.Status, sparse.Report.InnerIterations)
		}
		testutil.Near(t, name+" of rows: objective", sparse.Report.Objective, at, 1e-6*math.Abs(at))
		testutil.AtMost(t, name+" of rows: gap", sparse.Report.Duality.Gap, 1e-6)
		testutil.Near(t, name+" of rows: bias", sparse.Bias, want.Bias, 1e-4)
	}
}
