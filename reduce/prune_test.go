package reduce

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

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// samples is n random samples of dimension d.
func points(rng *rand.Rand, n, d int) []float64 {
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// labelled makes a set of k classes; which class a sample has depends on its first feature.
func labelled(rng *rand.Rand, n, d, k int) *dataset.Set {
	s := &dataset.Set{X: points(rng, n, d), N: n, D: d, Y: make([]int, n)}
	for c := range k {
		s.Labels = append(s.Labels, fmt.Sprint(c))
	}
	for i := range n {
		s.Y[i] = min(k-1, max(0, int(math.Floor(s.X[i*d]+rng.NormFloat64()/4+float64(k)/2))))
	}
	return s
}

// binary is a classifier with n vectors from the front of the set and coefficients like those of an SVM.
func binary(t testing.TB, rng *rand.Rand, s *dataset.Set, n int, k gram.Kernel) *model.Classifier {
	t.Helper()
	m := learn.Submodel{Pos: 1, Neg: 0, Expansion: learn.Expansion{Bias: 0.1}}
	for i := range n {
		m.Support = append(m.Support, i)
		m.Coef = append(m.Coef, float64(2*s.Y[i]-1)*(0.1+rng.Float64()))
	}
	return build(t, model.Parts{Kernel: k, Vectors: s.X[:n*s.D], N: n, D: s.D, Features: s.D, Labels: s.Labels, Submodels: []learn.Submodel{m}})
}

// pairs is a one-against-one classifier of three classes over a pool of n vectors, each model on those of its
// classes.
func pairs(t testing.TB, rng *rand.Rand, s *dataset.Set, n int, k gram.Kernel) *model.Classifier {
	t.Helper()
	p := model.Parts{Kernel: k, Vectors: s.X[:n*s.D], N: n, D: s.D, Features: s.D, Labels: s.Labels, Scheme: model.OneVsOne}
	for a := range 3 {
		for b := a + 1; b < 3; b++ {
			m := learn.Submodel{Pos: a, Neg: b, Expansion: learn.Expansion{Bias: rng.NormFloat64() / 10}}
			for i := range n {
				if s.Y[i] == a || s.Y[i] == b {
					c := 0.1 + rng.Float64()
					if s.Y[i] == b {
						c = -c
					}
					m.Support = append(m.Support, i)
					m.Coef = append(m.Coef, c)
				}
			}
			p.Submodels = append(p.Submodels, m)
		}
	}
	return build(t, p)
}

func build(t testing.TB, p model.Parts) *model.Classifier {
	t.Helper()
	c, err := model.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kernelMatrix(k gram.Kernel, x []float64, n, d int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d]))
		}
	}
	return s
}

// Order, coefficients and criterion against the literal Algorithm 2, at every stage.
func TestPruneIsAlgorithm2(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 1))
			n, d := 20+int(seed)*25, 2+int(seed)
			data := labelled(rng, 600, d, 2) // more than a chunk
			kernel := gram.RBF(0.3)
			c := binary(t, rng, data, n, kernel)
			steps := ref.ReduceAlgorithm2(kernelMatrix(kernel, data.X, n, d), c.Parts().Submodels[0].Coef, 1e-3, n-1)
			k := crossMatrix(kernel, data, data.X, n)
			before := ref.ReduceHinge(k, c.Parts().Submodels[0].Coef, 0.1, signs(data))
			// Far from all others, two vectors tie: h_11 = h_22 when k(x,x) = 1. From there on both orders are right.
			tie := slices.IndexFunc(steps, func(s ref.ReduceStep) bool { return s.Gap < 1e-8 })
			if tie < n/2 {
				t.Fatalf("seed %d: a tie at step %d of %d; choose another seed", seed, tie, n)
			}
			for s := n - tie; s < n; s += 7 {
				r, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(s)}})
				if err != nil {
					t.Fatal(err)
				}
				if r.SVAfter != s || r.Classifier.NumVectors() != s || len(r.Order) != n-s {
					t.Fatalf("asked for %d vectors, got %d and %d removals", s, r.SVAfter, len(r.Order))
				}
				for i, got := range r.Order {
					if got != steps[i].Removed {
						t.Fatalf("removal %d is %d, want %d", i, got, steps[i].Removed)
					}
					h := ref.ReduceHinge(columns(k, steps[i].Kept), steps[i].Coef, 0.1, signs(data)) - before
					if e := math.Abs(r.HingeIncrease[i] - h); !(e < 1e-10) {
						t.Fatalf("criterion after %d removals is off by %v", i+1, e)
					}
				}
				want := steps[n-s-1]
				parts := r.Classifier.Parts()
				var size float64
				for _, v := range want.Coef {
					size = math.Max(size, math.Abs(v))
				}
				for i, j := range want.Kept {
					if !slices.Equal(parts.Vectors[i*d:(i+1)*d], data.Row(j)) {
						t.Fatalf("vector %d is not that of row %d", i, j)
					}
					if e := math.Abs(parts.Submodels[0].Coef[i]-want.Coef[i]) / size; !(e < 1e-8) {
						t.Fatalf("coefficient %d of %d is off by %v", i, s, e)
					}
				}
			}
		}
	})
}

