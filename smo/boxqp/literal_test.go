package boxqp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// ripple is the dual (11) of an SSVC's first round: n samples with a bias column, bounds [0, c].
func ripple(rng *rand.Rand, n int, c float64) (z []float64, p *Problem) {
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	z = make([]float64, n*(n+1))
	p = &Problem{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		y := math.Copysign(1, x[2*i]+0.3*rng.NormFloat64())
		p.P[i], p.Hi[i] = -1, c
		z[i*(n+1)+n] = y
		for j := range n {
			z[i*(n+1)+j] = y * math.Exp(-2*(math.Pow(x[2*i]-x[2*j], 2)+math.Pow(x[2*i+1]-x[2*j+1], 2)))
		}
	}
	return z, p
}

// The paper's steps are those of a transcription that keeps the whole gradient, and end where [Solve] does.
func TestLiteral(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 2, 7, 25} {
		z, p := ripple(rng, n, 1)
		p.H = NewFactor(z, n, n+1, n+1)
		got := Solve(t.Context(), p, Options{Literal: true, Tolerance: 1e-7, MaxIter: 1_000_000})
		b, steps := transcribed(z, n, 1, 1e-7)
		if got.Status != status.Optimal || got.Steps != steps || got.Newton != 0 {
			t.Errorf("n = %d: %v after %d steps, the transcription takes %d", n, got.Status, got.Steps, steps)
		}
		testutil.NearAll(t, "b", got.B, b, 1e-6)
		want := Solve(t.Context(), p, Options{})
		testutil.Near(t, "objective", got.Objective, want.Objective, 1e-6*max(1, math.Abs(want.Objective)))
		if !(got.KKT <= 2e-7) || !(got.Gap >= 0) {
			t.Errorf("n = %d: violation %v, gap %v", n, got.KKT, got.Gap)
		}
	}
}

// The printed limit and tolerance end a hard problem far from the optimum, and the gap says so.
func TestLiteralLimit(t *testing.T) {
	z, p := ripple(rand.New(rand.NewPCG(5, 1)), 60, 1000)
	p.H = NewFactor(z, 60, 61, 61)
	got, want := Solve(t.Context(), p, Options{Literal: true}), Solve(t.Context(), p, Options{})
	if got.Status != status.IterationLimit || got.Steps != literalSteps {
		t.Fatalf("%v after %d steps", got.Status, got.Steps)
	}
	if left := got.Objective - want.Objective; !(left > 1e-3*-want.Objective) || !(got.Gap >= left) {
		t.Errorf("objective %v, the optimum is %v, and the gap says %v", got.Objective, want.Objective, got.Gap)
	}
}

// transcribed is section 3.4.1 with H and its gradient summed afresh in each step.
func transcribed(z []float64, n int, c, tau float64) (b []float64, steps int) {
	b = make([]float64, n)
	h := func(i, j int) (sum float64) {
		for k := range n + 1 {
			sum += z[i*(n+1)+k] * z[j*(n+1)+k]
		}
		return sum
	}
	for ; ; steps++ {
		at, best, slope := -1, 0.0, 0.0
		for i := range n {
			g := -1.0
			for j := range n {
				g += h(i, j) * b[j]
			}
			if v := g * g / h(i, i); (g > tau && b[i] > 0 || g < -tau && b[i] < c) && v > best {
				at, best, slope = i, v, g
			}
		}
		if at < 0 {
			return b, steps
		}
		b[at] = min(c, max(0, b[at]-slope/h(at, at)))
	}
}
