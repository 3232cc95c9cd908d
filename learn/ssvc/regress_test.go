package ssvc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/status"
)

// sinc is n values of sin(x)/x with noise, on [−10, 10].
func sinc(seed uint64, n int, noise float64) *learn.Problem {
	s := dataset.Sinc(n, noise, seed)
	return &learn.Problem{X: s.X, Y: s.Targets, N: n, D: 1, Task: learn.Regress, Kernel: gram.RBF(0.2),
		Resources: learn.Resources{Threads: 1}}
}

// judge holds a training against the definition, recomputed in plain loops.
func judge(t *testing.T, what string, tr learn.Trainer, p *learn.Problem, r *learn.Result) {
	t.Helper()
	v := check.New(p).Machine(tr, r)
	if bad := append(v.Faults, v.Doubts(tr, &r.Report)...); len(bad) > 0 || r.Report.Status != status.FixedPoint {
		t.Errorf("%s: %s: %v %s: %v", what, tr.Name(), r.Report.Status, r.Report.Message, bad)
	}
}

// TestRegression trains on sinc: few vectors, the values, and the identity of a fixed point, at which the penalty
// counts the coefficients.
func TestRegression(t *testing.T) {
	p := sinc(1, 100, 0.05)
	for _, tr := range []learn.Trainer{RegressA{C: 20}, ssvclp.RegressB{C: 20}} {
		r := ref.Train(t, tr, p)
		judge(t, "sinc", tr, p, r)
		var squares, outside float64
		for i, f := range ref.Decisions(p, r) {
			squares += math.Pow(f-math.Sin(p.X[i])/p.X[i], 2)
			outside += max(0, math.Abs(p.Y[i]-f)-0.1)
		}
		if len(r.Support) > 12 || !(math.Sqrt(squares/100) <= 0.07) {
			t.Errorf("%s: %d vectors, RMSE %.3f", tr.Name(), len(r.Support), math.Sqrt(squares/100))
		}
		last := r.Report.Rounds[len(r.Report.Rounds)-1]
		testutil.NearRel(t, tr.Name()+": Σ(ξ + ξ*)", last.Hinge, outside, 1e-6)
		share := map[string]float64{"ssvr-a": 0.5, "ssvr-b": 1}[tr.Name()]
		testutil.Near(t, tr.Name()+": penalty", r.Report.Objective-20*outside, share*float64(last.Nonzeros), 1e-5)
	}
}

// TestRegressionTwin holds three rounds of ssvr-a against the paper's (9) to (13), literally.
func TestRegressionTwin(t *testing.T) {
	p := sinc(2, 12, 0.1)
	p.X[3], p.Y[4] = p.X[2], p.Y[5] // a repeated point with two values
	kbar, margins := ref.SSVCTube(ref.KernelMatrix(p), p.Y, 0.1)
	kbar = append(kbar[:4:4], kbar[5:]...) // the repeated point has one coefficient
	lambda, c := make([]float64, len(kbar)), make([]float64, len(margins))
	for i := range lambda {
		lambda[i] = 1
	}
	for i := range c {
		c[i] = 5
	}
	for round := 1; round <= 3; round++ {
		alpha, objective := ref.SSVCRoundOf(kbar, margins, lambda, c, 1e-12, 1e6)
		r := ref.Train(t, RegressA{C: 5, MaxIter: round}, p)
		testutil.NearRel(t, fmt.Sprintf("objective of round %d", round), r.Report.Rounds[round-1].Objective, objective,
			[]float64{1e-6, 0.05, 0.05}[round-1]) // rounds before the last are solved to a rough gap
		for i, a := range alpha {
			lambda[i] = 1 / (a * a)
		}
	}
}

// TestRegressionFixedPoint holds the model against the literal round at its own λ: it is that round's optimum.
func TestRegressionFixedPoint(t *testing.T) {
	p := sinc(3, 14, 0.1)
	r := ref.Train(t, RegressA{C: 8, Epsilon: 0.05}, p)
	kbar, margins := ref.SSVCTube(ref.KernelMatrix(p), p.Y, 0.05)
	rows, lambda, own := [][]float64{}, []float64{}, []float64{}
	take := func(row []float64, a float64) {
		rows = append(rows, row)
		lambda = append(lambda, 1/(a*a))
		own = append(own, a)
	}
	if r.Bias != 0 {
		take(kbar[0], r.Bias)
	}
	for s, i := range r.Support {
		take(kbar[1+i], r.Coef[s])
	}
	c := slices.Repeat([]float64{8}, 28)
	alpha, objective := ref.SSVCRoundOf(rows, margins, lambda, c, 1e-11, 1e6)
	testutil.NearRel(t, "objective", r.Report.Objective, objective, 1e-6)
	for i, a := range alpha {
		testutil.NearRel(t, fmt.Sprintf("coefficient %d", i), own[i], a, 1e-4)
	}
}

