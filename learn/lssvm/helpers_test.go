package lssvm_test

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

var background = context.Background()

// kernelMatrix evaluates p's kernel pair by pair.
func kernelMatrix(p *learn.Problem) [][]float64 {
	k := make([][]float64, p.N)
	for i := range k {
		k[i] = make([]float64, p.N)
		for j := range k[i] {
			k[i][j] = p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
	}
	return k
}

// decide evaluates an expansion at m points, pair by pair.
func decide(p *learn.Problem, e *learn.Expansion, x []float64, m int) []float64 {
	f := make([]float64, m)
	for i := range f {
		f[i] = e.Bias
		for s, j := range e.Support {
			f[i] += e.Coef[s] * p.Kernel.Eval(p.X[j*p.D:(j+1)*p.D], x[i*p.D:(i+1)*p.D])
		}
	}
	return f
}

func close(a, b, tol float64) bool {
	return testutil.Within(a, b, tol*max(1, math.Abs(a), math.Abs(b)))
}

func allClose(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range got {
		if !close(got[i], want[i], tol) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}
