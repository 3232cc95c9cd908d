package ssvc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// every takes each step-th point of p.
func every(p *learn.Problem, step int) *learn.Problem {
	q := &learn.Problem{D: p.D, Kernel: p.Kernel}
	for i := 0; i < p.N; i += step {
		q.X = append(q.X, p.X[i*p.D:(i+1)*p.D]...)
		q.Y = append(q.Y, p.Y[i])
		q.N++
	}
	return q
}

// literalKBar is the paper's K̄ by the plain kernel formula.
func literalKBar(p *learn.Problem) [][]float64 {
	k := make([][]float64, p.N)
	for i := range k {
		for j := range p.N {
			k[i] = append(k[i], p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D]))
		}
	}
	return ref.SSVCKBar(k, p.Y)
}

// allCoefs is the expansion as the vector (α_0, α_1, ..., α_l).
func allCoefs(p *learn.Problem, r *learn.Result) []float64 {
	a := make([]float64, p.N+1)
	a[0] = r.Bias
	for s, i := range r.Support {
		a[i+1] = r.Coef[s]
	}
	return a
}

// reach is G_i, the largest |(K̄β)_i| that 0 ≤ β ≤ c can give, from the literal matrix.
func reach(row, c []float64) float64 {
	var up, down float64
	for j, v := range row {
		up += c[j] * max(v, 0)
		down -= c[j] * min(v, 0)
	}
	return max(up, down)
}

