package simplex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// turnedBy is p with its cost c + t·direction.
func (p *rowsOf) turnedBy(t float64, direction []float64) *rowsOf {
	q := *p
	q.c = make([]float64, len(p.c))
	for j, c := range p.c {
		q.c[j] = c + t*direction[j]
	}
	return &q
}

// report is what a testing.T and a rapid.T share.
type report interface {
	Helper()
	Fatalf(format string, args ...any)
}

// bend is a segment as the test keeps it.
type bend struct {
	from, to     float64
	value, slope float64
	x, y, by     []float64
}

// segments returns the segments of a path, which must touch but for jumps.
func segments(t report, s *Solver, m int, direction []float64, until float64) ([]bend, PathEnd) {
	t.Helper()
	var all []bend
	value := 0.0
	r, err := s.Parametric(context.Background(), Rates{C: direction}, until, func(g Segment) bool {
		if !(g.From >= value && g.From <= value+1e-8*until && g.To > g.From) {
			t.Fatalf("a segment from %g to %g after %g", g.From, g.To, value)
		}
		b := bend{g.From, g.To, g.Value, g.Slope, make([]float64, len(direction)), make([]float64, m), make([]float64, m)}
		g.X(b.x, nil)
		g.Duals(b.y, b.by)
		all, value = append(all, b), g.To
		return true
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return all, r
}

// holdsAlong checks that b's x and duals prove each other's optimality at its ends and in its middle.
func (p *rowsOf) holdsAlong(t report, b bend, direction []float64) {
	t.Helper()
	for _, val := range []float64{b.from, (b.from + b.to) / 2, b.to} {
		q := p.turnedBy(val, direction).lp(true)
		r := &Result{X: b.x, Y: make([]float64, len(b.y)), ReducedCosts: make([]float64, len(b.x))}
		for i := range r.Y {
			if r.Y[i] = b.y[i] + (val-b.from)*b.by[i]; math.Abs(r.Y[i]) < 1e-9 {
				r.Y[i] = 0 // rounding, on a row that may have one bound
			}
			r.Activity = append(r.Activity, dense.Dot(p.a[i], b.x))
		}
		new(scratch).reducedCostsOf(&q, r)
		value := b.value + (val-b.from)*b.slope
		if want := dense.Dot(q.C, b.x); !testutil.Within(value, want, 1e-8*(1+sizeOfDot(q.C, b.x))) {
			t.Fatalf("t = %g of [%g, %g]: the optimum is %g, told as %g", val, b.from, b.to, want, value)
		}
		if c := new(scratch).certify(&q, r, 1); !(c.worst() <= 1e-7) { // at breakpoints costs and reduced costs are rounding
			t.Fatalf("t = %g of [%g, %g]: residuals %g and %g, gap %g",
				val, b.from, b.to, c.PrimalResidual, c.DualResidual, c.Gap)
		}
	}
}

// TestParametricPlanted walks from planted optima, dense and sparse, scaled or not.
func TestParametricPlanted(t *testing.T) {
	bends := 0
	for k := range 200 {
		rng := rand.New(rand.NewPCG(uint64(k), 3))
		m, n := 1+rng.IntN(40), 1+rng.IntN(40)
		p, _ := planted(rng, m, n, 0.1+0.9*rng.Float64(), k%2 == 0)
		direction := make([]float64, n)
		for j := range direction {
			direction[j] = rng.NormFloat64()
		}
		s, err := New(p.lp(k%3 == 0), Options{Method: Method(k % 5 % 3), NoScaling: k%7 == 0})
		if err != nil {
			t.Fatal(err)
		}
		until := 0.1 + 5*rng.Float64()
		all, r := segments(t, s, m, direction, until)
		for _, b := range all {
			p.holdsAlong(t, b, direction)
		}
		bends += len(all)
		if r.Status == status.Optimal && r.T != until || r.Status != status.Optimal && r.Status != status.Unbounded {
			t.Errorf("seed %d: %v at %g of %g", k, r.Status, r.T, until)
		}
		end := p.turnedBy(r.T, direction).lp(true)
		got := s.Solve(context.Background())
		if r.Status == status.Optimal && (Check(end, got) != nil || got.Status != r.Status) {
			t.Errorf("seed %d: the end is %v, %v", k, got.Status, Check(end, got))
		}
		if r.Status != status.Unbounded {
			continue
		}
		// At T itself the ray costs nothing but rounding: the program may be either.
		for value, want := range map[float64]status.Status{max(0, r.T-1e-9): status.Optimal, r.T + 1e-9: status.Unbounded} {
			ahead, err := New(p.turnedBy(value, direction).lp(true), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := ahead.Solve(context.Background()); got.Status != want {
				t.Errorf("seed %d: unbounded from %g, %v at %g", k, r.T, got.Status, value)
			}
		}
	}
	if bends < 1000 {
		t.Errorf("%d segments: the programs have no paths to speak of", bends)
	}
}

// TestParametricDegenerate walks through small programs of whole numbers, whose
// breakpoints coincide, and holds where they end against exact fractions.
func TestParametricDegenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawn(t), drawn(t)
		direction := resized(q.c, len(p.c), 0)
		s, err := New(p.lp(true), Options{})
		if err != nil {
			t.Fatal(err)
		}
		const until = 4
		all, r := segments(t, s, len(p.a), direction, until)
		for _, b := range all {
			p.holdsAlong(t, b, direction)
		}
		if r.Status == status.Optimal && r.T == until {
			return
		}
		if st, _ := p.reference(); st != status.Optimal {
			if r.Status != st || r.T != 0 {
				t.Fatalf("%v at %g, the program is %v", r.Status, r.T, st)
			}
			return
		}
		// Optimal up to T and not beyond, by fractions that are whole in binary.
		beyond := math.Floor(64*(r.T+1e-9)+1) / 64
		if st, _ := p.turnedBy(beyond, direction).reference(); st != r.Status || st == status.Optimal {
			t.Fatalf("%v at %g, at %g the program is %v", r.Status, r.T, beyond, st)
		}
	})
}

