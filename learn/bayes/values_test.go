package bayes

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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

var ofValues = []learn.Trainer{RVM{}, Fast{}}

// sinc is noisy sin(x)/x, times and plus something.
func sinc(n int, seed uint64, times, plus float64) *learn.Problem {
	set := dataset.Sinc(n, 0.1, seed)
	p := &learn.Problem{X: set.X, N: n, D: 1, Task: learn.Regress, Y: set.Targets, Kernel: gram.RBF(0.1),
		Resources: learn.Resources{Threads: 1}}
	for i := range p.Y {
		p.Y[i] = plus + times*p.Y[i]
	}
	return p
}

// heavy has samples of several weights and, each under the same features twice, of several targets; samples has the
// same as samples of weight 1.
func heavy(seed uint64, n int) (p, samples *learn.Problem) {
	p = sinc(n, seed, 3, 1)
	p.Weight = ref.Ones(n)
	for i := range n / 2 {
		p.X[2*i] = p.X[2*i+1]
		p.Weight[i] = float64(i % 4)
	}
	samples = &learn.Problem{D: 1, Task: learn.Regress, Kernel: p.Kernel, Resources: p.Resources}
	for i, w := range p.Weight {
		for range int(w) {
			samples.X = append(samples.X, p.X[i])
			samples.Y = append(samples.Y, p.Y[i])
			samples.N = samples.N + 1
		}
	}
	return p, samples
}

// literally is the model's design for the formulas as they are printed, a row a sample, with its precisions.
func literally(samples, p *learn.Problem, r *learn.Result) (ref.BayesProblem, []float64) {
	figures := r.Report.Figures.(Figures)
	var of ref.BayesProblem
	alpha := slices.Clone(figures.Alpha)
	for i := range samples.N {
		var row []float64
		for _, s := range r.Support {
			row = append(row, p.Kernel.Eval(samples.X[i:i+1], p.X[s:s+1]))
		}
		if figures.AlphaBias > 0 {
			row = append(row, 1)
		}
		of.Phi = append(of.Phi, row)
	}
	if figures.AlphaBias > 0 {
		alpha = append(alpha, figures.AlphaBias)
	}
	return of, alpha
}

// The model's coefficients and evidence are those of the formulas for its precisions and its noise, which
// re-estimation as it is printed leaves where they are.
func TestValuesAreLiteral(t *testing.T) {
	for seed := range uint64(3) {
		p, samples := heavy(seed, 40)
		for _, tr := range ofValues {
			r := train(t, tr, p)
			of, alpha := literally(samples, p, r)
			variance := math.Pow(r.Report.Figures.(Figures).Noise, 2)
			mean, _ := of.Posterior(alpha, samples.Y, variance)
			got := slices.Clone(r.Coef)
			if len(alpha) > len(got) {
				got = append(got, r.Bias)
			}
			testutil.NearAll(t, tr.Name()+": coefficients", got, mean, 1e-6)
			testutil.Near(t, tr.Name()+": evidence", -r.Report.Objective, of.LogNormal(alpha, samples.Y, variance), 1e-6)
			next, noise := of.Reestimate(alpha, samples.Y, variance)
			testutil.NearRel(t, tr.Name()+": variance of the noise", noise, variance, 0.03)
			for s, a := range next { // flat where a precision is
				up := slices.Clone(alpha)
				up[s] = a
				gain := of.LogNormal(up, samples.Y, variance) + r.Report.Objective
				testutil.AtMost(t, tr.Name()+": gain of a precision", gain, 1e-3)
			}
			for _, by := range []float64{0.98, 1.02} {
				gain := of.LogNormal(alpha, samples.Y, by*variance) + r.Report.Objective
				testutil.AtMost(t, tr.Name()+": gain of another noise", gain, 1e-3)
			}
		}
	}
}

