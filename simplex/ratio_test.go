package simplex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// randomDualRatio is a test on nonbasic variables with reduced costs of the right
// signs, some 0, some variables fixed, free or boxed; sizes of entries are 0 or in [½, 2].
func randomDualRatio(rng *rand.Rand, n, m int) *dualRatio {
	p := &program{matrix: &matrix{n: n, m: m}, primalTolerance: 1e-9, dualTolerance: 1e-9}
	v, c, row := &values{}, &reducedCosts{}, &updateRow{}
	for range n + m {
		lower, upper, rest, d := 0.0, rng.Float64(), Position(rng.IntN(3)), rng.ExpFloat64()
		switch rng.IntN(8) {
		case 0, 1:
			upper = inf
		case 2:
			upper, p.anyFixed = 0, true
		case 3:
			d = 0
		case 4:
			lower, upper, rest, d = -inf, inf, AtZero, 0
		}
		switch {
		case rest == Basic:
			d = 0
		case upper == inf && rest == AtUpper:
			rest = AtLower
		case rest == AtUpper:
			d = -d
		}
		entry := (0.5 + 1.5*rng.Float64()) * float64(rng.IntN(3)-1)
		if rest == AtZero && rng.IntN(4) > 0 {
			entry = 0 // a free candidate ends most tests at once
		}
		p.lower = append(p.lower, lower)
		p.upper = append(p.upper, upper)
		v.position = append(v.position, rest)
		c.d = append(c.d, d)
		row.entry = append(row.entry, entry)
	}
	for r := range m {
		if rng.IntN(2) == 0 {
			row.listed = append(row.listed, int32(n+r))
		}
	}
	return &dualRatio{program: p, values: v, costs: c, row: row, buffer: make([]candidate, p.variables())}
}

// literalCandidates lists the candidates for a step of the given sign from their definition:
// nonbasic, not fixed, with a reduced cost that the step drives towards 0.
func literalCandidates(t *dualRatio, sign float64) map[int32]candidate {
	out := map[int32]candidate{}
	n := t.program.matrix.n
	for v, rest := range t.values.position {
		if v >= n && !slices.Contains(t.row.listed, int32(v)) {
			continue
		}
		a := sign * t.row.entry[v]
		falls := rest == AtLower && a > 0 || rest == AtUpper && a < 0 || rest == AtZero && a != 0
		if falls && t.program.lower[v] < t.program.upper[v] {
			out[int32(v)] = candidate{int32(v), math.Abs(a), math.Abs(t.costs.d[v])}
		}
	}
	return out
}

// TestDualRatio holds each choice against what the bound-flipping test promises
// (Maros, 2003, section 10.2).
func TestDualRatio(t *testing.T) {
	var chosen, flipped, none int
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 31))
		size := 60
		if seed%4 == 0 {
			size = 2000 // most of which go by halves
		}
		r := randomDualRatio(rng, 1+rng.IntN(size), rng.IntN(10))
		beyond := (0.1 + float64(size)/6*rng.ExpFloat64()) * float64(2*rng.IntN(2)-1)
		left := literalCandidates(r, math.Copysign(1, beyond))
		q := r.choose(beyond)
		slope := math.Abs(beyond)
		if q < 0 {
			none++
			for _, c := range left {
				slope -= r.drop(c)
			}
			if !(slope > r.program.primalTolerance/2) {
				t.Errorf("seed %d: no choice, although the slope ends at %g", seed, slope)
			}
			continue
		}
		chosen++
		c, ok := left[q]
		if !ok {
			t.Fatalf("seed %d: variable %d is no candidate", seed, q)
		}
		step := c.d / c.alpha
		for _, v := range r.flips {
			f, ok := left[v]
			if !ok {
				t.Fatalf("seed %d: flips variable %d, which is no candidate or flipped before", seed, v)
			}
			testutil.AtMost(t, "ratio of a flipped variable over the step", f.d/f.alpha, step+1e-12)
			slope -= r.drop(f)
			delete(left, v)
			flipped++
		}
		if !(slope > r.program.primalTolerance/2) {
			t.Errorf("seed %d: the flips bring the leaving variable %g within its bounds", seed, -slope)
		}
		limit, most := inf, 0.0
		for _, o := range left {
			testutil.AtMost(t, "wrong sign after the step", step*o.alpha-o.d, r.program.dualTolerance*1.001)
			limit = min(limit, (o.d+r.program.dualTolerance)/o.alpha)
		}
		for _, o := range left {
			if o.d <= limit*o.alpha {
				slope -= r.drop(o)
				most = max(most, o.alpha)
			}
		}
		testutil.AtMost(t, "slope after the group of the entering variable", slope, r.program.primalTolerance*2)
		testutil.Near(t, "entry of the entering variable", c.alpha, most, 0)
	}
	if chosen < 100 || flipped < 100 || none < 20 {
		t.Errorf("%d choices, %d flips, %d without a choice: too few to tell", chosen, flipped, none)
	}
}

