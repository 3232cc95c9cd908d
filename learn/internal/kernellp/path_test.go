package kernellp

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// TestPath holds stretches of a path against programs solved whole, and its model against the rows
// of these: the optima, convex in the margin, the slopes, and the coefficients.
func TestPath(t *testing.T) {
	const n = 120
	shape := Shape{OneSided: true, SumToOne: true}
	for _, hinge := range []float64{1, 1e-6} { // the second has a unit
		k, y := small(n, 7)
		s := New(k, y, fill(n, hinge), shape, Options{Batch: 3})
		at, value, slope, count := 2.0, 0.0, math.Inf(1), 0
		end, err := s.Path(context.Background(), Costs{Margin: 2, Coef: fill(n, 0)}, 0.01, func(g *Stretch) bool {
			if !testutil.Within(g.From, at, 1e-9) || !(g.To < g.From) {
				t.Errorf("from %g to %g after %g", g.From, g.To, at)
			}
			if count > 0 && !testutil.Within(g.Value, value, 1e-8*hinge*n) || !(g.Slope <= slope+1e-9*hinge*n) {
				t.Errorf("margin %g: %g at slope %g after %g at slope %g", g.From, g.Value, g.Slope, value, slope)
			}
			at, value, slope = g.To, g.Value+(g.To-g.From)*g.Slope, g.Slope
			if count++; count%5 == 1 || g.Looked {
				checkStretch(t, k, y, fill(n, hinge), shape, g)
			}
			return true
		})
		if err != nil || end.Status != status.Optimal || !testutil.Within(at, 0.01, 1e-9) || count < 50 || end.Solves < 3 {
			t.Errorf("the path has %d stretches down to %g: %+v, %v", count, at, end, err)
		}
	}
}

// checkStretch solves the program in the middle of g from cold and holds g's model against it.
func checkStretch(t *testing.T, k Kernel, y, hinge []float64, shape Shape, g *Stretch) {
	t.Helper()
	margin := (g.From + g.To) / 2
	n := len(y)
	want := optimum(t, k, y, hinge, shape, Costs{Margin: margin, Coef: fill(n, 0)})
	value := g.Value + (margin-g.From)*g.Slope
	within := 1e-4 // rows are violated from one look to the next
	if g.Looked {
		within = 1e-8
	}
	testutil.NearRel(t, "optimum", value/hinge[0], want/hinge[0], within)
	testutil.AtMost(t, "the optimum minus the value", (want-value)/hinge[0], 1e-8*float64(n))
	output, sum := make([]float64, n), 0.0
	for j, i := range g.Support {
		a := g.Coef[j] + (margin-g.From)*g.Rates[j]
		if !(a >= -1e-9) {
			t.Errorf("margin %g: coefficient %d is %g", margin, i, a)
		}
		sum += a
		for r, v := range k.Rows([]int{i})[0] {
			output[r] += y[i] * a * v
		}
	}
	testutil.Near(t, "sum of the coefficients", sum, 1, 1e-9)
	// With the best bias, one of those that bring a sample to its margin, the loss is the optimum.
	smallest := math.Inf(1)
	for b := range n {
		bias, loss := y[b]*margin-output[b], 0.0
		for i := range n {
			loss += hinge[i] * math.Max(0, margin-y[i]*(output[i]+bias))
		}
		smallest = math.Min(smallest, loss)
	}
	testutil.Near(t, "loss of the model", smallest/hinge[0], value/hinge[0], 1e-8*float64(n))
}

