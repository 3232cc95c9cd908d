package ssvc

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/status"
)

// noisy are samples with `noise` additional features that say nothing.
func noisy(tb testing.TB, s *dataset.Set, noise int) *learn.Problem {
	tb.Helper()
	y, err := s.Signs()
	if err != nil {
		tb.Fatal(err)
	}
	rnd := dataset.NewRand(9)
	p := &learn.Problem{N: s.N, D: s.D + noise, Y: y}
	for i := range s.N {
		p.X = append(p.X, s.Row(i)...)
		for range noise {
			p.X = append(p.X, rnd.NormFloat64())
		}
	}
	return p
}

// first are the numbers of the first n features.
func first(n int) []int {
	f := deal.All(n)
	for k := range f {
		f[k]++
	}
	return f
}

// The features that say something are kept and no others, with the error of the least that there can be: of twonorm
// by a linear model, of ringnorm by one with squares.
func TestFeaturesKept(t *testing.T) {
	if testing.Short() {
		t.Skip("large samples")
	}
	for _, tt := range []struct {
		name   string
		draw   func(int, uint64) *dataset.Set
		method learn.Trainer
		max    float64
	}{
		{"twonorm", dataset.Twonorm, Features{C: 0.1}, 0.03},
		{"ringnorm", dataset.Ringnorm, Features{C: 0.3, Squares: true}, 0.014},
		{"twonorm, b", dataset.Twonorm, ssvclp.FeaturesB{C: 0.1}, 0.03},
		{"ringnorm, b", dataset.Ringnorm, ssvclp.FeaturesB{C: 0.3, Squares: true}, 0.02},
	} {
		p, test := noisy(t, tt.draw(3000, 1), 80), noisy(t, tt.draw(5000, 2), 80)
		r, err := tt.method.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Report.Figures.(FeatureFigures).Features
		if !slices.Equal(got, first(20)) || r.Report.Status != status.FixedPoint {
			t.Errorf("%s: %v, features %v, want the first 20", tt.name, r.Report.Status, got)
		}
		wrong := 0
		for i := range test.N {
			if !(test.Y[i]*valueOf(r, test.X[i*test.D:(i+1)*test.D]) > 0) {
				wrong++
			}
		}
		testutil.AtMost(t, tt.name+": error", float64(wrong)/float64(test.N), tt.max)
	}
}

// valueOf is f(x) by the kernel's formula.
func valueOf(r *learn.Result, x []float64) float64 {
	f := r.Bias
	for s, a := range r.Coef {
		f += a * r.Kernel.Eval(x, r.Vectors[s*len(x):(s+1)*len(x)])
	}
	return f
}

// fewFeatures are n samples of ringnorm with five features, in no units of theirs.
func fewFeatures(tb testing.TB, n int) *learn.Problem {
	const d = 5
	p := noisy(tb, dataset.Ringnorm(n, 3), 0)
	for i := range p.N {
		copy(p.X[i*d:(i+1)*d], p.X[i*p.D:(i+1)*p.D])
	}
	p.D, p.X = d, p.X[:p.N*d]
	for i := range p.X {
		p.X[i] *= 30 // units are none of a model's business
	}
	return p
}