// TestDualRatioShuns a tiny last entry: the step ends at the group before it.
func TestDualRatioShuns(t *testing.T) {
	p := &program{matrix: &matrix{n: 3}, lower: make([]float64, 3), upper: []float64{1, 1, inf},
		primalTolerance: 1e-9, dualTolerance: 1e-9}
	row := &updateRow{entry: []float64{1, 2, 1e-4}}
	v := &values{position: []Position{AtLower, AtLower, AtLower}}
	r := &dualRatio{program: p, values: v, costs: &reducedCosts{d: []float64{1, 4, 1}}, row: row,
		buffer: make([]candidate, p.variables())}
	if q := r.choose(100); q != 1 || !slices.Equal(r.flips, []int32{0}) {
		t.Errorf("entering %d after flips %v, want 1 after [0]", q, r.flips)
	}
	row.entry[2] = 0.3 // large enough relative to 2
	if q := r.choose(100); q != 2 || len(r.flips) != 2 {
		t.Errorf("entering %d after flips %v, want 2 after two", q, r.flips)
	}
}

// TestPrimalRatio holds each choice against the promise of Harris's test.
func TestPrimalRatio(t *testing.T) {
	var finite, infinite int
	for seed := range uint64(40) {
		s := mixed(t, seed, 12)
		rng := rand.New(rand.NewPCG(seed, 32))
		for v, rest := range s.values.position { // a feasible point, some of it degenerate
			if rest == Basic {
				s.values.x[v] = s.program.lower[v] + (s.program.upper[v]-s.program.lower[v])*float64(rng.IntN(4))/3
				if rng.IntN(3) > 0 {
					s.program.upper[v] = inf
				}
				if rng.IntN(3) > 0 {
					s.program.lower[v] = -inf
				}
			}
		}
		for v, where := range s.values.position {
			if where == Basic {
				continue
			}
			e, sign := s.enter(int32(v)), float64(2*rng.IntN(2)-1)
			leaving, step := s.primalRatio.choose(e.direction, sign)
			if !(step >= 0) || (leaving < 0) != math.IsInf(step, 1) {
				t.Fatalf("seed %d: variable %d leaves after %g", seed, leaving, step)
			}
			size := inf
			if leaving < 0 {
				infinite++
				step = 1e6 // as far as one likes
			} else {
				finite++
				size = math.Abs(s.basis.element(e.direction, leaving))
			}
			s.basis.each(e.direction, pivotZero, func(b int32, a float64) {
				room := s.values.x[b] - s.program.lower[b]
				if sign*a < 0 {
					room = s.program.upper[b] - s.values.x[b]
				}
				testutil.AtMost(t, "violation after the step", step*math.Abs(a)-room, s.program.primalTolerance*1.001)
				if b == leaving {
					testutil.Near(t, "room left to the one that leaves", step*math.Abs(a), max(room, 0), 1e-12)
				} else if room <= step*math.Abs(a) && !(math.Abs(a) <= size) {
					t.Errorf("seed %d: entry %g leaves, %g would meet its bound as well", seed, size, a)
				}
			})
			s.matrix.release(e.column)
		}
	}
	if finite < 100 || infinite < 5 {
		t.Errorf("%d finite and %d infinite steps: too few to tell", finite, infinite)
	}
}
