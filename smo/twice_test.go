package smo

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// TestTwice holds the program of two variables a row against the same one with its matrix written out.
func TestTwice(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for trial := range 20 {
		n := 3 + rng.IntN(30)
		half := randomPair(rng, n, 1+rng.IntN(n), 2)
		k := half.K.(*inMemory[float64]).k
		whole := make([]float64, 4*n*n)
		for i := range 2 * n {
			for j := range 2 * n {
				whole[i*2*n+j] = k[i%n*n+j%n]
			}
		}
		p := &Pair{K: Twice(half.K), P: make([]float64, 2*n), Lo: make([]float64, 2*n), Hi: make([]float64, 2*n)}
		for i := range n {
			y := rng.NormFloat64()
			p.P[i], p.Hi[i] = 0.1-y, 1
			p.P[n+i], p.Lo[n+i] = -0.1-y, -1
		}
		got := Solve(t.Context(), p, Options{Tolerance: 1e-8})
		q := *p
		q.K = newDense(2*n, whole)
		checkPair(t, &q, got)
		want := Solve(t.Context(), &q, Options{Tolerance: 1e-8})
		if got.Status != status.Optimal || want.Status != status.Optimal {
			t.Fatalf("trial %d: %v, %v", trial, got.Status, want.Status)
		}
		testutil.Near(t, "objective", got.Objective, want.Objective, 1e-7)
		// Begun at its end with the products that it knows, nothing is left to do.
		q.Start, q.KStart = got.A, make([]float64, 2*n)
		for i, g := range got.G {
			q.KStart[i] = g - p.P[i]
		}
		if again := Solve(t.Context(), &q, Options{Tolerance: 2e-8}); again.Iterations != 0 {
			t.Errorf("trial %d: %d steps from the solution", trial, again.Iterations)
		}
	}
}