// TestParametricStops is about visits that have seen enough, contexts, and what is no path.
func TestParametricStops(t *testing.T) {
	p := plantedAt(3, 20, 30, 0.5)
	direction := make([]float64, 30)
	for j := range direction {
		direction[j] = float64(j%5) - 2
	}
	s, err := New(p.lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var to float64
	r, err := s.Parametric(context.Background(), Rates{C: direction}, 1, func(g Segment) bool { to = g.To; return false })
	if err != nil || r.Status != status.Optimal || r.T != to || !(to > 0 && to < 1) {
		t.Errorf("stopped at %g by %v, %v; visited to %g", r.T, r.Status, err, to)
	}
	got := s.Solve(context.Background())
	if err = Check(p.turnedBy(to, direction).lp(true), got); err != nil || got.Iterations > 1 {
		t.Errorf("after %d pivots: %v", got.Iterations, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err = s.Parametric(ctx, Rates{C: direction}, 1, func(Segment) bool { return true })
	if err != nil || r.Status != status.Cancelled {
		t.Errorf("%v, %v after the end of the context", r, err)
	}
	for _, until := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err := s.Parametric(context.Background(), Rates{C: direction}, until, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("a path until %g: %v", until, err)
		}
	}
	if _, err := s.Parametric(context.Background(), Rates{C: direction[1:]}, 1, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("a direction that is too short: %v", err)
	}
}

// TestParametricBasis starts from the basis of every segment, which is optimal in its middle.
func TestParametricBasis(t *testing.T) {
	p := plantedAt(3, 20, 30, 0.5)
	direction := make([]float64, 30)
	for j := range direction {
		direction[j] = float64(j%5) - 2
	}
	s, err := New(p.lp(true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b Basis
	count := 0
	if _, err = s.Parametric(context.Background(), Rates{C: direction}, 1, func(g Segment) bool {
		b = s.Basis(b)
		other, failed := New(p.turnedBy((g.From+g.To)/2, direction).lp(true), Options{})
		if failed == nil {
			failed = other.SetBasis(b)
		}
		if failed != nil {
			t.Fatal(failed)
		}
		if r := other.Solve(context.Background()); r.Status != status.Optimal || r.Iterations > 0 {
			t.Errorf("[%g, %g]: %v after %d pivots", g.From, g.To, r.Status, r.Iterations)
		}
		count++
		return true
	}); err != nil || count < 3 {
		t.Errorf("%d segments, %v", count, err)
	}
}
