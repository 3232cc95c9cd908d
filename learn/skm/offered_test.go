package skm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// External candidates are those that a training would choose itself, if they are the same samples.
func TestOfferedAreChosen(t *testing.T) {
	const k = 12
	p := problem(t, dataset.PelegMeir(300, 0.1, 5), gram.RBF(1))
	pts := gram.Pack[float64](p.Kernel, p.X, p.N, p.D)
	rows := samples.Choice{Subset: learn.Subset{Candidates: k, Seed: 3}}.Of(pts, p.N)
	var y []float64
	for _, i := range rows {
		y = append(y, p.Y[i])
	}
	named := *p
	named.Candidates = rows
	for m, tr := range overFew(2, k, "") {
		want, err := tr.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for what, q := range map[string]*learn.Problem{"named": &named, "external": p.WithCandidates(p.Samples(rows), y, k)} {
			what = fmt.Sprintf("%s, %s", tr.Name(), what)
			r, err := overFew(2, 0, "")[m].Train(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if r.Report.Status != optimum(tr.Name()) || !strings.Contains(r.Report.Message, "over the 12 given candidates") {
				t.Errorf("%s: %v, %q", what, r.Report.Status, r.Report.Message)
			}
			testutil.NearRel(t, what, r.Report.Objective, want.Report.Objective, 1e-9)
			testutil.Near(t, what+", bias", r.Bias, want.Bias, 1e-7)
			if len(r.Coef) != len(want.Coef) {
				t.Fatalf("%s: %d vectors, want %d", what, len(r.Coef), len(want.Coef))
			}
			for s, i := range r.Support {
				at := i
				if what == tr.Name()+", external" {
					at = rows[i-p.N]
				}
				v := slices.Index(want.Support, at)
				if v < 0 {
					t.Fatalf("%s: sample %d is no vector of the other", what, at)
				}
				testutil.Near(t, what+", coefficient", r.Coef[s], want.Coef[v], 1e-7)
			}
		}
	}
}

// Candidates between the samples: the optimum is that of the literal program whose columns they are, for any labels.
func TestOfferedLiteral(t *testing.T) {
	if testing.Short() {
		t.Skip("the literal solver takes seconds")
	}
	const c, weight = 30, 0.05 // of a unit of slack, which is not the ceiling of l1svm's coefficients
	p := problem(t, dataset.PelegMeir(40, 0.1, 5), gram.RBF(1))
	p.Weight = slices.Repeat([]float64{weight}, p.N)
	z := dataset.PelegMeir(5, 0.1, 77).X
	kbar, price := [][]float64{slices.Clone(p.Y)}, []float64{0, 1, 1, 1, 1, 1}
	for j := range 5 {
		row := make([]float64, p.N)
		for i, y := range p.Y {
			row[i] = y * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], z[j*p.D:(j+1)*p.D])
		}
		kbar = append(kbar, row)
	}
	alpha, want := ref.SSVCLinearRound(kbar, price, slices.Repeat([]float64{c * weight}, p.N))
	for _, y := range [][]float64{nil, {-1, -1, -1, -1, -1}, {1, -1, 1, -1, 1}} {
		r, err := LPSVC{C: c}.Train(t.Context(), p.WithCandidates(z, y, 5))
		if err != nil {
			t.Fatal(err)
		}
		testutil.NearRel(t, "objective", r.Report.Objective, want, 1e-9)
		testutil.Near(t, "gap", r.Report.Duality.Gap, 0, 1e-9)
		for s, i := range r.Support {
			testutil.Near(t, "coefficient", r.Coef[s], alpha[1+i-p.N], 1e-7)
		}
		// With the signs that the coefficients have, l1svm at a C that none of them reaches has the same model.
		signs := make([]float64, 5)
		for j, a := range alpha[1:] {
			signs[j] = math.Copysign(1, a)
			testutil.AtMost(t, "size of a coefficient", math.Abs(a), 0.99*c)
		}
		one, err := L1SVM{C: c}.Train(t.Context(), p.WithCandidates(z, signs, 5))
		if err != nil {
			t.Fatal(err)
		}
		testutil.NearRel(t, "l1svm", one.Report.Objective, want, 1e-9)
	}
}

// Regression over candidates: the coefficients of a training that chooses the same samples, and all of them as all.
func TestOfferedValues(t *testing.T) {
	const k = 9
	s := dataset.Sinc(100, 0.1, 3)
	p := &learn.Problem{X: s.X, Y: s.Targets, N: s.N, D: 1, Task: learn.Regress, Kernel: gram.RBF(0.2)}
	one := func(tr L1SVR, q *learn.Problem) *learn.Result {
		r, err := tr.Train(t.Context(), q)
		if err != nil || r.Report.Status != status.Optimal {
			t.Fatal(err, r)
		}
		return r
	}
	a, b := one(L1SVR{C: 2}, p), one(L1SVR{C: 2, Subset: learn.Subset{Candidates: p.N}}, p)
	if !slices.Equal(a.Support, b.Support) || !slices.Equal(a.Coef, b.Coef) {
		t.Error("all samples as candidates are another model")
	}
	rows := samples.Choice{Subset: learn.Subset{Candidates: k, Seed: 1}}.Of(gram.Pack[float64](p.Kernel, p.X, p.N, p.D), p.N)
	want := one(L1SVR{C: 2, Subset: learn.Subset{Candidates: k}}, p)
	if !strings.Contains(want.Report.Message, "over 9 candidates of 100 samples") ||
		!(want.Report.Objective > a.Report.Objective) {
		t.Errorf("%q, %v of few and %v of all", want.Report.Message, want.Report.Objective, a.Report.Objective)
	}
	named := *p
	named.Candidates = rows
	for what, q := range map[string]*learn.Problem{"named": &named, "external": p.WithCandidates(p.Samples(rows), nil, k)} {
		r := one(L1SVR{C: 2}, q)
		testutil.NearRel(t, what, r.Report.Objective, want.Report.Objective, 1e-9)
		var penalty, loss float64
		for i := range p.N {
			f := r.Bias
			for s, j := range r.Support {
				f += r.Coef[s] * p.Kernel.Eval(p.X[i:i+1], q.X[j:j+1])
			}
			loss += math.Max(0, math.Abs(p.Y[i]-f)-0.1)
		}
		for s, j := range r.Support {
			penalty += math.Abs(r.Coef[s])
			if !slices.Contains(q.Candidates, j) {
				t.Errorf("%s: sample %d is no candidate", what, j)
			}
		}
		testutil.NearRel(t, what+", by its formula", r.Report.Objective, penalty+2*loss, 1e-9)
	}
}
