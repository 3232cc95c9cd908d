package skm

import (
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// optimum is the status of a method at its optimum: skm and l0svm are not convex.
func optimum(method string) status.Status {
	if method == "skm" || method == "l0svm" {
		return status.FixedPoint
	}
	return status.Optimal
}

// fixture is a small training. Its programs have one solution each, up to samples that
// are copies of another one, so that any two right solvers agree on it.
type fixture struct {
	name     string
	problem  *learn.Problem
	distinct []int      // first row of the same features and label
	c        float64    // cost of complexity, SKM
	deltas   [2]float64 // margins given
	slack    float64    // cost of slack, the others
}

func fixtures(tb testing.TB) []fixture {
	noise := problem(tb, dataset.PelegMeir(20, 0.2, 19), gram.RBFSigma(1))
	weights := problem(tb, dataset.PelegMeir(22, 0.2, 8), gram.RBFSigma(1.5))
	weights.Weight = make([]float64, weights.N)
	for i := range weights.Weight {
		weights.Weight[i] = float64(i%4) * (0.5 + float64(i)/100)
	}
	ripley := every(standardised(tb, testutil.Testdata(tb, "ripley.train.libsvm"), gram.RBFSigma(2)), 13)
	diabetis := every(standardised(tb, testutil.Testdata(tb, "diabetis.libsvm"), gram.RBFSigma(4)), 37)
	copies := problem(tb, dataset.PelegMeir(20, 0.2, 9), gram.RBFSigma(1))
	distinct := upto(copies.N)
	for i := range 4 { // the last four samples are copies of the first, half with the other label
		from, to := i, copies.N-4+i
		copy(copies.X[to*copies.D:(to+1)*copies.D], copies.X[from*copies.D:])
		if copies.Y[to] = copies.Y[from]; i < 2 {
			distinct[to] = from
		} else {
			copies.Y[to] = -copies.Y[from]
		}
	}
	return []fixture{
		{"noise", noise, upto(noise.N), 0.1, [2]float64{0.05, 0.4}, 0.7},
		{"weights", weights, upto(weights.N), 0.03, [2]float64{0.1, 0.35}, 2},
		{"ripley", ripley, upto(ripley.N), 0.01, [2]float64{0.1, 0.05}, 1},
		{"diabetis", diabetis, upto(diabetis.N), 0.02, [2]float64{0.02, 0.08}, 8},
		{"copies", copies, distinct, 0.05, [2]float64{0.1, 0.12}, 2},
	}
}

func upto(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

// every keeps each step-th point.
func every(p *learn.Problem, step int) *learn.Problem {
	q := &learn.Problem{D: p.D, Kernel: p.Kernel, Resources: p.Resources}
	for i := 0; i < p.N; i += step {
		q.X = append(q.X, p.X[i*p.D:(i+1)*p.D]...)
		q.Y = append(q.Y, p.Y[i])
		q.N = q.N + 1
	}
	return q
}

// literal states the fixture for the twin; rows are the samples that it is of.
func (f fixture) literal() (q ref.SKMProblem, rows []int) {
	p := f.problem
	for i := range p.N {
		if p.WeightOf(i) > 0 {
			rows = append(rows, i)
		}
	}
	for _, i := range rows {
		var k []float64
		for _, j := range rows {
			k = append(k, p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D]))
		}
		q.K = append(q.K, k)
		q.Y = append(q.Y, p.Y[i])
		q.Weight = append(q.Weight, p.WeightOf(i))
	}
	return q, rows
}

// copies reports whether a sample is another one's copy.
func (f fixture) copies() bool {
	return len(slices.Compact(slices.Sorted(slices.Values(f.distinct)))) < len(f.distinct)
}

// kept are the support vectors at a threshold, each by its first copy.
func (f fixture) kept(rows []int, alpha []float64, threshold float64) (set []int) {
	for _, i := range ref.SKMKept(alpha, threshold) {
		set = append(set, f.distinct[rows[i]])
	}
	return set
}

// named returns a model's support vectors by their first copies.
func (f fixture) named(support []int) (set []int) {
	for _, i := range support {
		set = append(set, f.distinct[i])
	}
	slices.Sort(set)
	return set
}
