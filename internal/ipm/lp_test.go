package ipm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
)

// draw is a random program of m rows and n columns.
func draw(m, n int, limit float64, seed uint64) *LP {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &LP{Limit: limit, Mu: 0.3, Gap: 1e-9}
	for range m {
		row := make([]float64, n)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		at, width := rng.NormFloat64(), 0.1+rng.Float64()
		p.A = append(p.A, row)
		p.Y = append(p.Y, limit*(rng.Float64()-0.5))
		p.RowLo = append(p.RowLo, at)
		p.RowHi = append(p.RowHi, at+width)
	}
	for range n {
		lo := rng.NormFloat64()
		p.C = append(p.C, rng.NormFloat64())
		p.Lo = append(p.Lo, lo)
		p.Hi = append(p.Hi, lo+3*rng.Float64())
	}
	return p
}

// bySimplex is the optimum, with a column each for what a row may be beyond its bounds.
func bySimplex(t *testing.T, p *LP) float64 {
	m, n := len(p.A), len(p.C)
	limits := &simplex.Sparse{Rows: m}
	c, lo, up := slices.Clone(p.C), slices.Clone(p.Lo), slices.Clone(p.Hi)
	for i := range m {
		for _, v := range []float64{1, -1} {
			limits.Append([]int32{int32(i)}, []float64{v})
			c = append(c, p.Limit)
			lo = append(lo, 0)
			up = append(up, math.Inf(1))
		}
	}
	a := simplex.Blocks{simplex.NewDense(m, n, slices.Concat(p.A...)), limits}
	s, err := simplex.New(simplex.LP{C: c, Lo: lo, Up: up, RowLo: p.RowLo, RowUp: p.RowHi, A: a}, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Solve(context.Background()).Objective
}

// Optima are those of the simplex method, with rows that can be within their bounds and with some that cannot, and the
// duals' value is a bound at every gap.
func TestOptimum(t *testing.T) {
	for seed := range uint64(40) {
		m, n := 1+int(seed%7)*5, 20+int(seed%5)*70
		p := draw(m, n, math.Pow(10, float64(seed%4)-1), seed)
		want := bySimplex(t, p)
		q, err := p.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		testutil.Near(t, "optimum", q.Primal, want, 1e-8*max(1, math.Abs(want)))
		testutil.Near(t, "bound", q.Dual, want, 1e-8*max(1, math.Abs(want)))
		p.Gap = 0.1
		rough, err := p.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slack := 1e-9 * max(1, math.Abs(want))
		if !(rough.Dual <= want+slack && want <= rough.Primal+slack && rough.Steps < q.Steps) {
			t.Errorf("seed %d: %v to %v after %d steps, the optimum is %v", seed, rough.Dual, rough.Primal, rough.Steps, want)
		}
		for j, x := range rough.X {
			if !(x >= p.Lo[j] && x <= p.Hi[j]) {
				t.Fatalf("seed %d: x is %v, not within %v and %v", seed, x, p.Lo[j], p.Hi[j])
			}
		}
		for i, y := range rough.Y {
			testutil.Near(t, "Ax", rough.Activity[i], dot(p.A[i], rough.X), 1e-9*float64(n))
			testutil.AtMost(t, "|y|", math.Abs(y), p.Limit)
		}
	}
}

func dot(a, x []float64) (sum float64) {
	for j, v := range a {
		sum += v * x[j]
	}
	return sum
}

// The same result for any number of threads, and none once the context has ended.
func TestLPThreads(t *testing.T) {
	p := draw(70, 5000, 10, 3)
	p.Threads = 1
	one, err := p.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p.Threads = 3
	three, err := p.Solve(context.Background())
	if err != nil || !slices.Equal(one.X, three.X) || !slices.Equal(one.Y, three.Y) {
		t.Errorf("%v, %v to %v with three threads, %v to %v with one", err, three.Dual, three.Primal, one.Dual, one.Primal)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Solve(ctx); err == nil {
		t.Error("no error of a context that has ended")
	}
}