// At the end the round with λ_g = 1/‖α_g‖² of the model's own coefficients, by the literal transcription of (9) with
// features instead of kernel values, has these coefficients again; by linear programs (10) with 1/Σ|α_g|.
func TestFeaturesFixedPoint(t *testing.T) {
	const c = 2
	for _, squares := range []bool{false, true} {
		for _, tt := range []struct {
			n      int
			method learn.Trainer
			price  func(w, u float64) float64
			round  func(kbar [][]float64, lambda, cost []float64) ([]float64, float64)
		}{
			{60, Features{C: c, Squares: squares, Tolerance: 1e-10}, func(w, u float64) float64 { return 1 / (w*w + u*u) },
				func(kbar [][]float64, lambda, cost []float64) ([]float64, float64) {
					return ref.SSVCRound(kbar, lambda, cost, 1e-12, 3_000_000)
				}},
			{12, ssvclp.FeaturesB{C: c, Squares: squares}, func(w, u float64) float64 { return 1 / (math.Abs(w) + math.Abs(u)) },
				ref.SSVCLinearRound},
		} {
			p := fewFeatures(t, tt.n)
			r, err := tt.method.Train(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			figures := r.Report.Figures.(FeatureFigures)
			if n := len(figures.Features); r.Report.Status != status.FixedPoint || n == 0 || n == p.D && !squares {
				t.Fatalf("%s: %v, features %v", tt.method.Name(), r.Report.Status, figures.Features)
			}
			testutil.AtMost(t, "certificate", *figures.Certificate, 1e-6)
			kbar, lambda, want, cost := literalFeatures(p, r, squares, c, tt.price)
			alpha, objective := tt.round(kbar, lambda, cost)
			testutil.NearRel(t, "objective", r.Report.Objective, objective, 1e-8)
			for i := range want {
				testutil.Near(t, "coefficient", alpha[i], want[i], 1e-6)
			}
		}
	}
}

// literalFeatures has the rows of K̄, the bias's first, with λ and the coefficients of the model in their units.
func literalFeatures(p *learn.Problem, r *learn.Result, squares bool, c float64,
	price func(w, u float64) float64) (kbar [][]float64, lambda, alpha, cost []float64) {
	unit, w, u := make([]float64, p.D), make([]float64, p.D), make([]float64, p.D)
	for i, v := range p.X {
		unit[i%p.D] = max(unit[i%p.D], math.Abs(v))
	}
	bias := r.Bias
	for s := 0; s < len(r.Coef) && squares; s += 2 {
		k := slices.IndexFunc(r.Vectors[s*p.D:(s+1)*p.D], func(v float64) bool { return v != 0 })
		w[k], u[k] = 2*(r.Coef[s]-r.Coef[s+1]), r.Coef[s]+r.Coef[s+1]
		bias += u[k]
	}
	if !squares {
		for k := range w {
			w[k] = r.Vectors[k] * unit[k]
		}
	}
	add := func(a, w, u float64, column func(i int) float64) {
		row := make([]float64, p.N)
		for i := range row {
			row[i] = p.Y[i] * column(i)
		}
		kbar = append(kbar, row)
		lambda = append(lambda, min(1e300, price(w, u)))
		alpha = append(alpha, a)
	}
	add(bias, bias, 0, func(int) float64 { return 1 })
	for k := range w {
		x := func(i int) float64 { return p.X[i*p.D+k] / unit[k] }
		add(w[k], w[k], u[k], x)
		if squares {
			add(u[k], w[k], u[k], func(i int) float64 { return x(i) * x(i) })
		}
	}
	for range p.N {
		cost = append(cost, c)
	}
	return kbar, lambda, alpha, cost
}

// Units that are powers of two change nothing but the coefficients' units; a kernel of numbered samples has no
// features.
func TestFeaturesUnits(t *testing.T) {
	p := noisy(t, dataset.Twonorm(200, 1), 5)
	scaled := *p
	scaled.X = slices.Clone(p.X)
	for i := range scaled.X {
		scaled.X[i] = math.Ldexp(scaled.X[i], 3*(i%p.D)-30)
	}
	for _, method := range []learn.Trainer{Features{}, Features{Squares: true}, ssvclp.FeaturesB{}, ssvclp.FeaturesB{Squares: true}} {
		a, err := method.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := method.Train(t.Context(), &scaled)
		if err != nil {
			t.Fatal(err)
		}
		if a.Report.Objective != b.Report.Objective || !slices.Equal(a.Coef, b.Coef) || len(a.Coef) == 0 || a.Bias != b.Bias {
			t.Errorf("%#v: objective %v and %v, bias %v and %v", method, a.Report.Objective, b.Report.Objective, a.Bias, b.Bias)
		}
		indexed := *p
		indexed.Kernel = gram.Precomputed()
		if _, err := method.Train(t.Context(), &indexed); err == nil {
			t.Errorf("%s: precomputed values have features", method.Name())
		}
	}
}
