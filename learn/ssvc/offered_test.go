package ssvc

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/status"
)

// External candidates give the model of a training that chooses the same samples itself, and labels of theirs
// change nothing.
func TestOfferedAreChosen(t *testing.T) {
	const n, k, c = 120, 7, 3
	p, columns := fewOf(t, n, k, 2)
	named := *p
	named.Candidates = columns
	// One of them twice, and in another order than the samples.
	order := append(slices.Clone(columns), columns[0])
	slices.Reverse(order)
	other := make([]float64, len(order))
	for i := range other {
		other[i] = -1
	}
	for _, tr := range []struct{ few, all learn.Trainer }{
		{A{C: c, Tolerance: 1e-10, Subset: learn.Subset{Candidates: k, Seed: 2}}, A{C: c, Tolerance: 1e-10}},
		{ssvclp.B{C: c, Subset: learn.Subset{Candidates: k, Seed: 2}}, ssvclp.B{C: c}}, {ssvclp.W{C: c, Subset: learn.Subset{Candidates: k, Seed: 2}}, ssvclp.W{C: c}},
	} {
		want := ref.Train(t, tr.few, p)
		for what, q := range map[string]*learn.Problem{"named": &named, "external": p.WithCandidates(p.Samples(order), nil, k+1),
			"external with labels": p.WithCandidates(p.Samples(order), other, k+1)} {
			what = tr.all.Name() + ", " + what
			r := ref.Train(t, tr.all, q)
			if r.Report.Status != status.FixedPoint || !strings.Contains(r.Report.Message, "over the 7 given candidates") {
				t.Errorf("%s: %v, %q", what, r.Report.Status, r.Report.Message)
			}
			testutil.NearRel(t, what, r.Report.Objective, want.Report.Objective, 1e-8)
			testutil.Near(t, what+", bias", r.Bias, want.Bias, 1e-6)
			if !slices.Equal(r.Support, want.Support) { // equal samples are the training's own
				t.Fatalf("%s: vectors %v, want %v", what, r.Support, want.Support)
			}
			testutil.NearAll(t, what, r.Coef, want.Coef, 1e-6)
		}
	}
}

