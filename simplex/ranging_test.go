package simplex

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// optimalAt reports, by dense algebra alone, whether a basis is optimal for p.
func (p *rowsOf) optimalAt(b Basis) bool {
	m, n := len(p.a), len(p.c)
	position := slices.Concat(b.Cols, b.Rows)
	lo, up := slices.Concat(p.lo, p.rowLo), slices.Concat(p.up, p.rowUp)
	cost := resized(p.c, n+m, 0)
	all := mat.NewDense(max(m, 1), n+m, nil) // A, −I
	for i, row := range p.a {
		all.SetRow(i, resized(row, n+m, 0))
		all.Set(i, n+i, -1)
	}
	rhs, costs := mat.NewVecDense(max(m, 1), nil), mat.NewVecDense(max(m, 1), nil)
	basic := mat.NewDense(max(m, 1), max(m, 1), nil)
	x := make([]float64, n+m)
	var members []int
	for v := range x {
		switch position[v] {
		case Basic:
			basic.SetCol(len(members), mat.Col(nil, v, all))
			costs.SetVec(len(members), cost[v])
			members = append(members, v)
			continue
		case AtLower:
			x[v] = lo[v]
		case AtUpper:
			x[v] = up[v]
		}
		rhs.AddScaledVec(rhs, -x[v], all.ColView(v))
	}
	var xb, y mat.VecDense
	if m > 0 && (xb.SolveVec(basic, rhs) != nil || y.SolveVec(basic.T(), costs) != nil) {
		return false
	}
	for k, v := range members {
		x[v] = xb.AtVec(k)
	}
	for v := range x {
		d := cost[v]
		if m > 0 {
			d -= mat.Dot(&y, all.ColView(v))
		}
		right := position[v] == Basic || lo[v] == up[v] || position[v] == AtLower && d >= -1e-9 ||
			position[v] == AtUpper && d <= 1e-9 ||
			position[v] == AtZero && math.Abs(d) <= 1e-9
		if !right || !(x[v] >= lo[v]-1e-9 && x[v] <= up[v]+1e-9) {
			return false
		}
	}
	return true
}

// holds holds a range of one number of p against p solved again with others in its place: within the range the basis
// is optimal and the objective moves by slope, beyond its ends the basis is not. set changes p.
func (r Range) holds(t *rapid.T, what string, p *rowsOf, b Basis, opt, now, slope float64,
	set func(v float64) (valid bool)) {
	const beyond = 1.0 / 64
	if !(r.Lo <= now+1e-9 && r.Up >= now-1e-9) {
		t.Fatalf("%s: %v without its present value %v", what, r, now)
	}
	try := func(v float64, inside bool) {
		if math.IsInf(v, 0) || !set(v) {
			return
		}
		if p.optimalAt(b) != inside {
			t.Fatalf("%s: range %v, at %v the basis is optimal: %v", what, r, v, !inside)
		}
		if !inside {
			return
		}
		s, err := New(p.lp(true), Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, again := opt+slope*(v-now), s.Solve(context.Background())
		if again.Status != status.Optimal || !testutil.Within(again.Objective, want, 1e-8) {
			t.Fatalf("%s: range %v, at %v: %v of %v, want %v", what, r, v, again.Status, again.Objective, want)
		}
	}
	const rounding = 1e-7 // the ends are quotients
	lo, up := min(r.Lo+rounding, now), max(r.Up-rounding, now)
	try(lo, true)
	try(up, true)
	try(max(now-50, (now+lo)/2), true)
	try(min(now+50, (now+up)/2), true)
	try(r.Lo-beyond, false)
	try(r.Up+beyond, false)
	set(now)
}

// TestRanging holds every range of small programs against the programs at its ends, within and beyond.
func TestRanging(t *testing.T) {
	optima := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		solve := New
		if rapid.Bool().Draw(t, "factored") {
			solve = newFactoredSolver
		}
		s, err := solve(p.lp(false), Options{})
		if err != nil {
			t.Fatal(err)
		}
		res := s.Solve(context.Background())
		r, err := s.Ranging(context.Background())
		if res.Status != status.Optimal {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("%v: %v", res.Status, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		optima++
		b := s.Basis(Basis{})
		for j, c := range p.c {
			r.Cost[j].holds(t, "cost", p, b, res.Objective, c, res.X[j], func(v float64) bool { p.c[j] = v; return true })
		}
		for i, y := range res.Y {
			lo, up := p.rowLo[i], p.rowUp[i]
			equal := lo == up
			move := func(values []float64) func(v float64) bool {
				return func(v float64) bool {
					values[i] = v
					if equal {
						p.rowLo[i], p.rowUp[i] = v, v
					}
					return p.rowLo[i] <= p.rowUp[i]
				}
			}
			slope := func(position Position) float64 {
				if b.Rows[i] == position || equal {
					return y
				}
				return 0
			}
			if !math.IsInf(lo, -1) {
				r.RowLo[i].holds(t, "lower bound", p, b, res.Objective, lo, slope(AtLower), move(p.rowLo))
			}
			if !math.IsInf(up, 1) {
				r.RowUp[i].holds(t, "upper bound", p, b, res.Objective, up, slope(AtUpper), move(p.rowUp))
			}
		}
	})
	if !testing.Short() && optima < 5 { // about 30 of 100 drawn programs have an optimum
		t.Errorf("%d optima: too few to tell", optima)
	}
}

// TestRangingScaled: ranges are in the program's own units, however it is scaled inside.
func TestRangingScaled(t *testing.T) {
	lp := LP{C: []float64{3e6, 2e-3}, RowLo: []float64{8e-4, 6e5}, // x in 1e-6, y in 1e3 of the diet of the example
		A: NewDense(2, 2, []float64{2e2, 1e-7, 1e11, 2e2})}
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Solve(context.Background()); !s.program.scaled {
		t.Fatal("not scaled")
	}
	r, err := s.Ranging(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	testutil.NearAll(t, "costs", []float64{r.Cost[0].Lo, r.Cost[0].Up, r.Cost[1].Lo, r.Cost[1].Up},
		[]float64{1e6, 4e6, 1.5e-3, 6e-3}, 1e-6)
	testutil.NearAll(t, "rows", []float64{r.RowLo[0].Lo * 1e4, r.RowLo[0].Up * 1e4, r.RowLo[1].Lo / 1e5, r.RowLo[1].Up / 1e5},
		[]float64{3, 12, 4, 16}, 1e-9)
}

// TestRangingAsks: an optimal basis is what ranging needs, and a change ends that.
func TestRangingAsks(t *testing.T) {
	s, err := New(plantedAt(3, 5, 8, 0.6).lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	refused := func(what string) {
		t.Helper()
		if _, err := s.Ranging(ctx); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("before a solve")
	for what, change := range map[string]func() error{
		"costs": func() error { return s.SetCost(make([]float64, 8)) }, "basis": func() error { return s.SetBasis(s.Basis(Basis{})) },
	} {
		s.Solve(ctx)
		if err := s.SetCost(nil); err == nil {
			t.Fatal("no costs are taken")
		}
		if _, err := s.Ranging(ctx); err != nil {
			t.Errorf("after a change that was refused: %v", err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		refused(what)
	}
	s.Solve(ctx)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Ranging(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
