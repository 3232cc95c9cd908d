package simplex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// anySmall draws a small program of any kind: feasible or not, bounded or not, with free and fixed columns, ranges,
// equal and empty rows, whole numbers that make it degenerate, and numbers of any scale.
func anySmall(rng *rand.Rand) *rowsOf {
	m, n := 1+rng.IntN(12), 1+rng.IntN(16)
	p := &rowsOf{c: make([]float64, n), lo: make([]float64, n), up: make([]float64, n),
		rowLo: make([]float64, m), rowUp: make([]float64, m)}
	whole, density := rng.IntN(2) == 0, 0.2+0.8*rng.Float64()
	scale := func() float64 { return 1 }
	if rng.IntN(4) == 0 {
		scale = func() float64 { return math.Exp2(float64(rng.IntN(40) - 20)) }
	}
	draw := func() float64 {
		if whole {
			return float64(rng.IntN(7) - 3)
		}
		return rng.NormFloat64()
	}
	bounds := func(value, wide float64) (lo, up float64) {
		lo, up = value-wide*float64(rng.IntN(4)), value+wide*float64(rng.IntN(4))
		switch rng.IntN(8) {
		case 0:
			lo = -inf
		case 1:
			up = inf
		case 2:
			lo, up = -inf, inf
		}
		return lo, up
	}
	cols := make([]float64, n)
	for j := range n {
		cols[j] = scale()
		p.c[j] = draw() / cols[j]
		p.lo[j], p.up[j] = bounds(draw()*cols[j], cols[j])
		if rng.IntN(3) > 0 {
			p.lo[j] = 0
			p.up[j] = max(0, p.up[j])
		}
	}
	for i := range m {
		row, by := make([]float64, n), scale()
		for j := range row {
			if rng.Float64() < density {
				row[j] = draw() * by / cols[j]
			}
		}
		if i > 0 && rng.IntN(8) == 0 {
			copy(row, p.a[rng.IntN(i)])
		}
		p.a = append(p.a, row)
		p.rowLo[i], p.rowUp[i] = bounds(draw()*by, by)
	}
	return p
}

// smallSweep is the number of programs of a test of small ones.
func smallSweep() int {
	if testing.Short() {
		return 1500
	}
	return max(6000, *sweepSize)
}

// warmSmall returns a solver that solves by a tableau from now on.
func warmSmall(t *testing.T, lp LP) *Solver {
	t.Helper()
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.cold = false
	return s
}

// agree compares a result with that of the other methods, and both with the program.
func agree(t *testing.T, what string, lp LP, got *Result) {
	t.Helper()
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.noTableau = true
	want := s.Solve(context.Background())
	if got.Status != want.Status {
		t.Fatalf("%s: %v, other methods say %v", what, got.Status, want.Status)
	}
	if err := Check(lp, got); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if got.Status == status.Optimal {
		size, rounding := math.Abs(lp.Offset), 0.0
		for j, x := range want.X {
			size += math.Abs(x * lp.C[j])
			rounding += math.Abs(lp.C[j]) * (1 + math.Abs(finiteOr0(lp.Lo[j])) + math.Abs(finiteOr0(lp.Up[j])))
		}
		if d := math.Abs(got.Objective - want.Objective); !(d <= max(1e-9*size, 1e-14*rounding)) {
			t.Fatalf("%s: objective %v, other methods find %v", what, got.Objective, want.Objective)
		}
	}
}

// TestSmallAgrees solves programs of all kinds by the tableau and by the other methods.
func TestSmallAgrees(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		ended, left := map[status.Status]int{}, 0
		for k := range smallSweep() {
			rng := rand.New(rand.NewPCG(uint64(k), 77))
			lp := anySmall(rng).lp(k%2 == 0)
			s := warmSmall(t, lp)
			r := s.Solve(context.Background())
			if ended[r.Status]++; s.small == nil || !s.small.current {
				left++
				ended[status.Unknown+100+r.Status]++
			}
			agree(t, fmt.Sprintf("program %d", k), lp, r)
		}
		t.Logf("%v, of them %d left to the other methods", ended, left)
		for _, st := range []status.Status{status.Optimal, status.Infeasible, status.Unbounded} {
			if ended[st] < smallSweep()/50 {
				t.Errorf("%d programs are %v", ended[st], st)
			}
		}
		if left > smallSweep()/4 {
			t.Errorf("%d of %d programs left to the other methods", left, smallSweep())
		}
	})
}

// TestRangingOfTableau: the ranges of an optimum that a tableau has found are those of the other methods.
func TestRangingOfTableau(t *testing.T) {
	for _, size := range [][2]int{{10, 15}, {40, 60}} {
		lp, rights := smallProgram(size[0], size[1], 0.7)
		s := warmSmall(t, lp)
		for _, right := range rights[:20] {
			if err := s.SetRowBounds(lp.RowLo, right); err != nil {
				t.Fatal(err)
			}
			if r := s.Solve(context.Background()); r.Status != status.Optimal || !s.small.current {
				t.Fatalf("%v", r.Status)
			}
			got, err := s.Ranging(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			lp.RowUp = right
			other, err := New(lp, Options{})
			if err != nil {
				t.Fatal(err)
			}
			other.Solve(context.Background())
			want, err := other.Ranging(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for j := range got.Cost {
				testutil.NearRel(t, "range of a cost", got.Cost[j].Lo, want.Cost[j].Lo, 1e-7)
				testutil.NearRel(t, "range of a cost", got.Cost[j].Up, want.Cost[j].Up, 1e-7)
			}
			for i := range got.RowUp {
				testutil.NearRel(t, "range of a bound", got.RowUp[i].Lo, want.RowUp[i].Lo, 1e-7)
				testutil.NearRel(t, "range of a bound", got.RowUp[i].Up, want.RowUp[i].Up, 1e-7)
			}
		}
	}
}
