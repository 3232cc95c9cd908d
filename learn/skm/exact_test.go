package skm

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// piece is a model of an exact path.
type piece struct {
	from, to float64
	*learn.Result
}

func pieces(t *testing.T, tr learn.ExactPath, p *learn.Problem, lo, hi float64) (all []piece) {
	t.Helper()
	err := tr.Exact(t.Context(), p, lo, hi, func(from, to float64, r *learn.Result) bool {
		all = append(all, piece{from, to, r})
		return true
	})
	if err != nil {
		t.Fatalf("%s: %v", tr.Name(), err)
	}
	return all
}

// cost is Σ|α| + C Σ w ξ of a model.
func cost(p *learn.Problem, r *learn.Result, c float64) (sum float64) {
	for _, a := range r.Coef {
		sum += math.Abs(a)
	}
	for i := range p.N {
		f := r.Bias
		for s, j := range r.Support {
			f += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
		sum += c * p.WeightOf(i) * math.Max(0, 1-p.Y[i]*f)
	}
	return sum
}

// between is the model at c on the straight line from one to another.
func between(a, b piece, c float64) *learn.Result {
	share := (c - a.to) / (b.from - a.to)
	coef := map[int]float64{}
	for s, i := range a.Support {
		coef[i] += (1 - share) * a.Coef[s]
	}
	for s, i := range b.Support {
		coef[i] += share * b.Coef[s]
	}
	r := &learn.Result{}
	r.Bias = (1-share)*a.Bias + share*b.Bias
	for i, v := range coef {
		r.Support = append(r.Support, i)
		r.Coef = append(r.Coef, v)
	}
	return r
}

// Every model of the path costs what a training alone finds to be the least, at both ends of its stretch of C and in
// the middle; so do those on the straight line between two stretches, where the bound of l1svm makes them move.
func TestExactPath(t *testing.T) {
	const lo, hi = 0.02, 30
	moves := 0
	base := problem(t, dataset.PelegMeir(70, 0.1, 5), gram.RBF(1))
	heavy := *base
	heavy.Weight = make([]float64, base.N)
	for i := range heavy.Weight {
		heavy.Weight[i] = float64(i%4) / 2
	}
	lopsided := *base
	lopsided.Y = make([]float64, base.N)
	for i := range lopsided.Y {
		lopsided.Y[i] = -1
		if i%9 == 0 {
			lopsided.Y[i] = 1
		}
	}
	linear, large := *base, *base
	linear.Kernel, large.Kernel = gram.Linear(), gram.Poly(2, 1, 1)
	z := dataset.PelegMeir(8, 0.1, 77).X
	for name, p := range map[string]*learn.Problem{"as it is": base, "weights": &heavy, "lopsided": &lopsided, "linear": &linear,
		"polynomial": &large, "candidates": base.WithCandidates(z, []float64{1, -1, 1, -1, 1, -1, 1, -1}, 8)} {
		if testing.Short() && p != &heavy && p != &linear {
			continue
		}
		for _, one := range []func(c float64) learn.ExactPath{
			func(c float64) learn.ExactPath { return LPSVC{C: c} }, func(c float64) learn.ExactPath { return L1SVM{C: c} },
			func(c float64) learn.ExactPath { return LPSVC{C: c, Subset: learn.Subset{Candidates: 9}} },
		} {
			tr := one(1)
			what := tr.Name() + ", " + name
			all := pieces(t, tr, p, lo, hi)
			whole := tr.Name() == "lpsvc"
			if len(all) < 3 && p != &lopsided || all[0].from != lo || all[len(all)-1].to != hi {
				t.Errorf("%s: %d models from %v to %v", what, len(all), all[0].from, all[len(all)-1].to)
				continue
			}
			end := lo
			for k, m := range all {
				if m.Report.Status != status.Optimal || !(m.to > m.from || !whole && m.to == m.from) || !(m.from >= end) {
					t.Errorf("%s: %v to %v: %v, %s", what, m.from, m.to, m.Report.Status, m.Report.Message)
				}
				if whole {
					testutil.NearRel(t, what+": the next begins", m.from, end, 1e-12)
				}
				if !whole && m.from > end*(1+1e-9) && k%3 == 1 {
					moves++
					for _, c := range []float64{0.9*end + 0.1*m.from, (end + m.from) / 2} {
						alone, err := one(c).Train(t.Context(), p)
						if err != nil {
							t.Fatal(err)
						}
						r := between(all[k-1], m, c)
						testutil.NearRel(t, what+": in between", cost(p, r, c), alone.Report.Objective, 1e-8)
						testutil.AtMost(t, what+": ceiling in between", dense.Largest(r.Coef)/c, 1+1e-9)
					}
				}
				end = m.to
				testutil.NearRel(t, what+": objective", m.Report.Objective, cost(p, m.Result, m.to), 1e-9)
				testutil.AtMost(t, what+": ceiling", dense.Largest(m.Coef)/m.from, map[bool]float64{true: math.Inf(1), false: 1 + 1e-9}[whole])
				if k%5 != 0 {
					continue
				}
				for _, c := range []float64{m.from, math.Sqrt(m.from * m.to), m.to} {
					alone, err := one(c).Train(t.Context(), p)
					if err != nil {
						t.Fatal(err)
					}
					testutil.NearRel(t, what+": a training alone", cost(p, m.Result, c), alone.Report.Objective, 1e-8)
				}
			}
		}
	}
	if moves < 20 {
		t.Errorf("%d models on the way from one to another were looked at", moves)
	}
}

// What cannot be followed is refused, a stop stops, and an end of the context is an error.
func TestExactPathStops(t *testing.T) {
	p := problem(t, dataset.PelegMeir(60, 0.1, 5), gram.RBF(1))
	none := func(float64, float64, *learn.Result) bool { return true }
	for _, at := range [][2]float64{{0, 1}, {1, 0.5}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		if err := (LPSVC{}).Exact(t.Context(), p, at[0], at[1], none); !errors.As(err, new(*learn.ParamError)) {
			t.Errorf("from %v to %v: %v", at[0], at[1], err)
		}
	}
	if err := (LPSVC{Threshold: 0.1}).Exact(t.Context(), p, 1, 2, none); err == nil {
		t.Error("a threshold passes")
	}
	seen := 0
	if err := (LPSVC{}).Exact(t.Context(), p, 0.1, 9, func(float64, float64, *learn.Result) bool { seen++; return seen < 3 }); err != nil ||
		seen != 3 {
		t.Errorf("%d visits, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	seen = 0
	err := (LPSVC{}).Exact(ctx, p, 0.1, 9, func(float64, float64, *learn.Result) bool {
		if seen++; seen == 2 {
			cancel()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) || seen > 40 {
		t.Errorf("%d visits, %v", seen, err)
	}
	small := *p
	small.Memory = 1 << 10
	if err := (LPSVC{}).Exact(t.Context(), &small, 0.1, 9, none); !errors.As(err, new(*learn.BudgetError)) {
		t.Errorf("1 KiB: %v", err)
	}
}