// Two rounds against the literal transcription of (9) and (11): λ = 1 and λ = 1/ᾱ²,
// as good as infinite for what was dropped. Only coefficients with |α_i| G_i < 1 may be dropped.
func TestRoundsAgainstLiteral(t *testing.T) {
	p := every(ref.Ripley(t), 6)
	kbar := literalKBar(p)
	c := make([]float64, p.N)
	lambda := make([]float64, p.N+1)
	for i := range c {
		c[i] = 1
	}
	for i := range lambda {
		lambda[i] = 1
	}
	m := &quadratic{A: A{C: 1, MaxIter: 3}, Merged: samples.Classifier("ssvc-a", p, 1), ceiling: highCeiling}
	z, err := matrix(t.Context(), m.Merged, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	pen := newDiagonal(t.Context(), z, m.Merged, 0)
	m.live = deal.All(m.Columns())
	q := m.dual()
	for rounds := 1; rounds <= 2; rounds++ { // as run does, but to the optimum
		sol := pen.solve(t.Context(), q, boxqp.Options{})
		keep, _ := m.round(pen, sol, len(m.report.Rounds)+1 == m.MaxIter)
		got := allCoefs(p, m.result())
		if q.Image, err = pen.reweight(t.Context(), keep, m.alpha, m.sizes()); err != nil {
			t.Fatal(err)
		}
		q.Start = sol.B
		want, objective := ref.SSVCRound(kbar, lambda, c, 1e-11, 3_000_000)
		testutil.NearRel(t, "objective", sol.Gap-sol.Objective, objective, 1e-8)
		for i := range want {
			if got[i] != 0 && !testutil.Within(got[i], want[i], 1e-6) ||
				got[i] == 0 && !(math.Abs(want[i])*reach(kbar[i], c) < 1) {
				t.Errorf("round %d: α_%d is %v, want %v", rounds, i, got[i], want[i])
			}
			if math.Abs(got[i])*reach(kbar[i], c) < 1 { // a further round would begin without it
				got[i] = 0
			}
			lambda[i] = 1 / max(got[i]*got[i], 1e-300)
		}
	}
}

// What every finished training of the zero norm must satisfy, on more sets: a small gap
// and KKT in the last round, gaps within their bound before, objectives that the next round does not exceed by
// majorisation, nnz/2 + C Σξ at the end, the hinge recomputed from the plain formula.
func TestCertificates(t *testing.T) {
	sets := map[string]struct {
		path   func(testing.TB) string
		kernel gram.Kernel
		c      float64
		zscore bool
	}{
		"ripley":   {func(tb testing.TB) string { return testutil.Testdata(tb, "ripley.train.libsvm") }, gram.RBFSigma(0.5), 1, false},
		"ripley10": {func(tb testing.TB) string { return testutil.Testdata(tb, "ripley.train.libsvm") }, gram.RBFSigma(0.5), 10, false},
		"diabetis": {func(tb testing.TB) string { return testutil.Testdata(tb, "diabetis.libsvm") }, gram.RBFSigma(3), 1, true},
		"linear":   {func(tb testing.TB) string { return testutil.Testdata(tb, "ionosphere.libsvm") }, gram.Linear(), 1, true},
		"banana":   {func(tb testing.TB) string { return testutil.Shared(tb, "open/banana-1000.libsvm") }, gram.RBF(1), 1, false},
		"german":   {func(tb testing.TB) string { return testutil.Shared(tb, "open/german.libsvm") }, gram.RBF(0.018), 3.16, true},
		"ringnorm": {func(tb testing.TB) string { return testutil.Shared(tb, "open/ringnorm-1000.libsvm") }, gram.RBF(0.05), 1, false},
	}
	for name, s := range sets {
		t.Run(name, func(t *testing.T) {
			p := ref.File(t, s.path(t), s.kernel, s.zscore)
			r := ref.Train(t, A{C: s.c}, p)
			rep := r.Report
			if rep.Status != status.FixedPoint {
				t.Fatalf("%v after %d rounds", rep.Status, rep.Iterations)
			}
			testutil.AtMost(t, "certificate", rep.Figures.(Figures).Certificate, 1e-6)
			live := rep.Figures.(Figures).Live
			for i, round := range rep.Rounds {
				checkRound(t, i, len(rep.Rounds), round)
				// The last α costs live/2 + C Σξ under the new λ; dropping doomed columns adds a trace.
				if i > 0 {
					if before := float64(live[i])/2 + s.c*rep.Rounds[i-1].Hinge; !(round.Objective <= before*(1+1e-3)) {
						t.Errorf("round %d: objective %v, the old coefficients had %v", i, round.Objective, before)
					}
				}
			}
			last := rep.Rounds[len(rep.Rounds)-1]
			if got, want := last.Objective-s.c*last.Hinge, float64(last.Nonzeros)/2; !testutil.Within(got, want, 1e-5*want) {
				t.Errorf("penalty %v, want nnz/2 = %v", got, want)
			}
			var hinge float64
			for i, f := range ref.Decisions(p, r) {
				hinge += max(0, 1-p.Y[i]*f)
			}
			testutil.Near(t, "hinge", last.Hinge, hinge, 1e-6*hinge)
		})
	}
}

// A sample of weight 0 is an absent row; weight 2 is the row twice; repeated samples give
// one coefficient, under the lowest index, with all their hinge losses kept.
func TestWeightsAndDuplicates(t *testing.T) {
	base := every(ref.Ripley(t), 2)
	weighted, repeated, padded := *base, *base, *base
	weighted.Weight = make([]float64, base.N)
	for i := range weighted.Weight {
		weighted.Weight[i] = 1
		if i%3 == 0 {
			weighted.Weight[i] = 2
			repeated.X = append(slices.Clip(repeated.X), base.X[i*base.D:(i+1)*base.D]...)
			repeated.Y = append(slices.Clip(repeated.Y), base.Y[i])
			repeated.N++
		}
	}
	want := ref.Train(t, A{}, &weighted)
	got := ref.Train(t, A{}, &repeated)
	same(t, "repeated rows", got, want)
	if m := got.Report.Figures.(Figures).Merged; m != repeated.N-base.N || got.Report.Message == "" {
		t.Errorf("%d merged, message %q", m, got.Report.Message)
	}
	padded.X = append(slices.Clip(padded.X), 0.1, 0.2, 0.3, 0.4)
	padded.Y = append(slices.Clip(padded.Y), 1, -1)
	padded.N += 2
	padded.Weight = append(slices.Clone(weighted.Weight), 0, 0)
	same(t, "absent rows", ref.Train(t, A{}, &padded), want)
}

func same(t *testing.T, what string, got, want *learn.Result) {
	t.Helper()
	if !slices.Equal(got.Support, want.Support) {
		t.Fatalf("%s: support %v, want %v", what, got.Support, want.Support)
	}
	for s := range want.Coef {
		if !testutil.Within(got.Coef[s], want.Coef[s], 1e-7*math.Abs(want.Coef[s])) {
			t.Errorf("%s: coefficient %d is %v, want %v", what, s, got.Coef[s], want.Coef[s])
		}
	}
}

// The same sample with both labels has one coefficient and two hinge losses.
func TestContradiction(t *testing.T) {
	p := &learn.Problem{X: []float64{0, 0, 3, -3}, N: 4, D: 1, Y: []float64{1, -1, 1, -1}, Kernel: gram.RBF(1)}
	r := ref.Train(t, A{C: 10}, p)
	if r.Report.Status != status.FixedPoint || slices.Contains(r.Support, 1) {
		t.Errorf("%v, support %v", r.Report.Status, r.Support)
	}
	var hinge float64
	for i, f := range ref.Decisions(p, r) {
		hinge += max(0, 1-p.Y[i]*f)
	}
	if last := r.Report.Rounds[len(r.Report.Rounds)-1]; !testutil.Within(hinge, last.Hinge, 1e-9) || !(hinge >= 2-1e-9) {
		t.Errorf("hinge %v, the report says %v; the two contradicting samples alone cost 2", hinge, last.Hinge)
	}
}

// At a small C no coefficient survives, and the report says so.
func TestCollapse(t *testing.T) {
	p := ref.File(t, testutil.Testdata(t, "ripley.test.libsvm"), gram.RBFSigma(0.5), false)
	r := ref.Train(t, A{C: 0.1}, p)
	if len(r.Support) != 0 || r.Bias != 0 || !strings.Contains(r.Report.Message, "collapsed") ||
		r.Report.Status != status.FixedPoint {
		t.Errorf("%d support vectors, bias %v, %v, %q", len(r.Support), r.Bias, r.Report.Status, r.Report.Message)
	}
	if d := r.Report.Duality; !testutil.Within(r.Report.Objective, 100, 1e-9) || d.Gap != 0 || d.KKT != 0 {
		t.Errorf("objective %v, %+v; f = 0 costs 0.1 for each of 1000 samples", r.Report.Objective, d)
	}
}

// (21): each round lowers Σ|α|^p/p + C Σξ.
func TestPNorm(t *testing.T) {
	p := ref.Ripley(t)
	for _, norm := range []float64{0.5, 1.5} {
		last := math.Inf(1)
		for rounds := 1; rounds <= 8; rounds++ {
			r := ref.Train(t, A{Norm: norm, MaxIter: rounds}, p)
			v := 0.0
			for _, a := range allCoefs(p, r) {
				if a != 0 {
					v += math.Pow(math.Abs(a), norm) / norm
				}
			}
			for i, f := range ref.Decisions(p, r) {
				v += max(0, 1-p.Y[i]*f)
			}
			if !(v <= last*(1+1e-6)) {
				t.Errorf("p = %v, round %d: %v after %v", norm, rounds, v, last)
			}
			last = v
		}
	}
}

// The 1-norm is the first program of Implementation B, and the 2-norm that of A, as the literal rounds with λ = 1 have
// them: one round each, optimal, and what is optimal is so of the definition.
func TestPriors(t *testing.T) {
	p := every(ref.Ripley(t), 19)
	p.Weight = slices.Repeat([]float64{1, 2, 0.5}, p.N)[:p.N]
	kbar, lambda, c := literalKBar(p), slices.Repeat([]float64{1}, p.N+1), make([]float64, p.N)
	for _, cost := range []float64{0.5, 20} {
		for i := range c {
			c[i] = cost * p.Weight[i]
		}
		one, least := ref.SSVCLinearRound(kbar, lambda, c)
		two, value := ref.SSVCRound(kbar, lambda, c, 1e-9, 1e6)
		for _, test := range []struct {
			norm, objective float64
			alpha           []float64
		}{{1, least, one}, {2, value, two}} {
			what := fmt.Sprintf("p = %v, C = %v", test.norm, cost)
			a := A{C: cost, Norm: test.norm}
			r := ref.Train(t, a, p)
			v := check.New(p).Machine(a, r)
			bad := append(v.Faults, v.Doubts(a, &r.Report)...)
			if len(bad) > 0 || r.Report.Status != status.Optimal || r.Report.Iterations != 1 {
				t.Errorf("%s: %v after %d rounds: %v", what, r.Report.Status, r.Report.Iterations, bad)
			}
			testutil.Near(t, what+": objective", r.Report.Objective, test.objective, 1e-6*test.objective)
			for i, got := range allCoefs(p, r) {
				testutil.Near(t, fmt.Sprintf("%s: α_%d", what, i), got, test.alpha[i], 2e-5*max(1, dense.Largest(test.alpha)))
			}
		}
		first, err := ssvclp.B{C: cost, MaxIter: 1}.Train(t.Context(), p)
		if r := ref.Train(t, A{C: cost, Norm: 1}, p); err != nil || !reflect.DeepEqual(r.Expansion, first.Expansion) {
			t.Errorf("C = %v: %v, ssvc-b's first round has %v, %v", cost, r.Expansion, first.Expansion, err)
		}
	}
}

// The combined objective at its fixed point: α_i ((K̄β)_i − (Kα)_i) = 2C₁, so the value
// C₁ αᵀ diag(λ) α is C₁ nnz; and ½ αᵀKα + C₁ nnz + C Σξ is the last round's objective.
func TestCombined(t *testing.T) {
	p := ref.Ripley(t)
	const c1 = 0.2
	r := ref.Train(t, A{C: 1, TwoNorm: c1}, p)
	if v := r.Report.Figures.(Figures).Certificate; r.Report.Status != status.FixedPoint || !(v <= 1e-6) {
		t.Fatalf("%v, certificate %v", r.Report.Status, v)
	}
	want := 0.0
	for s, f := range ref.Decisions(p, r) {
		want += max(0, 1-p.Y[s]*f)
	}
	for s, i := range r.Support {
		want += c1
		for u, j := range r.Support {
			want += r.Coef[s] * r.Coef[u] * p.Kernel.Eval(p.X[2*i:2*i+2], p.X[2*j:2*j+2]) / 2
		}
	}
	if r.Bias != 0 {
		want += c1
	}
	testutil.Near(t, "objective", r.Report.Objective, want, 1e-6*want)
	q := *p
	q.Kernel = gram.Sigmoid(1, -3)
	if _, err := (A{C: 1, TwoNorm: 1e-6}).Train(t.Context(), &q); err == nil || !strings.Contains(err.Error(), "semidefinite") {
		t.Errorf("indefinite kernel: %v", err)
	}
}

// The same input gives the same bits whatever the number of threads; of 800 samples a product takes several tasks.
func TestDeterministic(t *testing.T) {
	d := dataset.Ringnorm(800, 3)
	p := &learn.Problem{N: d.N, D: d.D, X: d.X, Kernel: gram.RBF(0.05), Resources: learn.Resources{Threads: 1}}
	for _, class := range d.Y {
		p.Y = append(p.Y, float64(2*class-1))
	}
	one := ref.Train(t, A{}, p)
	if len(one.Support) == 0 {
		t.Error("no vectors")
	}
	p.Threads = 3
	if three := ref.Train(t, A{}, p); !reflect.DeepEqual(one.Expansion, three.Expansion) {
		t.Errorf("%v with 3 threads, %v before", three.Expansion, one.Expansion)
	}
}

func TestLimits(t *testing.T) {
	p := ref.File(t, testutil.Testdata(t, "ripley.test.libsvm"), gram.RBFSigma(0.5), false)
	if r := ref.Train(t, A{MaxIter: 2}, p); r.Report.Status != status.IterationLimit || len(r.Report.Rounds) != 2 || len(r.Support) == 0 {
		t.Errorf("%v after %d rounds with %d support vectors", r.Report.Status, len(r.Report.Rounds), len(r.Support))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := (A{}).Train(gone, p); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("cancelled: error %v, want the context's", err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	time.Sleep(time.Millisecond)
	for _, tr := range []A{{}, {TwoNorm: 0.1}, {Norm: math.Inf(1)}} {
		if r, err := tr.Train(late, p); !errors.Is(err, context.DeadlineExceeded) || r != nil {
			t.Errorf("late, norm %v, c1 %v: error %v, want the context's", tr.Norm, tr.TwoNorm, err)
		}
	}
}

// What cannot be trained on is an error that names the flag or the sample.
func TestBadInput(t *testing.T) {
	p := ref.Ripley(t)
	small := *p
	small.Memory = 1000
	one := *p
	one.Y = slices.Repeat([]float64{1}, p.N)
	for name, c := range map[string]struct {
		t    A
		p    *learn.Problem
		want string
	}{
		"negative C":      {A{C: -1}, p, "ssvc-a: c is -1, want a finite number > 0"},
		"NaN C":           {A{C: math.NaN()}, p, "c is NaN"},
		"norm 2.5":        {A{Norm: 2.5}, p, "norm is 2.5, want 0 <= p <= 2 or +Inf"},
		"negative C1":     {A{TwoNorm: -1}, p, "c1 is -1, want a finite number >= 0"},
		"norm and C1":     {A{TwoNorm: 1, Norm: 1}, p, "zero norm"},
		"tolerance":       {A{Tolerance: -1}, p, "tolerance is -1"},
		"negative rounds": {A{MaxIter: -1}, p, "max_iter is -1, want a whole number >= 1"},
		"memory":          {A{}, &small, "budget"},
		"one class":       {A{}, &one, "one class"},
	} {
		if _, err := c.t.Train(t.Context(), c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if n := (A{}).EstimateMemory(1000, 20); n < 30_000_000 || n > 52_000_000 {
		t.Errorf("estimate for 1000 Samples: %d bytes", n)
	}
}

// Tiny problems: two samples, and samples without features under a constant kernel.
func TestTiny(t *testing.T) {
	p := &learn.Problem{X: []float64{-1, 1}, N: 2, D: 1, Y: []float64{-1, 1}, Kernel: gram.RBF(0.5)}
	if r := ref.Train(t, A{C: 10}, p); r.Report.Status != status.FixedPoint || len(r.Support) == 0 {
		t.Errorf("two Samples: %v, %d support vectors", r.Report.Status, len(r.Support))
	}
	q := &learn.Problem{N: 3, Y: []float64{-1, 1, 1}, Kernel: gram.RBF(1)}
	if r := ref.Train(t, A{C: 10}, q); r.Report.Status != status.FixedPoint {
		t.Errorf("no features: %v", r.Report.Status)
	}
}

// The infinity norm: every coefficient within ±t, and the dual point ‖K̄β‖₁ ≤ 1 proves the
// objective t + C Σξ. The p-norm models' ‖α‖∞ is no smaller at no more loss.
func TestInfinityNorm(t *testing.T) {
	p := every(ref.Ripley(t), 3)
	r := ref.Train(t, A{C: 1, Norm: math.Inf(1)}, p)
	rep := r.Report
	if rep.Status != status.Optimal || !(rep.Duality.Gap <= 1e-9) || !(rep.Duality.KKT <= 1e-8) {
		t.Fatalf("%v, gap %v, residual %v", rep.Status, rep.Duality.Gap, rep.Duality.KKT)
	}
	value := func(r *learn.Result) (norm, hinge float64) {
		for _, a := range allCoefs(p, r) {
			norm = max(norm, math.Abs(a))
		}
		for i, f := range ref.Decisions(p, r) {
			hinge += max(0, 1-p.Y[i]*f)
		}
		return norm, hinge
	}
	norm, hinge := value(r)
	testutil.Near(t, "‖α‖∞ + Σξ against the report", norm+hinge, rep.Objective, 1e-7*rep.Objective)
	testutil.Near(t, "dual objective against the primal", rep.Duality.Objective, rep.Objective, 1e-7*rep.Objective)
	for _, other := range []A{{C: 1}, {C: 1, Norm: 1}, {C: 1, Norm: 1.5}} {
		if n, h := value(ref.Train(t, other, p)); !(n+h >= rep.Objective-1e-7) {
			t.Errorf("norm %v reaches %v, below the optimum %v", other.Norm, n+h, rep.Objective)
		}
	}
}
