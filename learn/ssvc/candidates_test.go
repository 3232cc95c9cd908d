package ssvc

import (
	"errors"
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
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/status"
)

// The first round and the fixed point are optima of the literal programs (10), of ssvc-a of (9), with the candidates'
// rows of K̄ alone.
func TestCandidatesLiteral(t *testing.T) {
	const k, c = 4, 3
	for seed := range uint64(3) {
		n := 10
		p, columns := fewOf(t, n, k, seed+1)
		r := ref.Train(t, ssvclp.B{C: c, Subset: learn.Subset{Candidates: k, Seed: seed + 1}}, p)
		if r.Report.Status != status.FixedPoint || !strings.Contains(r.Report.Message, "over 4 candidates of 10") {
			t.Fatalf("seed %d: %v, %q", seed, r.Report.Status, r.Report.Message)
		}
		kbar, ones, want := rowsOf(p, r, columns)
		price, cost := make([]float64, k+1), slices.Repeat([]float64{c}, n)
		for i, a := range want {
			price[i] = min(1e300, 1/math.Abs(a))
		}
		_, objective := ref.SSVCLinearRound(kbar, ones, cost)
		testutil.NearRel(t, "the first round", r.Report.Rounds[0].Objective, objective, 1e-9)
		alpha, objective := ref.SSVCLinearRound(kbar, price, cost)
		testutil.NearRel(t, "the fixed point", r.Report.Objective, objective, 1e-9)
		testutil.NearAll(t, "coefficients", alpha, want, 1e-7)

		n = 60
		p, columns = fewOf(t, n, k, seed+1)
		r = ref.Train(t, A{C: c, Tolerance: 1e-10, Subset: learn.Subset{Candidates: k, Seed: seed + 1}}, p)
		if r.Report.Status != status.FixedPoint || !strings.Contains(r.Report.Message, "over 4 candidates of 60") {
			t.Fatalf("seed %d: %v, %q", seed, r.Report.Status, r.Report.Message)
		}
		kbar, _, want = rowsOf(p, r, columns)
		for i, a := range want {
			price[i] = min(1e300, 1/(a*a))
		}
		alpha, objective = ref.SSVCRound(kbar, price, slices.Repeat([]float64{c}, n), 1e-12, 3_000_000)
		testutil.NearRel(t, "ssvc-a: the fixed point", r.Report.Objective, objective, 1e-8)
		testutil.NearAll(t, "ssvc-a: coefficients", alpha, want, 1e-6)
	}
}

// fewOf is a problem of n samples with the candidates that a training draws.
func fewOf(t *testing.T, n, k int, seed uint64) (*learn.Problem, []int) {
	p := noisy(t, dataset.PelegMeir(n, 0.1, seed), 0)
	p.Kernel = gram.RBF(0.5)
	return p, samples.Choice{Subset: learn.Subset{Candidates: k, Seed: seed}}.Of(gram.Pack[float64](p.Kernel, p.X, n, p.D), n)
}