// The variances of targets, near the samples and far from them, are those of the literal formula, and of the normal
// process that the model is.
func TestVariances(t *testing.T) {
	for seed := range uint64(3) {
		p, samples := heavy(seed, 40)
		for _, tr := range []learn.Trainer{RVM{}, Fast{}, RVM{NoBias: true}} {
			r := train(t, tr, p)
			of, alpha := literally(samples, p, r)
			noise := math.Pow(r.Report.Figures.(Figures).Noise, 2)
			testutil.NearRel(t, "variance of the noise", r.Posterior.Noise, noise, 1e-12)
			for _, x := range []float64{-20, -8.3, -0.4, 0, 3.3, 9, 1000} {
				var phi []float64
				for _, s := range r.Support {
					phi = append(phi, p.Kernel.Eval([]float64{x}, p.X[s:s+1]))
				}
				all := append(slices.Clone(phi), 1) // the bias counts for nothing where there is none
				if phi = all[:len(alpha)]; len(alpha) < len(r.Coef) {
					t.Fatalf("%d precisions of %d coefficients", len(alpha), len(r.Coef))
				}
				got := r.Posterior.Variance(all)
				testutil.NearRel(t, tr.Name()+": variance", got, of.Predictive(alpha, noise, phi), 1e-6)
				testutil.NearRel(t, tr.Name()+": variance by samples", got, of.PredictiveByPoints(alpha, noise, phi), 1e-5)
			}
		}
	}
}

