package all

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
	"github.com/sparsekm/sparsekm/learn/density"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

// drawnProblem is one of 40 to 120 samples: sparse features, quadrants, moons, a rare class, or duplicates.
func drawnProblem(k int) *learn.Problem {
	rng := rand.New(rand.NewPCG(uint64(k), 52))
	n, d := 40+k*37%81, []int{20, 2, 2, 5, 3}[k%5]
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n)}
	p.Threads, p.Kernel = 1, gram.RBF([]float64{1 / float64(d), 1, 3}[k/5%3])
	for i := range n {
		x, side := p.X[i*d:(i+1)*d], math.Copysign(1, rng.Float64()-0.5)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		switch k % 5 {
		case 0:
			for j := range x {
				if rng.Float64() > 0.3 {
					x[j] = 0
				}
			}
			side = math.Copysign(1, x[0]+x[1]-x[2]+0.5*rng.NormFloat64())
		case 1:
			side = math.Copysign(1, x[0]*x[1]+0.1*rng.NormFloat64())
		case 2:
			a := math.Pi * rng.Float64()
			x[0], x[1] = side*math.Cos(a)+0.25*(1-side)+0.2*x[0], side*math.Sin(a)-0.25*(1-side)+0.2*x[1]
		case 3:
			side = math.Copysign(1, rng.Float64()-0.85)
			for j := range x {
				x[j] += 0.7 * side
			}
		case 4:
			if i%2 == 1 {
				copy(x, p.X[(i-1)*d:i*d])
			}
			side = math.Copysign(1, x[0]-x[1]*x[1]+0.5+0.3*rng.NormFloat64())
		}
		p.Y[i] = side
	}
	p.Y[0], p.Y[1] = 1, -1
	return p
}

// logarithms is (10) of Peleg & Meir without its constant, the objective of l0svm; +Inf for forbidden signs.
func logarithms(t *testing.T, p *learn.Problem, r *learn.Result, c float64) float64 {
	v := p.Loss(t.Context(), &r.Expansion, learn.Hinge(1), c)
	for s, a := range r.Coef {
		if a*p.Y[r.Support[s]] < 0 {
			return math.Inf(1)
		}
		v += math.Log1p(math.Abs(a) / 0.1)
	}
	return v
}

// Of 200 problems no method whose program is not convex is behind another one of the same objective: in nats where
// that is an evidence, else by 2 %. Nor is skm behind its models at fixed margins.
func TestNoneBehindAnother(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 40
	}
	for k := range count {
		p := drawnProblem(k)
		train := func(of learn.Trainer) *learn.Result {
			r, err := of.Train(t.Context(), p)
			if err != nil {
				t.Fatalf("problem %d, %s: %v", k, of.Name(), err)
			}
			return r
		}
		all, fast := train(bayes.RVM{}).Report.Objective, train(bayes.Fast{}).Report.Objective
		if !(math.Abs(all-fast) <= 5) {
			t.Errorf("problem %d: evidence %.2f by rvm, %.2f by rvm-fast", k, -all, -fast)
		}
		c := []float64{1, 0.3, 10, 100}[k%4]
		got := logarithms(t, p, train(skm.L0SVM{C: c}), c)
		for _, other := range []learn.Trainer{skm.L1SVM{C: c}, skm.LPSVC{C: c}} {
			if want := logarithms(t, p, train(other), c); !(got <= want+0.02*max(1, want)) {
				t.Errorf("problem %d, C = %v: (10) is %.3f by l0svm, %.3f by %s", k, c, got, want, other.Name())
			}
		}
		if k%20 != 7 {
			continue
		}
		f0 := train(skm.Trainer{}).Report.Figures.(skm.Figures).F0
		for e := range 24 {
			delta := math.Pow(1e-3, float64(e)/23)
			if at := train(skm.Trainer{Delta: delta}).Report.Figures.(skm.Figures).F0; !(f0 <= at*1.02) {
				t.Errorf("problem %d: f0 is %v by skm, %v at margin %v", k, f0, at, delta)
			}
		}
	}
}

// Another start never has a larger objective, with every method that takes some, and is of use on a few of 40 problems.
func TestMoreStartsAreNoWorse(t *testing.T) {
	lower := make(map[string]int)
	for k := range 40 {
		p := drawnProblem(k)
		objective := func(of learn.Trainer) float64 {
			r, err := of.Train(t.Context(), p)
			if err != nil {
				t.Fatalf("problem %d, %s: %v", k, of.Name(), err)
			}
			switch f := r.Report.Figures.(type) {
			case skm.Figures:
				return f.F0
			case skm.LinearFigures:
				return logarithms(t, p, r, 10)
			}
			return r.Report.Objective
		}
		try := func(one, more learn.Trainer) {
			a, b := objective(one), objective(more)
			if !(b <= a+1e-5*max(1, math.Abs(a))) {
				t.Errorf("problem %d: %s has %v by several starts, %v by one", k, one.Name(), b, a)
			}
			if b < a-0.02*max(1, math.Abs(a)) {
				lower[one.Name()]++
			}
		}
		try(ssvc.A{}, ssvc.A{Starts: 4})
		try(skm.L0SVM{C: 10, Starts: 1}, skm.L0SVM{C: 10, Starts: 6})
		try(skm.Trainer{}, skm.Trainer{Starts: 6})
		try(direct.Trainer{MaxSV: 6}, direct.Trainer{MaxSV: 6, Starts: 6})
		if k%2 == 1 {
			p.Y, p.Task = nil, learn.Density
			try(density.SKDE{}, density.SKDE{Starts: 4})
		}
	}
	for _, name := range []string{"ssvc-a", "l0svm", "skm", "direct", "skde"} {
		if t.Logf("%s: lower by 2 %% on %d", name, lower[name]); lower[name] == 0 {
			t.Errorf("more starts lower the objective of %s on none of 40 problems", name)
		}
	}
}
