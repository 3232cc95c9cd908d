package skm

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// skm over candidates: all samples are all of them, chosen ones are those that are named or external, and f0 is what
// the formulas make of the model, by the number of samples whose margins there are.
func TestFewSKM(t *testing.T) {
	const k, c = 25, 0.05
	p := problem(t, dataset.PelegMeir(200, 0.1, 5), gram.RBF(1))
	one := func(tr Trainer, q *learn.Problem) (*learn.Result, Figures) {
		r, err := tr.Train(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.FixedPoint {
			t.Fatalf("%v: %s", r.Report.Status, r.Report.Message)
		}
		return r, r.Report.Figures.(Figures)
	}
	whole, _ := one(Trainer{C: c}, p)
	if all, _ := one(Trainer{C: c, Subset: learn.Subset{Candidates: p.N}}, p); !slices.Equal(all.Support, whole.Support) ||
		!slices.Equal(all.Coef, whole.Coef) || all.Bias != whole.Bias {
		t.Error("all samples as candidates are another model")
	}
	rows := samples.Choice{Subset: learn.Subset{Candidates: k, Seed: 3}}.Of(gram.Pack[float64](p.Kernel, p.X, p.N, p.D), p.N)
	var y []float64
	for _, i := range rows {
		y = append(y, p.Y[i])
	}
	named := *p
	named.Candidates = rows
	chosen, want := one(Trainer{C: c, Subset: learn.Subset{Candidates: k, Seed: 3}}, p)
	for what, q := range map[string]*learn.Problem{"named": &named, "external": p.WithCandidates(p.Samples(rows), y, k)} {
		r, f := one(Trainer{C: c}, q)
		testutil.NearRel(t, what+", f0", f.F0, want.F0, 1e-9)
		testutil.NearRel(t, what+", delta", f.Delta, want.Delta, 1e-6)
		testutil.NearRel(t, what+", bound", f.Bound.Value, want.Bound.Value, 1e-6)
		if len(r.Coef) != len(chosen.Coef) {
			t.Errorf("%s: %d vectors, want %d", what, len(r.Coef), len(chosen.Coef))
		}
		var loss, sum, penalty float64
		for i := range p.N {
			f0 := r.Bias
			for s, j := range r.Support {
				f0 += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], q.X[j*p.D:(j+1)*p.D])
			}
			loss += math.Max(0, 2*f.Delta-p.Y[i]*f0)
		}
		for s, j := range r.Support {
			a := r.Coef[s] * q.Y[j]
			sum += a
			penalty += ref.SKMH(a, p.N, f.Delta)
			if !slices.Contains(q.Candidates, j) || a < 0 {
				t.Errorf("%s: sample %d of coefficient %v", what, j, a)
			}
		}
		testutil.Near(t, what+", sum", sum, 1, 1e-9)
		complexity := math.Log(4/f.Delta) + ref.SKMFactor(p.N, f.Delta)*penalty
		testutil.NearRel(t, what+", f0 by its formula", f.F0, loss+c*complexity, 1e-8)
		for delta := 1.0; delta > deltaMin; delta *= 0.8 {
			if _, at := one(Trainer{C: c, Delta: delta}, q); !(at.F0 >= f.F0*(1-1e-9)) {
				t.Errorf("%s: f0 is %v at %v, %v where it should be least", what, at.F0, delta, f.F0)
			}
		}
	}
	path := map[float64]float64{}
	err := Trainer{Subset: learn.Subset{Candidates: k, Seed: 3}}.Path(t.Context(), p, []float64{c, 4 * c}, func(c float64, r *learn.Result) bool {
		path[c] = r.Report.Objective
		return true
	})
	if err != nil || path[c] != chosen.Report.Objective || len(path) != 2 {
		t.Errorf("along a path %v (%v), alone %v", path, err, chosen.Report.Objective)
	}
}
