package scsvc

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/learntest"
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

// ripley is every step-th of Ripley's training points, at σ = 0.5.
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
		p.X, p.Y, p.N = append(p.X, set.Row(i)...), append(p.Y, y[i]), p.N+1
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
	for i, f := range learntest.Decide(p, e, p.X, p.N) {
		sum += c * p.WeightOf(i) * max(0, 1-p.Y[i]*f)
	}
	return sum
}

// The dual's value is that of multipliers within their constraints, all in plain loops: no machine is better, and
// this one is as good.
func TestCertificate(t *testing.T) {
	p := learntest.Clouds(3, 60, 3)
	p.Threads, p.Weight = 1, learntest.Ones(60)
	p.Weight[3], p.Weight[7] = 0, 4
	const c, lambda = 5.0, 0.4
	tr := Trainer{C: c, Lambda: lambda, MaxIter: 200}
	r := train(t, tr, p)
	s, err := newSolver(t.Context(), p, p.Present(), tr)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := s.run(t.Context(), 200); st != status.Optimal || err != nil {
		t.Fatal(st, err)
	}
	k := learntest.KernelMatrix(p)
	var up, down, value, worst float64
	theta, eta, rest := make([]float64, p.N), make([]float64, p.N), make([]float64, p.N)
	for i, row := range s.rows {
		if b := s.v.beta[i]; !(b >= 0 && b <= c*p.Weight[row]) {
			t.Errorf("multiplier %v of point %d", b, row)
		}
		theta[row] = s.y[i] * s.v.beta[i]
		eta[row] = theta[row]
		if i < s.m {
			eta[row] -= s.v.p[i] - s.v.q[i]
		}
		up, down = up+max(0, theta[row]), down+max(0, -theta[row])
		value += s.v.beta[i]
	}
	testutil.Near(t, "Σ θ", up-down, 0, 1e-7)
	for i := range k {
		var g float64
		for j, v := range k[i] {
			g += v * eta[j]
		}
		worst = max(worst, math.Abs(g))
	}
	testutil.AtMost(t, "|Kη|", worst, lambda+1e-7)
	for i := range rest {
		rest[i] = theta[i] - eta[i]*min(1, lambda/worst)
	}
	for i := range k {
		for j, v := range k[i] {
			value -= rest[i] * v * rest[j] / 2
		}
	}
	testutil.NearRel(t, "dual", r.Report.Duality.Objective, value, 1e-6)
	own := primal(p, &r.Expansion, c, lambda)
	testutil.NearRel(t, "primal", r.Report.Objective, own, 1e-12)
	testutil.AtMost(t, "gap", (own-value)/own, 1e-6)
	if r.Report.Status != status.Optimal || len(r.Coef) == 0 || len(r.Coef) > 30 {
		t.Errorf("%v, %d vectors", r.Report.Status, len(r.Coef))
	}
	if slices.Contains(r.Support, 3) {
		t.Error("a point of weight 0 is a vector")
	}
}

// SOURCE: the quadratic program in p, q ≥ 0 with α = p − q, b and ξ ≥ 0, solved by HiGHS 1.15.1 (highspy) on every
// fifth of Ripley's training points.
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

// For a price of nearly nothing the machine is the ordinary one; the more it is, the fewer vectors are left.
func TestPrice(t *testing.T) {
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

// Repeated points, either label, separable classes, a constant feature and two points end with a certificate at any
// C.
func TestHardProblems(t *testing.T) {
	two := &learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Y: []float64{-1, 1}, Kernel: gram.RBF(1)}
	p := learntest.Clouds(1, 30, 2)
	repeated := *p
	repeated.X, repeated.N = slices.Concat(p.X, p.X[:12]), p.N+6
	repeated.Y = append(slices.Clone(p.Y), 1, -1, 1, -1, 1, -1)
	apart := learntest.Clouds(2, 30, 2)
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

// A limit leaves the best machine so far, an ended context an error, and an indefinite kernel is refused by name.
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
