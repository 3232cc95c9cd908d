package sparsest

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

var only, count = flag.Int("only", -1, ""), flag.Int("cases", 200, "")

func TestEnum(t *testing.T) {
	bad := 0
	for seed := range uint64(*count) {
		if one := *only; one >= 0 && seed != uint64(one) {
			continue
		}
		pr := oneProgram(seed)
		p, n, k, cost := pr.program, pr.n, pr.k, pr.cost
		s := newSearch(p, k, 1<<30, 1<<30)
		s.run(context.Background())
		heur := 0.0
		e := newSearch(p, k, 1<<30, 1<<30)
		var walk func(cols []int32, from int)
		walk = func(cols []int32, from int) {
			if len(cols) == k {
				e.fit(context.Background(), cols)
				return
			}
			for j := from; j < p.m; j++ {
				walk(append(cols, int32(j)), j+1)
			}
		}
		walk(nil, 0)
		if !(s.best.objective <= e.best.objective*(1+2e-6)) || !(s.lower() >= s.best.objective*(1-2e-6)) || !(s.lower() <= e.best.objective*(1+1e-9)) {
			bad++
			t.Errorf("seed %d n %d m %d k %d C %g: search %.9g (heur %.9g, lower %.9g, nodes %d), enumeration %.9g", seed, n, p.m, k, cost, s.best.objective, heur, s.lower(), s.nodes, e.best.objective)
		}
	}
	t.Log(bad)
}

type problem1 struct {
	*program
	n, k int
	cost float64
}

func oneProgram(seed uint64) problem1 {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, m := 20+rng.IntN(40), 6+rng.IntN(9)
	k := 1 + rng.IntN(4)
	d := 1 + rng.IntN(4)
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = 1
		if x[i*d]+0.5*rng.NormFloat64()+0.5*x[i*d]*x[i*d] < 0.3 {
			y[i] = -1
		}
	}
	cand := rng.Perm(n)[:min(m, n)]
	cost := []float64{0.01, 0.1, 1, 10, 1000}[rng.IntN(5)]
	p := makeProgram(x, y, n, d, gram.RBFSigma(0.3+rng.Float64()*2), cost, cand)

	return problem1{p, n, k, cost}
}
