package smo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// folded is a program of n variables in the dual of two classes, of which every fifth is held at 0, with a value
// between the rows of its matrix.
func folded[T dense.Float](n int, between T, seed uint64) (*Pair, []T) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := make([]float64, n)
	p := &Pair{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		y := float64(1 - 2*(i%2))
		x[i], p.P[i] = y+rng.NormFloat64(), -y
		switch {
		case i%5 == 3:
		case y > 0:
			p.Hi[i] = 10
		default:
			p.Lo[i] = -10
		}
	}
	ld := Stride(n)
	k := make([]T, n*ld)
	for i := range n {
		for j := range ld {
			if k[i*ld+j] = between; j < n {
				k[i*ld+j] = T(math.Exp(-3 * (x[i] - x[j]) * (x[i] - x[j])))
			}
		}
	}
	p.K = NewDense(n, k, ld)
	return p, k
}

// A program that is solved in place meets the tolerance by a gradient that is that of its iterate, for variables that
// are held too, at every level, in either precision, cold and from the solution of another program.
func TestInPlace(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		inPlace[float32](t)
		inPlace[float64](t)
	})
}

func inPlace[T dense.Float](t *testing.T) {
	for _, n := range []int{1, 2, 7, 31, 32, 33, 300, WholeSet + 40} {
		p, k := folded[T](n, 7, 1)
		opt := Options{Tolerance: 1e-6, InPlace: true}
		for _, from := range []string{"cold", "warm"} {
			if from == "warm" { // from the solution, with two others held at 0
				s := Solve(context.Background(), p, opt)
				p.Start = s.A
				for v, i := 0, 0; i < n && v < 2; i++ {
					if s.A[i] != 0 {
						p.Lo[i], p.Hi[i] = min(p.Lo[i], s.A[i]), max(p.Hi[i], s.A[i])
						v++
					}
				}
			}
			r := Solve(context.Background(), p, opt)
			if r.Status != status.Optimal || !(r.KKT <= opt.Tolerance) {
				t.Errorf("n = %d, %s: %v, violation %g", n, from, r.Status, r.KKT)
			}
			ld, sum := Stride(n), 0.0
			m, M := -inf, inf
			for i, a := range r.A {
				g := p.P[i]
				for j, b := range r.A {
					g += float64(k[i*ld+j]) * b
				}
				testutil.Near(t, "gradient", r.G[i], g, 1e-9)
				if sum += a; a < p.Lo[i] || a > p.Hi[i] {
					t.Fatalf("variable %d is %g, outside [%g, %g]", i, a, p.Lo[i], p.Hi[i])
				}
				if a < p.Hi[i] {
					m = max(m, -g)
				}
				if a > p.Lo[i] {
					M = min(M, -g)
				}
			}
			testutil.Near(t, "sum", sum, 0, 1e-9)
			testutil.AtMost(t, "violation", m-M, 1.01*opt.Tolerance)
			if want := Solve(context.Background(), p, Options{Tolerance: 1e-7}); n > 2 {
				testutil.Near(t, "threshold", r.Rho, want.Rho, 1e-5)
				testutil.Near(t, "variables", dense.Dot(r.A, p.P), dense.Dot(want.A, p.P), 1e-3)
			}
		}
	}
}

// What a solve in place cannot do is said, or done as without it.
func TestInPlaceEnds(t *testing.T) {
	p, _ := folded[float32](400, 0, 2)
	opt := Options{InPlace: true, MaxIter: 5}
	if r := Solve(context.Background(), p, opt); r.Status != status.IterationLimit || r.Iterations > 5 {
		t.Errorf("%v after %d steps, want 5", r.Status, r.Iterations)
	}
	p.Most = 1e-3
	if r := Solve(context.Background(), p, Options{InPlace: true}); r.Status != status.Unknown {
		t.Errorf("‖a‖ beyond its limit: %v", r.Status)
	}
	p, k := folded[float64](400, 0, 2)
	packed := make([]float64, 400*400)
	for i := range 400 {
		copy(packed[i*400:], k[i*Stride(400):][:400])
	}
	packed[3] = math.NaN()
	p.K = NewDense(400, packed[:], 400)
	if r := Solve(context.Background(), p, Options{InPlace: true}); r.Status != status.Numerical {
		t.Errorf("a NaN: %v", r.Status)
	}
	p, k = folded[float64](400, 0, 2)
	for i := range k {
		k[i] = math.NaN()
	}
	if r := Solve(context.Background(), p, Options{InPlace: true}); r.Status != status.Numerical {
		t.Errorf("NaNs: %v", r.Status)
	}
	p, _ = folded[float32](WholeSet+200, 0, 3)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := Solve(ctx, p, Options{InPlace: true, Tolerance: 1e-12}); r.Status != status.Cancelled {
		t.Errorf("an ended context: %v", r.Status)
	}
}
