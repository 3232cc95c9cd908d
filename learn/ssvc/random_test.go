package ssvc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// randomProblem is a few samples with labels by chance, of which a third are on a lattice and
// so repeat each other, some with both labels.
func randomProblem(rng *rand.Rand, lattice bool) *learn.Problem {
	n, d := 2+rng.IntN(29), 1+rng.IntN(4)
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n)}
	for i := range p.X {
		if p.X[i] = rng.NormFloat64(); lattice {
			p.X[i] = math.Round(p.X[i])
		}
	}
	for i := range p.Y {
		p.Y[i] = float64(2*rng.IntN(2) - 1)
	}
	p.Y[0], p.Y[1] = 1, -1
	return p
}

// Small problems without any structure, C and γ from 0.003 to 300: all end optimal, with
// reports that the plain formula confirms.
func TestRandomProblems(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 400 {
		p := randomProblem(rng, trial%3 == 0)
		c, gamma := math.Pow(10, 5*rng.Float64()-2.5), math.Pow(10, 5*rng.Float64()-2.5)
		switch p.Kernel = gram.RBF(gamma); trial % 5 {
		case 3:
			p.Kernel = gram.Linear()
		case 4:
			p.Kernel = gram.Poly(3, min(gamma, 1), 1)
		}
		r := ref.Train(t, A{C: c}, p)
		what := fmt.Sprintf("trial %d, %v, C = %.3g, γ = %.3g", trial, p.Kernel.Kind, c, gamma)
		if r.Report.Status != status.FixedPoint {
			t.Errorf("%s: %v, %s", what, r.Report.Status, r.Report.Message)
		}
		checkTrained(t, what, p, c, r)
	}
}
