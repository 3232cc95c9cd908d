package density

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

func points(d int, k gram.Kernel, x ...float64) *learn.Problem {
	return &learn.Problem{X: x, N: len(x) / d, D: d, Task: learn.Density, Kernel: k, Resources: learn.Resources{Threads: 1}}
}

func ripley(t *testing.T, file string) *learn.Problem {
	set, err := dataset.ReadFile(testutil.Testdata(t, file), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return points(set.D, gram.RBFSigma(0.2), set.X...)
}

func train(t *testing.T, tr SKDE, p *learn.Problem) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, a := range r.Coef {
		if sum += a * math.Pow(p.Kernel.Gamma/math.Pi, -float64(p.D)/2); !(a > 0) {
			t.Errorf("coefficient %v", a)
		}
	}
	testutil.Near(t, "sum of the coefficients", sum, 1, 1e-12)
	if r.Bias != 0 || !slices.IsSorted(r.Support) {
		t.Errorf("bias %v, vectors %v", r.Bias, r.Support)
	}
	return r
}

// start is an estimate before its first program, of weighted samples.
func start(t *testing.T, c float64) (*estimate, [][]float64) {
	t.Helper()
	p := ref.Clouds(3, 12, 2)
	p.Task, p.Y, p.Threads, p.Weight = learn.Density, nil, 1, ref.Ones(12)
	p.Weight[3], p.Weight[5] = 2.5, 0.25
	e, err := newEstimate(t.Context(), p, c, 0)
	if err != nil {
		t.Fatal(err)
	}
	return e, ref.KernelMatrix(p)
}

// The solutions of the first programs are those of the literal ones.
func TestRoundsAreLiteral(t *testing.T) {
	for _, c := range []float64{1, 20} {
		e, k := start(t, c)
		lambda := ref.Ones(12)
		for round := range 3 {
			left := make([][]float64, 12)
			for i, row := range k {
				for _, j := range e.centres {
					left[i] = append(left[i], row[j])
				}
			}
			before := slices.Clone(e.centres)
			if _, err := e.round(t.Context()); err != nil {
				t.Fatal(err)
			}
			e.rounds = append(e.rounds, Round{})
			want := ref.DensitySolve(left, e.weight, lambda, c, 20000)
			got := make([]float64, len(before))
			for s, j := range e.centres {
				got[slices.Index(before, j)] = e.alpha[s]
			}
			of := func(alpha []float64) float64 { return ref.DensityObjective(left, e.weight, alpha, lambda, c) }
			testutil.Near(t, "objective", of(got), of(want), 1e-6)
			testutil.NearAll(t, "coefficients", got, want, 2e-4)
			lambda = lambda[:0]
			for s := len(e.centres) - 1; s >= 0; s-- { // what is on its way to 0 is too much for the slow solver
				if e.alpha[s] < 1e-6 {
					e.centres, e.alpha = slices.Delete(e.centres, s, s+1), slices.Delete(e.alpha, s, s+1)
				}
			}
			for _, a := range e.alpha {
				lambda = append(lambda, 1/(a*a))
			}
			if round == 0 && len(e.centres) < 2 {
				t.Errorf("%d coefficients after the first program", len(e.centres))
			}
		}
	}
}

