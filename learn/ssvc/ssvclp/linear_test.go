package ssvclp

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// checkLinear verifies what every finished training must satisfy: the certificates,
// nnz = penalty (Σ λ|α| counts the coefficients at the fixed point) and the hinge
// recomputed from the plain kernel formula.
func checkLinear(t *testing.T, p *learn.Problem, c float64, r *learn.Result) {
	t.Helper()
	rep := &r.Report
	if rep.Status != status.FixedPoint || !(math.Abs(rep.Duality.Gap) <= 1e-9) || !(rep.Duality.KKT <= 1e-9) {
		t.Fatalf("status %v, gap %g, KKT %g", rep.Status, rep.Duality.Gap, rep.Duality.KKT)
	}
	testutil.AtMost(t, "fixed-point residual", rep.Figures.(LinearFigures).Certificate, 1e-6)
	if d := rep.Figures.(LinearFigures).Readout; d != nil {
		testutil.AtMost(t, "coefficients from the duals against the linear system", *d, 1e-8)
	}
	var hinge float64
	for i, f := range ref.Decisions(p, r) {
		hinge += math.Max(0, 1-p.Y[i]*f)
	}
	last := rep.Rounds[len(rep.Rounds)-1]
	testutil.NearRel(t, "hinge", last.Hinge, hinge, 1e-8)
	if d := rep.Objective - c*last.Hinge - float64(last.Nonzeros); !(math.Abs(d) <= 1e-5*float64(last.Nonzeros)) {
		t.Errorf("penalty and number of coefficients differ by %g", d)
	}
}

// TestRipleyB pins the second example of section 4.1 and the optimum of its first program.
func TestRipleyB(t *testing.T) {
	p := ref.Ripley(t)
	r := ref.Train(t, B{C: 1}, p)
	checkLinear(t, p, 1, r)
	if len(r.Support) != 4 || r.Bias != 0 {
		t.Errorf("%d support vectors and bias %g, want 4 and 0", len(r.Support), r.Bias)
	}
	if r.Report.Figures.(LinearFigures).Readout == nil {
		t.Error("the linear system of section 3.4.2 was not solved")
	}
	const first = 88.6876457500801
	testutil.Near(t, "first optimum", r.Report.Rounds[0].Objective, first, 1e-8*first)
}

// TestLinearOnSets trains on real sets with both kernels.
func TestLinearOnSets(t *testing.T) {
	for _, s := range []struct {
		name     string
		path     func(testing.TB, string) string
		c, sigma float64
	}{
		{"diabetis.libsvm", testutil.Testdata, 1, 5},
		{"ionosphere.libsvm", testutil.Testdata, 1, 4},
		{"ripley.train.libsvm", testutil.Testdata, 10, 0.5},
		{"open/german.libsvm", testutil.Shared, 10, 12},
		{"open/banana-1000.libsvm", testutil.Shared, 1, 0.7},
		{"open/ringnorm-1000.libsvm", testutil.Shared, 1, 4.5},
	} {
		for _, k := range []gram.Kernel{gram.RBFSigma(s.sigma), gram.Linear()} {
			t.Run(s.name+"/"+k.Kind.String(), func(t *testing.T) {
				p := ref.File(t, s.path(t, s.name), k, true)
				checkLinear(t, p, s.c, ref.Train(t, B{C: s.c}, p))
			})
		}
	}
}

// TestWeston holds the trainer against (16) done literally: kernel columns
// multiplied by z, the whole program solved from cold, z multiplied by its solution.
func TestWeston(t *testing.T) {
	p := ref.Ripley(t)
	b, w := ref.Train(t, B{C: 1}, p), ref.Train(t, W{C: 1}, p)
	n := p.N
	z := make([]float64, n+1)
	for i := range z {
		z[i] = 1
	}
	for range b.Report.Iterations {
		alpha := westonStep(t, p, z, 1)
		for i := range z {
			z[i] *= alpha[i]
		}
	}
	coef, bias := make([]float64, n), make([]float64, n)
	for s, i := range b.Support {
		coef[i] = b.Coef[s]
	}
	for s, i := range w.Support {
		bias[i] = w.Coef[s]
	}
	for i := range n {
		if !testutil.Within(coef[i], z[i+1], 1e-8*math.Max(1, math.Abs(z[i+1]))) || coef[i] != bias[i] {
			t.Errorf("coefficient %d: %.12g, ssvc-w %.12g, literally %.12g", i, coef[i], bias[i], z[i+1])
		}
	}
	testutil.Near(t, "bias against the literal one", b.Bias, z[0], 1e-8)
}

// westonStep solves min Σ|α_i| + C Σξ with f = Σ α_i z_i k(·, x_i) + α_0 z_0, through
// its dual; α are minus the duals of the rows.
func westonStep(t *testing.T, p *learn.Problem, z []float64, c float64) []float64 {
	t.Helper()
	n := p.N
	lp := simplex.LP{C: make([]float64, n), Lo: make([]float64, n), Up: make([]float64, n)}
	data := make([]float64, (n+1)*n)
	for j := range n {
		lp.C[j] = -1
		lp.Up[j] = c
		for i := range n + 1 {
			k := 1.0
			if i > 0 {
				k = p.Kernel.Eval(p.X[(i-1)*p.D:i*p.D], p.X[j*p.D:(j+1)*p.D])
			}
			data[i*n+j] = z[i] * k * p.Y[j]
		}
	}
	for range n + 1 {
		lp.RowLo = append(lp.RowLo, -1)
		lp.RowUp = append(lp.RowUp, 1)
	}
	lp.A = simplex.NewDense(n+1, n, data)
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(context.Background())
	if r.Status != status.Optimal {
		t.Fatalf("literal program: %v", r.Status)
	}
	alpha := make([]float64, n+1)
	for i, y := range r.Y {
		alpha[i] = -y
	}
	return alpha
}