// TestRandomRegression: small problems without structure, a third with repeated samples, end optimal.
func TestRandomRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 8))
	trials := 150
	if testing.Short() {
		trials = 50
	}
	for trial := range trials {
		p := randomProblem(rng, trial%3 == 0)
		p.Task = learn.Regress
		p.Weight = make([]float64, p.N)
		for i := range p.Y {
			p.Y[i], p.Weight[i] = rng.NormFloat64(), float64(rng.IntN(3))
		}
		p.Weight[0] = 1
		if p.Kernel = gram.RBF(math.Pow(10, 4*rng.Float64()-2)); trial%4 == 3 {
			p.Kernel = gram.Linear()
		}
		c, epsilon := math.Pow(10, 4*rng.Float64()-2), []float64{-1, 0.01, 0.3}[trial%3]
		for _, tr := range []learn.Trainer{RegressA{C: c, Epsilon: epsilon}, ssvclp.RegressB{C: c, Epsilon: epsilon}} {
			judge(t, fmt.Sprintf("trial %d, C = %.3g, ε = %v", trial, c, epsilon), tr, p, ref.Train(t, tr, p))
		}
	}
}

// TestRegressionWeights: copies of a sample are the sample with the sum of their weights.
func TestRegressionWeights(t *testing.T) {
	p := sinc(4, 40, 0.1)
	copies, weighted := *p, *p
	copies.X, copies.Y, copies.N = slices.Concat(p.X, p.X[:7]), slices.Concat(p.Y, p.Y[:7]), 47
	weighted.Weight = ref.Ones(40)
	for i := range 7 {
		weighted.Weight[i] = 2
	}
	for _, tr := range []learn.Trainer{RegressA{C: 3}, ssvclp.RegressB{C: 3}} {
		a, b := ref.Train(t, tr, &copies), ref.Train(t, tr, &weighted)
		testutil.NearRel(t, tr.Name()+": objective", a.Report.Objective, b.Report.Objective, 1e-8)
		if fmt.Sprint(a.Support) != fmt.Sprint(b.Support) {
			t.Errorf("%s: vectors %v of copies, %v of weights", tr.Name(), a.Support, b.Support)
		}
	}
}

// TestRegressionEdges: values within the tube, a constant, two samples, a path, and what is refused.
func TestRegressionEdges(t *testing.T) {
	flat := sinc(5, 20, 0)
	flat.Y = slices.Repeat([]float64{0.05}, 20)
	two := &learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Task: learn.Regress, Y: []float64{-1, 2}, Kernel: gram.RBF(1)}
	for _, tr := range []learn.Trainer{RegressA{}, ssvclp.RegressB{}} {
		if r := ref.Train(t, tr, flat); len(r.Coef) != 0 || r.Bias != 0 || r.Report.Status != status.FixedPoint ||
			!strings.Contains(r.Report.Message, "within epsilon") {
			t.Errorf("%s: %d vectors, %v, %q", tr.Name(), len(r.Coef), r.Report.Status, r.Report.Message)
		}
		judge(t, "two samples", tr, two, ref.Train(t, tr, two))
	}
	far := *flat
	far.Y = slices.Repeat([]float64{7}, 20)
	for _, tr := range []learn.Trainer{RegressA{C: 10}, ssvclp.RegressB{C: 10}} {
		r := ref.Train(t, tr, &far)
		judge(t, "a constant", tr, &far, r)
		for i, f := range ref.Decisions(&far, r) {
			testutil.Near(t, fmt.Sprintf("%s: value %d of a constant", tr.Name(), i), f, 7, 0.1+1e-6)
		}
	}
	classes := *two
	classes.Task, classes.Y = learn.Classify, []float64{-1, 1}
	for _, tr := range []learn.Trainer{RegressA{}, ssvclp.RegressB{}} {
		if _, err := tr.Train(context.Background(), &classes); err == nil {
			t.Errorf("%s trains on classes", tr.Name())
		}
	}
	for _, bad := range []learn.Trainer{RegressA{C: -1}, ssvclp.RegressB{C: math.NaN()}, RegressA{Epsilon: math.NaN()}} {
		if _, err := bad.Train(context.Background(), two); err == nil || !strings.Contains(err.Error(), bad.Name()) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
}

// TestRegressionPath: the models of a path are those of single trainings.
func TestRegressionPath(t *testing.T) {
	p := sinc(6, 60, 0.1)
	cs := []float64{0.5, 5, 50}
	err := ssvclp.RegressB{}.Path(t.Context(), p, cs, func(c float64, r *learn.Result) bool {
		tr := ssvclp.RegressB{C: c}
		one := ref.Train(t, tr, p)
		judge(t, fmt.Sprintf("path at %v", c), tr, p, r)
		testutil.NearRel(t, fmt.Sprintf("objective at C = %v", c), r.Report.Objective, one.Report.Objective, 1e-8)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}