// No program ends above where it begins, at the solution of the one before.
func TestNeverRises(t *testing.T) {
	e, _ := start(t, 3)
	for range 20 {
		_, before := e.gap()
		from := float64(len(e.centres)) - 3*before
		if len(e.rounds) == 0 {
			from = 1.0/12 - 3*before
		}
		penalty, err := e.round(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, after := e.gap()
		testutil.AtMost(t, "rise", penalty-3*after-from, 1e-7)
		e.rounds = append(e.rounds, Round{})
	}
	if len(e.centres) == 12 {
		t.Error("nothing was dropped")
	}
}

// A coefficient next to 0 leaves while it goes on falling, and stays where it has come to rest.
func TestDrop(t *testing.T) {
	for _, tt := range []struct {
		before float64
		left   int
	}{{1e-3, 11}, {1.2e-12, 11}, {1e-12, 12}, {1e-13, 12}} {
		e, _ := start(t, 3)
		before := slices.Clone(e.alpha)
		e.alpha[4], before[4] = 1e-12, tt.before
		if e.drop(before); len(e.centres) != tt.left || len(e.alpha) != tt.left {
			t.Errorf("1e-12 that was %v: %d of 12 are left, want %d", tt.before, len(e.centres), tt.left)
		}
	}
}

// Ripley's samples: four Gaussians, a better density for other samples than 250 of the best width (log density
// −0.5505 at σ = 0.11), and one that has an integral of 1.
func TestRipley(t *testing.T) {
	p, q := ripley(t, "ripley.train.libsvm"), ripley(t, "ripley.test.libsvm")
	r := train(t, SKDE{}, p)
	if n := len(r.Coef); n < 3 || n > 8 || r.Report.Status != status.FixedPoint {
		t.Errorf("%d vectors, %v: %s", n, r.Report.Status, r.Report.Message)
	}
	var mean float64
	for _, v := range ref.Decide(p, &r.Expansion, q.X, q.N) {
		mean += math.Log(v) / float64(q.N)
	}
	testutil.Near(t, "mean log density of other samples", mean, -0.5453, 2e-3)
	figures := r.Report.Figures.(Figures)
	testutil.Near(t, "objective", r.Report.Objective, float64(len(r.Coef))-250*figures.LogLikelihood, 1e-9)
	testutil.AtMost(t, "gap", r.Report.Duality.Gap, 1e-6)
	testutil.AtMost(t, "violation", r.Report.Duality.KKT, 1e-5)
	const side, from, to = 120, -3.0, 3.5
	var grid []float64
	for i := range side * side {
		grid = append(grid, from+(to-from)*float64(i%side)/side, from+(to-from)*float64(i/side)/side)
	}
	var integral float64
	for _, v := range ref.Decide(p, &r.Expansion, grid, side*side) {
		integral += v * (to - from) * (to - from) / side / side
	}
	testutil.Near(t, "integral", integral, 1, 1e-6)
	other := train(t, SKDE{}, p)
	if !slices.Equal(other.Coef, r.Coef) {
		t.Error("another model the second time")
	}
}

// A sample of weight 2 is two samples, one of weight 0 none.
func TestWeights(t *testing.T) {
	p := ref.Clouds(5, 40, 2)
	p.Task, p.Y, p.Threads = learn.Density, nil, 1
	twice, heavy := *p, *p
	twice.X, twice.N = slices.Concat(p.X, p.X[:20]), p.N+10
	heavy.X, heavy.N = slices.Concat(p.X, []float64{9, 9}), p.N+1
	heavy.Weight = append(slices.Repeat([]float64{1}, p.N), 0)
	for i := range 10 {
		heavy.Weight[i] = 2
	}
	a, b := train(t, SKDE{C: 2}, &twice), train(t, SKDE{C: 2}, &heavy)
	if !slices.Equal(a.Support, b.Support) || !strings.Contains(a.Report.Message, "10 samples repeat") {
		t.Fatalf("vectors %v and %v: %s", a.Support, b.Support, a.Report.Message)
	}
	testutil.NearAll(t, "coefficients", a.Coef, b.Coef, 1e-9)
}

// What is hard ends with a status and numbers: one sample, equal ones, samples that no other's Gaussian reaches, an
// outlier, C far from 1, a kernel far too narrow or too wide.
func TestHard(t *testing.T) {
	clouds := ref.Clouds(8, 30, 3)
	for name, p := range map[string]*learn.Problem{
		"one": points(1, gram.RBF(1), 5), "two": points(1, gram.RBF(1), 0, 1), "equal": points(2, gram.RBF(1), 1, 2, 1, 2, 1, 2),
		"apart": points(1, gram.RBF(1), 0, 1e4, -1e8), "outlier": points(1, gram.RBF(1), 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 20),
		"narrow": points(3, gram.RBF(1e8), clouds.X...), "wide": points(3, gram.RBF(1e-8), clouds.X...),
	} {
		for _, c := range []float64{1e-3, 1, 1e5} {
			r := train(t, SKDE{C: c}, p)
			if r.Report.Status != status.FixedPoint {
				t.Errorf("%s at C = %v: %v: %s", name, c, r.Report.Status, r.Report.Message)
			}
			for i, v := range ref.Decide(p, &r.Expansion, p.X, p.N) {
				if !(v > 0) {
					t.Errorf("%s at C = %v: density %v of sample %d", name, c, v, i)
				}
			}
		}
	}
}

// Kernels that are no density, and heights that no float64 holds, are refused; limits leave the best so far.
func TestRefusesAndLimits(t *testing.T) {
	wide := make([]float64, 4000)
	for _, tt := range []struct {
		p    *learn.Problem
		want string
	}{
		{points(1, gram.Linear(), 1, 2), "want rbf"},
		{points(2, gram.WeightedRBF(1, []float64{1, 2}), 1, 2), "want rbf"},
		{points(2000, gram.RBF(1e5), wide...), "choose fewer features"},
		{&learn.Problem{X: []float64{1}, N: 1, D: 1, Y: []float64{1}, Kernel: gram.RBF(1)}, "a problem of the task classify"},
	} {
		if _, err := (SKDE{}).Train(t.Context(), tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	p := ripley(t, "ripley.train.libsvm")
	p.X, p.N = p.X[:160], 80
	if r := train(t, SKDE{MaxIter: 1}, p); r.Report.Status != status.IterationLimit || r.Report.Iterations != 1 {
		t.Errorf("%v after %d rounds", r.Report.Status, r.Report.Iterations)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := (SKDE{}).Train(ended, p); err == nil || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// From the first program on, an end leaves a density: first that of equal weights, then better ones.
func TestEndsInTheFirstProgram(t *testing.T) {
	p := ripley(t, "ripley.train.libsvm")
	p.X, p.N, p.Threads = p.X[:160], 80, 1
	likelihood := func(r *learn.Result) (sum float64) {
		var total float64
		for _, c := range r.Coef {
			total += c * math.Pi / p.Kernel.Gamma
		}
		testutil.Near(t, "sum of the weights", total, 1, 1e-12)
		for _, v := range ref.Decide(p, &r.Expansion, p.X, p.N) {
			sum += math.Log(v)
		}
		return sum
	}
	models := 0
	var first, last float64
	for looks := 0; ; looks++ {
		r, err := (SKDE{}).Train(testutil.EndAfter(t.Context(), looks), p)
		if err != nil && models == 0 {
			continue
		}
		if err != nil {
			t.Fatalf("an end at look %d: %v after %d models", looks, err, models)
		}
		if r.Report.Status != status.Cancelled || len(r.Coef) < p.N {
			break
		}
		if last = likelihood(r); models == 0 {
			first = last
			testutil.NearAll(t, "equal weights", r.Coef, slices.Repeat([]float64{p.Kernel.Gamma / math.Pi / 80}, 80), 1e-12)
		}
		models++
	}
	if models < 10 || !(last > first+1) {
		t.Errorf("%d models, ln p from %v to %v", models, first, last)
	}
}

// A training ends with a reason if the density of a sample goes to 0 and no other Gaussian reaches it;
// steps of Newton end it soon where programs alone would go on.
func TestEnds(t *testing.T) {
	r := train(t, SKDE{}, points(1, gram.RBF(1), 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1e4))
	if r.Report.Status != status.Numerical || !strings.Contains(r.Report.Message, "choose a wider kernel") {
		t.Errorf("%v: %s", r.Report.Status, r.Report.Message)
	}
	p := ripley(t, "ripley.train.libsvm")
	p.Kernel = gram.RBFSigma(0.1)
	if r = train(t, SKDE{}, p); r.Report.Status != status.FixedPoint || r.Report.Iterations > 60 {
		t.Errorf("%v after %d programs", r.Report.Status, r.Report.Iterations)
	}
}
