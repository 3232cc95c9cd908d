package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// reducibleProgram draws a program that has much to reduce: sparse rows, many with one entry, fixed and free columns.
func reducibleProgram(rng *rand.Rand, m, n int) *rowsOf {
	p := &rowsOf{}
	whole := func(k int) float64 { return float64(rng.IntN(2*k+1) - k) }
	interval := func(equal int) (lo, up float64) {
		lo = whole(4)
		switch up = lo + float64(rng.IntN(6)); rng.IntN(6) {
		case 0:
			lo = -inf
		case 1, 2:
			up = inf
		case 3:
			if rng.IntN(2) == 0 {
				lo, up = -inf, inf
			}
		}
		if rng.IntN(equal) == 0 && !math.IsInf(lo, 0) {
			up = lo
		}
		return lo, up
	}
	for range n {
		lo, up := interval(6)
		p.lo = append(p.lo, lo)
		p.up = append(p.up, up)
		p.c = append(p.c, whole(3))
	}
	for range m {
		row := make([]float64, n)
		for range rng.IntN(4) {
			row[rng.IntN(n)] = whole(3)
		}
		lo, up := interval(2)
		p.a = append(p.a, row)
		p.rowLo = append(p.rowLo, lo)
		p.rowUp = append(p.rowUp, up)
	}
	repeatLines(rng, p)
	return p
}

// repeatLines makes rows and columns of p, after the first of them, multiples of the ones before.
func repeatLines(rng *rand.Rand, p *rowsOf) {
	factor := func() float64 { return [...]float64{-2, -1, 1, 2}[rng.IntN(4)] }
	for i := 1; i < len(p.a); i++ {
		if rng.IntN(3) == 0 {
			for j, t := 0, factor(); j < len(p.c); j++ {
				p.a[i][j] = t * p.a[i-1][j]
			}
		}
	}
	for j := 1; j < len(p.c); j++ {
		if rng.IntN(3) == 0 {
			t := factor()
			p.c[j] = t*p.c[j-1] + float64(rng.IntN(3)-1)
			for i := range p.a {
				p.a[i][j] = t * p.a[i][j-1]
			}
		}
	}
}

// restored solves a program from the basis of its reduced one. It returns the number of pivots that were left to
// do, −1 if there was nothing to reduce, and whether that basis is optimal by dense algebra. The values and duals
// that come back with it prove an optimum by themselves.
func restored(t testing.TB, p *rowsOf, opt Options) (r *Result, left int, exact bool) {
	t.Helper()
	lp := p.lp(false)
	s, err := newFactoredSolver(lp, opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	small := s.reduce(ctx)
	if small == nil {
		return s.Solve(ctx), -1, false
	}
	all := s.solveReduced(ctx, small)
	exact = p.optimalAt(s.Basis(Basis{}))
	s.begin(ctx)
	before := s.iterations
	st := s.run(ctx)
	r = s.result(st)
	if err := Check(lp, r); err != nil {
		t.Errorf("%v: %v", r.Status, err)
	}
	if r.Status == status.Optimal {
		f := lp.filled()
		c := new(scratch).certify(&f, new(Checker).consistent(&f, &Result{X: all.X, Y: all.Y}), 1)
		testutil.AtMost(t, "residuals and gap of what came back", max(c.PrimalResidual, c.DualResidual, c.Gap), 1e-9)
	}
	return r, r.Iterations - before, exact
}

// TestReduced: what a program is, infeasible and unbounded ones too, is what exact fractions say, and an
// optimal basis of the reduced program is one of the given program.
func TestReduced(t *testing.T) {
	count, reduced, optima, warm := 3000, 0, 0, 0
	if testing.Short() {
		count = 300
	}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 41))
		m, n := 1+rng.IntN(8), 1+rng.IntN(8)
		p, _ := planted(rng, m, n, rng.Float64()*3/float64(n), true)
		if seed%3 == 0 {
			p = reducibleProgram(rng, m, n)
		}
		st, opt := p.reference()
		r, left, exact := restored(t, p, Options{Seed: seed})
		if r.Status != st || st == status.Optimal && !testutil.Within(r.Objective, opt, 1e-9*(1+math.Abs(opt))) {
			t.Fatalf("seed %d: %v of %v, want %v of %v", seed, r.Status, r.Objective, st, opt)
		}
		if left >= 0 {
			reduced++
		}
		if st == status.Optimal && left >= 0 {
			optima++
			if exact != (left == 0) {
				t.Errorf("seed %d: %d pivots left, optimal by dense algebra %v", seed, left, exact)
			}
			if exact {
				warm++
			}
		}
	}
	t.Logf("%d of %d programs reduced, %d optima, %d of them by the restored basis", reduced, count, optima, warm)
	if 3*reduced < count || 10*optima < count || 100*warm < 99*optima {
		t.Errorf("%d of %d programs reduced, %d optima, %d of them by the restored basis", reduced, count, optima, warm)
	}
}

