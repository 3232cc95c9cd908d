package ssvc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// siftAll sifts every training in every round, with few columns at first, until so large a share of the rows is inside.
func siftAll(t *testing.T, share float64) {
	before := sifting
	t.Cleanup(func() { sifting = before })
	sifting.stored, sifting.share, sifting.columns = 0, share, 16
}

// siftingProblems are problems of different widths and noise, two of them with a sample that occurs with both labels.
func siftingProblems(t *testing.T) map[string]*learn.Problem {
	problems := map[string]*learn.Problem{
		"ringnorm":   noisy(t, dataset.Ringnorm(500, 3), 0),
		"twonorm":    noisy(t, dataset.Twonorm(500, 4), 0),
		"peleg-meir": noisy(t, dataset.PelegMeir(400, 0.1, 5), 0),
	}
	for name, p := range problems {
		switch p.Kernel = gram.RBF(0.05); name {
		case "peleg-meir":
			p.Kernel = gram.RBF(0.5)
		case "twonorm":
			p.Kernel = gram.Laplacian(0.02)
		}
		if name != "ringnorm" {
			copy(p.X[:p.D], p.X[p.D:2*p.D])
			p.Y[0], p.Y[1] = 1, -1
		}
	}
	return problems
}

// Sifted rounds end where exact rounds over all rows do: at the same vectors, with the same objective in each round.
func TestSiftedIsExact(t *testing.T) {
	problems := siftingProblems(t)
	for name, p := range problems {
		for _, c := range []float64{0.3, 1, 10} {
			what := fmt.Sprintf("%s, C = %v", name, c)
			want := ref.Train(t, A{C: c, ExactRounds: true}, p)
			t.Run(what, func(t *testing.T) {
				siftAll(t, 1)
				got := ref.Train(t, A{C: c, ExactRounds: true}, p)
				if !slices.Equal(got.Support, want.Support) || got.Report.Status != status.FixedPoint {
					t.Errorf("%v, vectors %v, want %v", got.Report.Status, got.Support, want.Support)
				}
				testutil.NearRel(t, "objective", got.Report.Objective, want.Report.Objective, 1e-6)
				for k, r := range got.Report.Rounds[:min(3, len(want.Report.Rounds))] {
					testutil.NearRel(t, fmt.Sprintf("round %d", k+1), r.Objective, want.Report.Rounds[k].Objective, 1e-6)
					testutil.NearRel(t, fmt.Sprintf("losses of round %d", k+1), r.Hinge, want.Report.Rounds[k].Hinge, 1e-5)
				}
				testutil.AtMost(t, "fixed point", got.Report.Figures.(Figures).Certificate, samples.FixedPoint)
				testutil.AtMost(t, "gap", got.Report.Duality.Gap, samples.OptimalGap)
			})
		}
	}
}

// Sifted regression, which has two rows a sample, ends where the exact rounds over all rows do.
func TestSiftedRegression(t *testing.T) {
	set := dataset.Sinc(300, 0.1, 2)
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: set.Targets, Task: learn.Regress, Kernel: gram.RBF(0.5)}
	a := A{C: 1, Tolerance: 1e-6, MaxIter: 200, ExactRounds: true}
	want, err := a.train(t.Context(), p, samples.Regression("ssvr-a", p, 1, 0.1), 0)
	if err != nil {
		t.Fatal(err)
	}
	siftAll(t, 1)
	got, err := a.train(t.Context(), p, samples.Regression("ssvr-a", p, 1, 0.1), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Support, want.Support) {
		t.Errorf("vectors %v, want %v", got.Support, want.Support)
	}
	testutil.NearRel(t, "objective", got.Report.Objective, want.Report.Objective, 1e-6)
}

// Sifted exact rounds keep the vectors of the paper's algorithm, transcribed literally.
func TestSiftedAgainstLiteral(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of slow reference trainings")
	}
	siftAll(t, 1)
	rng := rand.New(rand.NewPCG(31, 6))
	for trial := range 8 {
		p := randomProblem(rng, false)
		c, gamma := math.Pow(10, 2*rng.Float64()-0.5), math.Pow(10, 2*rng.Float64()-1.5)
		p.Kernel = gram.RBF(gamma)
		want := literalRounds(p, c)
		r := ref.Train(t, A{C: c, Tolerance: 1e-10, ExactRounds: true}, p)
		if got := slices.Sorted(slices.Values(r.Support)); !slices.Equal(got, want) {
			t.Errorf("trial %d: %d samples, C = %.3g, γ = %.3g: vectors %v, the literal rounds keep %v", trial, p.N, c, gamma,
				got, want)
		}
	}
}

// A training by default, whose rounds are rough, reports gaps that hold over all rows, the same for any number of
// threads, whether rows are sifted to the end or stored in between.
func TestSiftedRoughRounds(t *testing.T) {
	problems := siftingProblems(t)
	for _, stored := range []int64{0, 50_000} {
		for name, p := range problems {
			siftAll(t, 0.6)
			sifting.stored = stored
			var first *learn.Result
			for _, threads := range []int{1, 3} {
				p.Threads = threads
				r := ref.Train(t, A{}, p)
				if first == nil {
					first = r
				}
				sameMachine(t, name, first, r)
			}
			if first.Report.Status != status.FixedPoint {
				t.Errorf("%s: %v", name, first.Report.Status)
			}
			testutil.AtMost(t, name, first.Report.Duality.Gap, samples.OptimalGap)
			one := ref.Train(t, A{MaxIter: 1}, p)
			loss := one.Bias * one.Bias / 2
			for _, a := range one.Coef {
				loss += a * a / 2
			}
			for i, f := range ref.Decisions(p, one) {
				loss += max(0, 1-p.Y[i]*f)
			}
			testutil.NearRel(t, name+": the first round", one.Report.Rounds[0].Objective, loss, 1e-9)
			testutil.AtMost(t, name+": rough gap", first.Report.Rounds[0].Gap, firstGap)
		}
	}
}