func signs(s *dataset.Set) []float64 { return s.RestSigns(1) }

// crossMatrix is k(x_i, z_j) for all samples of the set and the first n rows of z.
func crossMatrix(kernel gram.Kernel, s *dataset.Set, z []float64, n int) [][]float64 {
	k := make([][]float64, s.N)
	for i := range k {
		for j := range n {
			k[i] = append(k[i], kernel.Eval(s.Row(i), z[j*s.D:(j+1)*s.D]))
		}
	}
	return k
}

func columns(k [][]float64, idx []int) [][]float64 {
	out := make([][]float64, len(k))
	for i, row := range k {
		for _, j := range idx {
			out[i] = append(out[i], row[j])
		}
	}
	return out
}

// Algorithm 1 with λ‖β‖² in its criterion is Algorithm 2, and the two differ as printed: B.001, sample 3.
func TestAlgorithms1And2(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 40
	x := points(rng, n, 2)
	k := kernelMatrix(gram.RBFSigma(0.5), x, n, 2)
	alpha := points(rng, n, 1)
	two := ref.ReduceAlgorithm2(k, alpha, 1e-3, n-2)
	ridge := ref.ReduceAlgorithm1(k, alpha, 1e-3, n-2, true)
	printed := ref.ReduceAlgorithm1(k, alpha, 1e-3, n-2, false)
	differ := false
	for i := range two {
		if two[i].Gap < 1e-8 {
			break
		}
		if two[i].Removed != ridge[i].Removed {
			t.Fatalf("step %d: Algorithm 2 removes %d, Algorithm 1 with the ridge %d", i, two[i].Removed, ridge[i].Removed)
		}
		for j := range two[i].Coef {
			if !testutil.Within(two[i].Coef[j], ridge[i].Coef[j], 1e-8) {
				t.Fatalf("step %d: coefficients differ", i)
			}
		}
		differ = differ || two[i].Removed != printed[i].Removed
	}
	if !differ {
		t.Error("Algorithm 1 as printed chooses the same; the reading in the package comment is not pinned")
	}
}

