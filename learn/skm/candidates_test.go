package skm

import (
	"errors"
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
)

// overFew are the models of one cost over k candidates.
func overFew(c float64, k int, way string) []learn.Trainer {
	return []learn.Trainer{
		L1SVM{C: c, Subset: learn.Subset{Candidates: k, Choose: way, Seed: 3}}, L0SVM{C: c, Starts: 1, Subset: learn.Subset{Candidates: k, Choose: way, Seed: 3}},
		LPSVC{C: c, Subset: learn.Subset{Candidates: k, Choose: way, Seed: 3}},
	}
}

// Optima of the literal programs in which a sample that is no candidate has no kernel values but its margin's.
func TestCandidatesLiteral(t *testing.T) {
	const k = 5
	for _, f := range fixtures(t) {
		for _, way := range []string{learn.ChooseSpread, learn.ChoosePivots} {
			q, rows := f.literal()
			p := f.problem
			pts := gram.Pack[float64](p.Kernel, p.Samples(rows), len(rows), p.D)
			columns := samples.Choice{Subset: learn.Subset{Candidates: k, Choose: way, Seed: 3}}.Of(pts, len(rows))
			for i := range q.K {
				for j := range q.K[i] {
					if !slices.Contains(columns, j) {
						q.K[i][j] = 0
					}
				}
			}
			l0 := q.L0(f.slack, 0.1, 1e-6)
			for m, want := range []ref.SKMSolution{q.L1(f.slack), l0[len(l0)-1], q.LPSVC(f.slack)} {
				tr := overFew(f.slack, k, way)[m]
				what := fmt.Sprintf("%s of %s by %s", tr.Name(), f.name, way)
				r, err := tr.Train(t.Context(), p)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				over := fmt.Sprintf("over %d candidates of %d", len(columns), len(rows))
				if r.Report.Status != optimum(tr.Name()) || !strings.Contains(r.Report.Message, over) {
					t.Errorf("%s: %v, %q, want %s", what, r.Report.Status, r.Report.Message, over)
				}
				testutil.NearRel(t, what, r.Report.Objective, want.Value, 1e-8)
				testutil.Near(t, what+", gap", r.Report.Duality.Gap, 0, 1e-8)
				for s, i := range r.Support {
					at := slices.Index(rows, i)
					if !slices.Contains(columns, at) {
						t.Errorf("%s: sample %d is no candidate and a vector", what, i)
					}
					testutil.Near(t, what+", coefficient", r.Coef[s]*p.Y[i], want.Alpha[at], 1e-6)
				}
			}
		}
	}
}

// As many candidates as samples are all of them; fewer cost no less, and along a path are those of single trainings.
func TestCandidates(t *testing.T) {
	p := problem(t, dataset.PelegMeir(300, 0.1, 5), gram.RBF(1))
	one := func(tr learn.Trainer) *learn.Result {
		r, err := tr.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, none, few := overFew(2, p.N, ""), overFew(2, 0, ""), overFew(2, 20, "")
	for m, tr := range few {
		a, b, r := one(all[m]), one(none[m]), one(tr)
		if !slices.Equal(a.Support, b.Support) || !slices.Equal(a.Coef, b.Coef) || a.Bias != b.Bias {
			t.Errorf("%s: all samples as candidates are another model", tr.Name())
		}
		if first, smallest := r.Report.Rounds[0].Objective, b.Report.Rounds[0].Objective; !(first > smallest) {
			t.Errorf("%s: objective %v of few, %v of all", tr.Name(), first, smallest)
		}
		f := r.Report.Figures.(LinearFigures)
		if f.Candidates != 20 || f.Margins != p.N || len(r.Support) == 0 || len(r.Support) > 20 || r.Report.KernelEvals == 0 {
			t.Errorf("%s: %+v, %d vectors, %d kernel values", tr.Name(), f, len(r.Support), r.Report.KernelEvals)
		}
		small := *p
		small.Memory = 1 << 10
		if _, err := tr.Train(t.Context(), &small); !errors.As(err, new(*learn.BudgetError)) {
			t.Errorf("%s: a budget of 1 KiB: %v", tr.Name(), err)
		}
		path, ok := tr.(learn.PathTrainer)
		if !ok {
			continue
		}
		err := path.Path(t.Context(), p, []float64{1, 2}, func(c float64, r *learn.Result) bool {
			alone := one(overFew(c, 20, "")[m])
			testutil.NearRel(t, tr.Name()+", objective of a path", r.Report.Objective, alone.Report.Objective, 1e-9)
			return true
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Of many samples the certificate is that of all margins.
func TestCandidatesOfMany(t *testing.T) {
	n := 9000
	if testing.Short() {
		n = 5000
	}
	p := problem(t, dataset.Ringnorm(n, 2), gram.RBF(0.05))
	for _, tr := range overFew(1, 60, "") {
		r, err := tr.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != optimum(tr.Name()) || len(r.Support) == 0 {
			t.Errorf("%s: %v, %d vectors, %q", tr.Name(), r.Report.Status, len(r.Support), r.Report.Message)
		}
		testutil.Near(t, tr.Name()+", gap", r.Report.Duality.Gap, 0, 1e-8)
		testutil.AtMost(t, tr.Name()+", violation", r.Report.Duality.KKT, 1e-8)
		var hinge float64
		for i := range p.N {
			f := r.Bias
			for s, j := range r.Support {
				f += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
			}
			hinge += max(0, 1-p.Y[i]*f)
		}
		testutil.NearRel(t, tr.Name()+", hinge loss", r.Report.Rounds[len(r.Report.Rounds)-1].Hinge, hinge, 1e-8)
	}
}

// The margin of many samples is that of a training on some, of each class its share, whose weights are those of all.
func TestMarginOfSome(t *testing.T) {
	defer func(all, some int) { searched, searchedOf = all, some }(searched, searchedOf)
	searched, searchedOf = 400, 120
	p := problem(t, dataset.PelegMeir(500, 0.2, 3), gram.RBFSigma(0.5))
	p.Weight = slices.Repeat([]float64{2}, p.N)
	tr := Trainer{C: 0.01}
	if err := learn.Complete(&tr); err != nil {
		t.Fatal(err)
	}
	some := tr.some(p, p.Present())
	weight := map[float64]float64{}
	for i, y := range p.Y {
		weight[y] += p.Weight[i] - some.Weight[i]
	}
	if n := len(some.Present()); n > searchedOf || n < searchedOf-2 {
		t.Errorf("%d samples, want %d", n, searchedOf)
	}
	testutil.Near(t, "weight of a class", max(math.Abs(weight[1]), math.Abs(weight[-1])), 0, 1e-9)
	r := ref.Train(t, tr, p)
	delta := r.Report.Figures.(Figures).Delta
	want := ref.Train(t, Trainer{C: 0.01, Delta: delta}, p)
	if !slices.Equal(r.Support, want.Support) || !slices.Equal(r.Coef, want.Coef) {
		t.Errorf("vectors %v, those at the margin %v are %v", r.Support, delta, want.Support)
	}
	searched = p.N
	if of := ref.Train(t, tr, some).Report.Figures.(Figures).Delta; of != delta ||
		!strings.Contains(r.Report.Message, fmt.Sprintf("on %d samples", len(some.Present()))) {
		t.Errorf("margin %v, that of some is %v; %q", delta, of, r.Report.Message)
	}
	err := tr.Path(t.Context(), p, []float64{0.01, 1}, func(c float64, r *learn.Result) bool { return c < 1 && r != nil })
	if err != nil {
		t.Error(err)
	}
}
