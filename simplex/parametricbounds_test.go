package simplex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// slidBy is p with its bounds + t·rates.
func (p *rowsOf) slidBy(t float64, r Rates) *rowsOf {
	q := *p
	along := func(bounds, rates []float64) []float64 {
		moved := make([]float64, len(bounds))
		for i, b := range bounds {
			moved[i] = b + t*rates[i]
		}
		return moved
	}
	q.lo, q.up = along(p.lo, r.Lo), along(p.up, r.Up)
	q.rowLo, q.rowUp = along(p.rowLo, r.RowLo), along(p.rowUp, r.RowUp)
	return &q
}

// slidden returns rates that draw gives, 0 for infinite bounds, under which no bounds cross before until.
func (p *rowsOf) slidden(until float64, draw func() float64) Rates {
	pair := func(lo, up []float64) (l, u []float64) {
		l, u = make([]float64, len(lo)), make([]float64, len(lo))
		for i := range lo {
			if !math.IsInf(lo[i], 0) {
				l[i] = draw()
			}
			if !math.IsInf(up[i], 0) {
				u[i] = draw()
			}
			if lo[i]+until*l[i] > up[i]+until*u[i] {
				l[i], u[i] = u[i], l[i]
			}
			if math.IsInf(lo[i], 0) {
				l[i] = 0
			}
		}
		return l, u
	}
	var r Rates
	r.Lo, r.Up = pair(p.lo, p.up)
	r.RowLo, r.RowUp = pair(p.rowLo, p.rowUp)
	return r
}

