package kernellp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// sequences is a problem of 60 features with four values each, ten of which tell
// the classes apart, with more points of the one than of the other.
func sequences(n int, seed uint64) (x, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	value := func(k int) float64 { return (float64(k) - 1.5) / 1.118 } // variance 1
	for range n {
		label := -1.0
		if rng.Float64() < 0.4 {
			label = 1
		}
		y = append(y, label)
		for j := range 60 {
			v := rng.IntN(4)
			if label > 0 && j >= 25 && j < 35 && rng.IntN(3) > 0 {
				v = j % 4
			}
			x = append(x, value(v))
		}
	}
	return x, y
}

// TestNarrowKernel solves SKM's program on a kernel close to the identity: hundreds
// of rows and columns that are equal but for 1e-7. Before reduced costs were held at
// their signs three of these sixty took 42 to 46 thousand pivots and did not end.
func TestNarrowKernel(t *testing.T) {
	const n = 300
	for seed := range uint64(60) {
		x, y := sequences(n, seed)
		k := blocked.New(gram.Pack[float64](gram.RBF(1.0/6), x, n, 60), 1<<30, 1)
		s := New(k, y, fill(n, 1), Shape{OneSided: true, SumToOne: true}, Options{})
		sol, err := s.Solve(context.Background(), Costs{Margin: 0.2, Coef: fill(n, 0.0172)})
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status != status.Optimal || sol.Iterations > n {
			t.Errorf("seed %d: %v after %d pivots", seed, sol.Status, sol.Iterations)
		}
	}
}

// TestLargeKernel: a polynomial kernel with values of 1e4 to 1e14 on a few points. While its entries
// were left as they are, pivots of 1e-9 passed for zeros: of SKM's programs on such kernels one
// in sixty was called unbounded, which its own dual bound contradicts, and 250 of 3000 did not end.
func TestLargeKernel(t *testing.T) {
	const n, d = 18, 4
	answers := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		x, y := make([]float64, n*d), make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = float64(2*(i%2) - 1)
		}
		k := blocked.New(gram.Pack[float64](gram.Poly(4, 150, 1), x, n, d), 1<<30, 1)
		price := math.Exp(10 * (rng.Float64() - 0.5))
		s := New(k, y, fill(n, 1), Shape{OneSided: true, SumToOne: true}, Options{})
		sol, err := s.Solve(context.Background(), Costs{Margin: 0.2, Coef: fill(n, price)})
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status == status.Unbounded || sol.Status.Limit() {
			t.Errorf("seed %d: %v after %d pivots, dual bound %g", seed, sol.Status, sol.Iterations, sol.Dual)
		}
		if sol.Status == status.Optimal {
			testutil.AtMost(t, "gap", math.Abs(sol.Gap()), OptimalGap)
			answers++
		}
	}
	if answers < 50 {
		t.Errorf("%d of 100 have an optimum", answers)
	}
}

// Rows many decades apart leave the sum of the coefficients to rounding: the machine is put right, and one
// that cannot be is in violation of its constraint.
func TestSumToOne(t *testing.T) {
	sol := &Solution{A: []float64{384, -128, 0}, Bias: 256}
	sumToOne(sol)
	testutil.NearAll(t, "coefficients", sol.A, []float64{0.75, -0.25, 0}, 0)
	testutil.Near(t, "bias", sol.Bias, 0.5, 0)
	k, y := small(40, 3)
	s := New(k, y, fill(40, 1), Shape{OneSided: true, SumToOne: true}, Options{})
	sol = &Solution{A: make([]float64, 40), M: make([]float64, 40), Output: make([]float64, 40)}
	sumToOne(sol)
	s.values(sol, Costs{Margin: 0.1, Coef: fill(40, 0.01)})
	testutil.Near(t, "violation", sol.Violation, 1, 0)
}
