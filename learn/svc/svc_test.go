package svc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Huang et al. (2010), section 4.1: 102 support vectors on Ripley's data with σ = 0.5, C = 1.
func TestRipley(t *testing.T) {
	p := load(t, testutil.Testdata(t, "ripley.train.libsvm"), false, gram.RBFSigma(0.5))
	for _, tol := range []float64{0, 1e-6} {
		r := mustTrain(t, Trainer{C: 1, Tolerance: tol}, p)
		if len(r.Support) != 102 {
			t.Errorf("tolerance %v: %d support vectors, want 102", tol, len(r.Support))
		}
	}
}

// Larger sets: LIBSVM 3.24 at -e 1e-6, its dual objective recomputed in double precision from its
// coefficients, and its support vectors. Its kernel cache is in single precision, so it may
// stop a little below the optimum: ours may only be better, within our own gap.
func TestLIBSVMOnLargerSets(t *testing.T) {
	z := func(name string) func(testing.TB, gram.Kernel) *learn.Problem {
		return func(tb testing.TB, k gram.Kernel) *learn.Problem { return load(tb, testutil.Shared(tb, name), true, k) }
	}
	banana := func(tb testing.TB, k gram.Kernel) *learn.Problem { return read(tb, "open/banana.libsvm", k) }
	for _, c := range []struct {
		name     string
		load     func(testing.TB, gram.Kernel) *learn.Problem
		c, gamma float64
		dual     float64
		sv       int
	}{
		{"banana", banana, 1, 1, 1231.57202859, 1322},
		{"banana", banana, 10, 1, 11482.7039897, 1184},
		{"banana", banana, 316, 1, 350588.743924, 1152},
		{"german", z("open/german.libsvm"), 3.16, 0.018, 1405.72424772, 571},
		{"diabetis", func(tb testing.TB, k gram.Kernel) *learn.Problem {
			return load(tb, testutil.Testdata(tb, "diabetis.libsvm"), true, k)
		}, 1, 0.125, 352.425448573, 435},
		{"heart", z("open/heart.libsvm"), 1, 0.07, 89.1482325147, 141},
		{"ringnorm5000", func(tb testing.TB, k gram.Kernel) *learn.Problem {
			return head(read(tb, "open/ringnorm.libsvm.gz", k), 5000)
		}, 1, 0.05, 226.54046954, 396},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := mustTrain(t, Trainer{C: c.c, Tolerance: 1e-6}, c.load(t, gram.RBF(c.gamma)))
			if r.Report.Status != status.Optimal {
				t.Errorf("C = %v: %v", c.c, r.Report.Status)
			}
			testutil.AtMost(t, fmt.Sprintf("C = %v: gap", c.c), r.Report.Duality.Gap, 1e-6)
			testutil.AtMost(t, fmt.Sprintf("C = %v: KKT", c.c), r.Report.Duality.KKT, 1e-6)
			if d := (r.Report.Duality.Objective - c.dual) / c.dual; !(d >= -1e-7 && d <= 1e-5) {
				t.Errorf("C = %v: dual objective %.12g, LIBSVM %.12g", c.c, r.Report.Duality.Objective, c.dual)
			}
			if d := len(r.Support) - c.sv; d < -2 || d > 2 {
				t.Errorf("C = %v: %d support vectors, LIBSVM %d", c.c, len(r.Support), c.sv)
			}
		})
	}
}

// copies is p with the weight of equal samples of one label at the first of them.
func copies(p *learn.Problem) *learn.Problem {
	q := *p
	q.Weight = make([]float64, p.N)
	for _, i := range p.Present() {
		first := 0
		for p.WeightOf(first) == 0 || p.Y[first] != p.Y[i] ||
			!slices.Equal(p.X[first*p.D:(first+1)*p.D], p.X[i*p.D:(i+1)*p.D]) {
			first++
		}
		q.Weight[first] += p.WeightOf(i)
	}
	return &q
}

