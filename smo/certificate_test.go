package smo

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// lagrangianGap is Σ max{g_i (x_i − u) : lo_i ≤ u ≤ hi_i}, what Q(x) − min Q is at most, and
// its parts from positive and from negative g_i.
func lagrangianGap(x, g, lo, hi []float64) (gap, above, below float64) {
	for i, v := range g {
		switch {
		case v > 0:
			above += v * (x[i] - lo[i])
		case v < 0:
			below += v * (x[i] - hi[i])
		}
	}
	return above + below, above, below
}

func boxGradient(h [][]float64, p *boxqp.Problem, b []float64) []float64 {
	g := append([]float64(nil), p.P...)
	for i := range g {
		for j, v := range h[i] {
			g[i] += v * b[j]
		}
	}
	return g
}

// Stopped early, Box reports the gap of the iterate that it returns: both halves of the sum
// are far from zero there, and the optimum lies between the objective and the bound below it.
func TestBoxGapBeforeTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var halves [2]int
	for trial := range 40 {
		n, r := 20+trial, 5+trial
		z, h, p := boxCase(rng, n, r)
		p.H = boxqp.NewFactor(z, n, r, r)
		x, _ := ref.SSVCSMO(h, p.P, p.Lo, p.Hi, 1e-10, 1_000_000)
		best := 0.0
		for i, g := range boxGradient(h, p, x) {
			best += x[i] * (g + p.P[i]) / 2
		}
		got := boxqp.Solve(t.Context(), p, boxqp.Options{MaxIter: 1})
		want, above, below := lagrangianGap(got.B, boxGradient(h, p, got.B), p.Lo, p.Hi)
		if above > 0.1 {
			halves[0]++
		}
		if below > 0.1 {
			halves[1]++
		}
		if !testutil.Within(got.Gap, want, 1e-9*(1+want)) {
			t.Fatalf("trial %d, %v: gap %v, recomputed %v", trial, got.Status, got.Gap, want)
		}
		slack := 1e-9 * (1 + math.Abs(best))
		if !(got.Objective >= best-slack && got.Objective-got.Gap <= best+slack) {
			t.Fatalf("trial %d: optimum %v outside [%v, %v]", trial, best, got.Objective-got.Gap, got.Objective)
		}
	}
	if halves[0] < 10 || halves[1] < 10 {
		t.Errorf("gaps worth a test from above and below: %v times of 40", halves)
	}
}

// Stopped early, Pair reports the gap of its iterate and multiplier, and the optimum lies
// between the objective and the bound below it.
func TestPairGapBeforeTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	wide := 0
	for trial := range 60 {
		p := randomPair(rng, 10+trial, 1+trial, 2)
		best := Solve(t.Context(), p, Options{Tolerance: 1e-10}).Objective
		got := Solve(t.Context(), p, Options{Tolerance: 1e-10, MaxIter: 1 + trial/4})
		shifted := make([]float64, len(got.G))
		for i, g := range got.G {
			shifted[i] = g - got.Rho
		}
		checkPair(t, p, got)
		want, above, below := lagrangianGap(got.A, shifted, p.Lo, p.Hi)
		if above > 0.1 && below > 0.1 {
			wide++
		}
		if !testutil.Within(got.Gap, want, 1e-9*(1+want)) {
			t.Fatalf("trial %d, %v: gap %v, recomputed %v", trial, got.Status, got.Gap, want)
		}
		slack := 1e-9 * (1 + math.Abs(best))
		if !(got.Objective >= best-slack && got.Objective-got.Gap <= best+slack) {
			t.Fatalf("trial %d: optimum %v outside [%v, %v]", trial, best, got.Objective-got.Gap, got.Objective)
		}
	}
	if wide < 30 {
		t.Errorf("%d gaps of 60 are worth a test", wide)
	}
}

// The multiplier where no variable is free: the middle of what the bounds leave, or the
// end of the interval that has one, or 0.
func TestPairRhoWithoutFreeVariables(t *testing.T) {
	for _, c := range []struct {
		name             string
		p, lo, hi, start []float64
		want             float64
	}{
		{name: "both sides", p: []float64{-3, -1, 5, 9}, lo: []float64{0, 0, 0, 0}, hi: []float64{1, 1, 1, 1},
			start: []float64{1, 1, 0, 0}, want: (-1 + 5) / 2.0},
		{name: "uneven", p: []float64{-3, 4, 5, 9}, lo: []float64{0, 0, 0, 0}, hi: []float64{1, 1, 1, 1},
			start: []float64{1, 1, 0, 0}, want: (4 + 5) / 2.0},
		{name: "none may rise", p: []float64{-3, 7}, lo: []float64{0, 0}, hi: []float64{1, 1}, start: []float64{1, 1}, want: 7},
		{name: "none may fall", p: []float64{-3, 7}, lo: []float64{0, 0}, hi: []float64{1, 1}, start: []float64{0, 0}, want: -3},
		{name: "all fixed", p: []float64{-3, 7}, lo: []float64{1, 1}, hi: []float64{1, 1}, start: []float64{1, 1}, want: 0},
	} {
		n := len(c.p)
		p := &Pair{K: newDense(n, make([]float64, n*n)), P: c.p, Lo: c.lo, Hi: c.hi, Start: c.start}
		r := Solve(t.Context(), p, Options{})
		if r.Status != status.Optimal || r.Iterations != 0 || r.Rho != c.want || r.Gap != 0 {
			t.Errorf("%s: %v after %d steps, multiplier %v, gap %v; want optimal at the start, %v, 0",
				c.name, r.Status, r.Iterations, r.Rho, r.Gap, c.want)
		}
	}
}

// The worst pair would have to move by ½ where neighbouring numbers are 1 apart: the
// solver says so instead of trying again.
func TestPairThatCannotMove(t *testing.T) {
	const x = 0x1p52 + 2
	// K = uuᵀ + wwᵀ with u = (1,0,1,0), w = (0,1,0,1) vanishes on (x, x, −x, −x).
	k := []float64{
		1, 0, 1, 0,
		0, 1, 0, 1,
		1, 0, 1, 0,
		0, 1, 0, 1,
	}
	p := &Pair{K: newDense(4, k), P: []float64{-1, 0, 0, 0},
		Lo: []float64{0, 0, -x, -x}, Hi: []float64{2 * x, 2 * x, -x, -x}, Start: []float64{x, x, -x, -x}}
	r := Solve(t.Context(), p, Options{MaxIter: 100})
	if r.Status != status.Numerical || r.Iterations != 1 || r.KKT != 1 {
		t.Errorf("%v after %d steps, violation %v; want numerical trouble after 1, violation 1",
			r.Status, r.Iterations, r.KKT)
	}
	if r.A[0] != x || r.A[1] != x {
		t.Errorf("moved to %v", r.A)
	}
}