// Order and coefficients against the literal Algorithm 1 as printed, as far as no two ε are equal but for rounding.
func TestPruneIsAlgorithm1(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		alone := 0 // problems where Algorithm 2 removes others
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 7))
			n, d := 20+int(seed)*5, 2+int(seed)%2
			kernel := []gram.Kernel{gram.RBFSigma(1), gram.Poly(4, 0.5, 1), gram.Laplacian(0.5)}[seed%3]
			lambda := []float64{1e-3, 0.1}[seed/4]
			data := labelled(rng, n, d, 2)
			c := binary(t, rng, data, n, kernel)
			k, alpha := kernelMatrix(kernel, data.X, n, d), c.Parts().Submodels[0].Coef
			steps := ref.ReduceAlgorithm1(k, alpha, lambda, n-1, false)
			if tie := slices.IndexFunc(steps, func(s ref.ReduceStep) bool { return s.Gap < 1e-5 }); tie >= 0 {
				steps = steps[:tie]
			}
			if len(steps) < n/2 {
				t.Fatalf("seed %d: a tie at step %d of %d; choose another seed", seed, len(steps), n)
			}
			for i, s := range ref.ReduceAlgorithm2(k, alpha, lambda, len(steps)) {
				if s.Removed != steps[i].Removed {
					alone++
					break
				}
			}
			for _, threads := range []int{1, 3} {
				o := Options{Lambda: lambda, Algorithm1: true, Stop: []Rule{MaxSV(n - len(steps))}}
				o.Threads = threads
				r, err := Prune(ctx, c, nil, o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Method != "kobayashi-1" || len(r.Order) != len(steps) {
					t.Fatalf("seed %d: %s removed %d, want %d", seed, r.Method, len(r.Order), len(steps))
				}
				for i, got := range r.Order {
					if got != steps[i].Removed {
						t.Fatalf("seed %d: removal %d is %d, want %d", seed, i, got, steps[i].Removed)
					}
				}
				got, want := r.Classifier.Parts().Submodels[0].Coef, steps[len(steps)-1].Coef
				testutil.NearAll(t, "coefficients", got, want, 1e-8*mat.Norm(mat.NewVecDense(len(want), want), 1))
			}
		}
		if alone < 3 {
			t.Errorf("%d of 8 orders are not Algorithm 2's: too easy", alone)
		}
	})
}

// The curve of several models is that of classifiers built for each size.
func TestPairsShareAPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	data := labelled(rng, 700, 3, 3)
	c := pairs(t, rng, data, 60, gram.RBF(0.4))
	full, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(1)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []int{1, 7, 30, 59} {
		r, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(s)}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Classifier.NumVectors() != s {
			t.Fatalf("%d distinct vectors, want %d", r.Classifier.NumVectors(), s)
		}
		p := full.Curve[60-s]
		if p.SV != s || p.Error != r.Compared.ErrorAfter || p.Agreement != r.Compared.Agreement {
			t.Errorf("%d vectors: curve %+v, compared %+v", s, p, r.Compared)
		}
		got := hingeByDefinition(r.Classifier, data) - hingeByDefinition(c, data)
		if e := math.Abs(p.HingeIncrease - got); !(e < 1e-10) {
			t.Errorf("%d vectors: hinge increase off by %v", s, e)
		}
	}
}

// hingeByDefinition is the mean hinge loss over models and the samples of their classes.
func hingeByDefinition(c *model.Classifier, s *dataset.Set) float64 {
	f := make([]float64, c.NumSubmodels())
	var sum, terms float64
	for i := range s.N {
		c.DecideTo(f, s.Row(i))
		for j, m := range c.Parts().Submodels {
			if s.Y[i] == m.Pos {
				sum, terms = sum+math.Max(0, 1-f[j]), terms+1
			} else if s.Y[i] == m.Neg {
				sum, terms = sum+math.Max(0, 1+f[j]), terms+1
			}
		}
	}
	return sum / terms
}

