package simplex

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// along is p with its costs and bounds at t.
func (p *rowsOf) along(t float64, direction []float64, r Rates) *rowsOf {
	q := p.slidBy(t, r)
	q.c = append([]float64(nil), p.c...)
	dense.Axpy(t, direction, q.c)
	return q
}

// TestSteady goes through planted programs whose costs and bounds turn together, from stretch to stretch: x and duals
// prove each other's optimality at both ends and in the middle, and no longer a little further on.
func TestSteady(t *testing.T) {
	stretches, moving := 0, 0
	for k := range 160 {
		rng := rand.New(rand.NewPCG(uint64(k), 6))
		m, n := 1+rng.IntN(30), 1+rng.IntN(30)
		p, _ := planted(rng, m, n, 0.1+0.9*rng.Float64(), k%2 == 0)
		until := 0.1 + 2*rng.Float64()
		rates, direction := p.slidden(until, rng.NormFloat64), make([]float64, n)
		for j := range direction {
			direction[j] = rng.NormFloat64()
		}
		s, err := New(p.lp(k%3 == 0), Options{NoScaling: k%7 == 0})
		if err != nil {
			t.Fatal(err)
		}
		for value, step := 0.0, 1e-10; value < until && step < 1; {
			together := rates
			together.C = direction
			g, st, err := s.Steady(t.Context(), together, until-value)
			if err != nil {
				t.Fatal(err)
			}
			if st != status.Optimal {
				break
			}
			if g.To > step*until {
				stretches++
				moving += p.holdsSteady(t, g, value, direction, rates, g.To < until-value)
				step = 1e-10
			} else {
				step *= 4
			}
			value += g.To + step*until
			p.set(t, s, value, direction, rates)
		}
	}
	if stretches < 700 || moving < 500 {
		t.Errorf("%d stretches, %d of which move: the programs have no paths to speak of", stretches, moving)
	}
}

// set makes the program of s that of t.
func (p *rowsOf) set(tb testing.TB, s *Solver, t float64, direction []float64, rates Rates) {
	q := p.along(t, direction, rates)
	for _, err := range []error{s.SetCost(q.c), s.SetColBounds(q.lo, q.up), s.SetRowBounds(q.rowLo, q.rowUp)} {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// holdsSteady checks a stretch that begins at from; it returns 1 if both its columns and its duals move.
func (p *rowsOf) holdsSteady(t report, g Segment, from float64, direction []float64, rates Rates, ends bool) int {
	m, n := len(p.a), len(p.c)
	x, by, y, turn := make([]float64, n), make([]float64, n), make([]float64, m), make([]float64, m)
	g.X(x, by)
	g.Duals(y, turn)
	worst := func(value float64) float64 {
		q := p.along(from+value, direction, rates).lp(true)
		r := &Result{X: append([]float64(nil), x...), Y: append([]float64(nil), y...), ReducedCosts: make([]float64, n)}
		dense.Axpy(value, by, r.X)
		dense.Axpy(value, turn, r.Y)
		for i, v := range r.Y {
			if testutil.Within(v, 0, 1e-9) { // rounding, on a row that may have one bound
				r.Y[i] = 0
			}
		}
		for _, row := range p.a {
			r.Activity = append(r.Activity, dense.Dot(row, r.X))
		}
		new(scratch).reducedCostsOf(&q, r)
		c := new(scratch).certify(&q, r, 1)
		return c.worst()
	}
	for _, val := range []float64{0, g.To / 2, g.To} {
		if w := worst(val); !(w <= 1e-7) {
			t.Fatalf("t = %g + %g of %g: residual %g", from, val, g.To, w)
		}
	}
	if w := worst(g.To + 0.05); ends && !(w > 1e-7) {
		t.Fatalf("optimal to %g + %g and beyond: residual %g", from, g.To, w)
	}
	if dense.Dot(by, by) > 0 && dense.Dot(turn, turn) > 0 {
		return 1
	}
	return 0
}

// TestSteadyStops is about programs without an optimum, contexts and what is no stretch.
func TestSteadyStops(t *testing.T) {
	p := plantedAt(3, 20, 30, 0.5)
	s, err := New(p.lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	none := make([]float64, 30)
	if _, _, err = s.Steady(t.Context(), Rates{C: none[1:]}, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("29 rates of 30 costs: %v", err)
	}
	if _, _, err = s.Steady(t.Context(), Rates{C: none, Lo: none[1:]}, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("29 rates of 30 bounds: %v", err)
	}
	if _, _, err = s.Steady(t.Context(), Rates{C: none}, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("until 0: %v", err)
	}
	if g, st, failed := s.Steady(t.Context(), Rates{C: none}, 3); failed != nil || st != status.Optimal || g.To != 3 {
		t.Errorf("what does not turn stays to %v: %v", g.To, failed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	other, err := New(p.lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, st, err := other.Steady(ctx, Rates{C: none}, 1); err != nil || st != status.Cancelled {
		t.Errorf("%v, %v after the end of the context", st, err)
	}
}
