package smo_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// TestPlanted: the gap of a feasible vector that is worse than the optimum by a millionth or more says so, whatever
// multiplier comes with it, where K is a large matrix of low rank; the gap of the optimum is smaller.
func TestPlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 1))
	for k := range boundTrials() / 20 {
		n, rank := 2+rng.IntN(6), 1+rng.IntN(3)
		scale := []float64{1, 10, 100, 1000}[k%4]
		z := make([]float64, n*rank)
		for i := range z {
			z[i] = scale * float64(rng.IntN(7)-3)
		}
		p := &smo.Pair{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n),
			Start: make([]float64, n)}
		kernel := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for c := range rank {
					kernel[i*n+j] += z[i*rank+c] * z[j*rank+c]
				}
			}
			p.P[i], p.Lo[i], p.Hi[i] = rng.NormFloat64()-2*float64(i%2), -float64(rng.IntN(2)), float64(1+rng.IntN(5))
		}
		p.K = smo.NewDense(n, kernel, n)
		exact := exactly(kernel, p)
		r := smo.Solve(t.Context(), p, smo.Options{Tolerance: 1e-8, Gap: 1e-8})
		best := exact.objective(rats(r.A))
		value, _ := best.Float64()
		if got := pairBound(t, p, r); r.Status == status.Optimal && !(got.Gap <= 1e-7*math.Abs(value)+1e-8) {
			t.Errorf("program %d: %s, gap %g of %g", k, r.Status, got.Gap, value)
		}
		bad := worse(rng, p, r, func(a []float64) float64 {
			e, _ := new(big.Rat).Sub(exact.objective(rats(a)), best).Float64()
			return e
		}, 1e-6*math.Abs(value)+1e-7)
		if bad == nil {
			continue
		}
		lost, _ := new(big.Rat).Sub(exact.objective(rats(bad.A)), best).Float64()
		if got := pairBound(t, p, bad); !(got.Gap+1e-8 >= lost) {
			t.Errorf("program %d: worse by %g of %g, gap %g", k, lost, value, got.Gap)
		}
		box := &boxqp.Problem{H: boxqp.NewFactor(z, n, rank, rank), P: p.P, Lo: p.Lo, Hi: p.Hi}
		found := boxqp.Solve(t.Context(), box, boxqp.Options{Exact: true})
		got, err := box.Bound(t.Context(), found)
		if err != nil || !(got.Gap <= 1e-7*math.Abs(found.Objective)+1e-8) {
			t.Errorf("program %d without the equality: %s, gap %g of %g, %v", k, found.Status, got.Gap, found.Objective, err)
		}
	}
}

// worse moves the result's vector towards others that are feasible, until it is worse by more than least; nil if it
// is not.
func worse(rng *rand.Rand, p *smo.Pair, r *smo.Result, by func([]float64) float64, least float64) *smo.Result {
	w := *r
	for range 50 {
		i, j := rng.IntN(len(r.A)), rng.IntN(len(r.A))
		step := math.Exp2(-float64(rng.IntN(40)))
		w.A = append([]float64(nil), r.A...)
		w.A[i] += step
		w.A[j] -= step
		if i != j && w.A[i] <= p.Hi[i] && w.A[j] >= p.Lo[j] && by(w.A) > least {
			w.Rho += float64(rng.IntN(2)) * rng.NormFloat64()
			return &w
		}
	}
	return nil
}
