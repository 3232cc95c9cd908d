package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestValues: the basic values solve Ax = s, and keep doing so when variables flip.
func TestValues(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		residual(t, s, "computed")
		var few, many []int32
		for v, p := range s.values.position {
			if p != Basic {
				bound := map[Position]float64{AtLower: s.program.lower[v], AtUpper: s.program.upper[v]}[p]
				testutil.Near(t, "nonbasic value", s.values.x[v], bound, 0)
				if len(few) < 5 {
					few = append(few, int32(v))
				}
				many = append(many, int32(v))
			}
		}
		if len(many) <= fewFlips {
			t.Fatal("too few variables to flip many")
		}
		for _, flips := range [][]int32{few, many} {
			before := append([]Position(nil), s.values.position...)
			s.values.flip(flips)
			residual(t, s, "flipped")
			for _, v := range flips {
				if before[v] == s.values.position[v] {
					t.Errorf("variable %d rests where it was", v)
				}
			}
		}
		for _, v := range s.basis.vars {
			s.values.x[v] += 1e-3
		}
		s.values.refine()
		residual(t, s, "refined")
	}
}

// TestBeyond walks a variable over its bounds.
func TestBeyond(t *testing.T) {
	p := &program{lower: []float64{-1}, upper: []float64{2}, primalTolerance: 1e-6}
	s := &values{program: p, position: []Position{Basic}, x: []float64{0}}
	for _, c := range []struct{ x, want float64 }{
		{0, 0}, {-1, 0}, {2, 0}, {2 + 9e-7, 0}, {-1 - 9e-7, 0}, {3, 1}, {-4, -3},
	} {
		s.x[0] = c.x
		testutil.Near(t, "beyond", s.beyond(0), c.want, 0)
		if s.feasible() != (c.want == 0) {
			t.Errorf("x = %v: feasible says %v", c.x, s.feasible())
		}
	}
}

// TestReducedCosts holds d against c − Aᵀy of the literal basis, afresh and after pivots.
func TestReducedCosts(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		rng := rand.New(rand.NewPCG(seed, 23))
		check := func(what string) {
			t.Helper()
			l, y := newLiteral(t, s), make([]float64, s.matrix.m)
			for v := range l.numbers {
				for i, x := range l.row(v) {
					y[i] += s.program.cost[v] * x
				}
			}
			for v := range s.costs.d {
				want := s.program.cost[v]
				for i, x := range denseColumn(s.matrix, int32(v)) {
					want -= y[i] * x
				}
				testutil.Near(t, what, s.costs.d[v], want, 1e-8)
			}
		}
		check("computed")
		for range 8 {
			e, ok := randomExchange(s, rng)
			if !ok {
				continue
			}
			s.costs.update(s.row, e.entering, e.leaving, s.costs.d[e.entering]/e.pivot)
			s.pivot(e, 0, AtLower)
			check("updated")
		}
		for v, p := range s.values.position {
			if p != Basic {
				s.costs.shift(v)
				check("shifted")
				break
			}
		}
	}
}

// TestDualViolation: the sign that a reduced cost must have depends on where the variable rests.
func TestDualViolation(t *testing.T) {
	for _, c := range []struct {
		p         Position
		d, up     float64
		want      float64
		flipHelps bool
	}{
		{AtLower, 1, 1, 0, true}, {AtLower, -2, 1, 2, true}, {AtLower, -0.5, inf, 0.5, false}, {AtLower, -1e-7, 1, 0, true},
		{AtUpper, -1, 1, 0, true}, {AtUpper, 2, 1, 2, true}, {AtZero, 3, inf, 3, false}, {AtZero, -3, inf, 3, false},
		{AtLower, -2, 0, 0, true}, {Basic, 5, 1, 0, true},
	} {
		p := &program{lower: []float64{0}, upper: []float64{c.up}, dualTolerance: 1e-6}
		r := &reducedCosts{program: p, values: &values{position: []Position{c.p}}, d: []float64{c.d}}
		testutil.Near(t, "violation", r.violation(0), c.want, 0)
		if r.feasible() != (c.want == 0) || r.feasibleByFlips() != c.flipHelps {
			t.Errorf("%+v: feasible %v, by flips %v", c, r.feasible(), r.feasibleByFlips())
		}
	}
}

// TestUpdateRow holds the pivot row against ρᵀ[A −I] with ρ from the literal inverse.
func TestUpdateRow(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		l := newLiteral(t, s)
		for v := range l.numbers {
			s.row.compute(v)
			known := map[int]bool{}
			for _, r := range s.row.inverse.Index {
				known[s.matrix.n+int(r)] = true
			}
			for j := range s.row.entry {
				var want float64
				for i, x := range denseColumn(s.matrix, int32(j)) {
					want += l.row(v)[i] * x
				}
				if j < s.matrix.n || known[j] {
					testutil.Near(t, "entry", s.row.entry[j], want, 1e-8)
				} else {
					testutil.Near(t, "an entry left out", want, 0, 1e-8)
				}
			}
		}
	}
}

// TestExclusions: what is added counts once, until all is cleared.
func TestExclusions(t *testing.T) {
	e := &exclusions{out: make([]bool, 3)}
	e.add(2)
	e.add(2)
	if !e.has(2) || e.has(1) || e.count != 1 {
		t.Errorf("%+v after adding 2 twice", e)
	}
	e.clear()
	if e.has(2) || e.count != 0 {
		t.Errorf("%+v after clear", e)
	}
}

// TestPerturbation: a stall moves reduced costs away from 0 and bounds apart, by
// the documented amounts, and not where perturbations are off.
func TestPerturbation(t *testing.T) {
	s := mixed(t, 3, 15)
	s.begin(context.Background())
	d := append([]float64(nil), s.costs.d...)
	stall := func() {
		for range stallLimit + 1 {
			s.perturbation.watch(1e-13)
		}
	}
	stall()
	s.perturbation.watch(1) // a step that gets somewhere takes one back
	s.perturbation.moveCosts()
	if s.program.costsMoved {
		t.Fatal("costs moved without a stall")
	}
	s.perturbation.watch(0)
	s.perturbation.moveCosts()
	s.perturbation.idle = stallLimit + 1
	s.perturbation.moveBounds()
	for v, p := range s.values.position {
		grown := (s.costs.d[v] - d[v]) / (1 + math.Abs(s.program.trueCost[v]))
		below := (s.program.trueLower[v] - s.program.lower[v]) / (1 + math.Abs(s.program.trueLower[v]))
		above := (s.program.upper[v] - s.program.trueUpper[v]) / (1 + math.Abs(s.program.trueUpper[v]))
		between := func(x float64) bool { return x > 4.99e-7 && x < 1.001e-6 }
		good := map[Position]bool{
			Basic:   grown == 0 && between(below) && between(above),
			AtLower: between(grown) && below == 0 && above == 0,
			AtUpper: between(-grown) && below == 0 && above == 0,
		}
		if !good[p] {
			t.Errorf("variable %d at position %d: reduced cost moved by %g, bounds by %g and %g", v, p, grown, below, above)
		}
	}
	if s.perturbation.idle != 0 || !s.program.costsMoved || !s.program.boundsMoved {
		t.Errorf("after the moves: idle %d, costs %v, bounds %v",
			s.perturbation.idle, s.program.costsMoved, s.program.boundsMoved)
	}
	s.begin(context.Background())
	s.perturbation.off = true
	stall()
	s.perturbation.moveCosts()
	if s.program.costsMoved || s.program.boundsMoved {
		t.Error("moved while off, or not restored")
	}
}