// walked is a solver after its path of 150 samples, and the last mark above a margin of 0.2, with the value there.
func walked(t *testing.T) (s *Solver, p Costs, mark Mark, margin, value float64) {
	t.Helper()
	const n = 150
	k, y := small(n, 9)
	s = New(k, y, fill(n, 1), Shape{OneSided: true, SumToOne: true}, Options{})
	p = Costs{Margin: 2, Coef: fill(n, 0)}
	if _, err := s.Path(context.Background(), p, 0.01, func(g *Stretch) bool {
		if g.From > 0.2 {
			mark, margin, value = g.Mark(), g.From, g.Value
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return s, p, mark, margin, value
}

// TestPathReturns goes back to a mark, which is an optimum there after no more than a few pivots, and stops.
func TestPathReturns(t *testing.T) {
	s, p, mark, margin, value := walked(t)
	if err := s.returnTo(mark); err != nil {
		t.Fatal(err)
	}
	p.Margin = margin
	sol := solved(t, s, p)
	testutil.NearRel(t, "optimum at the mark", sol.Objective, value, 1e-9)
	if sol.Iterations > 2*between {
		t.Errorf("%d pivots from the mark", sol.Iterations)
	}
	seen := 0
	p.Margin = 2
	end, err := s.Path(context.Background(), p, 0.01, func(*Stretch) bool { seen++; return false })
	if err != nil || end.Status != status.Optimal || seen != 1 {
		t.Errorf("%d stretches after a stop, %+v, %v", seen, end, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	end, err = s.Path(ctx, p, 0.01, func(g *Stretch) bool {
		if margin, value = g.To, g.Value+(g.To-g.From)*g.Slope; margin < 0.2 {
			cancel()
		}
		return true
	})
	if err != nil || end.Status != status.Cancelled {
		t.Errorf("after a cancellation: %+v, %v", end, err)
	}
	p.Margin = margin
	if sol, err = s.Solve(ctx, p); err != nil || sol.Status != status.Cancelled {
		t.Fatalf("%v, %v without time", sol.Status, err)
	}
	testutil.NearRel(t, "the model of the last margin", sol.Objective, value, 1e-9)
	cancel()
}

// TestFork goes on from a mark next to the solver that walked, on the rows that bind there alone, and is no part of it.
func TestFork(t *testing.T) {
	s, p, mark, margin, value := walked(t)
	rows := len(s.working)
	p.Margin = margin
	first, again := solved(t, s.Fork(mark), p), solved(t, s.Fork(mark), p)
	testutil.NearRel(t, "optimum at the mark", first.Objective, value, 1e-9)
	if first.Iterations > 2*between || first.Rows >= rows {
		t.Errorf("%d pivots from the mark, %d of %d rows", first.Iterations, first.Rows, rows)
	}
	if !slices.Equal(first.A, again.A) || first.Bias != again.Bias || !slices.Equal(first.M, again.M) {
		t.Errorf("two forks of one mark differ")
	}
	p.Margin = 0.5 // what the solver does next is no matter of forks
	want := solved(t, s, p)
	f := s.Fork(mark)
	solved(t, f, p)
	if got := solved(t, s, p); got.Objective != want.Objective || len(s.working) != want.Rows {
		t.Errorf("a fork moved its origin: %v, %v before", got.Objective, want.Objective)
	}
	testutil.NearRel(t, "optimum elsewhere", solved(t, f, p).Objective, want.Objective, 1e-9)
}

// TestRewind solves the same programs with a fork that is rewound as with a new one, bit for bit: where nothing has
// left the start, and after pivots and rows.
func TestRewind(t *testing.T) {
	s, p, mark, margin, _ := walked(t)
	f, kept := s.Fork(mark), 0
	for k, at := range []float64{margin, margin, 0.03, margin, 0.7, 0.03} {
		f.Rewind()
		if f.lp != nil {
			kept++
		}
		p.Margin, p.Coef = at, fill(len(s.y), float64(k))
		got, want := solved(t, f, p), solved(t, s.Fork(mark), p)
		if !slices.Equal(got.A, want.A) || got.Bias != want.Bias || !slices.Equal(got.M, want.M) ||
			got.Objective != want.Objective || got.Violation != want.Violation || got.Rows != want.Rows {
			t.Errorf("program %d, margin %g: objective %v and violation %v, by a new fork %v and %v",
				k, at, got.Objective, got.Violation, want.Objective, want.Violation)
		}
		if k > 3 && got.Iterations == 0 {
			t.Errorf("margin %g: no pivot from margin %g", at, margin)
		}
		if k == 0 { // away and back: the basis of the start with another inverse
			p.Margin = 1.2 * margin
			away := solved(t, f, p).Iterations
			p.Margin = margin
			if away == 0 || solved(t, f, p).Rows != got.Rows {
				t.Errorf("%d pivots, %d rows after %d", away, len(f.working), got.Rows)
			}
		}
	}
	if kept < 2 {
		t.Errorf("the inverse was kept %d times", kept)
	}
}
