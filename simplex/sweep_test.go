package simplex

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

var sweepSize = flag.Int("sweep", 0, "tiny programs of each regime, and planted ones; 0 for a thousand")

// regime draws the size of a coefficient or a bound of TestSweep. They are of a few bits or of all,
// times powers of two: products of round numbers are then equal or apart, where
// 0.1·0.1 is not 0.01 and programs are infeasible by a bit.
type regime struct {
	name     string
	size     func(rng *rand.Rand) float64
	programs int     // of a plain run
	solved   float64 // share of the solves, at least, that end with a verified answer
}

var regimes = []regime{
	{"small integers", func(rng *rand.Rand) float64 { return float64(1 + rng.IntN(4)) }, 1000, 0.999},
	{"2^-14 to 2^14", func(rng *rand.Rand) float64 { return mantissa(rng) * math.Exp2(float64(rng.IntN(29)-14)) }, 1000, 0.998},
	{"1e-9 to 1e8", func(rng *rand.Rand) float64 { return mantissa(rng) * math.Exp2(float64(rng.IntN(57)-30)) }, 1000, 0.99},
}

// mantissa returns 1 or a number between 1 and 2.
func mantissa(rng *rand.Rand) float64 {
	if rng.IntN(2) == 0 {
		return 1
	}
	return 1 + rng.Float64()
}

// tiny draws a program of up to four rows and columns.
func (g regime) tiny(rng *rand.Rand) *rowsOf {
	draw := func() float64 {
		if rng.IntN(4) == 0 {
			return 0
		}
		return math.Copysign(g.size(rng), rng.Float64()-0.5)
	}
	interval := func() (lo, up float64) {
		lo, up = draw(), draw()
		lo, up = min(lo, up), max(lo, up)
		switch rng.IntN(6) {
		case 0:
			return lo, inf
		case 1:
			return -inf, up
		case 2:
			return 0, inf
		case 3:
			return lo, lo
		case 4:
			if rng.IntN(2) == 0 {
				return -inf, inf
			}
		}
		return lo, up
	}
	m, n := rng.IntN(5), 1+rng.IntN(4)
	p := &rowsOf{}
	for range n {
		lo, up := interval()
		p.c = append(p.c, draw())
		p.lo = append(p.lo, lo)
		p.up = append(p.up, up)
	}
	for range m {
		lo, up := interval()
		p.rowLo = append(p.rowLo, lo)
		p.rowUp = append(p.rowUp, up)
		row := make([]float64, n)
		for j := range row {
			row[j] = draw()
		}
		p.a = append(p.a, row)
	}
	return p
}

// exact is what a program's solution is, by fractions.
type exact struct {
	status status.Status
	value  float64
	size   float64 // Σ |c_j x_j|
	unit   float64 // Σ |c_j|, of which a share is the objective that rounding leaves where it is 0
}

func (p *rowsOf) exact() exact {
	outcome, value, x := ref.LPSolve(p.c, p.a, p.rowLo, p.rowUp, p.lo, p.up)
	e := exact{status: map[ref.LPOutcome]status.Status{ref.LPOptimal: status.Optimal, ref.LPInfeasible: status.Infeasible,
		ref.LPUnbounded: status.Unbounded}[outcome], value: value}
	for j, v := range x {
		e.size += math.Abs(p.c[j] * v)
		if value == 0 {
			e.unit += math.Abs(p.c[j])
		}
	}
	return e
}

// agrees reports whether r claims what e says.
func (e exact) agrees(r *Result) bool {
	if r.Status != e.status {
		return false
	}
	return e.status != status.Optimal || math.Abs(r.Objective-e.value) <= 1e-6*e.size+1e-13*e.unit
}

// TestSweep holds tiny programs, with coefficients of the sizes that users have
// and beyond, against exact fractions: no answer that Check accepts is wrong, and
// none that Check refuses is given.
func TestSweep(t *testing.T) {
	for g, regime := range regimes {
		t.Run(regime.name, func(t *testing.T) {
			programs := regime.programs
			if *sweepSize > 0 {
				programs = *sweepSize
			}
			verified := 0
			for k := range programs {
				p := regime.tiny(rand.New(rand.NewPCG(uint64(k), uint64(g))))
				e := p.exact()
				for _, opt := range []Options{{Seed: uint64(k)}, {Method: Primal, Seed: uint64(k / 3)}, {Method: Dual, NoScaling: k%2 == 0}} {
					ok, err := p.holds(e, k%3 == 0, opt)
					if err != nil {
						t.Errorf("program %d, %+v: %v", k, opt, err)
					}
					if ok {
						verified++
					}
				}
			}
			t.Logf("%d of %d answers are verified, the others are numerical trouble or a limit", verified, 3*programs)
			if least := int(regime.solved * float64(3*programs)); verified < least {
				t.Errorf("%d verified answers, want %d", verified, least)
			}
		})
	}
}

