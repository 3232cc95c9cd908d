package simplex

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// addColumn appends a column without entries.
func (p *rowsOf) addColumn(c, lo, up float64) (k int) {
	p.c = append(p.c, c)
	p.lo = append(p.lo, lo)
	p.up = append(p.up, up)
	for i := range p.a {
		p.a[i] = append(p.a[i], 0)
	}
	return len(p.c) - 1
}

// link gives columns j of p a partner z with a·x_j + b·z = r, which takes a part of their entries and costs, and their
// bounds, or shares them. It returns by how much the optimum grows.
func link(rng *rand.Rand, p *rowsOf) (growth float64) {
	draw := func() float64 { return [...]float64{-2, -1, 1, 3}[rng.IntN(4)] }
	for j, n := 0, len(p.c); j < n; j++ {
		if rng.IntN(2) == 0 {
			continue
		}
		a, b, r, q := draw(), draw(), draw(), draw()
		lo, up := (r-a*p.up[j])/b, (r-a*p.lo[j])/b
		if a/b < 0 {
			lo, up = up, lo
		}
		switch rng.IntN(3) {
		case 0:
			lo, up = -inf, inf
		case 1:
			p.lo[j], p.up[j] = -inf, inf
		}
		z := p.addColumn(q, lo, up)
		p.c[j] += q * a / b
		growth += q * r / b
		for i, row := range p.a {
			if rng.IntN(3) == 0 { // w·z = w·r/b − w·a/b·x_j
				w := draw()
				row[z] += w
				row[j] += w * a / b
				p.rowLo[i], p.rowUp[i] = p.rowLo[i]+w*r/b, p.rowUp[i]+w*r/b
			}
		}
		row := make([]float64, len(p.c))
		row[j], row[z] = a, b
		p.a = append(p.a, row)
		p.rowLo = append(p.rowLo, r)
		p.rowUp = append(p.rowUp, r)
	}
	return growth
}

// share splits columns with two bounds into x_j and t times another, in proportion and both bounded.
func share(rng *rand.Rand, p *rowsOf) {
	for j, n := 0, len(p.c); j < n; j++ {
		if math.IsInf(p.lo[j], 0) || math.IsInf(p.up[j], 0) || rng.IntN(2) == 0 {
			continue
		}
		t := [...]float64{-2, -1, 0.5, 1}[rng.IntN(4)]
		lo, width := float64(rng.IntN(3)), rng.Float64()*(p.up[j]-p.lo[j])
		k := p.addColumn(t*p.c[j], min(lo/t, (lo+width)/t), max(lo/t, (lo+width)/t))
		p.lo[j], p.up[j] = p.lo[j]-lo, p.up[j]-lo-width
		for i := range p.a {
			p.a[i][k] = t * p.a[i][j]
		}
	}
}

// TestReducedLinks: equations of two columns and columns in proportion with bounds, in programs whose optima are known.
func TestReducedLinks(t *testing.T) {
	count, again := 2000, 0
	if testing.Short() {
		count = 200
	}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 59))
		n := 1 + rng.IntN(12)
		p, opt := planted(rng, 1+rng.IntN(12), n, (0.5+3*rng.Float64())/float64(n), seed%2 == 0)
		for j := range p.c {
			if rng.IntN(2) == 0 && math.IsInf(p.up[j], 1) && !math.IsInf(p.lo[j], -1) {
				p.up[j] = p.lo[j] + 100 // of no use to the optimum
			}
		}
		share(rng, p)
		opt += link(rng, p)
		share(rng, p)
		r, left, exact := restored(t, p, Options{Seed: seed})
		if left != 0 || !exact {
			again++
		}
		if r.Status != status.Optimal || !testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
			t.Errorf("seed %d: %v of %v, want %v", seed, r.Status, r.Objective, opt)
		}
	}
	t.Logf("%d of %d programs not reduced or not optimal by the restored basis", again, count)
	if again > 0 {
		t.Errorf("%d of %d programs not reduced or not optimal by the restored basis", again, count)
	}
}