// rowsOf has the rows of K̄, the bias's first, of the columns alone, costs of 1 and the model's coefficients.
func rowsOf(p *learn.Problem, r *learn.Result, columns []int) (kbar [][]float64, ones, coef []float64) {
	kbar, ones, coef = [][]float64{slices.Clone(p.Y)}, []float64{1}, []float64{r.Bias}
	for _, j := range columns {
		row, a := make([]float64, p.N), 0.0
		for i, y := range p.Y {
			row[i] = y * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
		if s := slices.Index(r.Support, j); s >= 0 {
			a = r.Coef[s]
		}
		kbar = append(kbar, row)
		ones = append(ones, 1)
		coef = append(coef, a)
	}
	return kbar, ones, coef
}

// As many candidates as samples are all of them; fewer cost no less, are all the vectors there are, and are the same
// for ssvc-w, other threads and a second training, along a path too.
func TestCandidates(t *testing.T) {
	p := noisy(t, dataset.PelegMeir(300, 0.1, 5), 0)
	p.Kernel = gram.RBF(1)
	sameMachine(t, "ssvc-a, all samples", ref.Train(t, A{}, p), ref.Train(t, A{Subset: learn.Subset{Candidates: p.N}}, p))
	for _, wrong := range []A{{Subset: learn.Subset{Candidates: 5}, TwoNorm: 1}, {Subset: learn.Subset{Candidates: 5}, Norm: math.Inf(1)}} {
		if _, err := wrong.Train(t.Context(), p); err == nil {
			t.Errorf("%+v: no error", wrong)
		}
	}
	all := ref.Train(t, ssvclp.B{}, p)
	sameMachine(t, "all samples", all, ref.Train(t, ssvclp.B{Subset: learn.Subset{Candidates: p.N}}, p))
	few := ref.Train(t, ssvclp.B{Subset: learn.Subset{Candidates: 20}}, p)
	first, smallest := few.Report.Rounds[0].Objective, all.Report.Rounds[0].Objective
	if !(first >= smallest) || few.Report.Status != status.FixedPoint {
		t.Errorf("%v: objective %v of few samples, %v of all", few.Report.Status, first, smallest)
	}
	figures := few.Report.Figures.(ssvclp.LinearFigures)
	if figures.Candidates != 20 || figures.Margins != p.N || len(few.Support) == 0 || len(few.Support) > 20 {
		t.Errorf("figures %+v, %d vectors", figures, len(few.Support))
	}
	testutil.AtMost(t, "readout", *figures.Readout, 1e-6)
	threads := *p
	threads.Threads = 3
	sameMachine(t, "three threads", few, ref.Train(t, ssvclp.B{Subset: learn.Subset{Candidates: 20}}, &threads))
	sameMachine(t, "ssvc-w", few, ref.Train(t, ssvclp.W{Subset: learn.Subset{Candidates: 20}}, p))
	pivots := ref.Train(t, ssvclp.B{Subset: learn.Subset{Candidates: 20, Choose: "cholesky"}}, p)
	if pivots.Report.Status != status.FixedPoint || slices.Equal(pivots.Support, few.Support) {
		t.Errorf("cholesky: %v, vectors %v", pivots.Report.Status, pivots.Support)
	}
	err := ssvclp.B{Subset: learn.Subset{Candidates: 20}}.Path(t.Context(), p, []float64{1, 2}, func(c float64, r *learn.Result) bool {
		one := ref.Train(t, ssvclp.B{C: c, Subset: learn.Subset{Candidates: 20}}, p)
		testutil.NearRel(t, "objective of a path", r.Report.Objective, one.Report.Objective, 1e-9)
		return true
	})
	if err != nil {
		t.Error(err)
	}
}

// Rows of samples at the candidates, of repeated samples too, and the bias's column.
func TestCandidateRows(t *testing.T) {
	p := noisy(t, dataset.PelegMeir(50, 0.1, 3), 0)
	p.Kernel = gram.RBF(0.5)
	copy(p.X[:p.D], p.X[p.D:2*p.D]) // one sample with both labels
	p.Y[0], p.Y[1] = 1, -1
	s := samples.Classifier("test", p, 1)
	at := make([]int, len(s.Row))
	for r, col := range s.Row {
		at[r] = s.First[col]
	}
	v, err := newStreamed(t.Context(), p, s, samples.Choice{Subset: learn.Subset{Candidates: 7, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	z := v.whole(t.Context(), len(s.Row), keptElements)
	if len(s.First) != 7 || len(at) != p.N || len(z) != 8*p.N {
		t.Fatalf("%d candidates, %d rows, %d values", len(s.First), len(at), len(z))
	}
	point := func(i int) []float64 { return p.X[i*p.D : (i+1)*p.D] }
	for r, i := range at {
		for c, j := range s.First {
			testutil.Near(t, "a kernel value", z[8*r+c], p.Kernel.Eval(point(i), point(j)), 1e-13)
		}
		testutil.Near(t, "of the bias", z[8*r+7], 1, 0)
	}
}

func sameMachine(t *testing.T, what string, a, b *learn.Result) {
	t.Helper()
	if !slices.Equal(a.Support, b.Support) || !slices.Equal(a.Coef, b.Coef) || a.Bias != b.Bias ||
		a.Report.Objective != b.Report.Objective {
		t.Errorf("%s: objective %v, %d vectors; want %v, %d", what, b.Report.Objective, len(b.Support), a.Report.Objective,
			len(a.Support))
	}
}

// Of many samples most margins stay outside of the programs, and the certificate is that of all of them. A budget of
// no room beyond the samples is an error.
func TestCandidatesOfMany(t *testing.T) {
	n := 26000 // an eighth of them says where to begin
	if testing.Short() {
		n = 5000
	}
	p := noisy(t, dataset.Ringnorm(n, 2), 0)
	p.Kernel = gram.RBF(0.05)
	r := ref.Train(t, ssvclp.B{Subset: learn.Subset{Candidates: 100}}, p)
	figures, d := r.Report.Figures.(ssvclp.LinearFigures), r.Report.Duality
	if r.Report.Status != status.FixedPoint || figures.Margins < len(r.Support) || figures.Margins > p.N/2 {
		t.Errorf("%v, %+v", r.Report.Status, figures)
	}
	testutil.Near(t, "gap", d.Gap, 0, 1e-9)
	testutil.AtMost(t, "violation", d.KKT, 1e-9)
	var hinge float64
	for i, f := range ref.Decisions(p, r) {
		hinge += max(0, 1-p.Y[i]*f)
	}
	testutil.NearRel(t, "hinge loss", r.Report.Rounds[len(r.Report.Rounds)-1].Hinge, hinge, 1e-9)
	small := *p
	small.Memory = 1 << 20
	for _, method := range []learn.Trainer{A{Subset: learn.Subset{Candidates: 100}}, ssvclp.B{Subset: learn.Subset{Candidates: 100}}} {
		if _, err := method.Train(t.Context(), &small); !errors.As(err, new(*learn.BudgetError)) {
			t.Errorf("%s: a budget of 1 MiB: %v", method.Name(), err)
		}
	}
}
