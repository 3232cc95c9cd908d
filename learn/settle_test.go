package learn_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/learn/internal/learntest"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

// sums are what objectives are made of, pair by pair from the expansion alone.
type sums struct {
	hinge, squared, left float64 // Σ w ξ; Σ w (y − f)² over all points, over the machine's own
	norm                 float64 // Σ_s a_s (f(x_s) − b) = aᵀKa
	absolute, square     float64 // Σ|a|, Σa²
	logs                 float64 // Σ |a|/(|a| + 0.1)
	nonzeros             float64 // with the bias
}

func sumsOf(p *learn.Problem, e *learn.Expansion) (s sums) {
	f := learntest.Decide(p, e, p.X, p.N)
	for i, y := range p.Y {
		s.hinge += p.WeightOf(i) * math.Max(0, 1-y*f[i])
		s.squared += p.WeightOf(i) * (y - f[i]) * (y - f[i])
	}
	for k, i := range e.Support {
		a := math.Abs(e.Coef[k])
		s.norm += e.Coef[k] * (f[i] - e.Bias)
		s.left += p.WeightOf(i) * (p.Y[i] - f[i]) * (p.Y[i] - f[i])
		s.absolute, s.square, s.logs = s.absolute+a, s.square+a*a, s.logs+a/(a+0.1)
	}
	s.nonzeros = float64(len(e.Support))
	if e.Bias != 0 {
		s.nonzeros++
	}
	return s
}

// TestObjectives recomputes every method's objective from the machine that it returns.
func TestObjectives(t *testing.T) {
	const c = 3.0
	p := learntest.Clouds(4, 90, 3)
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = float64(i%3) + 0.5
	}
	for _, m := range []struct {
		trainer   learn.Trainer
		objective func(s sums) float64
		tol       float64 // relative
	}{
		{svc.Trainer{C: c}, func(s sums) float64 { return s.norm/2 + c*s.hinge }, 1e-5},
		{ssvc.A{C: c}, func(s sums) float64 { return s.nonzeros/2 + c*s.hinge }, 1e-6}, // λ_i α_i² = 1 at the fixed point
		{ssvc.B{C: c}, func(s sums) float64 { return s.nonzeros + c*s.hinge }, 1e-6},
		{ssvc.W{C: c}, func(s sums) float64 { return s.nonzeros + c*s.hinge }, 1e-6},
		{skm.L1SVM{C: c}, func(s sums) float64 { return s.absolute + c*s.hinge }, 1e-9},
		{skm.LPSVC{C: c}, func(s sums) float64 { return s.absolute + c*s.hinge }, 1e-9},
		{skm.LPSVC{C: c, Threshold: 0.3}, func(s sums) float64 { return s.absolute + c*s.hinge }, 1e-9},
		{skm.L0SVM{C: c}, func(s sums) float64 { return s.logs + c*s.hinge }, 1e-5},
		{lssvm.Dual{GammaReg: c}, func(s sums) float64 { return (s.norm + c*s.squared) / 2 }, 1e-9},
		{lssvm.Prune{GammaReg: c}, func(s sums) float64 { return (s.norm + c*s.left) / 2 }, 1e-9},
		{greedy.Primal{C: c}, func(s sums) float64 { return (s.square + c*s.squared) / 2 }, 1e-9},
		{greedy.Cholesky{C: c}, func(s sums) float64 { return (s.square + c*s.squared) / 2 }, 1e-9},
		{greedy.LDA{C: c}, func(s sums) float64 { return (s.square + c*s.squared) / 2 }, 1e-9},
		{greedy.KMP{MaxSV: 20}, func(s sums) float64 { return s.squared / 2 }, 1e-9},
		{greedy.SGGP{Noise: 0.1}, func(s sums) float64 { return (s.squared + 0.1*s.norm) / 2 }, 1e-9},
		{greedy.PFSALS{C: c}, func(s sums) float64 { return (s.squared + s.norm/c) / 2 }, 1e-9},
	} {
		r, err := m.trainer.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Support) == 0 {
			t.Errorf("%s: no support vector", m.trainer.Name())
		}
		testutil.NearRel(t, m.trainer.Name(), r.Report.Objective, m.objective(sumsOf(p, &r.Expansion)), m.tol)
	}
}

// TestCollapse trains at a C at which f = 0 is best: the report is of f = 0.
func TestCollapse(t *testing.T) {
	p := learntest.Clouds(4, 40, 3)
	for _, tr := range []learn.Trainer{ssvc.A{C: 0.01}, ssvc.B{C: 0.01}} {
		r, err := tr.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Support) > 0 || r.Bias != 0 || !strings.Contains(r.Report.Message, "collapsed") {
			t.Errorf("%s: %d support vectors, bias %v, %q; want f = 0", tr.Name(), len(r.Support), r.Bias, r.Report.Message)
		}
		testutil.NearRel(t, tr.Name(), r.Report.Objective, 0.01*40, 1e-12)
		testutil.Near(t, tr.Name()+" gap", r.Report.Duality.Gap, 0, 1e-9)
	}
}

// distance is |x − z|₁, conditionally negative definite: no method has an optimum on it.
func distance(x, z []float64) (d float64) {
	for k := range x {
		d += math.Abs(x[k] - z[k])
	}
	return d
}

// TestIndefinite trains where no method can have an optimum: none may say that it has.
func TestIndefinite(t *testing.T) {
	p := learntest.Clouds(4, 60, 3)
	p.Kernel = gram.Custom(distance)
	for _, tr := range []learn.Trainer{svc.Trainer{}, lssvm.Dual{}} {
		if r, err := tr.Train(t.Context(), p); err == nil && r.Report.Status == status.Optimal {
			t.Errorf("%s on an indefinite kernel: %v, %s", tr.Name(), r.Report.Status, r.Report.Message)
		}
	}
}

// TestSettle holds the word "optimal" against its certificate.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		primal, dual, violation float64
		want                    status.Status
	}{
		{5, 5, 0, status.Optimal},
		{0, 0, 0, status.Optimal},
		{5, 5 - 1e-6, 1e-7, status.Optimal},
		{5, 4.9, 0, status.Numerical},
		{1e-9, 0.9e-9, 0, status.Numerical}, // relative to the objective, not to 1
		{5, 5, 1e-3, status.Numerical},
		{4.9, 5, 0, status.Numerical},
		{math.NaN(), 5, 0, status.Numerical},
		{5, 5, math.NaN(), status.Numerical},
		{math.Inf(1), 5, 0, status.Numerical},
	} {
		r := learn.Report{Status: status.Optimal, Objective: c.primal, Message: "before",
			Duality: &learn.Duality{Objective: c.dual, KKT: c.violation}}
		r.Settle(1e-6, 1e-6)
		if r.Status != c.want || r.Status != status.Optimal && !strings.HasPrefix(r.Message, "before; duality gap") {
			t.Errorf("%+v: %v, %q", c, r.Status, r.Message)
		}
	}
}
