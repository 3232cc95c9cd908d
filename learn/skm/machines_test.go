package skm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func all(c float64) []learn.Trainer {
	return []learn.Trainer{Trainer{C: c, Delta: 0.1}, Trainer{C: c}, L1SVM{C: c}, L0SVM{C: c}, LPSVC{C: c}}
}

// output evaluates the expansion at every sample of p with the plain kernel formula.
func output(p *learn.Problem, e learn.Expansion) []float64 { return outputAt(p, e, p) }

// outputAt evaluates an expansion over the samples of p at every sample of q.
func outputAt(p *learn.Problem, e learn.Expansion, q *learn.Problem) []float64 {
	f := make([]float64, q.N)
	for i := range f {
		f[i] = e.Bias
		for s, j := range e.Support {
			f[i] += e.Coef[s] * p.Kernel.Eval(q.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
	}
	return f
}

func errorRate(p *learn.Problem, f []float64) float64 {
	wrong := 0
	for i, v := range f {
		if !(v*p.Y[i] > 0) {
			wrong++
		}
	}
	return float64(wrong) / float64(len(f))
}

// TestMachines trains every method with both kernels and checks the certificates
// and the objective against the trained model, evaluated by hand.
func TestMachines(t *testing.T) {
	for _, k := range []gram.Kernel{gram.RBFSigma(1.5), gram.Linear()} {
		p := problem(t, dataset.PelegMeir(120, 0.2, 5), k)
		for _, tr := range all(1) {
			t.Run(k.Kind.String()+"/"+tr.Name(), func(t *testing.T) {
				r, err := tr.Train(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				if r.Report.Status != optimum(tr.Name()) || !(math.Abs(r.Report.Duality.Gap) <= 1e-9) ||
					!(r.Report.Duality.KKT <= 1e-8) {
					t.Fatalf("status %v, gap %g, violation %g", r.Report.Status, r.Report.Duality.Gap, r.Report.Duality.KKT)
				}
				testutil.AtMost(t, "training error", errorRate(p, output(p, r.Expansion)), 0.35)
				if tr.Name() == "lpsvc" || tr.Name() == "l1svm" {
					checkObjective(t, p, r)
				}
			})
		}
	}
}

// checkObjective recomputes Σ|α| + C Σξ, C = 1, from the model.
func checkObjective(t *testing.T, p *learn.Problem, r *learn.Result) {
	t.Helper()
	var want float64
	for _, a := range r.Coef {
		want += math.Abs(a)
	}
	for i, f := range output(p, r.Expansion) {
		want += math.Max(0, 1-p.Y[i]*f)
	}
	testutil.Near(t, "objective", r.Report.Objective, want, 1e-7*want)
}

// TestThreshold drops coefficients: the report must be of the model that is left, fitted
// again, and no model on all samples can be better.
func TestThreshold(t *testing.T) {
	p := problem(t, dataset.PelegMeir(120, 0.2, 5), gram.RBFSigma(1.5))
	for _, whole := range []learn.Trainer{L1SVM{C: 1}, LPSVC{C: 1}} {
		pruned := map[string]learn.Trainer{"l1svm": L1SVM{C: 1, Threshold: 0.5}, "lpsvc": LPSVC{C: 1, Threshold: 0.5}}[whole.Name()]
		a, err := whole.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := pruned.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Support) >= len(a.Support) || !(b.Report.Objective > a.Report.Objective) {
			t.Errorf("%s: %d of %d support vectors, objective %v of %v", whole.Name(), len(b.Support), len(a.Support),
				b.Report.Objective, a.Report.Objective)
		}
		checkObjective(t, p, b)
		testutil.AtMost(t, "gap", math.Abs(b.Report.Duality.Gap), 1e-9)
		testutil.AtMost(t, "violation", b.Report.Duality.KKT, 1e-8)
	}
}

// TestPaper is the setting of Fig. 2 of Peleg & Meir (2009): 300 training and 1000
// test samples, p_out = 0.2, both kernels. There SKM has 1.0 % (linear) and 1.3 %
// (RBF) support vectors at 26.5 % and 26.2 % error.
func TestPaper(t *testing.T) {
	const n = 300
	set := dataset.PelegMeir(n+1000, 0.2, 11)
	for _, k := range []gram.Kernel{gram.Linear(), gram.RBFSigma(3)} {
		p := problem(t, set, k)
		test := *p
		test.N, test.X, test.Y = 1000, p.X[2*n:], p.Y[n:]
		p.N, p.X, p.Y = n, p.X[:2*n], p.Y[:n]
		r, err := Trainer{C: 1}.Train(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		rate := errorRate(&test, outputAt(p, r.Expansion, &test))
		share := float64(r.Report.Figures.(Figures).SVCounted) / n
		t.Logf("%s: %.1f %% support vectors, test error %.1f %%, delta %.3g", k.Kind, 100*share, 100*rate,
			r.Report.Figures.(Figures).Delta)
		if !(share <= 0.02) || !(rate >= 0.24 && rate <= 0.29) {
			t.Errorf("%s: %.1f %% support vectors at %.1f %% error", k.Kind, 100*share, 100*rate)
		}
		b := r.Report.Figures.(Figures).Bound
		if !(b.Value >= rate) || !(b.Effective <= float64(len(r.Support))+1e-6) {
			t.Errorf("%s: bound %+v below the test error %.3f, or more effective coefficients than nonzero ones", k.Kind, b,
				rate)
		}
	}
}

// TestWeights checks that weight 0 equals an absent row and weight 2 a row given twice.
func TestWeights(t *testing.T) {
	set := dataset.PelegMeir(60, 0.1, 3)
	p := problem(t, set, gram.RBFSigma(1.5))
	p.Weight = make([]float64, p.N)
	less := &learn.Problem{D: p.D, Kernel: p.Kernel}
	for i := range p.Weight {
		if i%4 != 0 {
			p.Weight[i] = 1
			less.X = append(less.X, p.X[i*2:i*2+2]...)
			less.Y = append(less.Y, p.Y[i])
			less.N++
		}
	}
	for _, tr := range []learn.Trainer{Trainer{C: 0.1, Delta: 0.2}, L1SVM{}, L0SVM{}, LPSVC{}} {
		a, err := tr.Train(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tr.Train(context.Background(), less)
		if err != nil {
			t.Fatal(err)
		}
		want := b.Report.Objective
		if !testutil.Within(a.Report.Objective, want, 1e-9*max(1, want)) || len(a.Support) != len(b.Support) {
			t.Errorf("%s: objective %g with weights 0, %g without the rows", tr.Name(), a.Report.Objective, b.Report.Objective)
		}
		for _, i := range a.Support {
			if i%4 == 0 {
				t.Errorf("%s: row %d of weight 0 is a support vector", tr.Name(), i)
			}
		}
	}
}

// TestBadInput checks the errors for parameters and data that cannot be trained on.
func TestBadInput(t *testing.T) {
	p := problem(t, dataset.PelegMeir(20, 0, 1), gram.RBF(1))
	one := *p
	one.Y = make([]float64, p.N)
	for i := range one.Y {
		one.Y[i] = 1
	}
	poor := *p
	poor.Memory = 100
	for _, c := range []struct {
		tr   learn.Trainer
		p    *learn.Problem
		want string
	}{
		{Trainer{C: -1}, p, "skm: c is -1, want a finite number > 0"},
		{Trainer{C: math.NaN()}, p, "c is NaN"},
		{Trainer{Delta: 2}, p, "margin is 2, want a number > 0 and <= 1"},
		{Trainer{Threshold: 1}, p, "sv_threshold is 1, want a number >= 0 and < 1"},
		{L1SVM{C: math.Inf(1)}, p, "l1svm: c is +Inf"},
		{L0SVM{MaxIter: -1}, p, "max_iter is -1, want a whole number >= 1"},
		{LPSVC{Threshold: math.NaN()}, p, "sv_threshold is NaN"},
		{LPSVC{}, &one, "one class"},
		{Trainer{}, &poor, "memory budget"},
	} {
		if _, err := c.tr.Train(context.Background(), c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", c.tr.Name(), err, c.want)
		}
	}
}

// TestLimits checks that a deadline gives the best model so far and says so, or an
// error when there is none.
func TestLimits(t *testing.T) {
	p := problem(t, dataset.PelegMeir(200, 0.2, 2), gram.RBFSigma(1))
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, tr := range all(1) {
		if _, err := tr.Train(late, p); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v, want the context's", tr.Name(), err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.Progress = func(learn.Event) { cancel() } // after the first margin
	r, err := Trainer{C: 0.1}.Train(ctx, p)     // which looks at several
	if err != nil || r.Report.Status != status.Cancelled || len(r.Support) == 0 || len(r.Report.Rounds) == 0 {
		t.Errorf("cancelled after a margin: %v, error %v", r, err)
	}
}

// TestDump counts the programs handed out and solves the first from cold.
func TestDump(t *testing.T) {
	p := problem(t, dataset.PelegMeir(50, 0.2, 2), gram.RBFSigma(1))
	var got []*simplex.LP
	dump := func(lp *simplex.LP) error { got = append(got, lp); return nil }
	r, err := L1SVM{C: 0.5}.Train(simplex.WithTrace(t.Context(), dump), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("%d programs, want 1", len(got))
	}
	s, err := simplex.New(*got[0], simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res := s.Solve(context.Background()); !(math.Abs(res.Objective+r.Report.Objective) <= 1e-9*r.Report.Objective) {
		t.Errorf("dumped program has optimum %.12g, the training %.12g", -res.Objective, r.Report.Objective)
	}
}

// TestScale trains on more samples than their matrix has room for.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("10 s of training")
	}
	p := problem(t, dataset.Ringnorm(4000, 1), gram.RBFSigma(4.5))
	p.Memory = 40 << 20 // the matrix takes 128 MB
	r, err := LPSVC{C: 1}.Train(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Report.Status != status.Optimal || !(math.Abs(r.Report.Duality.Gap) <= 1e-9) {
		t.Errorf("status %v, gap %g", r.Report.Status, r.Report.Duality.Gap)
	}
}

// TestObjectiveSKM recomputes Σ cost_i α_i + Σ ξ from the model and the costs of the last
// program that was handed out.
func TestObjectiveSKM(t *testing.T) {
	p := problem(t, dataset.PelegMeir(80, 0.2, 5), gram.RBFSigma(1.5))
	var last *simplex.LP
	dump := func(lp *simplex.LP) error { last = lp; return nil }
	for _, threshold := range []float64{0, 0.5} {
		r, err := Trainer{C: 0.01, Delta: 0.1, Threshold: threshold}.Train(simplex.WithTrace(t.Context(), dump), p)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		for k, i := range r.Support {
			price := last.RowUp[i+1] // of a negative point the bounds change sides
			if p.Y[i] < 0 {
				price = -last.RowLo[i+1]
			}
			want += price * math.Abs(r.Coef[k])
		}
		for i, f := range output(p, r.Expansion) {
			want += math.Max(0, 0.2-p.Y[i]*f)
		}
		testutil.NearRel(t, "objective", r.Report.Objective, want, 1e-9)
	}
}

// TestTinyCost: where C is below the tolerance of the programs, the bias alone is still the best model,
// and it loses 2C for each sample of the smaller class.
func TestTinyCost(t *testing.T) {
	p := &learn.Problem{X: []float64{0, 1, 2, 3, 4}, N: 5, D: 1, Y: []float64{1, -1, -1, 1, -1}, Kernel: gram.RBF(1)}
	for _, c := range []float64{1e-4, 1e-9, 1e-15, 1e-300, 5e-324} {
		for _, tr := range all(c)[2:] {
			r, err := tr.Train(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Report.Status != optimum(tr.Name()) || !(r.Report.Objective <= 4*c*(1+1e-9)) {
				t.Errorf("%s, C = %v: %v, objective %v, bias %v; the bias alone has %v", tr.Name(), c, r.Report.Status,
					r.Report.Objective, r.Bias, 4*c)
			}
		}
	}
}