// TestReducedPlanted: larger programs whose optima are known.
func TestReducedPlanted(t *testing.T) {
	count, pivots, again := 600, 0, 0
	if testing.Short() {
		count = 100
	}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 43))
		n := 1 + rng.IntN(60)
		p, opt := planted(rng, 1+rng.IntN(60), n, (0.5+2*rng.Float64())/float64(n), seed%2 == 0)
		r, left, exact := restored(t, p, Options{Seed: seed})
		if left > 0 || left == 0 && !exact {
			pivots, again = pivots+left, again+1
		}
		if r.Status != status.Optimal || !testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
			t.Errorf("seed %d: %v of %v, want %v", seed, r.Status, r.Objective, opt)
		}
	}
	t.Logf("%d of %d programs not optimal by the restored basis, %d pivots", again, count, pivots)
	if again > 0 {
		t.Errorf("%d of %d programs not optimal by the restored basis, %d pivots", again, count, pivots)
	}
}

// divide gives bounds of p's rows to rows that are multiples of them, and has columns next to others that are multiples
// and cost no less: the optimum stays.
func divide(rng *rand.Rand, p *rowsOf) {
	factor := func() float64 { return [...]float64{-2, -0.5, 0.5, 2}[rng.IntN(4)] }
	for i := range p.a {
		t, row := factor(), make([]float64, len(p.c))
		for j, v := range p.a[i] {
			row[j] = t * v
		}
		lo, up := p.rowLo[i], inf
		if rng.IntN(2) == 0 {
			lo, up = -inf, p.rowUp[i]
			p.rowUp[i] = inf
		} else {
			p.rowLo[i] = -inf
		}
		if lo, up = t*lo, t*up; t < 0 {
			lo, up = up, lo
		}
		p.a = append(p.a, row)
		p.rowLo = append(p.rowLo, lo)
		p.rowUp = append(p.rowUp, up)
	}
	for j := range p.c {
		if !math.IsInf(p.up[j], 1) || rng.IntN(2) == 0 {
			continue
		}
		t, lo, up := factor(), 0.0, 5.0
		extra := float64(rng.IntN(2))
		if t < 0 {
			lo, up, extra = -5, 0, -extra
		}
		for i := range p.a {
			p.a[i] = append(p.a[i], t*p.a[i][j])
		}
		p.lo = append(p.lo, lo)
		p.up = append(p.up, up)
		p.c = append(p.c, t*p.c[j]+extra)
	}
}

// TestReducedParallel: rows and columns that are multiples of others, in programs whose optima are known.
func TestReducedParallel(t *testing.T) {
	count, again := 1000, 0
	if testing.Short() {
		count = 200
	}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 53))
		n := 1 + rng.IntN(12)
		p, opt := planted(rng, 1+rng.IntN(12), n, (0.5+3*rng.Float64())/float64(n), seed%2 == 0)
		divide(rng, p)
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

// TestReducedDrawn: rapid's programs, which it makes small.
func TestReducedDrawn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawn(rt)
		st, _ := p.reference()
		if r, _, _ := restored(t, p, Options{}); r.Status != st {
			rt.Fatalf("status %v, want %v", r.Status, st)
		}
	})
}

// TestPresolveLimits: limits of the given program count in the smaller one too, and a solve goes on after them.
func TestPresolveLimits(t *testing.T) {
	p, opt := planted(rand.New(rand.NewPCG(5, 47)), 60, 60, 0.04, false)
	lp := p.lp(false)
	s, err := New(lp, Options{MaxIter: 3})
	if err != nil {
		t.Fatal(err)
	}
	s.Presolve(context.Background())
	if r := s.Solve(context.Background()); r.Status != status.IterationLimit || r.Iterations != 3 || s.before != 3 {
		t.Errorf("%v after %d iterations, %d of them in the smaller program", r.Status, r.Iterations, s.before)
	}
	for range 100 {
		if r := s.Solve(context.Background()); r.Status == status.Optimal {
			testutil.NearRel(t, "objective", r.Objective, opt, 1e-9)
			break
		}
	}
	if s, err = New(lp, Options{}); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	s.Presolve(ended)
	if r := s.Solve(ended); r.Status != status.Cancelled {
		t.Errorf("after the end of the context: %v", r.Status)
	}
	if r := s.Solve(context.Background()); r.Status != status.Optimal || Check(lp, r) != nil {
		t.Errorf("solved again: %v", r.Status)
	}
}