// With α/β as they are no other noise has a larger evidence, and the mode stays.
func TestSettleNoise(t *testing.T) {
	p, _ := heavy(5, 30)
	task, err := newTask(t.Context(), p, "rvm", true, 1, learn.Regress)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	l := newNormal(task)
	at := rng.Perm(task.n)[:5]
	alpha := make([]float64, 5)
	for s := range alpha {
		alpha[s] = math.Exp(rng.NormFloat64())
	}
	fit := func(by float64, given bool) *posterior {
		q := newPosterior(t.Context(), l, task.n, 5, 1)
		for s, j := range at {
			q.basis = append(q.basis, j)
			q.phi = append(q.phi, task.column(j)...)
			q.w = append(q.w, 0)
			q.alpha = append(q.alpha, by*alpha[s])
		}
		l.beta, l.given = by, given
		if err = q.fit(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		return q
	}
	best := fit(1, false)
	beta, mode := l.beta, slices.Clone(best.w)
	for _, by := range []float64{0.5, 0.99, 1, 1.01, 2} {
		q := fit(by*beta, true)
		testutil.NearAll(t, "mode", q.w, mode, 1e-9)
		if by == 1 {
			testutil.Near(t, "evidence", q.evidence, best.evidence, 1e-9)
			testutil.NearAll(t, "factor", q.h[:25], best.h[:25], 1e-7*math.Sqrt(beta))
		} else if !(q.evidence < best.evidence) {
			t.Errorf("evidence %v at %v times the best noise's precision, %v there", q.evidence, by, best.evidence)
		}
	}
}

// The factors S and Q that steps keep up to date are those of the literal formulas at the same noise.
func TestValueFactorsAreLiteral(t *testing.T) {
	p, _ := heavy(7, 24)
	task, err := newTask(t.Context(), p, "rvm", true, 1, learn.Regress)
	if err != nil {
		t.Fatal(err)
	}
	s := &search{task: task}
	if err = s.makeRoom(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	if err = s.leaps(t.Context(), nil, 3); err != nil || s.size() == 0 {
		t.Fatalf("%d basis functions, %v", s.size(), err)
	}
	if err = s.g.start(t.Context(), s.posterior); err != nil {
		t.Fatal(err)
	}
	var of ref.BayesProblem
	for i := range task.n {
		var row []float64
		for j := range task.cols {
			row = append(row, task.column(j)[i])
		}
		of.Phi = append(of.Phi, row)
	}
	for k, a := range []action{{drop, s.g.basis[0], 0}, {add, slices.Index(s.g.place, -1), 0.7}} {
		ls, lq := of.Factors(s.g.basis, s.g.alpha, s.curvature, task.y)
		unit := s.noise.beta * s.noise.count
		testutil.NearAll(t, fmt.Sprint("S, step ", k), s.g.s, ls, 1e-9*unit)
		testutil.NearAll(t, fmt.Sprint("Q, step ", k), s.g.q, lq, 1e-9*unit)
		s.g.take(a)
	}
}

// Tipping's example: few vectors, the noise as it was drawn, and the model is the same in any unit and for samples as
// for weights. No accepted step lowers the evidence.
func TestSinc(t *testing.T) {
	for _, tr := range ofValues {
		p := sinc(100, 1, 1, 0)
		r := train(t, tr, p)
		figures := r.Report.Figures.(Figures)
		if n := len(r.Coef); n < 3 || n > 9 || r.Report.Status != ends(tr, r.Report.Status) || r.Report.Slope != nil {
			t.Errorf("%s: %d vectors, %v, slope %v", tr.Name(), n, r.Report.Status, r.Report.Slope)
		}
		testutil.Near(t, "noise", figures.Noise, 0.1, 0.02)
		testutil.AtMost(t, "gradient", figures.Gradient, 1e-8)
		for i, e := range figures.Evidence[1:] {
			testutil.AtMost(t, fmt.Sprintf("%s: fall at step %d", tr.Name(), i+1), figures.Evidence[i]-e, 1e-9)
		}
		x := []float64{-7, -1, 0, 0.5, 4}
		f := ref.Decide(p, &r.Expansion, x, 5)
		for i, v := range x[:2] {
			testutil.Near(t, "value", f[i], math.Sin(v)/v, 0.1)
		}
		const unit = 1e40
		other := train(t, tr, sinc(100, 1, unit, 0))
		if !slices.Equal(other.Support, r.Support) {
			t.Errorf("%s: vectors %v, and %v in another unit", tr.Name(), r.Support, other.Support)
			continue
		}
		for i, v := range ref.Decide(p, &other.Expansion, x, 5) {
			testutil.NearRel(t, "in another unit", v/unit, f[i], 1e-6)
		}
		testutil.NearRel(t, "evidence", other.Report.Objective-r.Report.Objective, 100*math.Log(unit), 1e-9)
		h, samples := heavy(3, 60)
		a, b := train(t, tr, h), train(t, tr, samples)
		if len(a.Coef) != len(b.Coef) || !strings.Contains(b.Report.Message, "samples repeat") {
			t.Errorf("%s: %d vectors of weights, %d of samples: %s", tr.Name(), len(a.Coef), len(b.Coef), b.Report.Message)
			continue
		}
		testutil.NearAll(t, "samples", ref.Decide(h, &a.Expansion, x, 5), ref.Decide(samples, &b.Expansion, x, 5),
			1e-5)
	}
}

// What is hard ends with a status and numbers: two samples and one, equal targets, targets of zero, contradictions,
// targets without noise, far from zero, and that say nothing.
func TestHardValues(t *testing.T) {
	of := func(x, y []float64, k gram.Kernel) *learn.Problem {
		return &learn.Problem{X: x, N: len(y), D: len(x) / len(y), Task: learn.Regress, Y: y, Kernel: k,
			Resources: learn.Resources{Threads: 1}}
	}
	exact, noise := sinc(40, 1, 1, 0), sinc(60, 2, 1, 0)
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range exact.Y {
		exact.Y[i] = 2*exact.X[i] - 3
	}
	exact.Kernel = gram.Linear()
	for i := range noise.Y {
		noise.Y[i] = rng.NormFloat64()
	}
	for name, p := range map[string]*learn.Problem{
		"one": of([]float64{1}, []float64{5}, gram.RBF(1)), "two": of([]float64{0, 1}, []float64{-1, 1e9}, gram.RBF(1)),
		"equal": of([]float64{0, 1, 2}, []float64{7, 7, 7}, gram.RBF(1)), "zero": of([]float64{0, 1}, []float64{0, 0}, gram.RBF(1)),
		"same": of([]float64{3, 3, 3}, []float64{-1, 2, 4}, gram.RBF(1)), "exact": exact, "noise": noise,
		"far":  sinc(50, 3, 1, 1e7),
		"huge": of([]float64{0, 1, 2}, []float64{1e150, -1e150, 1e149}, gram.RBF(1)),
	} {
		for _, tr := range ofValues {
			r := train(t, tr, p)
			if r.Report.Status != ends(tr, r.Report.Status) {
				t.Errorf("%s, %s: %v: %s", tr.Name(), name, r.Report.Status, r.Report.Message)
			}
			f := ref.Decide(p, &r.Expansion, p.X, p.N)
			switch n := len(r.Coef); {
			case name == "zero" && (n > 0 || r.Bias != 0), name == "noise" && n > p.N/4, name == "exact" && n == 0:
				t.Errorf("%s, %s: %d vectors, bias %v", tr.Name(), name, n, r.Bias)
			case name == "exact":
				testutil.NearAll(t, "exact", f, p.Y, 1e-3)
			case name == "equal":
				testutil.NearAll(t, "equal", f, p.Y, 1e-3)
			}
		}
	}
}

// kernlab's model of the same samples and kernel, which has no bias, has the same noise and values.
func TestKernlab(t *testing.T) {
	text, err := os.ReadFile("testdata/kernlab.json")
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Variance float64
		Vectors  []int
		Fitted   []float64
	}
	if err = json.Unmarshal(text, &theirs); err != nil || len(theirs.Fitted) != 100 {
		t.Fatalf("%d values, %v", len(theirs.Fitted), err)
	}
	p := sinc(100, 1, 1, 0)
	for _, tr := range []learn.Trainer{RVM{NoBias: true}, Fast{NoBias: true}} {
		r := train(t, tr, p)
		var square float64
		for i, f := range ref.Decide(p, &r.Expansion, p.X, p.N) {
			square += (f - theirs.Fitted[i]) * (f - theirs.Fitted[i])
		}
		testutil.AtMost(t, tr.Name()+": distance of the values", math.Sqrt(square/100), 0.02)
		testutil.NearRel(t, tr.Name()+": noise", r.Report.Figures.(Figures).Noise, math.Sqrt(theirs.Variance), 0.02)
		if len(r.Coef) > len(theirs.Vectors) {
			t.Errorf("%s: %d vectors, kernlab has %d", tr.Name(), len(r.Coef), len(theirs.Vectors))
		}
	}
}

// A step that does not raise the evidence leaves precisions and noise where they were.
func TestTakenBack(t *testing.T) {
	task, err := newTask(t.Context(), sinc(60, 4, 1, 0), "rvm-fast", true, 0, learn.Regress)
	if err != nil {
		t.Fatal(err)
	}
	s := &search{task: task}
	if err = s.makeRoom(t.Context(), 20); err != nil {
		t.Fatal(err)
	}
	if st := s.run(t.Context(), 2, 100); st != status.Optimal || s.begin(t.Context()) != nil {
		t.Fatal(st)
	}
	evidence, beta, alpha := s.evidence, s.noise.beta, slices.Clone(s.alpha)
	same := func(what string, better bool, err error) {
		t.Helper()
		if better || err != nil {
			t.Errorf("%s: better %v, %v", what, better, err)
		}
		testutil.NearRel(t, what+": evidence", s.evidence, evidence, 1e-12)
		testutil.NearRel(t, what+": noise", s.noise.beta, beta, 1e-9)
		for k, a := range alpha {
			testutil.NearRel(t, what+": precision", s.alpha[k], a, 1e-9)
		}
	}
	better, err := s.attempt(t.Context(), action{drop, s.basis[0], 0})
	same("a vector dropped", better, err)
	s.save()
	times(s.alpha, 100)
	s.back()
	same("all precisions", s.fit(t.Context(), s.unit) != nil, nil)
	s.variance = slices.Repeat([]float64{1e-3}, s.size()) // not those of the posterior
	better, err = s.try(t.Context(), 1, false)
	same("a step in a wrong direction", better, err)
}