// holdsSliding follows the path of s and checks that every segment's x and duals prove each other's optimality at its
// ends and in its middle.
func (p *rowsOf) holdsSliding(t report, s *Solver, rates Rates, until float64) (PathEnd, int) {
	t.Helper()
	val, count := 0.0, 0
	x, by, moved := make([]float64, len(p.c)), make([]float64, len(p.c)), make([]float64, len(p.c))
	r, err := s.Parametric(context.Background(), rates, until, func(g Segment) bool {
		if !(g.From >= val && g.From <= val+1e-8*until && g.To > g.From) {
			t.Fatalf("a segment from %g to %g after %g", g.From, g.To, val)
		}
		y := make([]float64, len(p.a))
		g.X(x, by)
		g.Duals(y, nil)
		for i, v := range y {
			if math.Abs(v) < 1e-9 {
				y[i] = 0 // rounding, on a row that may have one bound
			}
		}
		for _, level := range []float64{g.From, (g.From + g.To) / 2, g.To} {
			copy(moved, x)
			dense.Axpy(level-g.From, by, moved)
			q := p.slidBy(level, rates).lp(true)
			r := &Result{X: moved, Y: y, ReducedCosts: make([]float64, len(x))}
			for _, row := range p.a {
				r.Activity = append(r.Activity, dense.Dot(row, moved))
			}
			new(scratch).reducedCostsOf(&q, r)
			value := g.Value + (level-g.From)*g.Slope
			if want := dense.Dot(q.C, moved); !testutil.Within(value, want, 1e-8*(1+sizeOfDot(q.C, moved))) {
				t.Fatalf("t = %g of [%g, %g]: the optimum is %g, told as %g", level, g.From, g.To, want, value)
			}
			if c := new(scratch).certify(&q, r, 1); !(c.worst() <= 1e-7) {
				t.Fatalf("t = %g of [%g, %g]: residuals %g and %g, gap %g",
					level, g.From, g.To, c.PrimalResidual, c.DualResidual, c.Gap)
			}
		}
		val = g.To
		count++
		return true
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r, count
}

// TestParametricBoundsPlanted walks from planted optima, dense and sparse, scaled or not.
func TestParametricBoundsPlanted(t *testing.T) {
	segments := 0
	for k := range 200 {
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		m, n := 1+rng.IntN(40), 1+rng.IntN(40)
		p, _ := planted(rng, m, n, 0.1+0.9*rng.Float64(), k%2 == 0)
		until := 0.1 + 5*rng.Float64()
		rates := p.slidden(until, rng.NormFloat64)
		s, err := New(p.lp(k%3 == 0), Options{Method: Method(k % 5 % 3), NoScaling: k%7 == 0})
		if err != nil {
			t.Fatal(err)
		}
		r, count := p.holdsSliding(t, s, rates, until)
		segments += count
		if r.Status == status.Optimal && r.T != until || r.Status != status.Optimal && r.Status != status.Infeasible {
			t.Errorf("seed %d: %v at %g of %g", k, r.Status, r.T, until)
		}
		if r.Status == status.Optimal {
			end, got := p.slidBy(r.T, rates).lp(true), s.Solve(context.Background())
			if got.Status != r.Status || Check(end, got) != nil || got.Iterations > 1 {
				t.Errorf("seed %d: the end is %v after %d pivots, %v", k, got.Status, got.Iterations, Check(end, got))
			}
			continue
		}
		for value, want := range map[float64]status.Status{max(0, r.T-1e-6): status.Optimal, r.T + 1e-6: status.Infeasible} {
			if value > until {
				continue
			}
			other, err := New(p.slidBy(value, rates).lp(true), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := other.Solve(context.Background()); got.Status != want {
				t.Errorf("seed %d: infeasible from %g, %v at %g", k, r.T, got.Status, value)
			}
		}
	}
	if segments < 1000 {
		t.Errorf("%d segments: the programs have no paths to speak of", segments)
	}
}

// TestParametricBoundsDegenerate walks through small programs of whole numbers, whose breakpoints coincide and whose
// bounds part and meet, and holds where they end against exact fractions.
func TestParametricBoundsDegenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		const until = 4
		whole := rapid.IntRange(-2, 2)
		rates := p.slidden(until, func() float64 { return float64(whole.Draw(t, "rate")) })
		s, err := New(p.lp(true), Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := p.holdsSliding(t, s, rates, until)
		if r.Status == status.Optimal && r.T == until {
			return
		}
		if r.Status != status.Infeasible && r.Status != status.Unbounded {
			t.Fatalf("%v at %g", r.Status, r.T)
		}
		if st, _ := p.reference(); st != status.Optimal && r.T <= 1e-9 {
			return // no program to start from
		}
		// Optimal up to T and not beyond, by fractions that are whole in binary.
		beyond := math.Floor(64*(r.T+1e-9)+1) / 64
		if st, _ := p.slidBy(min(until, beyond), rates).reference(); st == status.Optimal {
			t.Fatalf("%v at %g, at %g the program is %v", r.Status, r.T, beyond, st)
		}
	})
}

// TestParametricBoundsStops is about visits that have seen enough, contexts, and what is no path.
func TestParametricBoundsStops(t *testing.T) {
	p := plantedAt(3, 20, 30, 0.5)
	rates := p.slidden(1, rand.New(rand.NewPCG(1, 1)).NormFloat64)
	s, err := New(p.lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var to float64
	r, err := s.Parametric(context.Background(), rates, 1, func(g Segment) bool { to = g.To; return false })
	if err != nil || r.Status != status.Optimal || r.T != to || !(to > 0 && to < 1) {
		t.Fatalf("stopped at %v, %v; visited to %g", r, err, to)
	}
	got := s.Solve(context.Background())
	if err = Check(p.slidBy(to, rates).lp(true), got); err != nil || got.Iterations > 1 {
		t.Errorf("after %d pivots: %v", got.Iterations, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err = s.Parametric(ctx, Rates{}, 1, func(Segment) bool { return true })
	if err != nil || r.Status != status.Cancelled {
		t.Errorf("%v, %v after the end of the context", r, err)
	}
	for _, until := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err = s.Parametric(context.Background(), Rates{}, until, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("a path until %g: %v", until, err)
		}
	}
	column := &Sparse{}
	column.Append(nil, nil)
	box, err := New(LP{C: []float64{1}, Lo: []float64{0}, Up: []float64{1}, A: column}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Rates{{Lo: []float64{1, 1}}, {Lo: []float64{math.NaN()}}, {Up: []float64{-2}}, {RowUp: []float64{1}}} {
		if _, err := box.Parametric(context.Background(), bad, 1, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("rates %v: %v", bad, err)
		}
	}
}

// TestParametricBoundsEnd is about a row that asks for as much as its column can give at t = 1.
func TestParametricBoundsEnd(t *testing.T) {
	one := []float64{1}
	for until, want := range map[float64]status.Status{1: status.Optimal, 2: status.Infeasible} {
		p := rowsOf{c: one, a: [][]float64{one}, lo: []float64{0}, up: one, rowLo: []float64{0}, rowUp: []float64{inf}}
		s, err := New(p.lp(true), Options{})
		if err != nil {
			t.Fatal(err)
		}
		rates := Rates{Lo: []float64{0}, Up: []float64{0}, RowLo: one, RowUp: []float64{0}}
		if r, _ := p.holdsSliding(t, s, rates, until); r.Status != want || !testutil.Within(r.T, 1, 1e-12) {
			t.Errorf("until %g: %v at %g", until, r.Status, r.T)
		}
	}
}