// τ: the result is within it, the next removal is not, and all before were.
func TestTau(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	data := labelled(rng, 300, 2, 2)
	c := binary(t, rng, data, 80, gram.RBF(0.5))
	for _, tau := range []float64{0, 1e-6, 0.001, 0.025, 0.3, 1e9} {
		r, err := Prune(ctx, c, data, Options{Stop: []Rule{Tau(tau)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range r.Curve {
			within := p.HingeIncrease <= tau
			if removed := len(r.Order); i <= removed && !within || i == removed+1 && within {
				t.Errorf("τ = %v: %d removed, but the increase after %d is %v", tau, removed, i, p.HingeIncrease)
			}
		}
		got := hingeByDefinition(r.Classifier, data)
		if !testutil.Within(got, r.HingeAfter, 1e-10) || !testutil.Within(hingeByDefinition(c, data), r.HingeBefore, 1e-10) {
			t.Errorf("τ = %v: hinge loss %v is reported as %v", tau, got, r.HingeAfter)
		}
		if tau == 1e9 && (r.SVAfter != 1 || r.Stopped != "one vector is left") {
			t.Errorf("τ = %v leaves %d vectors, %q", tau, r.SVAfter, r.Stopped)
		}
	}
}

// Repetitions, unused vectors and ties: a sound result, never NaN, never more vectors.
func TestSingularGram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		n, d := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(0, 3).Draw(t, "d")
		distinct := rapid.IntRange(1, n).Draw(t, "distinct")
		s := labelled(rng, n, max(d, 1), 2)
		s.D = d
		s.X = s.X[:n*d]
		for i := distinct; i < n; i++ {
			copy(s.Row(i), s.Row(rng.IntN(distinct)))
		}
		scale := math.Exp(rng.NormFloat64() * 5)
		m := learn.Submodel{Pos: 1, Neg: 0, Expansion: learn.Expansion{Bias: 0.1}}
		for i := range n {
			m.Support = append(m.Support, i)
			m.Coef = append(m.Coef, scale*(rng.Float64()+0.1)*float64(2*s.Y[i]-1))
		}
		c, err := model.New(model.Parts{Kernel: gram.RBF(1), Vectors: s.X, N: n, D: d, Labels: s.Labels, Submodels: []learn.Submodel{m}})
		if err != nil {
			t.Fatal(err)
		}
		rule := rapid.SampledFrom([]Rule{Tau(0), Tau(0.025), Tau(10), MaxSV(1), MaxSV(5), MaxLoss(3)}).Draw(t, "rule")
		r, err := Prune(ctx, c, s, Options{Stop: []Rule{rule}, Algorithm1: rapid.Bool().Draw(t, "first"), Refit: rapid.SampledFrom([]RefitRule{NoRefit, RefitBetter, Refit}).Draw(t, "refit")})
		if err != nil {
			if strings.Contains(err.Error(), "no vectors") {
				return // coefficients of equal samples may cancel
			}
			t.Fatal(err)
		}
		if got := r.Classifier.NumVectors(); got > n || got != r.SVAfter || got+len(r.Order) != n {
			t.Fatalf("%d vectors of %d, reported %d and %d removals", got, n, r.SVAfter, len(r.Order))
		}
		removed := slices.Clone(r.Order)
		slices.Sort(removed)
		if len(slices.Compact(removed)) != len(r.Order) {
			t.Fatal("a vector was removed twice")
		}
		for _, p := range r.Curve {
			if math.IsNaN(p.HingeIncrease) {
				t.Fatal("the hinge loss is not a number")
			}
		}
		simple, err := Simplify(ctx, c, s, SimplifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := simple.Classifier.NumVectors(); got > distinct {
			t.Fatalf("%d vectors after the exact simplification, %d are distinct", got, distinct)
		}
		for i := range n {
			if a, b := c.Decide(s.Row(i)), simple.Classifier.Decide(s.Row(i)); !testutil.Within(a, b, 1e-4*scale*float64(n)) {
				t.Fatalf("decision %v became %v by the exact simplification", a, b)
			}
		}
	})
}

func TestMergeOnly(t *testing.T) {
	// Two pairs of equal vectors, −0 among them; τ = 0 allows nothing else.
	x := []float64{0, 1, math.Copysign(0, -1), 1, 3, 3, 3, 3}
	m := learn.Submodel{Pos: 1, Neg: 0, Expansion: learn.Expansion{Support: []int{0, 1, 2, 3}, Coef: []float64{1, 2, -4, -8}}}
	c := build(t, model.Parts{Kernel: gram.RBF(1), Vectors: x, N: 4, D: 2, Labels: []string{"a", "b"}, Submodels: []learn.Submodel{m}, Platt: []model.Platt{{A: 1}}})
	data := &dataset.Set{X: x, N: 4, D: 2}
	r, err := Simplify(ctx, c, data, SimplifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Classifier.Parts()
	if r.Merged != 2 || !slices.Equal(r.Order, []int{1, 3}) || !slices.Equal(p.Submodels[0].Coef, []float64{3, -12}) {
		t.Errorf("merged %d, order %v, coefficients %v", r.Merged, r.Order, p.Submodels[0].Coef)
	}
	if !r.PlattStale || !p.PlattStale {
		t.Error("probabilities are not marked as stale")
	}
}

func TestNothingToDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	data := labelled(rng, 50, 2, 2)
	c := binary(t, rng, data, 10, gram.RBF(1))
	for name, o := range map[string]Options{
		"budget already met": {Stop: []Rule{MaxSV(10)}},
		"exact":              {Stop: []Rule{Tau(0)}, Lambda: 1e-9},
	} {
		r, err := Prune(ctx, c, data, o)
		if err != nil || len(r.Order) > 0 && name != "exact" || r.Classifier != c && name != "exact" {
			t.Errorf("%s: %v, %v", name, r, err)
		} else if len(r.Order) == 0 && (r.Message == "" || r.SVAfter != 10) {
			t.Errorf("%s: no message", name)
		}
	}
	if r, err := Simplify(ctx, c, nil, SimplifyOptions{Tolerance: 1e-14}); err != nil || r.Classifier != c || r.Message == "" {
		t.Errorf("exact simplification: %v, %v", r, err)
	}
}

func TestRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	data, other := labelled(rng, 300, 2, 2), labelled(rng, 400, 2, 2)
	c := binary(t, rng, data, 60, gram.RBF(0.5))
	r, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxLoss(2)}, Validation: other})
	if err != nil {
		t.Fatal(err)
	}
	if r.Compared.N != 400 || !(r.Compared.ErrorAfter <= r.Compared.ErrorBefore+0.02+1e-12) {
		t.Errorf("allowed 2 samples: %+v", r.Compared)
	}
	// Quality before budget.
	r, err = Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(1), Tau(1e-4)}})
	if err != nil || r.SVAfter == 1 || !strings.Contains(r.Message, "cannot be met") {
		t.Errorf("%d vectors, %q, %v", r.SVAfter, r.Message, err)
	}
	// A generous limit of time changes nothing, an impossible one is refused.
	r, err = Prune(ctx, c, nil, Options{Stop: []Rule{TargetLatency(time.Second)}})
	if err != nil || r.SVAfter != 60 || !(r.MicrosBefore > 0) {
		t.Errorf("a second a prediction: %+v, %v", r, err)
	}
	if _, err = Prune(ctx, c, nil, Options{Stop: []Rule{TargetLatency(1)}}); err == nil ||
		!strings.Contains(err.Error(), "one vector alone takes") {
		t.Errorf("a nanosecond a prediction: %v", err)
	}
}

