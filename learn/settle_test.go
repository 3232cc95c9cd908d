package learn_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

// sums are what objectives are made of, pair by pair from the expansion alone.
type sums struct {
	hinge, squared, left float64 // Σ w ξ; Σ w (y − f)² over all samples, over the model's own
	norm                 float64 // Σ_s a_s (f(x_s) − b) = aᵀKa
	absolute, square     float64 // Σ|a|, Σa²
	logs                 float64 // Σ |a|/(|a| + 0.1)
	nonzeros             float64 // with the bias
}

func sumsOf(p *learn.Problem, e *learn.Expansion) (s sums) {
	f := ref.Decide(p, e, p.X, p.N)
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

// TestObjectives recomputes every method's objective from the model that it returns.
func TestObjectives(t *testing.T) {
	const c = 3.0
	p := ref.Clouds(4, 90, 3)
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
		{ssvclp.B{C: c}, func(s sums) float64 { return s.nonzeros + c*s.hinge }, 1e-6},
		{ssvclp.W{C: c}, func(s sums) float64 { return s.nonzeros + c*s.hinge }, 1e-6},
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
	p := ref.Clouds(4, 40, 3)
	for _, tr := range []learn.Trainer{ssvc.A{C: 0.01}, ssvclp.B{C: 0.01}} {
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

// EndAt names what was proved only where the tolerances hold.
func TestEndAt(t *testing.T) {
	for st := status.Unknown; st <= status.FixedPoint; st++ {
		r, want := learn.Report{Status: st}, st
		if st == status.Optimal {
			want = status.LocalOptimum
		}
		if r.EndAt(status.LocalOptimum); r.Status != want {
			t.Errorf("%v becomes %v", st, r.Status)
		}
	}
}

// TestIndefinite trains where no method can have an optimum: none may say that it has.
func TestIndefinite(t *testing.T) {
	p := ref.Clouds(4, 60, 3)
	for _, k := range []gram.Kernel{gram.Custom(distance), gram.Sigmoid(2, -1)} {
		p.Kernel = k
		for _, tr := range []learn.Trainer{svc.Trainer{C: 10}, lssvm.Dual{}, greedy.Primal{}, greedy.Cholesky{}} {
			r, err := tr.Train(t.Context(), p)
			if err == nil && r.Report.Status == status.Optimal {
				t.Errorf("%s with an indefinite %v kernel: %v, %s", tr.Name(), k.Kind, r.Report.Status, r.Report.Message)
			}
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

// TestSettleNextToNothing trains skm where all its linear program has to pay is rounding: the gap
// counts in addition to C ln(4/δ), the rest of what (3) of Peleg & Meir (2009) minimises.
func TestSettleNextToNothing(t *testing.T) {
	for _, seed := range []uint64{49, 72, 108, 216} {
		h := check.NewProblem(check.Moderate, seed)
		p := &learn.Problem{X: h.X, N: h.N, D: h.D, Y: make([]float64, h.N), Kernel: h.Kernel}
		for i, class := range h.Class {
			p.Y[i] = float64(2*class - 1)
		}
		r, err := skm.Trainer{C: h.C}.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.FixedPoint {
			t.Errorf("%s: %v, %s; objective %v", h.Name, r.Report.Status, r.Report.Message, r.Report.Objective)
		}
	}
}

// every is one trainer of each family.
func every() []learn.Trainer {
	return []learn.Trainer{svc.Trainer{}, ssvc.A{}, ssvclp.B{}, skm.Trainer{Delta: 0.1}, skm.L1SVM{}, lssvm.Dual{},
		lssvm.Prune{}, greedy.Primal{}, greedy.Cholesky{}, greedy.LDA{}, greedy.KMP{}, greedy.SGGP{}, greedy.PFSALS{}}
}

// TestNumbersAtTheEdge holds that every method names what is too large before it begins.
func TestNumbersAtTheEdge(t *testing.T) {
	huge := func(x, z []float64) float64 { return 1e200 * math.Exp(-distance(x, z)) }
	for _, c := range []struct {
		what   string
		spoil  func(p *learn.Problem)
		wanted string
	}{
		{"a feature", func(p *learn.Problem) { p.Kernel, p.X[7*p.D+1] = gram.Linear(), 1e200 }, "feature 2 of sample 7 is 1e+200"},
		{"two features", func(p *learn.Problem) { p.Kernel, p.X[5*p.D], p.X[6*p.D] = gram.Poly(3, 1, 0), 1e120, -1e130 },
			"scale the features"},
		{"a kernel of the user's", func(p *learn.Problem) { p.Kernel = gram.Custom(huge) }, "a custom kernel has to"},
		{"not a number", func(p *learn.Problem) {
			p.Kernel = gram.Custom(func(x, _ []float64) float64 { return math.Log(-1 - x[0]*x[0]) })
		}, "is not a number"},
		{"a weight", func(p *learn.Problem) { p.Weight = ref.Ones(p.N); p.Weight[3] = 1e300 }, "the largest weight is 1e+300, of sample 3"},
	} {
		for _, tr := range every() {
			p := ref.Clouds(4, 30, 3)
			c.spoil(p)
			if _, err := tr.Train(t.Context(), p); err == nil || !strings.Contains(err.Error(), c.wanted) {
				t.Errorf("%s, %s: error %v, want one about %q", tr.Name(), c.what, err, c.wanted)
			}
		}
	}
	if err := ref.Clouds(4, 30, 3).ValidateCost("svc", 1e200); err == nil {
		t.Error("C = 1e200 is accepted")
	}
}

// TestSelectionsEnd gives the selections kernel values whose squares overflow when they are summed.
func TestSelectionsEnd(t *testing.T) {
	p := ref.Clouds(4, 40, 3)
	p.Kernel = gram.Custom(func(x, z []float64) float64 { return 0.9e150 * math.Exp(-distance(x, z)) })
	p.Weight = ref.Ones(p.N)
	for i := range p.Weight {
		p.Weight[i] = 1e100
	}
	for _, tr := range []learn.Trainer{greedy.SGGP{}, greedy.PFSALS{}, greedy.KMP{}, greedy.LDA{}, greedy.LDA{Candidates: 5}} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		r, err := tr.Train(ctx, p)
		if ctx.Err() != nil || err == nil && r.Report.Status == status.Optimal {
			t.Errorf("%s ends with %+v, error %v", tr.Name(), r, err)
		}
		cancel()
	}
}

// Sums are those of the kernel pair by pair, for more vectors and rows than are taken at a time;
// where a user's own kernel is slow, the context ends them within 32 values a thread.
func TestSums(t *testing.T) {
	p := ref.Clouds(80, 2200, 3)
	over, indices := make([]int, 2100), make([]int, 70)
	a, b := make([]float64, len(over)), make([]float64, len(over))
	for s := range over {
		over[s], a[s], b[s] = p.N-1-s, math.Sin(float64(s)), math.Cos(float64(s))
	}
	for i := range indices {
		indices[i] = 15 * i
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var values atomic.Int64
	end := int64(len(over)*len(indices) + 5000) // on the way of the second time
	own := gram.Custom(func(x, z []float64) float64 {
		if values.Add(1) == end {
			cancel()
		}
		return gram.RBF(0.1).Eval(x, z)
	})
	for _, k := range []gram.Kernel{gram.RBF(0.1), own} {
		p.Kernel, p.Threads = k, 2
		f := p.Sums(context.Background(), over, indices, a, b)
		for i, row := range indices {
			for o, coef := range [][]float64{a, b} {
				var want float64
				for s, c := range coef {
					j := over[s]
					want += c * gram.RBF(0.1).Eval(p.X[j*p.D:(j+1)*p.D], p.X[row*p.D:(row+1)*p.D])
				}
				testutil.Near(t, "sum", f[2*i+o], want, 1e-11)
			}
		}
	}
	p.Threads = 1 // other threads go on while one cancels
	p.Sums(ctx, over, indices, a, b)
	if n := values.Load() - end; n < 0 || n > 32 {
		t.Errorf("%d values after the context's end", n)
	}
}
