package kernellp

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// optimum solves one program from cold.
func optimum(t *testing.T, k Kernel, y, hinge []float64, shape Shape, p Costs) float64 {
	t.Helper()
	return solved(t, New(k, y, hinge, shape, Options{}), p).Objective
}

func solved(t *testing.T, s *Solver, p Costs) *Solution {
	t.Helper()
	sol, err := s.Solve(t.Context(), p)
	if err != nil || sol.Status != status.Optimal {
		t.Fatalf("status %v, error %v", sol.Status, err)
	}
	return sol
}

// TestSetCap moves one warm solver over hinge costs, before its first program and
// between programs, and holds each optimum against a cold one.
func TestSetCap(t *testing.T) {
	k, y := small(90, 5)
	for name, shape := range shapes {
		p := Costs{Margin: 0.4, Coef: fill(90, 1)}
		s := New(k, y, fill(90, 100), shape, Options{})
		last := math.NaN()
		for _, c := range []float64{3, 0.2, 40} {
			hinge := fill(90, c)
			hinge[7] *= 5
			if err := s.SetCap(hinge); err != nil {
				t.Fatal(err)
			}
			sol := solved(t, s, p)
			testutil.NearRel(t, name, sol.Objective, optimum(t, k, y, hinge, shape, p), 1e-9)
			testutil.NearRel(t, name+": dual", sol.Dual, sol.Objective, 1e-8)
			checkPrimal(t, name, s, p, sol)
			if sol.Objective == last {
				t.Errorf("%s: the cost %g changes nothing", name, c)
			}
			last = sol.Objective
		}
	}
}

// TestSetCeiling lowers and raises the bound on the coefficients of a warm solver.
func TestSetCeiling(t *testing.T) {
	k, y := small(90, 5)
	p, hinge := Costs{Margin: 1, Coef: fill(90, 1)}, fill(90, 3)
	cold := func(ceiling float64) float64 {
		return optimum(t, k, y, hinge, Shape{OneSided: true, Ceiling: ceiling}, p)
	}
	s := New(k, y, hinge, Shape{OneSided: true, Ceiling: 10}, Options{})
	last := math.Inf(-1)
	for _, ceiling := range []float64{10, 0.5, 0.1} {
		s.SetCeiling(ceiling)
		sol := solved(t, s, p)
		testutil.NearRel(t, "objective", sol.Objective, cold(ceiling), 1e-9)
		checkPrimal(t, "ceiling", s, p, sol)
		if sol.Objective <= last {
			t.Errorf("the ceiling %g does not bind: objective %g after %g", ceiling, sol.Objective, last)
		}
		last = sol.Objective
	}
	s.SetCeiling(10)
	testutil.NearRel(t, "raised", solved(t, s, p).Objective, cold(10), 1e-9)
}

// TestMisuse checks that a programmer's mistakes panic.
func TestMisuse(t *testing.T) {
	k, y := small(10, 1)
	solver := func(shape Shape) *Solver { return New(k, y, fill(10, 1), shape, Options{}) }
	for name, f := range map[string]func(){
		"labels":          func() { New(k, y[1:], fill(10, 1), Shape{}, Options{}) },
		"prices":          func() { _, _ = solver(Shape{}).Solve(t.Context(), Costs{Coef: fill(9, 1)}) },
		"hinge costs":     func() { _ = solver(Shape{}).SetCap(fill(9, 1)) },
		"no ceiling":      func() { solver(Shape{}).SetCeiling(1) },
		"ceiling of zero": func() { solver(Shape{Ceiling: 1}).SetCeiling(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
