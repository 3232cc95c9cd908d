package simplex

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// residual fails unless the values solve Ax = s.
func residual(t *testing.T, s *Solver, what string) {
	t.Helper()
	ax, n := make([]float64, s.matrix.m), s.matrix.n
	s.matrix.mulAdd(ax, s.values.x[:n])
	testutil.NearAll(t, what, ax, s.values.x[n:], 1e-8)
}

// TestDualSteps follows the dual method: after every pivot the parts agree.
func TestDualSteps(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		s.makeDualFeasible(true)
		s.dualWeights.reset(context.Background())
		for range 100 {
			leaving, beyond := s.dualWeights.chooseLeaving(s.values, s.excluded)
			if leaving < 0 || s.dualStep(context.Background(), leaving, beyond) {
				break
			}
			if !s.costs.feasible() {
				t.Fatal("a reduced cost has the wrong sign")
			}
			testutil.Near(t, "value of the variable that left", s.values.beyond(leaving), 0, 0)
			residual(t, s, "after a dual step")
		}
		if st := s.run(context.Background()); st != status.Optimal && st != status.Infeasible {
			t.Errorf("seed %d: %v", seed, st)
		}
	}
}

// TestPrimalSteps follows the primal method from a feasible point, over bound flips too.
func TestPrimalSteps(t *testing.T) {
	flips := 0
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		for v, p := range s.values.position {
			if p == Basic { // bounds that hold its value make the basis feasible
				x := s.values.x[v]
				s.program.lower[v], s.program.upper[v] = x-0.5, x+1
			}
		}
		s.primalWeights.reset()
		for range 100 {
			entering := s.primalWeights.chooseEntering(s.costs, s.excluded)
			if entering < 0 {
				break
			}
			if s.primalStep(context.Background(), entering) {
				t.Fatal("unbounded between bounds")
			}
			if s.values.position[entering] != Basic {
				flips++
			}
			if !s.values.feasible() {
				t.Fatal("a value is beyond its bounds")
			}
			residual(t, s, "after a primal step")
		}
	}
	if flips < 10 {
		t.Errorf("%d bound flips: too few to tell", flips)
	}
}

// TestMakeDualFeasible flips boxed variables and shifts the costs of the others.
func TestMakeDualFeasible(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		var open []int
		for v, p := range s.values.position {
			if v%3 == 0 && p == AtLower {
				s.program.upper[v] = inf
				if s.costs.violation(v) != 0 {
					open = append(open, v)
				}
			}
		}
		s.makeDualFeasible(true)
		if !s.costs.feasible() || s.program.costsMoved != (len(open) > 0) {
			t.Errorf("seed %d: feasible %v, costs moved %v for %d variables",
				seed, s.costs.feasible(), s.program.costsMoved, len(open))
		}
		for _, v := range open {
			testutil.Near(t, "reduced cost", s.costs.d[v], 0, 0)
		}
		residual(t, s, "after flips")
		s.costs.compute()
		if !s.costs.feasible() {
			t.Errorf("seed %d: the shifted costs are not dual feasible", seed)
		}
	}
}

// TestMethodStarts: the method that the options name makes the first turn.
func TestMethodStarts(t *testing.T) {
	p := &rowsOf{c: []float64{-1, -2}, a: [][]float64{{1, 1}}, rowUp: []float64{2}, up: []float64{1.5, 1.5}}
	for method, dual := range map[Method]bool{0: true, Primal: false, Dual: true} {
		s, err := New(p.lp(true), Options{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		testutil.Near(t, "objective", r.Objective, -3.5, 1e-12)
		if s.dualWeights.valid != dual { // the primal method leaves none
			t.Errorf("method %d: dual weights valid %v", method, s.dualWeights.valid)
		}
	}
}

// TestCleanUp: what perturbations and shifts moved goes back, and the values follow.
func TestCleanUp(t *testing.T) {
	s := mixed(t, 5, 15)
	rng := rand.New(rand.NewPCG(5, 51))
	for v := range s.program.lower {
		s.program.lower[v] -= rng.Float64()
		s.program.cost[v] += rng.Float64()
	}
	s.program.boundsMoved, s.program.costsMoved = true, true
	s.values.placeAll()
	s.cleanUp(context.Background())
	for v, p := range s.values.position {
		if p == AtLower {
			testutil.Near(t, "value at the true bound", s.values.x[v], s.program.trueLower[v], 0)
		}
	}
	testutil.NearAll(t, "costs", s.program.cost, s.program.trueCost, 0)
	if s.program.boundsMoved || s.program.costsMoved {
		t.Error("still marked as moved")
	}
	residual(t, s, "cleaned up")
}

// TestBegin: every solve starts with the same random numbers, perturbations on and a loaded basis.
func TestBegin(t *testing.T) {
	s := mixed(t, 6, 10)
	first := s.perturbation.amount(0)
	s.perturbation.off = true
	s.begin(context.Background())
	testutil.Near(t, "first random number", s.perturbation.amount(0), first, 0)
	if s.perturbation.off || !s.loaded {
		t.Errorf("perturbation off %v, basis loaded %v", s.perturbation.off, s.loaded)
	}
}

// counted counts its products.
type counted struct {
	*Dense
	products int
}

func (a *counted) MulAdd(dst, x []float64) {
	a.products++
	a.Dense.MulAdd(dst, x)
}

// TestProducts counts the passes over the matrix besides those of pivots: one at the start, two at the end of the dual
// method, and one for the activities.
func TestProducts(t *testing.T) {
	const m, n = 12, fewFlips
	rng := rand.New(rand.NewPCG(3, 5))
	a := &counted{Dense: NewDense(m, n, make([]float64, m*n))}
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	lp := LP{A: a, C: make([]float64, n), Lo: make([]float64, n), Up: orFill(nil, n, 1),
		RowLo: orFill(nil, m, -1), RowUp: orFill(nil, m, 1)}
	for j := range lp.C {
		lp.C[j] = rng.NormFloat64()
	}
	s, err := New(lp, Options{Method: Dual, NoScaling: true})
	if err != nil {
		t.Fatal(err)
	}
	a.products = 0
	r := s.Solve(context.Background())
	if r.Status != status.Optimal || r.Iterations < m/2 || a.products != 4 {
		t.Errorf("%v after %d pivots, %d products", r.Status, r.Iterations, a.products)
	}
	testutil.AtMost(t, "the certificate", r.worst(), 1e-12)
}
