// The problems and the slow sums that the tests of several trainers share.

package ref

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// Clouds is a two-class problem: n samples of dimension d, labels by a curved surface with noise.
func Clouds(seed uint64, n, d int) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Kernel: gram.RBF(1 / float64(2*d))}
	for i := range n {
		s := 0.3 * rng.NormFloat64()
		for k := range d {
			v := rng.NormFloat64()
			p.X[i*d+k] = v
			s += v*v/float64(d) + v*float64(k%3-1)/4
		}
		p.Y[i] = 1
		if s < 1 {
			p.Y[i] = -1
		}
	}
	p.Y[0], p.Y[n-1] = 1, -1
	return p
}

// KernelMatrix evaluates p's kernel pair by pair.
func KernelMatrix(p *learn.Problem) [][]float64 {
	k := make([][]float64, p.N)
	for i := range k {
		k[i] = make([]float64, p.N)
		for j := range k[i] {
			k[i][j] = p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
	}
	return k
}

// Decide evaluates an expansion at m samples, pair by pair.
func Decide(p *learn.Problem, e *learn.Expansion, x []float64, m int) []float64 {
	f := make([]float64, m)
	for i := range f {
		f[i] = e.Bias
		for s, j := range e.Support {
			f[i] += e.Coef[s] * p.Kernel.Eval(p.X[j*p.D:(j+1)*p.D], x[i*p.D:(i+1)*p.D])
		}
	}
	return f
}

// Ones returns n weights of 1.
func Ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// File reads a two-class problem from a file, with features of mean 0 and standard deviation 1 if zscore is set.
func File(tb testing.TB, path string, k gram.Kernel, zscore bool) *learn.Problem {
	tb.Helper()
	set, err := dataset.ReadFile(path, dataset.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if zscore {
		var scaling *dataset.Scaling
		scaling, err = dataset.FitZ(set)
		if err != nil {
			tb.Fatal(err)
		}
		set = scaling.Apply(set)
	}
	y, err := set.Signs()
	if err != nil {
		tb.Fatal(err)
	}
	return &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: k}
}

// Ripley is Ripley's 250 training samples with RBF, σ = 0.5.
func Ripley(tb testing.TB) *learn.Problem {
	tb.Helper()
	return File(tb, testutil.Testdata(tb, "ripley.train.libsvm"), gram.RBFSigma(0.5), false)
}

// Train trains, and ends the test if there is an error.
func Train(tb testing.TB, t learn.Trainer, p *learn.Problem) *learn.Result {
	tb.Helper()
	r, err := t.Train(tb.Context(), p)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Decisions evaluates the expansion at every sample of p with the kernel's plain formula.
func Decisions(p *learn.Problem, r *learn.Result) []float64 {
	f := make([]float64, p.N)
	for i := range f {
		f[i] = r.Bias
		for s, j := range r.Support {
			f[i] += r.Coef[s] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
	}
	return f
}