// reference states p for the literal solver and checker.
func reference(p *learn.Problem, c float64) *ref.SVCProblem {
	q := &ref.SVCProblem{Y: p.Y, K: make([][]float64, p.N), C: make([]float64, p.N)}
	for i := range p.N {
		q.K[i] = make([]float64, p.N)
		for j := range p.N {
			q.K[i][j] = p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
		q.C[i] = c
		if p.Weight != nil {
			q.C[i] *= p.Weight[i]
		}
	}
	return q
}

// split is the sum of two variables, of labels y and z, as variables of which one is at its bound. The sum was rounded:
// what is within that of a bound is at it.
func split(sum, largest, y, other, z float64) (a, b float64) {
	rounding := 1e-12 * max(largest, other)
	a, b = y*largest, (sum-y*largest)*z
	switch {
	case b < -rounding || b > other+rounding:
		a, b = sum-z*other, other
		if math.Abs(a) <= rounding {
			a = 0
		}
	case b <= rounding:
		b = 0
	case b >= other-rounding:
		b = other
	}
	return a, z * b
}

// variables are those of the dual of copies(p): of a sample with both labels one is at its bound.
func variables(p *learn.Problem, c float64, r *learn.Result) (q *learn.Problem, coef []float64) {
	q, coef = copies(p), make([]float64, p.N)
	for s, i := range r.Support {
		coef[i] = r.Coef[s]
	}
	present := q.Present()
	for k, i := range present {
		for _, j := range present[:k] {
			if slices.Equal(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D]) {
				coef[i], coef[j] = split(coef[i]+coef[j], c*q.Weight[i], p.Y[i], c*q.Weight[j], p.Y[j])
			}
		}
	}
	return q, coef
}

func check(p *learn.Problem, c float64, r *learn.Result) ref.SVCCertificate {
	q, coef := variables(p, c, r)
	return reference(q, c).Check(coef, r.Bias)
}

// clouds is two overlapping classes of n samples, some of them repeated, both classes present.
func clouds(rng *rand.Rand, n, d int, k gram.Kernel) *learn.Problem {
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Kernel: k}
	for i := range n {
		p.Y[i] = float64(2*(i%2) - 1)
		for j := range d {
			p.X[i*d+j] = rng.NormFloat64() + 0.7*p.Y[i]
		}
		if i > 2 && rng.IntN(4) == 0 {
			copy(p.X[i*d:(i+1)*d], p.X[rng.IntN(i)*d:])
		}
	}
	return p
}

// Any small problem, with weights and repeated samples: the certificate holds when it is
// recomputed, and the objective is that of the literal solver.
func TestRandomProblems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		k := rapid.SampledFrom([]gram.Kernel{gram.RBF(0.5), gram.Linear(), gram.Poly(2, 1, 1),
			gram.Custom(func(x, z []float64) float64 { return 1 + math.Min(x[0], z[0]) + 50 })}).Draw(t, "kernel")
		p := clouds(rng, rapid.IntRange(2, 14).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d"), k)
		c := math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log C"))
		if rapid.Bool().Draw(t, "weights") {
			p.Weight = make([]float64, p.N)
			for i := range p.Weight {
				p.Weight[i] = float64(rng.IntN(4)) / 2
			}
			p.Weight[0], p.Weight[1] = 1, 1
		}
		r, err := Trainer{C: c, Tolerance: 1e-8}.Train(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.Optimal {
			t.Fatalf("status %v, violation %v", r.Report.Status, r.Report.Duality.KKT)
		}
		cert := check(p, c, r)
		if !(cert.KKT <= 1e-7) || !(cert.KKTBias <= 1e-7) || !(cert.Equality <= 1e-9*c) || !(cert.Bounds <= 0) {
			t.Fatalf("certificate %+v", cert)
		}
		near := func(a, b float64) bool { return testutil.Within(a, b, 1e-8*(1+math.Abs(b))) }
		if !near(r.Report.Objective, cert.Primal) || !near(r.Report.Duality.Objective, cert.Dual) {
			t.Fatalf("objectives %v and %v, recomputed %v and %v", r.Report.Objective, r.Report.Duality.Objective, cert.Primal,
				cert.Dual)
		}
		if gap := (cert.Primal - cert.Dual) / max(1, math.Abs(cert.Primal)); !testutil.Within(r.Report.Duality.Gap, gap,
			1e-7) {
			t.Fatalf("gap %v, recomputed %v", r.Report.Duality.Gap, gap)
		}
		q := reference(p, c)
		if want := q.Dual(q.Solve()); !near(cert.Dual, want) {
			t.Fatalf("dual objective %v, the literal solver finds %v", cert.Dual, want)
		}
	})
}

