package smo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// boxCase is a random box QP with H = ZZᵀ of rank r.
func boxCase(rng *rand.Rand, n, r int) (z []float64, h [][]float64, b *boxqp.Problem) {
	z = make([]float64, n*r)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	h = make([][]float64, n)
	b = &boxqp.Problem{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		h[i] = make([]float64, n)
		for j := range n {
			for k := range r {
				h[i][j] += z[i*r+k] * z[j*r+k]
			}
		}
		b.P[i] = rng.NormFloat64() * 3
		b.Lo[i] = -rng.Float64()
		b.Hi[i] = b.Lo[i] + float64(rng.IntN(3))*rng.Float64() // some are fixed
	}
	return z, h, b
}

// checkBox verifies a result from the problem's data alone: bounds, gradient, KKT, objective, gap.
func checkBox(t *testing.T, h [][]float64, p *boxqp.Problem, r *boxqp.Result, tol float64) {
	t.Helper()
	if r.Status != status.Optimal {
		t.Fatalf("status %v", r.Status)
	}
	const apart = 1e-6 // G is that at U, which is near to the image of B; TestBoxCertificate has the pair
	var objective, gap, scale float64
	for i, b := range r.B {
		if !(b >= p.Lo[i] && b <= p.Hi[i]) {
			t.Fatalf("b[%d] = %v outside [%v, %v]", i, b, p.Lo[i], p.Hi[i])
		}
		g := p.P[i]
		for j, v := range h[i] {
			g += v * r.B[j]
		}
		scale = max(scale, math.Abs(p.P[i]))
		objective += b * (g + p.P[i]) / 2
		if !testutil.Within(g, r.G[i], 1e-9*(1+scale)+apart) {
			t.Fatalf("gradient %d is %v, reported %v", i, g, r.G[i])
		}
		if !(g <= tol+1e-9+apart) && b > p.Lo[i] || !(g >= -tol-1e-9-apart) && b < p.Hi[i] {
			t.Fatalf("gradient %v at b[%d] = %v in [%v, %v]", g, i, b, p.Lo[i], p.Hi[i])
		}
		// The gradient as reported: at an infinite bound the sign of its rounding decides.
		if g = r.G[i]; g > 0 && b > p.Lo[i] {
			gap += g * (b - p.Lo[i])
		} else if g < 0 && b < p.Hi[i] {
			gap -= g * (p.Hi[i] - b)
		}
	}
	if !testutil.Within(objective, r.Objective, 1e-9*(1+math.Abs(objective))) {
		t.Fatalf("objective %v, reported %v", objective, r.Objective)
	}
	if !math.IsInf(gap, 1) && !testutil.Within(gap, r.Gap, 1e-7+10*apart) {
		t.Fatalf("gap %v, reported %v", gap, r.Gap)
	}
}

// Random problems of every shape end at the optimum of the literal transcription of (12) and (13).
func TestBoxRandom(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 120 {
			n, r := 1+rng.IntN(40), rng.IntN(50)
			z, h, p := boxCase(rng, n, r)
			p.H = boxqp.NewFactor(z, n, r, r)
			f := boxqp.Solve(t.Context(), p, boxqp.Options{Tolerance: 1e-9})
			checkBox(t, h, p, f, 1e-9)
			b, g := ref.SSVCSMO(h, p.P, p.Lo, p.Hi, 1e-8, 1_000_000)
			var want float64
			for i := range b {
				want += b[i] * (g[i] + p.P[i]) / 2
			}
			if !testutil.Within(f.Objective, want, 1e-7*(1+math.Abs(want))) {
				t.Fatalf("n=%d r=%d: objective %.12g, want %.12g", n, r, f.Objective, want)
			}
		}
	})
}

// Without bounds the optimum solves Hb = −p.
func TestBoxInfiniteBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		n := 1 + rng.IntN(20)
		z, h, p := boxCase(rng, n, n+5)
		for i := range n {
			if rng.IntN(3) > 0 {
				p.Lo[i] = math.Inf(-1)
			}
			if rng.IntN(3) > 0 {
				p.Hi[i] = math.Inf(1)
			}
		}
		p.H = boxqp.NewFactor(z, n, n+5, n+5)
		checkBox(t, h, p, boxqp.Solve(t.Context(), p, boxqp.Options{}), 1e-6)
	}
}

