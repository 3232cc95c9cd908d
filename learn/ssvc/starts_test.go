package ssvc

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// scattered is a problem of four quadrants with noise.
func scattered(seed uint64, n int) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := &learn.Problem{N: n, D: 2, X: make([]float64, 2*n), Y: make([]float64, n), Kernel: gram.RBF(1)}
	p.Threads = 1
	for i := range n {
		x := p.X[2*i : 2*i+2]
		x[0], x[1] = 2*rng.Float64()-1, 2*rng.Float64()-1
		p.Y[i] = math.Copysign(1, x[0]*x[1]+0.1*rng.NormFloat64())
	}
	return p
}

// Another start never has a larger objective, each objective is ½‖α‖₀ + C Σξ of the model, and some starts are of use.
func TestMoreStarts(t *testing.T) {
	lower := 0
	for seed := range uint64(20) {
		p := scattered(seed, 60)
		first := math.Inf(1)
		for last, starts := math.Inf(1), 1; starts <= 8; starts *= 2 {
			r, err := A{Starts: starts}.Train(t.Context(), p)
			if err != nil || !r.Report.Status.Done() {
				t.Fatal(err, r.Report.Status)
			}
			counted := float64(len(r.Coef)) / 2
			if r.Bias != 0 {
				counted += 0.5
			}
			got := r.Report.Objective
			if want := counted + p.Loss(t.Context(), &r.Expansion, learn.Hinge(1), 1); !(math.Abs(got-want) <= 1e-4*want) {
				t.Errorf("problem %d, %d starts: objective %v, want %v", seed, starts, got, want)
			}
			if !(got <= last*(1+1e-9)) {
				t.Errorf("problem %d: objective %v by %d starts, %v by fewer", seed, got, starts, last)
			}
			if last = got; starts == 1 {
				first = got
			}
			if starts == 8 && got < 0.98*first {
				lower++
			}
		}
	}
	if lower < 10 {
		t.Errorf("7 more starts lower the objective by 2 %% on %d of 20 problems", lower)
	}
}

// A start is the same over sifted and over stored rows, and for candidates.
func TestStartsOfEveryPenalty(t *testing.T) {
	p := scattered(1, 150)
	train := func(a A) *learn.Result {
		r, err := a.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	stored := train(A{Starts: 3, ExactRounds: true})
	defer func(old int64) { sifting.stored = old }(sifting.stored)
	sifting.stored = 500
	if got := train(A{Starts: 3, ExactRounds: true}).Report.Objective; !(math.Abs(got-stored.Report.Objective) <= 1e-6*got) {
		t.Errorf("objective %v by sifting, %v without", got, stored.Report.Objective)
	}
	few := learn.Subset{Candidates: 40, Choose: learn.ChooseSpread, Seed: 1}
	if one, more := train(A{Subset: few}), train(A{Subset: few, Starts: 6}); !(more.Report.Objective <= one.Report.Objective) {
		t.Errorf("candidates: objective %v by 6 starts, %v by one", more.Report.Objective, one.Report.Objective)
	}
	for _, a := range []A{{TwoNorm: 0.1}, {Norm: 0.5}} {
		one := train(a)
		a.Starts = 6
		if more := train(a); !(more.Report.Objective <= one.Report.Objective) {
			t.Errorf("%v: objective %v by 6 starts, %v by one", a, more.Report.Objective, one.Report.Objective)
		}
	}
}

// A cancelled search of starts says so, and has the first start's model.
func TestStartsCancelled(t *testing.T) {
	p := scattered(1, 60)
	ctx, cancel := context.WithCancel(t.Context())
	rounds := 0
	one, err := A{}.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Progress = func(e learn.Event) {
		if e.Round == nil {
			return
		}
		if rounds++; rounds > len(one.Report.Rounds) {
			cancel()
		}
	}
	r, err := A{Starts: 1000}.Train(ctx, p)
	if err != nil || !r.Report.Status.Limit() || r.Report.Objective != one.Report.Objective {
		t.Errorf("%v: status %v, objective %v, want %v", err, r.Report.Status, r.Report.Objective, one.Report.Objective)
	}
}
