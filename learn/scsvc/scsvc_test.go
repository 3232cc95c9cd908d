package scsvc

import (
	"context"
	"fmt"
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
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

func train(t *testing.T, tr learn.Trainer, p *learn.Problem) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ripley is every step-th of Ripley's training samples, at σ = 0.5.
func ripley(t *testing.T, step int) *learn.Problem {
	set, err := dataset.ReadFile(testutil.Testdata(t, "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	y, err := set.Signs()
	if err != nil {
		t.Fatal(err)
	}
	p := &learn.Problem{D: 2, Kernel: gram.RBFSigma(0.5), Resources: learn.Resources{Threads: 1}}
	for i := 0; i < set.N; i += step {
		p.X = append(p.X, set.Row(i)...)
		p.Y = append(p.Y, y[i])
		p.N = p.N + 1
	}
	return p
}

// primal is the objective of the package's comment in plain loops.
func primal(p *learn.Problem, e *learn.Expansion, c, lambda float64) (sum float64) {
	for s, a := range e.Coef {
		sum += lambda * math.Abs(a)
		for r, b := range e.Coef {
			i, j := e.Support[s], e.Support[r]
			sum += a * b * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D]) / 2
		}
	}
	for i, f := range ref.Decide(p, e, p.X, p.N) {
		sum += c * p.WeightOf(i) * max(0, 1-p.Y[i]*f)
	}
	return sum
}

// The dual's value is that of multipliers within their constraints, all in plain loops: no model is better, and
// this one is as good. The draws go from models of nothing but a bias to those of nearly all samples.
func TestCertificate(t *testing.T) {
	for draw := range 60 {
		rng := rand.New(rand.NewPCG(uint64(draw), 1))
		n := 6 + rng.IntN(66)
		p := ref.Clouds(uint64(draw), n, 1+rng.IntN(4))
		p.Threads, p.Weight = 1, ref.Ones(n)
		p.Y[0], p.Y[1] = 1, -1 // neither of weight 0
		p.Kernel = []gram.Kernel{gram.RBF(0.01), gram.RBF(0.3), gram.RBF(20), gram.Linear(), gram.Poly(2, 0.5, 1)}[draw%5]
		for i := 2; i < n; i += 3 {
			p.Weight[i] = []float64{0, 0.2, 4}[rng.IntN(3)]
		}
		tr := Trainer{C: math.Pow(10, 4*rng.Float64()-2), Lambda: math.Pow(10, 4*rng.Float64()-3), MaxIter: 200}
		certify(t, fmt.Sprintf("draw %d", draw), tr, p)
	}
}

func certify(t *testing.T, what string, tr Trainer, p *learn.Problem) {
	t.Helper()
	r := train(t, tr, p)
	s, err := newSolver(t.Context(), p, p.Present(), tr)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := s.run(t.Context(), 200); st != status.Optimal || err != nil {
		t.Fatal(what, st, err)
	}
	var total, size, value, worst float64
	theta, eta := s.best.theta, s.best.eta
	for i := range p.N {
		b := p.Y[i] * theta[i] / s.unit
		if largest := tr.C * p.Weight[i]; !(b >= 0 && b <= largest*(1+1e-12)) {
			t.Errorf("%s: multiplier %v of sample %d, at most %v", what, b, i, largest)
		}
		total, size, value = total+theta[i]/s.unit, size+b, value+b
	}
	testutil.Near(t, what+", Σ θ", total, 0, 1e-12*size)
	for i, row := range ref.KernelMatrix(p) {
		var g float64
		for j, v := range row {
			g += v * eta[j] / s.unit
			value -= (theta[i] - eta[i]) * v * (theta[j] - eta[j]) / (s.unit * s.unit) / 2
		}
		if p.Weight[i] > 0 { // the others are no samples of the model's
			worst = max(worst, math.Abs(g))
		}
	}
	testutil.AtMost(t, what+", |Kη|", worst, tr.Lambda+1e-9*max(1, tr.Lambda))
	own := primal(p, &r.Expansion, tr.C, tr.Lambda)
	testutil.NearRel(t, what+", dual", r.Report.Duality.Objective, value, 1e-8)
	testutil.NearRel(t, what+", primal", r.Report.Objective, own, 1e-11)
	testutil.AtMost(t, what+", gap", (own-value)/own, 1e-6)
	if r.Report.Status != status.Optimal {
		t.Errorf("%s: %v", what, r.Report.Status)
	}
	for _, i := range r.Support {
		if p.Weight[i] == 0 {
			t.Errorf("%s: sample %d of weight 0 is a vector", what, i)
		}
	}
	if !slices.IsSorted(r.Support) {
		t.Errorf("%s: vectors %v", what, r.Support)
	}
}

// A model of few vectors is found among few coefficients, one of many among more, and the program of all of them
// has the same optimum.
func TestColumns(t *testing.T) {
	p := ripley(t, 1)
	for lambda, share := range map[float64]int{3: 2, 0.03: 1} {
		tr := Trainer{C: 3, Lambda: lambda, MaxIter: 200}
		few, err := newSolver(t.Context(), p, p.Present(), tr)
		if err != nil {
			t.Fatal(err)
		}
		st, err := few.run(t.Context(), 200)
		if st != status.Optimal || err != nil {
			t.Fatal(st, err)
		}
		all, err := newSolver(t.Context(), p, p.Present(), tr)
		if err != nil {
			t.Fatal(err)
		}
		all.m = all.n
		all.start(make([]float64, all.n), 1)
		if st, err := all.run(t.Context(), 200); st != status.Optimal || err != nil {
			t.Fatal(st, err)
		}
		testutil.NearRel(t, "objective", few.best.primal, all.best.primal, 2e-7)
		if !(few.m < few.n/share) {
			t.Errorf("λ = %v: %d coefficients of %d", lambda, few.m, few.n)
		}
	}
}

// SOURCE: the quadratic program in p, q ≥ 0 with α = p − q, b and ξ ≥ 0, solved by HiGHS 1.15.1 (highspy) on every
// fifth of Ripley's training samples.
func TestHiGHS(t *testing.T) {
	p := ripley(t, 5)
	for _, c := range []struct{ c, lambda, want float64 }{
		{1, 1, 27.417223905151666},
		{10, 0.3, 140.7840942600605},
		{100, 1, 1107.240661708431},
	} {
		r := train(t, Trainer{C: c.c, Lambda: c.lambda}, p)
		testutil.NearRel(t, "objective", r.Report.Objective, c.want, 1e-6)
	}
}

// For λ near 0 the model is the ordinary one; the larger λ, the fewer support vectors.
func TestLambda(t *testing.T) {
	p := ripley(t, 2)
	want := train(t, svc.Trainer{C: 2, Tolerance: 1e-8}, p)
	r := train(t, Trainer{C: 2, Lambda: 1e-7}, p)
	testutil.NearRel(t, "objective", r.Report.Objective, want.Report.Objective, 1e-4)
	last := p.N
	for _, lambda := range []float64{0.01, 1, 10} {
		r := train(t, Trainer{C: 2, Lambda: lambda}, p)
		if len(r.Coef) >= last || r.Report.Status != status.Optimal {
			t.Errorf("λ = %v: %d vectors after %d, %v", lambda, len(r.Coef), last, r.Report.Status)
		}
		last = len(r.Coef)
	}
	if r := train(t, Trainer{C: 1e-3, Lambda: 100}, p); len(r.Coef) > 0 || !strings.Contains(r.Report.Message, "bias alone") {
		t.Errorf("%d vectors, message %q", len(r.Coef), r.Report.Message)
	}
}

// Repeated samples, either label, separable classes, a constant feature and two samples end with a certificate at any
// C.
func TestHardProblems(t *testing.T) {
	two := &learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Y: []float64{-1, 1}, Kernel: gram.RBF(1)}
	p := ref.Clouds(1, 30, 2)
	repeated := *p
	repeated.X, repeated.N = slices.Concat(p.X, p.X[:12]), p.N+6
	repeated.Y = append(slices.Clone(p.Y), 1, -1, 1, -1, 1, -1)
	apart := ref.Clouds(2, 30, 2)
	for i := range apart.N {
		apart.X[2*i], apart.X[2*i+1] = 20*apart.Y[i], 7
	}
	for name, p := range map[string]*learn.Problem{"two": two, "repeated": &repeated, "apart": apart} {
		p.Threads = 1
		for _, c := range []float64{1e-3, 1, 1e5} {
			r := train(t, Trainer{C: c}, p)
			if r.Report.Status != status.Optimal {
				t.Errorf("%s, C = %v: %v: %s", name, c, r.Report.Status, r.Report.Message)
			}
			testutil.NearRel(t, name, r.Report.Objective, primal(p, &r.Expansion, c, 1), 1e-9)
			if slices.ContainsFunc(r.Support, func(i int) bool { return name == "repeated" && i >= 30 }) {
				t.Errorf("%s: vectors %v", name, r.Support)
			}
		}
	}
}

// A limit leaves the best model so far, an ended context an error, and an indefinite kernel is refused by name.
func TestLimits(t *testing.T) {
	p := ripley(t, 5)
	if r := train(t, Trainer{MaxIter: 3}, p); r.Report.Status != status.IterationLimit || r.Report.Iterations != 3 {
		t.Errorf("%v after %d steps", r.Report.Status, r.Report.Iterations)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := (Trainer{}).Train(ended, p); err == nil || r != nil {
		t.Errorf("%v, %v", r, err)
	}
	p.Kernel = gram.Sigmoid(1, -5)
	if _, err := (Trainer{}).Train(t.Context(), p); err == nil || !strings.Contains(err.Error(), "indefinite") {
		t.Errorf("error %v", err)
	}
}
