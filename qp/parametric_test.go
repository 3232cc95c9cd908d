package qp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/simplex"
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
		rates := simplex.Rates{C: normal(rng, n), RowUp: make([]float64, m), Lo: make([]float64, n)}
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
		end, err := s.Parametric(ctx, rates, 2, func(g simplex.Segment) bool {
			segments++
			if !(math.Abs(g.From-last) <= 1e-12) {
				t.Errorf("path %d: a segment from %v after %v", k, g.From, last)
			}
			last = g.To
			from, slope := make([]float64, n), make([]float64, n)
			g.X(from, slope)
			for _, value := range []float64{g.From, (g.From + g.To) / 2, g.To} {
				q := p
				q.C, q.RowUp, q.Lo = along(p.C, rates.C, value), along(p.RowUp, rates.RowUp, value), along(p.Lo, rates.Lo, value)
				want, failed := Solve(ctx, q, Options{})
				if failed != nil {
					t.Fatal(failed)
				}
				if want.Status != status.Optimal {
					continue // at the end of a path that becomes infeasible
				}
				for j, x := range want.X {
					if got := from[j] + (value-g.From)*slope[j]; !(math.Abs(got-x) <= 1e-8*(1+math.Abs(x))) {
						t.Fatalf("path %d, t = %v: x[%d] = %v, want %v", k, value, j, got, x)
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
	for _, bad := range []simplex.Rates{{C: []float64{1}}, {RowUp: []float64{1, inf}}} {
		if _, err := s.Parametric(ctx, bad, 1, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func along(v, rates []float64, t float64) []float64 {
	values := append([]float64(nil), v...)
	for i, r := range rates {
		values[i] += t * r
	}
	return values
}

// TestScaledPaths: the objective in the middle of each segment is that of a solve, for programs with a diagonal Q whose
// columns and rows differ by 1e±3 and whose start is degenerate.
func TestScaledPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 6))
	ctx := context.Background()
	segments := 0
	for k := range 400 {
		n, m := 1+rng.IntN(8), rng.IntN(8)
		q, rates := make([]float64, n*n), simplex.Rates{C: normal(rng, n)}
		for j := range n {
			q[j*n+j] = math.Pow(10, 6*rng.Float64()-3)
			rates.C[j] *= math.Pow(10, 6*rng.Float64()-3)
		}
		p := boxed(q, normal(rng, n), -1, 1, normal(rng, m*n)...)
		for i := range m {
			scale := math.Pow(10, 6*rng.Float64()-3)
			for j := range n {
				p.A.(*simplex.Dense).Row(i)[j] *= scale
			}
			p.RowUp[i] = 0 // met where the path begins, at 0
		}
		p.C = make([]float64, n)
		s, err := New(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		end, err := s.Parametric(ctx, rates, 3, func(g simplex.Segment) bool {
			segments++
			value := (g.From + g.To) / 2
			from, slope := make([]float64, n), make([]float64, n)
			g.X(from, slope)
			c, x := along(p.C, rates.C, value), along(from, slope, value-g.From)
			q := QP{LP: p.LP, Q: p.Q}
			q.C = c
			want, failed := Solve(ctx, q, Options{})
			if failed != nil || want.Status != status.Optimal {
				t.Fatalf("path %d at %v: %v, %v", k, value, want, failed)
			}
			if got := objective(&q, q.Q.(*simplex.Dense).Data, x); !(math.Abs(got-want.Objective) <= 1e-8*sizeOfCosts(&q, x)) {
				t.Errorf("path %d at %v: %v, a solve has %v", k, value, got, want.Objective)
			}
			return true
		})
		if err != nil || end.Status != status.Optimal || end.T != 3 {
			t.Errorf("path %d: %+v, %v", k, end, err)
		}
	}
	if segments < 800 {
		t.Errorf("only %d segments", segments)
	}
}
