package qp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// TestParametric compares every segment of random paths with solves at its ends and in its middle.
func TestParametric(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 5))
	ctx := context.Background()
	segments := 0
	for k := range 200 {
		n, m := 1+rng.IntN(12), rng.IntN(25)
		p := drawn(rng, n, m)
		for j := range n {
			p.Lo[j] = -1 - rng.Float64()
		}
		rates := Rates{C: normal(rng, n), RowUp: make([]float64, m), Lo: make([]float64, n)}
		for i := range rates.RowUp {
			rates.RowUp[i] = 0.3 * rng.Float64()
		}
		for j := range rates.Lo {
			rates.Lo[j] = 0.1 * rng.NormFloat64()
		}
		s, err := New(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		end, err := s.Parametric(ctx, rates, 2, func(g Segment) bool {
			segments++
			if !(math.Abs(g.From-last) <= 1e-12) {
				t.Errorf("path %d: a segment from %v after %v", k, g.From, last)
			}
			last = g.To
			for _, at := range []float64{g.From, (g.From + g.To) / 2, g.To} {
				q := p
				q.C, q.RowUp, q.Lo = along(p.C, rates.C, at), along(p.RowUp, rates.RowUp, at), along(p.Lo, rates.Lo, at)
				want, failed := Solve(ctx, q, Options{})
				if failed != nil {
					t.Fatal(failed)
				}
				if want.Status != status.Optimal {
					continue // at the end of a path that becomes infeasible
				}
				for j, x := range want.X {
					if got := g.X[j] + (at-g.From)*g.Slope[j]; !(math.Abs(got-x) <= 1e-8*(1+math.Abs(x))) {
						t.Fatalf("path %d, t = %v: x[%d] = %v, want %v", k, at, j, got, x)
					}
				}
			}
			return true
		})
		if err != nil || end.Status != status.Optimal && end.Status != status.Infeasible || end.T != last {
			t.Errorf("path %d: %+v after %v, %v", k, end, last, err)
		}
	}
	if segments < 1000 {
		t.Errorf("%d segments", segments)
	}
	s, err := New(drawn(rng, 3, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Rates{{C: []float64{1}}, {RowUp: []float64{1, inf}}} {
		if _, err := s.Parametric(ctx, bad, 1, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func along(v, rates []float64, t float64) []float64 {
	at := append([]float64(nil), v...)
	for i, r := range rates {
		at[i] += t * r
	}
	return at
}
