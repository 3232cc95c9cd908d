package ssvc

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/ref/ssvc"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// The first round and the fixed point are optima of the literal program (10) with the candidates' rows of K̄ alone.
func TestCandidatesLiteral(t *testing.T) {
	const n, k, c = 14, 5, 3
	for seed := range uint64(4) {
		p := noisy(t, dataset.PelegMeir(n, 0.1, seed+1), 0)
		p.Kernel = gram.RBF(0.5)
		columns := kernellp.Choose(gram.Pack[float64](p.Kernel, p.X, n, p.D), n, k, seed+1)
		r := train(t, B{C: c, Candidates: k, Seed: seed + 1}, p)
		if r.Report.Status != status.Optimal || !strings.Contains(r.Report.Message, "over 5 candidates of 14") {
			t.Fatalf("seed %d: %v, %q", seed, r.Report.Status, r.Report.Message)
		}
		kbar, first, last, cost := [][]float64{slices.Clone(p.Y)}, []float64{1}, []float64{1e300}, slices.Repeat([]float64{c}, n)
		if r.Bias != 0 {
			last[0] = 1 / math.Abs(r.Bias)
		}
		want := []float64{r.Bias}
		for _, j := range columns {
			row := make([]float64, n)
			for i, y := range p.Y {
				row[i] = y * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
			}
			kbar, first, last, want = append(kbar, row), append(first, 1), append(last, 1e300), append(want, 0)
			if s := slices.Index(r.Support, j); s >= 0 {
				last[len(last)-1], want[len(want)-1] = 1/math.Abs(r.Coef[s]), r.Coef[s]
			}
		}
		_, objective := ssvc.LinearRound(kbar, first, cost)
		testutil.NearRel(t, "the first round", r.Report.Rounds[0].Objective, objective, 1e-9)
		alpha, objective := ssvc.LinearRound(kbar, last, cost)
		testutil.NearRel(t, "the fixed point", r.Report.Objective, objective, 1e-9)
		testutil.NearAll(t, "coefficients", alpha, want, 1e-7)
	}
}

// As many candidates as points are all of them; fewer cost no less, are all the vectors there are, and are the same for
// ssvc-w, other threads and a second training, along a path too.
func TestCandidates(t *testing.T) {
	p := noisy(t, dataset.PelegMeir(300, 0.1, 5), 0)
	p.Kernel = gram.RBF(1)
	all := train(t, B{}, p)
	sameMachine(t, "all points", all, train(t, B{Candidates: p.N}, p))
	few := train(t, B{Candidates: 20}, p)
	if first := few.Report.Rounds[0].Objective; !(first >= all.Report.Rounds[0].Objective) || few.Report.Status != status.Optimal {
		t.Errorf("%v: objective %v of few points, %v of all", few.Report.Status, first, all.Report.Rounds[0].Objective)
	}
	figures := few.Report.Figures.(LinearFigures)
	if figures.Candidates != 20 || figures.Margins != p.N || len(few.Support) == 0 || len(few.Support) > 20 {
		t.Errorf("figures %+v, %d vectors", figures, len(few.Support))
	}
	testutil.AtMost(t, "readout", *figures.Readout, 1e-6)
	threads := *p
	threads.Threads = 3
	sameMachine(t, "three threads", few, train(t, B{Candidates: 20}, &threads))
	sameMachine(t, "ssvc-w", few, train(t, W{Candidates: 20}, p))
	err := B{Candidates: 20}.Path(t.Context(), p, []float64{1, 2}, func(c float64, r *learn.Result) bool {
		one := train(t, B{Candidates: 20, C: c}, p)
		testutil.NearRel(t, "objective of a path", r.Report.Objective, one.Report.Objective, 1e-9)
		return true
	})
	if err != nil {
		t.Error(err)
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

// Of many points most margins stay outside of the programs, and the certificate is that of all of them. A budget of
// nothing beside the points is an error.
func TestCandidatesOfMany(t *testing.T) {
	p := noisy(t, dataset.Ringnorm(5000, 2), 0)
	p.Kernel = gram.RBF(0.05)
	r := train(t, B{Candidates: 100}, p)
	figures, d := r.Report.Figures.(LinearFigures), r.Report.Duality
	if r.Report.Status != status.Optimal || figures.Margins < len(r.Support) || figures.Margins > p.N/2 {
		t.Errorf("%v, %+v", r.Report.Status, figures)
	}
	testutil.Near(t, "gap", d.Gap, 0, 1e-9)
	testutil.AtMost(t, "violation", d.KKT, 1e-9)
	var hinge float64
	for i, f := range decide(p, r) {
		hinge += max(0, 1-p.Y[i]*f)
	}
	testutil.NearRel(t, "hinge loss", r.Report.Rounds[len(r.Report.Rounds)-1].Hinge, hinge, 1e-9)
	small := *p
	small.Memory = 1 << 20
	if _, err := (B{Candidates: 100}).Train(t.Context(), &small); !errors.As(err, new(*learn.BudgetError)) {
		t.Errorf("a budget of 1 MiB: %v", err)
	}
}