// A sample of weight zero is an absent row, whatever its label and features.
func TestZeroWeight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := clouds(rng, 40, 2, gram.RBF(1))
	p.Weight = make([]float64, p.N)
	q := &learn.Problem{D: p.D, Kernel: p.Kernel}
	var rows []int
	for i := range p.N {
		if i%3 == 0 {
			p.Y[i] = 7
			continue
		}
		p.Weight[i] = 1
		rows = append(rows, i)
		q.X = append(q.X, p.X[i*p.D:(i+1)*p.D]...)
		q.Y = append(q.Y, p.Y[i])
		q.N = q.N + 1
	}
	got, want := mustTrain(t, Trainer{C: 2}, p), mustTrain(t, Trainer{C: 2}, q)
	for s := range want.Support {
		want.Support[s] = rows[want.Support[s]]
	}
	if !reflect.DeepEqual(got.Expansion, want.Expansion) {
		t.Errorf("with absent rows %+v, without them %+v", got.Expansion, want.Expansion)
	}
}

// Same input, same bits, for any number of workers and any budget.
func TestDeterminism(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := clouds(rng, 3000, 40, gram.RBF(0.02))
	var want *learn.Result
	for _, threads := range []int{1, 2, 3} {
		for _, extra := range []int64{0, 1 << 20, 1 << 30} {
			p.Threads, p.Memory = threads, Trainer{}.EstimateMemory(p.N, p.D)+extra
			r := mustTrain(t, Trainer{C: 5}, p)
			if want == nil {
				want = r
			}
			if !reflect.DeepEqual(r.Expansion, want.Expansion) {
				t.Fatalf("%d threads, %d bytes more: another model", threads, extra)
			}
		}
	}
}

// Hard cases must end, with a usable model and an honest status.
func TestHardCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	two := &learn.Problem{N: 2, D: 1, X: []float64{0, 1}, Y: []float64{1, -1}, Kernel: gram.RBF(1)}
	same := &learn.Problem{N: 4, D: 1, X: []float64{1, 1, 1, 1}, Y: []float64{1, -1, 1, -1}, Kernel: gram.RBF(1)}
	none := &learn.Problem{N: 3, D: 0, X: nil, Y: []float64{1, -1, 1}, Kernel: gram.Linear()}
	large := clouds(rng, 100, 2, gram.Linear())
	for i := range large.X {
		large.X[i] *= 1e4
	}
	for name, c := range map[string]struct {
		p *learn.Problem
		c float64
	}{
		"two samples":       {two, 1},
		"equal samples":     {same, 1},
		"no features":       {none, 1},
		"tiny C":            {clouds(rng, 100, 2, gram.RBF(1)), 1e-8},
		"huge C":            {clouds(rng, 100, 2, gram.RBF(1)), 1e8},
		"unscaled features": {large, 10},
		"sigmoid":           {clouds(rng, 100, 2, gram.Sigmoid(1, -1)), 10},
		"high degree":       {clouds(rng, 100, 2, gram.Poly(9, 1, 1)), 1},
	} {
		start := time.Now()
		r := mustTrain(t, Trainer{C: c.c, MaxIter: 200_000}, c.p)
		t.Logf("%s: %v, %d steps, KKT %.2g, %v", name, r.Report.Status, r.Report.InnerIterations, r.Report.Duality.KKT,
			time.Since(start))
		s := r.Report.Status
		if indefinite := name == "sigmoid"; s != status.IterationLimit && (s == status.Optimal) == indefinite {
			t.Errorf("%s: %v (%s)", name, s, r.Report.Message)
		}
		for _, v := range append(r.Coef, r.Bias, r.Report.Objective, r.Report.Duality.Objective) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: not finite: %+v", name, r)
				break
			}
		}
	}
}

// Samples of both labels at one place leave nothing but rounding: the model is the constant, and it is optimal.
func TestAllCancel(t *testing.T) {
	p := &learn.Problem{N: 3, D: 2, X: []float64{-0.20184867896229602, -1.0286243415497307, 0.12885824941891122,
		-0.394279572434882, -0.20184867896229602, -1.0286243415497307}, Y: []float64{-1, 1, 1},
		Weight: []float64{1, 1, 1.5}, Kernel: gram.Linear()}
	r := mustTrain(t, Trainer{C: 10, Tolerance: 1e-8}, p)
	if r.Report.Status != status.Optimal || len(r.Support) != 0 {
		t.Errorf("%v with %v at %v", r.Report.Status, r.Coef, r.Support)
	}
	testutil.Near(t, "bias", r.Bias, 1, 1e-12)
	testutil.Near(t, "objective", r.Report.Objective, 20, 1e-10)
}