// holds solves p, whose exact solution is e, by factors of the whole basis where the seed is odd.
// It reports whether there is an answer, and what is wrong with it.
func (p *rowsOf) holds(e exact, dense bool, opt Options) (ok bool, wrong error) {
	lp := p.lp(dense)
	solver := New
	if opt.Seed%2 != 0 {
		solver = newFactoredSolver
	}
	s, err := solver(lp, opt)
	if err != nil {
		return false, err
	}
	r := s.Solve(context.Background())
	switch err := Check(lp, r); {
	case r.Status == status.Numerical || r.Status.Limit():
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%v, but %w", r.Status, err)
	case !e.agrees(r) && !p.widened().exact().agrees(r):
		return false, fmt.Errorf("%v %v, want %+v", r.Status, r.Objective, e)
	}
	return true, nil
}

// widened returns the program with bounds 1e-12 further apart, relative: one of two
// million is infeasible by less.
func (p *rowsOf) widened() *rowsOf {
	wide := *p
	wider := func(bounds []float64, way float64) (list []float64) {
		for _, b := range bounds {
			list = append(list, b+way*1e-12*math.Abs(b))
		}
		return list
	}
	wide.lo, wide.rowLo, wide.up, wide.rowUp = wider(p.lo, -1), wider(p.rowLo, -1), wider(p.up, 1), wider(p.rowUp, 1)
	return &wide
}

// TestEdges: programs that once were given up or answered wrongly.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *rowsOf
	}{
		{"a fixed column that its row's far bound hides", &rowsOf{c: []float64{-1}, a: [][]float64{{-2}},
			rowLo: []float64{3e-5}, rowUp: []float64{3.4e7}, lo: []float64{0}, up: []float64{0}}},
		{"a column that stays within reach of 1e-9", &rowsOf{c: []float64{0}, a: [][]float64{{1e-9}},
			rowLo: []float64{1e-9}, rowUp: []float64{inf}, lo: []float64{0}, up: []float64{0.5}}},
		{"a row that tiny coefficients close", &rowsOf{c: []float64{-1, 1}, a: [][]float64{{1e-9, -1}},
			rowLo: []float64{-inf}, rowUp: []float64{1e-9}, lo: []float64{0, 0}, up: []float64{inf, 1}}},
		{"flips that an entry below 1e-9 asks for and pivots undo", regimes[2].tiny(rand.New(rand.NewPCG(52905, 2)))},
		{"an optimum at 5e-14", regimes[2].tiny(rand.New(rand.NewPCG(24, 2)))},
		{"a bound of 1e-16 in its row's unit", regimes[2].tiny(rand.New(rand.NewPCG(1, 2)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []Method{Method(0), Primal, Dual} {
				if ok, err := c.p.holds(c.p.exact(), true, Options{Method: method}); err != nil || !ok {
					t.Errorf("method %v: answer %v, %v", method, ok, err)
				}
			}
		})
	}
}

// TestToleranceAsked: optimal is what meets the tolerance that was asked for, or that of the documents.
func TestToleranceAsked(t *testing.T) {
	met := map[float64]int{}
	for seed := range uint64(12) {
		p, _ := planted(rand.New(rand.NewPCG(seed, 3)), 15, 20, 0.5, false)
		for _, tolerance := range []float64{0, 1e-3, 1e-9, 1e-13, 1e-15, 1e-17} {
			s, err := New(p.lp(true), Options{Tolerance: tolerance})
			if err != nil {
				t.Fatal(err)
			}
			bound := tolerance
			if bound == 0 {
				bound = 1e-9
			}
			if r := s.Solve(context.Background()); r.Status == status.Optimal {
				testutil.AtMost(t, "residuals and gap", r.worst(), bound)
				met[tolerance]++
			}
		}
	}
	if met[0] != 12 || met[1e-3] != 12 || met[1e-9] != 12 || met[1e-17] > 6 {
		t.Errorf("optimal: %v; the last tolerance is beyond what numbers hold", met)
	}
}
