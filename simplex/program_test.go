package simplex

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestProgram holds the scaled program against x' = x/c, s' = r·s and cost' = costScale·c·cost.
func TestProgram(t *testing.T) {
	lp := LP{C: []float64{3, 0, -1e6}, Lo: []float64{1, -inf, 5}, Up: []float64{2, 7, 5},
		RowLo: []float64{-4, -inf}, RowUp: []float64{4, 9}, A: NewDense(2, 3, []float64{1e3, 1, 0.5, 4, 1e-3, 1e-4})}
	p := newProgram(lp, Options{Tolerance: 1e-7})
	lp.Lo[0], lp.RowUp[0], lp.C[0] = 77, 77, 77 // the caller's vectors are copied
	want := LP{C: []float64{3, 0, -1e6}, Lo: []float64{1, -inf, 5}, Up: []float64{2, 7, 5},
		RowLo: []float64{-4, -inf}, RowUp: []float64{4, 9}}
	scaled := false
	for j := range 3 {
		c := p.matrix.scaleOfCol(j)
		scaled = scaled || c != 1
		testutil.Near(t, "lower", p.trueLower[j]*c, want.Lo[j], 0)
		testutil.Near(t, "upper", p.trueUpper[j]*c, want.Up[j], 0)
		testutil.NearRel(t, "cost", p.trueCost[j]/c/p.costScale, want.C[j], 1e-15)
	}
	for i := range 2 {
		r := p.matrix.scaleOfRow(i)
		testutil.Near(t, "row lower", p.trueLower[3+i]/r, want.RowLo[i], 0)
		testutil.Near(t, "row upper", p.trueUpper[3+i]/r, want.RowUp[i], 0)
		testutil.Near(t, "cost of a logical", p.trueCost[3+i], 0, 0)
	}
	if !scaled || !p.anyFixed {
		t.Errorf("scaled %v, any fixed %v", scaled, p.anyFixed)
	}
	testutil.Near(t, "dual tolerance", p.dualTolerance, 1e-7, 0)
	if err := p.setBounds("column", []float64{1, 1, 1}, []float64{2, 2, 2}); err != nil || p.anyFixed {
		t.Errorf("without fixed variables: %v, any fixed %v", err, p.anyFixed)
	}
}

// TestRest: a nonbasic variable rests where it should, or where it can.
func TestRest(t *testing.T) {
	p := &program{trueLower: []float64{0, -inf, 0, -inf}, trueUpper: []float64{1, 1, inf, inf}}
	for v, want := range [][3]Position{ // for AtLower, AtUpper, AtZero
		{AtLower, AtUpper, AtLower}, {AtUpper, AtUpper, AtUpper}, {AtLower, AtLower, AtLower}, {AtZero, AtZero, AtZero},
	} {
		for k, position := range []Position{AtLower, AtUpper, AtZero} {
			if got := p.rest(v, position); got != want[k] {
				t.Errorf("variable %d at %d rests at %d, want %d", v, position, got, want[k])
			}
		}
	}
}

// TestRestartDual: a fresh inverse with costs that are dual feasible again.
func TestRestartDual(t *testing.T) {
	s := mixed(t, 7, 15)
	s.makeDualFeasible(true)
	for v := range s.program.cost {
		s.program.cost[v] += float64(v%5 - 2)
	}
	s.excluded.add(3)
	s.basis.updates = 1
	s.restartDual(context.Background())
	if !s.costs.feasible() || s.basis.updates != 0 || s.excluded.count != 0 {
		t.Errorf("feasible %v, %d updates, %d excluded", s.costs.feasible(), s.basis.updates, s.excluded.count)
	}
	residual(t, s, "restarted")
}