// Costs of 1e18 at two places leave nothing but rounding of the model f = ±1: the constant costs more, and is not it.
func TestAllCancelButNoConstant(t *testing.T) {
	p := &learn.Problem{N: 4, D: 1, X: []float64{0, 0, 9, 9}, Y: []float64{-1, 1, -1, 1},
		Weight: []float64{1.3e18, 1e16, 0.47e18, 1.93e18}, Kernel: gram.Laplacian(1e6)}
	if r := mustTrain(t, Trainer{}, p); r.Report.Status == status.Optimal && len(r.Support) == 0 {
		t.Errorf("optimal is the constant %v", r.Bias)
	}
	// A sample apart whose cost is 1e-20 of the others' has its multiplier all the same.
	p = &learn.Problem{N: 3, D: 1, X: []float64{0, 0, 1}, Y: []float64{-1, 1, -1}, Weight: []float64{5.3e8, 6.4e8, 3.3e-11},
		Kernel: gram.RBF(7)}
	if r := mustTrain(t, Trainer{}, p); r.Report.Status == status.Optimal && len(r.Support) == 0 {
		t.Errorf("optimal is the constant %v", r.Bias)
	}
}

func TestLimits(t *testing.T) {
	p := clouds(rand.New(rand.NewPCG(7, 8)), 2000, 5, gram.RBF(1))
	for i := range p.X { // places of both labels have one coefficient, of which nobody knows the parts before the optimum
		p.X[i] += 1e-5 * float64(i/p.D)
	}
	r := mustTrain(t, Trainer{C: 1000, MaxIter: 50}, p)
	if r.Report.Status != status.IterationLimit || r.Report.InnerIterations != 50 {
		t.Errorf("%v after %d steps", r.Report.Status, r.Report.InnerIterations)
	}
	testutil.Near(t, "violation after the limit", r.Report.Duality.KKT, check(p, 1000, r).KKT, 1e-3)
}

// A cancelled training returns its model so far, or its context's error when there is none.
func TestCancelled(t *testing.T) {
	for _, events := range []int{1, 2} { // the first event comes before the first step
		p := clouds(rand.New(rand.NewPCG(7, 8)), 6000, 5, gram.RBF(1))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := 0
		p.Progress = func(e learn.Event) {
			if e.Phase != "smo" || !(e.Done >= 0 && e.Done <= 1) {
				t.Errorf("event %+v", e)
			}
			if seen++; seen == events {
				cancel()
			}
		}
		r, err := Trainer{C: 1e5, Tolerance: 1e-9}.Train(ctx, p)
		if events == 1 {
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("cancelled before the first step: %v, %v, want the context's error", r, err)
			}
		} else if err != nil || r.Report.Status != status.Cancelled || len(r.Support) == 0 {
			t.Errorf("%v, %v, want a cancelled training with a model", r, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := func() *learn.Problem { return clouds(rand.New(rand.NewPCG(9, 10)), 20, 2, gram.RBF(1)) }
	for _, c := range []struct {
		want    string
		trainer Trainer
		change  func(*learn.Problem)
	}{
		{"svc: c is -1, want a finite number > 0", Trainer{C: -1}, nil},
		{"c is NaN", Trainer{C: math.NaN()}, nil},
		{"tolerance is -1", Trainer{Tolerance: -1}, nil},
		{"max_iter is -1, want a whole number >= 1", Trainer{MaxIter: -1}, nil},
		{"one class only", Trainer{}, func(p *learn.Problem) {
			for i := range p.Y {
				p.Y[i] = 1
			}
		}},
		{"feature 2 of sample 3 is NaN", Trainer{}, func(p *learn.Problem) { p.X[7] = math.NaN() }},
		{"gamma", Trainer{}, func(p *learn.Problem) { p.Kernel = gram.RBF(0) }},
		{"memory budget is 1000 bytes", Trainer{}, func(p *learn.Problem) { p.Memory = 1000 }},
	} {
		p := good()
		if c.change != nil {
			c.change(p)
		}
		r, err := c.trainer.Train(t.Context(), p)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v, %v", c.want, r, err)
		}
	}
}

func mustTrain(t *testing.T, tr Trainer, p *learn.Problem) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