// A column without curvature goes to the bound on the downhill side, or is unbounded.
func TestBoxUnbounded(t *testing.T) {
	z := []float64{1, 0, 0, 0}
	p := &boxqp.Problem{H: boxqp.NewFactor(z, 2, 2, 2), P: []float64{-1, -1}, Lo: []float64{0, 0}, Hi: []float64{5, 5}}
	if r := boxqp.Solve(t.Context(), p, boxqp.Options{}); r.Status != status.Optimal || !testutil.Within(r.B[0], 1, 1e-6) || r.B[1] != 5 {
		t.Errorf("%v at %v, want optimal at [1 5]", r.Status, r.B)
	}
	p.Hi[1] = math.Inf(1)
	if r := boxqp.Solve(t.Context(), p, boxqp.Options{}); r.Status != status.Unbounded {
		t.Errorf("%v, want unbounded", r.Status)
	}
}

// From the solution there is nothing left to do; limits and cancellations return the
// iterate reached with true residuals.
func TestBoxStartsAndStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	n, r := 200, 220
	z, h, p := boxCase(rng, n, r)
	p.H = boxqp.NewFactor(z, n, r, r)
	cold := boxqp.Solve(t.Context(), p, boxqp.Options{Tolerance: 1e-8})
	p.Start, p.Image = cold.B, cold.U
	warm := boxqp.Solve(t.Context(), p, boxqp.Options{Tolerance: 1e-8})
	checkBox(t, h, p, warm, 1e-8)
	if warm.Passes > 4 || warm.Newton > 1 {
		t.Errorf("from the solution: %d passes, %d Newton steps", warm.Passes, warm.Newton)
	}
	p.Start, p.Image = nil, nil
	if r := boxqp.Solve(t.Context(), p, boxqp.Options{MaxIter: 1}); r.Status != status.IterationLimit ||
		!testutil.Within(r.KKT, slowKKT(h, p, r.B), 1e-9) {
		t.Errorf("one pass: %v, KKT %v, want iteration limit, %v", r.Status, r.KKT, slowKKT(h, p, r.B))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if r := boxqp.Solve(gone, p, boxqp.Options{}); r.Status != status.Cancelled {
		t.Errorf("cancelled: %v", r.Status)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if r := boxqp.Solve(late, p, boxqp.Options{}); r.Status != status.TimeLimit {
		t.Errorf("late: %v", r.Status)
	}
}

func slowKKT(h [][]float64, p *boxqp.Problem, b []float64) (worst float64) {
	for i := range b {
		g := p.P[i]
		for j, v := range h[i] {
			g += v * b[j]
		}
		if !(g <= 0) && b[i] > p.Lo[i] || g < 0 && b[i] < p.Hi[i] {
			worst = max(worst, math.Abs(g))
		}
	}
	return worst
}

func TestBoxShapes(t *testing.T) {
	one := boxqp.NewFactor([]float64{1}, 1, 1, 1)
	for name, p := range map[string]*boxqp.Problem{
		"linear term": {H: boxqp.NewFactor(make([]float64, 4), 2, 2, 2), P: []float64{1}, Lo: []float64{0, 0}, Hi: []float64{1, 1}},
		"bounds":      {H: one, P: []float64{1}, Lo: []float64{1}, Hi: []float64{0}},
		"NaN bound":   {H: one, P: []float64{1}, Lo: []float64{math.NaN()}, Hi: []float64{0}},
		"start":       {H: one, P: []float64{1}, Lo: []float64{0}, Hi: []float64{1}, Start: []float64{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			boxqp.Solve(t.Context(), p, boxqp.Options{})
		})
	}
}

// A solve that needs no optimum stops at the gap that it is given, earlier than one that does.
func TestBoxRoughGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	brief, full := 0, 0
	for trial := range 20 {
		z, _, p := boxCase(rng, 60, 40)
		p.H = boxqp.NewFactor(z, 60, 40, 40)
		exact := boxqp.Solve(t.Context(), p, boxqp.Options{})
		rough := boxqp.Solve(t.Context(), p, boxqp.Options{Gap: 0.1})
		half := dense.Dot(rough.U, rough.U) / 2
		testutil.AtMost(t, "gap", rough.Gap, max(0.1*half, exact.Gap))
		testutil.AtMost(t, "objective below the optimum", -exact.Gap-1e-9, rough.Objective-exact.Objective)
		if rough.Status != exact.Status {
			t.Errorf("trial %d: %v, the optimum is %v", trial, rough.Status, exact.Status)
		}
		brief, full = brief+rough.Newton, full+exact.Newton
	}
	if brief >= full {
		t.Errorf("%d steps to a rough gap, %d to the optimum", brief, full)
	}
}