// The same for regression and one class, whose programs have edges or no bias.
func TestOfferedValues(t *testing.T) {
	const k = 9
	for _, c := range []struct {
		p        *learn.Problem
		few, all learn.Trainer
	}{
		{sinc(1, 120, 0.1), ssvclp.RegressB{C: 3, Subset: learn.Subset{Candidates: k, Seed: 2}}, ssvclp.RegressB{C: 3}},
		{sinc(1, 120, 0.1), RegressA{C: 3, Tolerance: 1e-10, Subset: learn.Subset{Candidates: k, Seed: 2}}, RegressA{C: 3, Tolerance: 1e-10}},
		{blobs(1, 150), ssvclp.OneClass{Nu: 0.2, Subset: learn.Subset{Candidates: k, Seed: 2}}, ssvclp.OneClass{Nu: 0.2}},
		{blobs(1, 6000), ssvclp.OneClass{Nu: 0.2, Subset: learn.Subset{Candidates: k, Seed: 2}}, ssvclp.OneClass{Nu: 0.2}},
	} {
		p, name := c.p, c.all.Name()
		pts := gram.Pack[float64](p.Kernel, p.X, p.N, p.D)
		rows := samples.Choice{Subset: learn.Subset{Candidates: k, Seed: 2}}.Of(pts, p.N)
		want := ref.Train(t, c.few, p)
		named := *p
		named.Candidates = rows
		for what, q := range map[string]*learn.Problem{"named": &named, "external": p.WithCandidates(p.Samples(rows), nil, k)} {
			what = name + ", " + what
			r := ref.Train(t, c.all, q)
			if r.Report.Status != status.FixedPoint || !strings.Contains(r.Report.Message, "over the 9 given candidates") {
				t.Errorf("%s: %v, %q", what, r.Report.Status, r.Report.Message)
			}
			testutil.NearRel(t, what, r.Report.Objective, want.Report.Objective, 1e-7)
			testutil.Near(t, what+", bias", r.Bias, want.Bias, 1e-6)
			if !slices.Equal(r.Support, want.Support) {
				t.Fatalf("%s: vectors %v, want %v", what, r.Support, want.Support)
			}
			testutil.NearAll(t, what, r.Coef, want.Coef, 1e-6)
		}
		elsewhere := []float64{0.37, 1.21, -2.3, 4.4, 5.1, 0.2, 7.7, -0.4}
		n := len(elsewhere) / p.D
		q := p.WithCandidates(elsewhere, nil, n)
		r := ref.Train(t, c.all, q)
		if r.Report.Status != status.FixedPoint || len(r.Support) == 0 || slices.Min(r.Support) < p.N {
			t.Fatalf("%s: %v, vectors %v", name, r.Report.Status, r.Support)
		}
		if p.Task == learn.OneClass {
			out := 0
			for i := range p.N {
				f := r.Bias
				for s, j := range r.Support {
					f += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], q.X[j*p.D:(j+1)*p.D])
				}
				if f < 0 {
					out++
				}
			}
			if share := float64(out) / float64(p.N); !(share <= 0.2 && share > 0.15) {
				t.Errorf("%s: %v of the samples are outside", name, share)
			}
		}
	}
	p := sinc(1, 90, 0.1)
	for _, tr := range [][2]learn.Trainer{{ssvclp.RegressB{C: 3}, ssvclp.RegressB{C: 3, Subset: learn.Subset{Candidates: 90}}},
		{RegressA{C: 3}, RegressA{C: 3, Subset: learn.Subset{Candidates: 90}}}} {
		a, b := ref.Train(t, tr[0], p), ref.Train(t, tr[1], p)
		if !slices.Equal(a.Support, b.Support) || !slices.Equal(a.Coef, b.Coef) {
			t.Errorf("%s: all samples as candidates are another model", tr[0].Name())
		}
	}
}

// Between the samples they make the model of the literal program with their rows of K̄, many of them too.
func TestOfferedElsewhere(t *testing.T) {
	const c = 3
	p := noisy(t, dataset.PelegMeir(500, 0.1, 3), 0)
	p.Kernel = gram.RBF(0.5)
	z := dataset.PelegMeir(6, 0.1, 50).X
	q := p.WithCandidates(z, nil, 6)
	for _, tr := range []learn.Trainer{A{C: c}, ssvclp.B{C: c}, ssvclp.W{C: c}} {
		r := ref.Train(t, tr, q)
		if r.Report.Status != status.FixedPoint || len(r.Support) == 0 || slices.Min(r.Support) < p.N {
			t.Fatalf("%s: %v, vectors %v", tr.Name(), r.Report.Status, r.Support)
		}
		var hinge, penalty float64 // at a fixed point the penalty is the number of coefficients, of squares as well
		for i, y := range p.Y {
			f := r.Bias
			for s, j := range r.Support {
				f += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], q.X[j*p.D:(j+1)*p.D])
			}
			hinge += math.Max(0, 1-y*f)
		}
		if penalty = float64(len(r.Support)); r.Bias != 0 {
			penalty++
		}
		if tr.Name() == "ssvc-a" {
			penalty /= 2
		}
		testutil.NearRel(t, tr.Name(), r.Report.Objective, penalty+c*hinge, 1e-6)
	}
	if _, err := (A{C: c, TwoNorm: 1}).Train(t.Context(), q); err == nil || !strings.Contains(err.Error(), "candidates") {
		t.Errorf("with c1: %v", err)
	}
}

// blobs is n samples around two places, without targets.
func blobs(seed uint64, n int) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := &learn.Problem{N: n, D: 2, Task: learn.OneClass, Kernel: gram.RBF(0.5), Resources: learn.Resources{Threads: 1}}
	for i := range n {
		p.X = append(p.X, float64(6*(i%2))+rng.NormFloat64(), rng.NormFloat64())
	}
	return p
}
