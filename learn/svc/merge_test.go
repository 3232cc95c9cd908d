package svc

import (
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	judges "github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// repeated are values of which some stand there twice and three times, some with another value as well, and the same
// samples once, with weights.
func repeated() (once, often *learn.Problem) {
	set := dataset.Sinc(60, 0.1, 3)
	once = &learn.Problem{X: slices.Clone(set.X), N: set.N, D: 1, Y: slices.Clone(set.Targets), Weight: make([]float64, 60),
		Kernel: gram.RBF(0.5), Task: learn.Regress}
	once.X[1], once.X[7] = once.X[0], once.X[6] // with values of their own
	often = &learn.Problem{X: slices.Clone(once.X), N: once.N, D: 1, Y: slices.Clone(once.Y), Kernel: once.Kernel,
		Task: learn.Regress}
	for i := range once.Weight {
		once.Weight[i] = float64(1 + i%3)
		for range i % 3 {
			often.X = append(often.X, often.X[i])
			often.Y = append(often.Y, often.Y[i])
			often.N = often.N + 1
		}
	}
	return once, often
}

// Models of values merge what is there again: they are those of the samples once, with weights, to the last bit, and
// their certificate is one of all samples. Solved apart, copies come to the same objective.
func TestValuesMerge(t *testing.T) {
	once, often := repeated()
	svr := SVR{C: 2, Epsilon: 0.05, Tolerance: 1e-8}
	for _, tr := range []learn.Trainer{svr, NuSVR{C: 2, Nu: 0.4, Tolerance: 1e-8}} {
		a, err := tr.Train(t.Context(), once)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tr.Train(t.Context(), often)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Support, b.Support) || !slices.Equal(a.Coef, b.Coef) || a.Bias != b.Bias || len(a.Coef) == 0 {
			t.Errorf("%s: %d vectors of the samples once, %d of all", tr.Name(), len(a.Coef), len(b.Coef))
		}
		v := judges.New(often).Machine(tr, b)
		if doubts := v.Doubts(tr, &b.Report); len(doubts) > 0 || len(v.Faults) > 0 {
			t.Errorf("%s: doubts %q, faults %q", tr.Name(), doubts, v.Faults)
		}
		testutil.NearRel(t, tr.Name()+": objective of all samples", v.Objective, a.Report.Objective, 1e-12)
		apart := &program{method: tr.Name(), c: 2, tolerance: 1e-8, each: 2, dual: svr.dual}
		if price := b.Report.Figures.(Figures).Cost; price > 0 { // the ε that has this model
			apart.dual = SVR{C: 2, Epsilon: price}.dual
		}
		c, err := apart.train(t.Context(), often)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Coef) <= len(b.Coef) {
			t.Errorf("%s: %d vectors apart, %d merged", tr.Name(), len(c.Coef), len(b.Coef))
		}
		testutil.NearRel(t, tr.Name()+": objective", b.Report.Objective, c.Report.Objective, 1e-7)
		testutil.Near(t, tr.Name()+": bias", b.Bias, c.Bias, 1e-4)
	}
}
