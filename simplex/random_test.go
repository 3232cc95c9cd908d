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

// planted is a random program whose optimum is known because its primal and dual
// solutions were drawn first: x and s = Ax with their bounds, y and d with the
// signs that the bounds ask for, and then c = Aᵀy + d.
func planted(rng *rand.Rand, m, n int, density float64, whole bool) (p *rowsOf, opt float64) {
	draw := func() float64 {
		if whole {
			return float64(rng.IntN(7) - 3)
		}
		return rng.NormFloat64()
	}
	// bounds returns an interval that holds v and a multiplier that is optimal there.
	bounds := func(v float64) (lo, up, d float64) {
		lo, up = v-rng.Float64()*5, v+rng.Float64()*5
		if rng.IntN(3) == 0 {
			lo = -inf
		}
		if rng.IntN(3) == 0 {
			up = inf
		}
		switch rng.IntN(5) {
		case 0:
			lo, d = v, math.Abs(draw())
		case 1:
			up, d = v, -math.Abs(draw())
		case 2:
			lo, up, d = v, v, draw()
		case 3:
			lo = v // degenerate: on its bound with multiplier 0
		}
		return lo, up, d
	}
	p = &rowsOf{c: make([]float64, n), lo: make([]float64, n), up: make([]float64, n),
		rowLo: make([]float64, m), rowUp: make([]float64, m)}
	x := make([]float64, n)
	for j := range x {
		x[j] = draw()
		p.lo[j], p.up[j], p.c[j] = bounds(x[j])
	}
	for i := range m {
		row := make([]float64, n)
		var s float64
		for j := range row {
			if rng.Float64() < density {
				row[j] = draw()
			}
			s += row[j] * x[j]
		}
		p.a = append(p.a, row)
		var y float64
		p.rowLo[i], p.rowUp[i], y = bounds(s)
		for j := range row {
			p.c[j] += row[j] * y
		}
	}
	for j := range x {
		opt += p.c[j] * x[j]
	}
	return p, opt
}

func TestPlantedOptima(t *testing.T) {
	count := max(1000, *sweepSize)
	if testing.Short() {
		count = 200
	}
	for k := range count {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		m, n := 1+rng.IntN(40), 1+rng.IntN(40)
		p, opt := planted(rng, m, n, 0.1+0.9*rng.Float64(), k%2 == 0)
		lp := p.lp(k%3 == 0)
		s, err := New(lp, Options{Method: Method(k % 5 % 3), NoScaling: k%7 == 0, Seed: uint64(k)})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if err := Check(lp, r); err != nil || r.Status != status.Optimal {
			t.Errorf("seed %d, %d×%d: %v, %v", k, m, n, r.Status, err)
		}
		if !testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
			t.Errorf("seed %d: objective %.15g, want %.15g", k, r.Objective, opt)
		}
		if !(r.PrimalResidual <= 1e-9) || !(r.DualResidual <= 1e-9) {
			t.Errorf("seed %d: residuals %g and %g", k, r.PrimalResidual, r.DualResidual)
		}
	}
}

// drawn draws a small program of whole numbers: degenerate, infeasible and
// unbounded ones are common.
func drawn(t *rapid.T) *rowsOf {
	m, n := rapid.IntRange(0, 6).Draw(t, "m"), rapid.IntRange(1, 6).Draw(t, "n")
	small := rapid.IntRange(-3, 3)
	interval := func() (lo, up float64) {
		a := float64(rapid.IntRange(-4, 4).Draw(t, "bound"))
		b := a + float64(rapid.IntRange(0, 5).Draw(t, "length"))
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return a, inf
		case 1:
			return -inf, a
		case 2:
			return -inf, inf
		}
		return a, b
	}
	p := &rowsOf{}
	for range n {
		lo, up := interval()
		p.lo = append(p.lo, lo)
		p.up = append(p.up, up)
		p.c = append(p.c, float64(small.Draw(t, "cost")))
	}
	for range m {
		row := make([]float64, n)
		for j := range row {
			row[j] = float64(small.Draw(t, "entry"))
		}
		lo, up := interval()
		p.a = append(p.a, row)
		p.rowLo = append(p.rowLo, lo)
		p.rowUp = append(p.rowUp, up)
	}
	return p
}

func TestAgainstExactFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		st, opt := p.reference()
		lp := p.lp(rapid.Bool().Draw(t, "dense"))
		s, err := New(lp, Options{Method: Method(rapid.IntRange(0, 2).Draw(t, "method"))})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if err := Check(lp, r); err != nil {
			t.Fatal(err)
		}
		if r.Status != st {
			t.Fatalf("status %v, want %v", r.Status, st)
		}
		if st == status.Optimal && !testutil.Within(r.Objective, opt, 1e-9*(1+math.Abs(opt))) {
			t.Fatalf("objective %.15g, want %.15g", r.Objective, opt)
		}
	})
}

// TestWarmEqualsCold changes costs, bounds and columns of a solved program again
// and again, and starts from bases drawn at random.
func TestWarmEqualsCold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		warm, err := New(p.lp(true), Options{})
		if err != nil {
			t.Fatal(err)
		}
		warm.Solve(context.Background())
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			q := drawn(t)
			m, n := len(p.a), len(p.c)
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				p.c = resized(q.c, n, 0)
				err = warm.SetCost(p.c)
			case 1:
				p.lo, p.up = resized(q.lo, n, 0), resized(q.up, n, inf)
				err = warm.SetColBounds(p.lo, p.up)
			case 2:
				p.rowLo, p.rowUp = resized(q.rowLo, m, -inf), resized(q.rowUp, m, inf)
				err = warm.SetRowBounds(p.rowLo, p.rowUp)
			case 3:
				add := &rowsOf{c: q.c, lo: q.lo, up: q.up}
				for i := range p.a {
					row := resized(nil, len(q.c), float64(i%3-1))
					p.a[i] = append(p.a[i], row...)
					add.a = append(add.a, row)
				}
				p.c = append(p.c, q.c...)
				p.lo = append(p.lo, q.lo...)
				p.up = append(p.up, q.up...)
				a := add.lp(len(q.c)%2 == 0)
				err = warm.AddColumns(a.C, a.Lo, a.Up, a.A)
			case 4:
				b := Basis{Cols: make([]Position, n), Rows: make([]Position, m)}
				for _, side := range [][]Position{b.Cols, b.Rows} {
					for i := range side {
						side[i] = Position(rapid.IntRange(0, 3).Draw(t, "position"))
					}
				}
				err = warm.SetBasis(b)
			}
			if err != nil {
				t.Fatal(err)
			}
			st, opt := p.reference()
			r := warm.Solve(context.Background())
			if err := Check(p.lp(false), r); err != nil {
				t.Fatal(err)
			}
			if r.Status != st {
				t.Fatalf("status %v, want %v", r.Status, st)
			}
			if st == status.Optimal && !testutil.Within(r.Objective, opt, 1e-9*(1+math.Abs(opt))) {
				t.Fatalf("objective %.15g, want %.15g", r.Objective, opt)
			}
		}
	})
}

// resized returns n elements: those of v, then fill.
func resized(v []float64, n int, fill float64) []float64 {
	out := orFill(nil, n, fill)
	copy(out, v)
	return out
}

// plantedAt is planted with a generator of its own.
func plantedAt(seed uint64, m, n int, density float64) *rowsOf {
	p, _ := planted(rand.New(rand.NewPCG(seed, 11)), m, n, density, false)
	return p
}
