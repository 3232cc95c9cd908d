package qp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// fit draws a least-squares problem: columns of normal numbers, whole ones, positive ones, of many scales, or of which
// some are 0, equal or sums of others.
func fit(rng *rand.Rand, kind int) (a *simplex.Dense, b []float64) {
	m, n := rng.IntN(40), rng.IntN(30)
	if kind == 5 {
		m, n = rng.IntN(10), 20+rng.IntN(20)
	}
	draw := rng.NormFloat64
	switch kind {
	case 1:
		draw = func() float64 { return float64(rng.IntN(5) - 2) }
	case 2:
		draw = func() float64 { return 1 + 0.2*rng.NormFloat64() }
	}
	stride := n + rng.IntN(3)
	a = &simplex.Dense{Rows: m, Cols: n, Stride: stride, Data: make([]float64, m*stride)}
	for j := range n {
		scale, pos, and := 1.0, rng.IntN(n), rng.IntN(n)
		if kind == 3 {
			scale = math.Ldexp(1, rng.IntN(20)-10)
		}
		dependent := kind == 4 && rng.IntN(3) == 0
		for i := range m {
			if a.Row(i)[j] = scale * draw(); dependent {
				a.Row(i)[j] = a.Row(i)[pos] + a.Row(i)[and]
			}
		}
	}
	b = make([]float64, m)
	for i := range b {
		if b[i] = draw(); kind != 3 && rng.IntN(8) == 0 {
			b[i] = 0
		}
	}
	return a, b
}

// TestNNLS compares with the dual method on problems of all kinds, at every level.
func TestNNLS(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(34, 9))
		var settled [6]int
		const each = 200
		for k := range 6 * each {
			kind := k % 6
			a, b := fit(rng, kind)
			r, err := NNLS(context.Background(), a, b)
			if err != nil {
				t.Fatalf("problem %d: %v", k, err)
			}
			owner, err := newGram(a, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := newGuess(owner, nil)
			if err = s.bound(nil, nil); err != nil {
				t.Fatal(err)
			}
			if (s.pivot(context.Background()) || s.oneByOne(context.Background())) && s.refine() {
				settled[kind]++
			}
			if k < 120 {
				if err = judge(a, b, s.lo, s.up, r.X); err != nil {
					t.Errorf("problem %d: %v", k, err)
				}
			}
			p, err := LeastSquares(a, b)
			if err != nil {
				t.Fatal(err)
			}
			dual, err := Solve(context.Background(), p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			above := r.Objective - dual.Objective
			if kind != 3 { // of columns in many scales the dual method leaves out small ones
				above = math.Abs(above)
			}
			if !(above <= 1e-11*owner.offset) || r.Status != status.Optimal {
				t.Errorf("problem %d: %v, objective %v, the dual method's is %v", k, r.Status, r.Objective, dual.Objective)
			}
			for j, x := range r.X {
				if !(x >= 0 && r.BoundDuals[j] >= 0) || x > 0 && r.BoundDuals[j] > 0 {
					t.Errorf("problem %d: element %d is %v, its dual %v", k, j, x, r.BoundDuals[j])
				}
			}
		}
		for kind, count := range settled {
			if !(count >= each*9/10) {
				t.Errorf("kind %d: the guesses settled in %d of %d problems", kind, count, each)
			}
		}
	})
}

// TestNNLSIllConditioned plants solutions for matrices of condition 1e6, whose AᵀA has condition 1e12: steps of
// refinement give back the digits that it loses.
func TestNNLSIllConditioned(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 10))
	for k := range 100 {
		const m, n = 60, 12
		left, right := orthonormal(rng, m, n), orthonormal(rng, n, n)
		a, want, b := make([]float64, m*n), make([]float64, n), make([]float64, m)
		for i := range m {
			for j := range n {
				for l := range n {
					a[i*n+j] += left[l][i] * math.Pow(10, -6*float64(l)/(n-1)) * right[l][j]
				}
			}
		}
		for j := range n {
			if want[j] = 0.5 + rng.Float64(); rng.IntN(3) == 0 {
				want[j] = 0
			}
			for i := range m {
				b[i] += a[i*n+j] * want[j]
			}
		}
		r, err := NNLS(context.Background(), simplex.NewDense(m, n, a), b)
		if err != nil {
			t.Fatal(err)
		}
		for j, x := range r.X {
			if !(math.Abs(x-want[j]) <= 1e-8) {
				t.Errorf("problem %d: element %d is %v, want %v", k, j, x, want[j])
			}
		}
	}
}

// orthonormal draws k orthonormal vectors of n elements.
func orthonormal(rng *rand.Rand, n, k int) [][]float64 {
	set := make([][]float64, k)
	for i := range set {
		v := normal(rng, n)
		for range 2 {
			for _, u := range set[:i] {
				value := plainDot(u, v)
				for j := range v {
					v[j] -= value * u[j]
				}
			}
		}
		length := math.Sqrt(plainDot(v, v))
		for j := range v {
			v[j] /= length
		}
		set[i] = v
	}
	return set
}