// What is known of rows outside holds after any number of moves of the coefficients, with and without columns.
func TestKnownBoundsHold(t *testing.T) {
	siftAll(t, 1)
	p := siftingProblems(t)["ringnorm"]
	m := &quadratic{A: A{C: 1, Tolerance: 1e-6}, Merged: samples.Classifier("ssvc-a", p, 1)}
	z, err := newSifted(t.Context(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	for r := range m.Y {
		m.Y[r] = 1
	}
	rng := rand.New(rand.NewPCG(4, 4))
	alpha := make([]float64, z.n)
	at := deal.All(z.n)
	alpha[p.N] = 1.5
	z.excess = make([]float64, len(m.Row))
	z.join(t.Context(), []int{0, 1, 2})
	partly := 0
	for step := range 12 {
		for k := range alpha {
			alpha[k] += 0.3 * rng.NormFloat64() / float64(len(alpha)) / float64(1+step*step)
		}
		before := z.columns.Evals
		z.look(t.Context(), alpha)
		if z.columns.Evals-before < int64(p.N)*int64(len(alpha))/2 {
			partly++
		}
		moved := z.lost
		for k, a := range alpha {
			moved += math.Abs(a - z.coef[k])
		}
		for r := range m.Row {
			f := 0.0
			for k, c := range at {
				v := 1.0
				if c < p.N {
					v = p.Kernel.Eval(p.X[r*p.D:(r+1)*p.D], p.X[c*p.D:(c+1)*p.D])
				}
				f += alpha[k] * v
			}
			e := m.Y[r]*f - 1
			if z.met[r] {
				continue
			}
			known := z.min[r] - moved
			testutil.AtMost(t, fmt.Sprintf("step %d: what is known of row %d", step, r), known, e+1e-12)
			if known <= 0 {
				testutil.Near(t, fmt.Sprintf("step %d: row %d", step, r), z.excess[r], e, 1e-9)
			}
		}
		keep := slices.DeleteFunc(deal.All(len(alpha)), func(k int) bool { return k%17 == step && k < len(alpha)-1 })
		size := make([]float64, len(keep))
		for j, k := range keep {
			at[j], alpha[j], size[j] = at[k], alpha[k], 1
		}
		at, alpha = at[:len(keep)], alpha[:len(keep)]
		if _, err := z.reweight(t.Context(), keep, alpha, size); err != nil {
			t.Fatal(err)
		}
	}
	if partly == 0 {
		t.Error("every look evaluates all")
	}
}

// A sifted training that ends anywhere leaves a model that is better than f = 0, once it has its first kernel values,
// and reports that model's objective.
func TestSiftedEnds(t *testing.T) {
	siftAll(t, 0.5)
	p := noisy(t, dataset.Ringnorm(300, 3), 0)
	p.Kernel, p.Threads = gram.RBF(0.05), 1
	models := [2]int{}
	for looks := 0; ; looks += 1 + looks/25 {
		got, err := A{}.Train(testutil.EndAfter(t.Context(), looks), p)
		if err != nil {
			if models[0] > 0 || looks > 60 || !errors.Is(err, context.Canceled) {
				t.Fatalf("end at look %d: %v after %d models", looks, err, models[0])
			}
			continue
		}
		rep := got.Report
		if rep.Status == status.FixedPoint {
			break
		}
		if later := min(1, len(rep.Rounds)-1); len(got.Support) > 0 {
			models[later]++
		}
		if len(rep.Rounds) > 1 {
			continue
		}
		testutil.AtMost(t, "objective", rep.Objective, 0.999*float64(p.N))
		want := got.Bias * got.Bias / 2
		for _, c := range got.Coef {
			want += c * c / 2
		}
		for i, f := range ref.Decisions(p, got) {
			want += max(0, 1-p.Y[i]*f)
		}
		testutil.NearRel(t, "objective of the model", rep.Objective, want, 1e-8)
	}
	if models[0] < 5 || models[1] < 5 {
		t.Errorf("%d models of a first round, %d of later ones", models[0], models[1])
	}
}

// What a sifted training allocates stays within its budget, also if all rows are stored in the end.
func TestSiftedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	p := noisy(t, dataset.Ringnorm(1500, 3), 0)
	p.Kernel, p.Memory = gram.RBF(0.05), A{}.EstimateMemory(1500, 20)
	for _, share := range []float64{0.2, 0.5} {
		siftAll(t, share)
		sifting.stored, sifting.columns = 50_000, 64
		smallest := int64(p.N) * 64 * 8
		peak := testutil.PeakHeapFrom(t, smallest, func() { ref.Train(t, A{}, p) })
		if peak > p.Memory || peak < smallest {
			t.Errorf("share %v: %d bytes at most, the budget is %d", share, peak, p.Memory)
		}
	}
}
