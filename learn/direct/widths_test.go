package direct_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// codes is n samples of ten features with four values each, of which the third and the seventh decide.
func codes(seed uint64, n int) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	const d = 10
	p := &learn.Problem{X: make([]float64, n*d), Y: make([]float64, n), N: n, D: d, Kernel: gram.RBF(0.05)}
	for i := range p.X {
		p.X[i] = float64(rng.IntN(4))
	}
	for i := range n {
		p.Y[i] = 1
		if (p.X[i*d+2] < 2) == (p.X[i*d+6] < 2) {
			p.Y[i] = -1
		}
	}
	return p
}

func learnt(t *testing.T, p *learn.Problem) gram.Kernel {
	t.Helper()
	k, err := learn.LearnWidths(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// errorOf trains an SVC on p with the kernel and returns its error on q.
func errorOf(t *testing.T, k gram.Kernel, p, q *learn.Problem) float64 {
	t.Helper()
	own := *p
	own.Kernel = k
	r, err := svc.Trainer{}.Train(t.Context(), &own)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, f := range ref.Decide(&own, &r.Expansion, q.X, q.N) {
		if f > 0 != (q.Y[i] > 0) {
			wrong++
		}
	}
	return float64(wrong) / float64(q.N)
}

func TestFindsFeatures(t *testing.T) {
	p, q := codes(1, 300), codes(2, 500)
	k := learnt(t, p)
	for i, w := range k.Weights {
		if i != 2 && i != 6 && !(w < min(k.Weights[2], k.Weights[6])/5) {
			t.Errorf("feature %d has weight %v, compared with %v and %v", i, w, k.Weights[2], k.Weights[6])
		}
	}
	before, after := errorOf(t, p.Kernel, p, q), errorOf(t, k, p, q)
	testutil.AtMost(t, "error with learnt widths", after, before/2)
}

// Of Friedman's first problem five features matter; the third, by (x − ½)² alone, has no linear part.
func TestFindsFeaturesOfValues(t *testing.T) {
	draws := uint64(4)
	if testing.Short() {
		draws = 1
	}
	for seed := range draws {
		rng := rand.New(rand.NewPCG(seed, 2))
		const n, d = 240, 10
		p := &learn.Problem{Task: learn.Regress, X: make([]float64, n*d), Y: make([]float64, n), N: n, D: d,
			Kernel: gram.RBF(0.3)}
		for i := range n {
			x := p.X[i*d:][:d]
			for k := range x {
				x[k] = rng.Float64()
			}
			y := 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-0.5)*(x[2]-0.5) + 10*x[3] + 5*x[4] + rng.NormFloat64()
			p.Y[i] = (y - 14.4) / 5
		}
		k := learnt(t, p)
		for i, w := range k.Weights[5:] {
			testutil.AtMost(t, fmt.Sprintf("weight of feature %d relative to the third's", 5+i), w/k.Weights[2], 0.2)
		}
	}
}

// The mean squared distance of the samples stays, whatever weights the kernel began with; γ is untouched.
func TestScale(t *testing.T) {
	for _, from := range []gram.Kernel{gram.RBF(0.05), gram.WeightedRBF(0.05, []float64{1, 2, 3, 4, 5, 6, 7, 0, 9, 10})} {
		p := codes(3, 200)
		p.Kernel = from
		p.Weight = make([]float64, p.N)
		for i := range p.Weight {
			p.Weight[i] = float64(i % 2)
		}
		k := learnt(t, p)
		distance := func(k gram.Kernel) (sum float64) {
			for i := 1; i < p.N; i += 2 {
				for j := 1; j < p.N; j += 2 {
					for f := range p.D {
						w := 1.0
						if k.Weights != nil {
							w = k.Weights[f]
						}
						d := p.X[i*p.D+f] - p.X[j*p.D+f]
						sum += w * d * d
					}
				}
			}
			return sum
		}
		testutil.NearRel(t, "mean squared distance", distance(k), distance(from), 1e-12)
		if k.Gamma != from.Gamma {
			t.Errorf("γ %v, want %v", k.Gamma, from.Gamma)
		}
		if from.Weights != nil && k.Weights[7] != 0 {
			t.Errorf("a feature without weight gets %v", k.Weights[7])
		}
	}
}

func TestWidthsThreads(t *testing.T) {
	p := codes(4, 300)
	p.Threads = 1
	one := learnt(t, p)
	p.Threads = 3
	if three := learnt(t, p); !slices.Equal(one.Weights, three.Weights) {
		t.Errorf("weights %v with one thread, %v with three", one.Weights, three.Weights)
	}
}

func TestRefused(t *testing.T) {
	p := codes(5, 100)
	p.Kernel = gram.Linear()
	const want = "found the kernel linear, want rbf"
	if _, err := learn.LearnWidths(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v for a linear kernel", err)
	}
	p = codes(5, 100)
	p.Memory = 1000
	var budget *learn.BudgetError
	if _, err := learn.LearnWidths(t.Context(), p); !errors.As(err, &budget) {
		t.Errorf("error %v for 1000 bytes", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := learn.LearnWidths(ctx, codes(5, 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end", err)
	}
}
