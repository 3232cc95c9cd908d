package ssvc

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Classes that overlap under a smooth kernel at C = 1e5: coefficients at the ceiling go to and fro by rounding
// errors, which is no reason for 200 rounds.
func TestRoundingEnds(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := &learn.Problem{N: 100, D: 2, Kernel: gram.RBF(0.05)}
		for range p.N {
			y := float64(2*rng.IntN(2) - 1)
			p.Y = append(p.Y, y)
			p.X = append(p.X, y/2+rng.NormFloat64(), rng.NormFloat64())
		}
		r := ref.Train(t, A{C: 1e5}, p)
		if st := r.Report.Status; st == status.IterationLimit || len(r.Report.Rounds) > 80 {
			t.Errorf("seed %d: %v after %d rounds", seed, st, len(r.Report.Rounds))
		}
	}
}