// TestLinearDuplicates checks that a copied point changes nothing but its weight.
func TestLinearDuplicates(t *testing.T) {
	p := ref.Ripley(t)
	q := *p
	q.X = append(append([]float64(nil), p.X...), p.X[:20]...)
	q.Y = append(append([]float64(nil), p.Y...),
		p.Y[:10]...)
	q.N = p.N + 10
	w := *p
	w.Weight = make([]float64, p.N)
	for i := range w.Weight {
		w.Weight[i] = 1
		if i < 10 {
			w.Weight[i] = 2
		}
	}
	a, b := ref.Train(t, B{C: 1}, &q), ref.Train(t, B{C: 1}, &w)
	if !testutil.Within(a.Report.Objective, b.Report.Objective, 1e-9*b.Report.Objective) ||
		a.Report.Figures.(LinearFigures).Merged != 10 {
		t.Errorf("objective %.12g with copies, %.12g with weights; %v merged", a.Report.Objective, b.Report.Objective,
			a.Report.Figures.(LinearFigures).Merged)
	}
	// A copy with the other label is a hinge loss of its own under the same coefficient.
	q.Y[p.N] = -q.Y[p.N]
	c := ref.Train(t, B{C: 1}, &q)
	checkLinear(t, &q, 1, c)
	for _, i := range c.Support {
		if i >= p.N {
			t.Errorf("row %d, a copy, is a support vector", i)
		}
	}
}

// The same sample with both labels has one coefficient and two hinge losses, here with as
// many rows as samples but in another order.
func TestLinearContradiction(t *testing.T) {
	p := &learn.Problem{X: []float64{0, 0, 3, -3}, N: 4, D: 1, Y: []float64{1, -1, 1, -1}, Kernel: gram.RBF(1)}
	for _, tr := range []learn.Trainer{B{C: 10}, W{C: 10}} {
		r := ref.Train(t, tr, p)
		checkLinear(t, p, 10, r)
		if slices.Contains(r.Support, 1) || !(r.Report.Rounds[0].Hinge >= 2-1e-9) {
			t.Errorf("%s: support %v, hinge %v; the two contradicting samples alone cost 2",
				tr.Name(), r.Support, r.Report.Rounds[0].Hinge)
		}
	}
}

// TestLinearStops checks collapse, limits and errors.
func TestLinearStops(t *testing.T) {
	p := ref.Ripley(t)
	if r := ref.Train(t, B{C: 1e-4}, p); len(r.Support) != 0 || !strings.Contains(r.Report.Message, "f = 0") {
		t.Errorf("C = 1e-4: %d support vectors, message %q", len(r.Support), r.Report.Message)
	}
	if r := ref.Train(t, B{C: 1, MaxIter: 1}, p); r.Report.Status != status.IterationLimit || len(r.Support) == 0 {
		t.Errorf("one round: %v with %d support vectors", r.Report.Status, len(r.Support))
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	if r, err := (B{}).Train(ctx, p); !errors.Is(err, context.DeadlineExceeded) || r != nil {
		t.Errorf("past the deadline: error %v, want the context's", err)
	}
	for _, bad := range []B{{C: -1}, {C: math.NaN()}, {C: math.Inf(1)}, {MaxIter: -1}} {
		if _, err := bad.Train(context.Background(), p); err == nil || !strings.Contains(err.Error(), "ssvc-b") {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
	poor := *p
	poor.Memory = 1000
	if _, err := (W{}).Train(context.Background(), &poor); err == nil || !strings.Contains(err.Error(), "memory budget") {
		t.Errorf("budget of 1000 bytes: error %v", err)
	}
}

// TestLinearScale trains without room for the kernel matrix.
func TestLinearScale(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of training")
	}
	set := dataset.Ringnorm(4000, 1)
	y, err := set.Signs()
	if err != nil {
		t.Fatal(err)
	}
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBFSigma(4.5)}
	p.Memory = 40 << 20 // the matrix takes 128 MB
	checkLinear(t, p, 1, ref.Train(t, B{C: 1}, p))
}

func BenchmarkLinear(b *testing.B) {
	for _, s := range []struct {
		name     string
		c, sigma float64
	}{{"german", 10, 12}, {"banana-1000", 1, 0.7}, {"ringnorm-1000", 1, 4.5}} {
		b.Run("method=ssvc-b/set="+s.name, func(b *testing.B) {
			p := ref.File(b, testutil.Shared(b, "open/"+s.name+".libsvm"), gram.RBFSigma(s.sigma), true)
			for b.Loop() {
				r := ref.Train(b, B{C: s.c}, p)
				b.ReportMetric(float64(len(r.Support)), "SV")
				b.ReportMetric(float64(r.Report.Iterations), "rounds")
				b.ReportMetric(float64(r.Report.InnerIterations), "pivots")
			}
		})
	}
}
