package kernellp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// noisy is a problem whose first program is long, with its costs.
func noisy(n int) (k *full, y, hinge []float64, p Costs) {
	set := dataset.Waveform(n, 11)
	k = &full{first: n, packed: gram.Pack[float64](gram.RBF(0.047), set.X, n, set.D)}
	k.stored = blocked.New(k.packed, 1<<30, 1)
	k.Kernel = k.stored
	return k, set.RestSigns(0), fill(n, 10), Costs{Margin: 1, Coef: fill(n, 1), Bias: 1}
}

// TestBrief: a long program ends early, also if it is sifted, and goes on afterwards to the same optimum. A program
// that is not long ends at its optimum.
func TestBrief(t *testing.T) {
	const n = 1300
	k, y, hinge, p := noisy(n)
	whole, err := New(k, y, hinge, Shape{}, Options{}).Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{0, n} {
		s := New(k, y, hinge, Shape{}, Options{SiftFrom: from})
		s.Brief(true)
		sol, err := s.Solve(t.Context(), p)
		if err != nil || sol.Status != status.IterationLimit || 2*sol.Iterations > whole.Iterations {
			t.Fatalf("sifted from %d: %v, %v after %d of %d pivots", from, sol.Status, err, sol.Iterations, whole.Iterations)
		}
		s.Brief(false)
		if sol, err = s.Solve(t.Context(), p); err != nil || sol.Status != status.Optimal {
			t.Fatal(sol.Status, err)
		}
		testutil.NearRel(t, "objective", sol.Objective, whole.Objective, 1e-9)
	}
	easy, labels := small(n, 3)
	s := New(easy, labels, fill(n, 1), Shape{}, Options{})
	s.Brief(true)
	if sol, err := s.Solve(t.Context(), p); err != nil || sol.Status != status.Optimal {
		t.Error(sol.Status, err)
	}
}

// TestBegin: a solver that begins at the optimum of other costs needs few pivots. It ends at the optimum from there and
// from any other solution, also after another program.
func TestBegin(t *testing.T) {
	const n = 500
	k, y, hinge, p := noisy(n)
	rng := rand.New(rand.NewPCG(1, 2))
	first, err := New(k, y, hinge, Shape{}, Options{}).Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	q := Costs{Margin: 1, Coef: fill(n, math.Inf(1)), Bias: 1 / math.Abs(first.Bias)}
	for i, a := range first.A {
		if a != 0 {
			q.Coef[i] = 1 / math.Abs(a)
		}
	}
	cold := New(k, y, hinge, Shape{}, Options{})
	want, err := cold.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []bool{false, true} {
		b := &Begin{M: append([]float64(nil), first.M...), A: first.A, Bias: first.Bias, Image: fill(n, 1)}
		for i := range b.M {
			if wrong {
				b.M[i] = y[i] * hinge[i] * max(0, min(1, 3*rng.Float64()-1))
			}
		}
		sifting := New(k, y, hinge, Shape{}, Options{SiftFrom: 1})
		for _, s := range []*Solver{New(k, y, hinge, Shape{}, Options{}), sifting, cold} {
			s.Begin(b)
			got, err := s.Solve(t.Context(), q)
			if err != nil || got.Status != status.Optimal {
				t.Fatalf("wrong %v: %v, %v", wrong, got.Status, err)
			}
			testutil.NearRel(t, "objective", got.Objective, want.Objective, 1e-9)
			if !wrong && 2*got.Iterations > want.Iterations {
				t.Errorf("%d pivots, without a beginning %d", got.Iterations, want.Iterations)
			}
			checkPrimal(t, "from a beginning", s, q, got)
			compare(t, "later costs", s, p)
		}
	}
}

// TestLost: a program that begins near a solution and takes too many pivots is given up, and begins again from nothing.
// Once it has ended, later programs have no limit.
func TestLost(t *testing.T) {
	const n = 500
	k, y, hinge, p := noisy(n)
	first, err := New(k, y, hinge, Shape{}, Options{}).Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	far, near := &Begin{M: make([]float64, n), A: first.A, Bias: first.Bias, Image: fill(n, 1)}, &Begin{}
	*near = *far
	near.M = slices.Clone(first.M)
	defer func(of struct{ pivots, rows int }) { lost = of }(lost)
	r := learn.Resources{Memory: 1 << 30}
	s := New(k, y, hinge, Shape{}, Options{Budget: r.Budget("test", n, 2)})
	s.Brief(false)
	room := s.Room()
	s.Begin(far)
	q := Costs{Margin: 1, Coef: fill(n, 0.2), Bias: 0.2}
	lost.pivots, lost.rows = 1, 3-Nonzeros(first.A)
	if got, err := s.Solve(t.Context(), q); err != nil || got.Status != status.IterationLimit || !s.Lost() {
		t.Fatalf("%v, %v, lost %v", got.Status, err, s.Lost())
	}
	if err := s.opt.Budget.Take(1000); err != nil { // for its rows
		t.Fatal(err)
	}
	s.Begin(nil)
	if s.Lost() || s.Room() != room {
		t.Errorf("lost %v, %d bytes left of %d", s.Lost(), s.Room(), room)
	}
	compare(t, "from nothing", s, q)

	s.Begin(near)
	if got, err := s.Solve(t.Context(), p); err != nil || got.Status != status.Optimal {
		t.Fatalf("from its own solution: %v, %v", got.Status, err)
	}
	compare(t, "beyond the limit", s, q)
}