// A budget far below what the decisions need comes with a warning, with samples and without.
func TestTooFewVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 6))
	data := labelled(rng, 300, 2, 3)
	c := pairs(t, rng, data, 50, gram.RBF(0.5))
	for _, with := range []*dataset.Set{nil, data} {
		for size, warned := range map[int]bool{1: true, 49: false} {
			r, err := Prune(t.Context(), c, with, Options{Stop: []Rule{MaxSV(size)}})
			if err != nil {
				t.Fatal(err)
			}
			agreement := r.VectorAgreement
			if (agreement == nil) != (with != nil) {
				t.Fatalf("%d vectors, data %v: agreement on the vectors %v", size, with != nil, agreement)
			}
			if with != nil {
				agreement = &r.Compared.Agreement
			}
			if got := strings.Contains(r.Message, "too few vectors"); got != warned || (*agreement < keptClasses) != warned {
				t.Errorf("%d vectors, data %v: agreement %v, message %q", size, with != nil, *agreement, r.Message)
			}
		}
	}
}

// Without labels the samples have the classes that the full model gives: no error before.
func TestUnlabelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	data := labelled(rng, 300, 2, 3)
	c := pairs(t, rng, data, 50, gram.RBF(0.5))
	bare := *data
	bare.Y, bare.Labels = nil, nil
	same := *data
	same.Y = make([]int, data.N)
	c.PredictBatch(same.Y, data.X, data.N, 1)
	a, err := Prune(ctx, c, &bare, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Prune(ctx, c, &same, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Compared.Labelled || a.Compared.ErrorBefore != 0 ||
		!(math.Abs(a.Compared.ErrorAfter-1+a.Compared.Agreement) <= 1e-15) {
		t.Errorf("%+v", a.Compared)
	}
	if !slices.Equal(a.Order, b.Order) || !slices.Equal(a.HingeIncrease, b.HingeIncrease) {
		t.Error("predicted labels and none give different results")
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	data := labelled(rng, 3*chunk+5, 3, 3)
	c := pairs(t, rng, data, 200, gram.RBF(0.3))
	var first *Result
	for _, threads := range []int{1, 2, 5} {
		o := Options{Refit: Refit}
		o.Threads = threads
		r, err := Prune(ctx, c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
			continue
		}
		a, b := first.Classifier.Parts(), r.Classifier.Parts()
		if !slices.Equal(first.HingeIncrease, r.HingeIncrease) || !slices.Equal(a.Vectors, b.Vectors) {
			t.Fatalf("%d threads: another path", threads)
		}
		for i := range a.Submodels {
			if !slices.Equal(a.Submodels[i].Coef, b.Submodels[i].Coef) || a.Submodels[i].Bias != b.Submodels[i].Bias {
				t.Fatalf("%d threads: model %d differs", threads, i)
			}
		}
	}
}

func TestRefitHelps(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 8))
	data := labelled(rng, 500, 2, 2)
	c := binary(t, rng, data, 100, gram.RBF(2))
	miss := func(o Options) float64 {
		r, err := Prune(ctx, c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		if (r.Refit != "") != (o.Refit == Refit) {
			t.Errorf("refit is reported as %q", r.Refit)
		}
		if h := hingeByDefinition(r.Classifier, data); !testutil.Within(h, r.HingeAfter, 1e-10) {
			t.Errorf("hinge loss %v reported as %v", h, r.HingeAfter)
		}
		var sum float64
		for i := range data.N {
			e := c.Decide(data.Row(i)) - r.Classifier.Decide(data.Row(i))
			sum += e * e
		}
		return sum
	}
	o := Options{Stop: []Rule{MaxSV(15)}}
	without := miss(o)
	o.Refit = Refit
	if with := miss(o); !(with < without) {
		t.Errorf("squared distance to the model %v with a refit, %v without", with, without)
	}
}

// A refit that was not asked for stays where it is better by its definition, and only there.
func TestRefitBetter(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 8))
	data, other := labelled(rng, 300, 2, 2), labelled(rng, 300, 2, 2)
	c := binary(t, rng, data, 60, gram.RBF(2))
	seen := make(map[bool]int)
	for size := 1; size < 60; size += 3 {
		var results []*Result
		for _, rule := range []RefitRule{NoRefit, Refit, RefitBetter} {
			r, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(size)}, Validation: other, Refit: rule})
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
		better := results[1].HingeAfter < results[0].HingeAfter &&
			results[1].Compared.ErrorAfter <= results[0].Compared.ErrorAfter
		want := results[0]
		if better {
			want = results[1]
		}
		seen[better]++
		got := results[2]
		if (got.Refit != "") != better || !reflect.DeepEqual(got.Classifier.Parts(), want.Classifier.Parts()) {
			t.Errorf("%d vectors: refit %q, better is %v", size, got.Refit, better)
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("both cases must occur: %v", seen)
	}
}

func TestBadInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 9))
	data := labelled(rng, 40, 2, 2)
	c := binary(t, rng, data, 10, gram.RBF(1))
	own := gram.RBF(3)
	parts := c.Parts()
	parts.Submodels[0].Kernel = &own
	ownKernel := build(t, parts)
	empty := build(t, model.Parts{Kernel: gram.RBF(1), D: 2, Labels: []string{"0", "1"}, Submodels: []learn.Submodel{{Pos: 1}}})
	saddle := binary(t, rng, data, 10, gram.Sigmoid(1, -2))
	three := labelled(rng, 40, 2, 2)
	three.Labels = []string{"0", "1", "other"}
	three.Y[5] = 2
	wide := labelled(rng, 40, 3, 2)
	hole := labelled(rng, 40, 2, 2)
	hole.X[7] = math.NaN()
	for _, tt := range []struct {
		name string
		c    *model.Classifier
		data *dataset.Set
		o    Options
		want string
	}{
		{"no vectors", empty, data, Options{}, "no vectors"},
		{"own kernel", ownKernel, data, Options{}, "kernel of its own"},
		{"features", c, wide, Options{}, "data of 3 features, the model has 2"},
		{"validation", c, data, Options{Validation: wide}, "validation data of 3 features"},
		{"no samples", c, &dataset.Set{D: 2}, Options{}, "without samples"},
		{"label", c, three, Options{}, `sample 5 of the data has the label "other"`},
		{"not a number", c, hole, Options{}, "feature 2 of sample 3 of the data is NaN"},
		{"τ", c, data, Options{Stop: []Rule{Tau(-1)}}, "hinge loss +-1"},
		{"τ NaN", c, data, Options{Stop: []Rule{Tau(math.NaN())}}, "finite"},
		{"τ without data", c, nil, Options{}, "needs data"},
		{"loss without data", c, nil, Options{Stop: []Rule{MaxLoss(1)}}, "needs data"},
		{"refit without data", c, nil, Options{Stop: []Rule{MaxSV(3)}, Refit: Refit}, "needs data"},
		{"size", c, data, Options{Stop: []Rule{MaxSV(0)}}, "at least 1"},
		{"latency", c, data, Options{Stop: []Rule{TargetLatency(0)}}, "more than 0"},
		{"λ", c, data, Options{Lambda: -1}, "λ is -1"},
		{"λ NaN", c, data, Options{Lambda: math.NaN()}, "λ is NaN"},
		{"indefinite", saddle, data, Options{}, "not positive definite"},
	} {
		if _, err := Prune(ctx, tt.c, tt.data, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.HasPrefix(err.Error(), "reduce: ") {
			t.Errorf("%s: got %v, want ... %s ...", tt.name, err, tt.want)
		}
	}
	o := Options{}
	o.Memory = 1000
	if _, err := Prune(ctx, c, data, o); err == nil || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("memory: %v", err)
	}
	if _, err := Simplify(ctx, c, data, SimplifyOptions{Tolerance: 2}); err == nil {
		t.Error("tolerance 2 passed")
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Prune(dead, c, data, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Simplify(dead, c, data, SimplifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Order and Coefs on plain slices are what Prune does.
func TestOrderAndCoefs(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 10))
	const n = 90
	data := labelled(rng, n, 3, 2)
	kernel := gram.RBF(0.3)
	c := binary(t, rng, data, n, kernel)
	k := make([]float64, n*n)
	gram.Pack[float64](kernel, data.X, n, 3).Full(k, n)
	r, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(40)}})
	if err != nil {
		t.Fatal(err)
	}
	removed, err := Order(ctx, k, n, defaultLambda, 50, 2)
	if err != nil || !slices.Equal(removed, r.Order) {
		t.Fatalf("order %v, want %v (%v)", removed, r.Order, err)
	}
	var keep []int
	for i := range n {
		if !slices.Contains(removed, i) {
			keep = append(keep, i)
		}
	}
	coef, err := Coefs(ctx, k, n, defaultLambda, c.Parts().Submodels[0].Coef, keep, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Classifier.Parts().Submodels[0].Coef {
		if !testutil.Within(v, coef[i], 1e-8*math.Abs(v)) {
			t.Errorf("coefficient %d is %v, want %v", i, coef[i], v)
		}
	}
}
