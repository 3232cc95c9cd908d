package gram

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestSpline holds the kernel to the integral that it stands for, outside of [0, 1] too, and to quadratic forms, which
// are not negative.
func TestSpline(t *testing.T) {
	literal := func(x, z float64) float64 {
		const step = 1e-4
		sum := 1 + x*z
		for u := step / 2; u < 2; u += step {
			sum += step * max(0, x-u) * max(0, z-u)
		}
		return sum
	}
	for _, x := range []float64{-0.3, 0, 0.2, 0.7, 1, 1.4} {
		for _, z := range []float64{-0.1, 0, 0.45, 1, 1.2} {
			testutil.Near(t, "one feature", Spline().Eval([]float64{x}, []float64{z}), literal(x, z), 1e-7)
			testutil.Near(t, "two", Spline().Eval([]float64{x, 0.6}, []float64{z, 0.3}), literal(x, z)*literal(0.6, 0.3), 1e-7)
		}
	}
	if x, z, m := 0.7, 0.2, 0.2; !testutil.Within(Spline().Eval([]float64{x}, []float64{z}),
		1+x*z+x*z*m-(x+z)/2*m*m+m*m*m/3, 1e-15) {
		t.Error("not the printed polynomial")
	}
	const n, d = 40, 3
	rng := rand.New(rand.NewPCG(1, 2))
	x, c := make([]float64, n*d), make([]float64, n)
	for range 50 {
		for i := range x {
			x[i] = 4*rng.Float64() - 1
		}
		var sum, size float64
		for i := range c {
			c[i] = rng.NormFloat64()
		}
		for i, a := range c {
			for j, b := range c {
				k := Spline().Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
				if back := Spline().Eval(x[j*d:(j+1)*d], x[i*d:(i+1)*d]); back != k {
					t.Fatalf("%v one way, %v the other", k, back)
				}
				sum, size = sum+a*b*k, max(size, k)
			}
		}
		if !(sum >= -1e-12*size*n) {
			t.Errorf("cᵀKc = %v", sum)
		}
	}
}
