package lpfile

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
)

// solution solves a model.
func solution(t *testing.T, m *Model) *Solution {
	t.Helper()
	r, err := simplex.Solve(context.Background(), m.LP, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Solution(r)
}

// TestProblem: a program told by names is the one that its lists would make.
func TestProblem(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p, opt := planted(rng, 1+rng.IntN(8), 1+rng.IntN(8), 0.6, false)
		sign := float64(1 - 2*int(seed%2))
		b := Problem{Maximize: sign < 0, Offset: sign * 3}
		for j, c := range p.c {
			b.Column("x"+strconv.Itoa(j), sign*c, p.lo[j], p.up[j])
		}
		for i, row := range p.a {
			terms := Terms{}
			for j, v := range row {
				terms["x"+strconv.Itoa(j)] = v
			}
			b.Row("r"+strconv.Itoa(i), p.rowLo[i], p.rowUp[i], terms)
		}
		m, err := b.Model()
		if err != nil {
			t.Fatal(err)
		}
		want := p.lp(true)
		for name, v := range map[string][2][]float64{"C": {m.C, want.C}, "Lo": {m.Lo, want.Lo}, "Up": {m.Up, want.Up},
			"RowLo": {m.RowLo, want.RowLo}, "RowUp": {m.RowUp, want.RowUp}} {
			testutil.NearAll(t, name, v[0], v[1], 0)
		}
		if d := cmp.Diff(p.a, entries(m.A)); d != "" {
			t.Error(d)
		}
		s := solution(t, m)
		testutil.Near(t, "objective", s.Objective, sign*(opt+3), 1e-8*(1+math.Abs(opt)))
		for j := range p.c {
			name := "x" + strconv.Itoa(j)
			testutil.Near(t, name, s.Value(name), s.Result.X[j], 0)
			testutil.Near(t, "reduced cost", s.ReducedCost(name), sign*s.Result.ReducedCosts[j], 0)
		}
		for i := range p.a {
			name := "r" + strconv.Itoa(i)
			testutil.Near(t, name, s.Activity(name), s.Result.Activity[i], 0)
			testutil.Near(t, "dual", s.Dual(name), sign*s.Result.Y[i], 0)
		}
	}
}

// TestProblemGrows: a model is not changed by what its problem gains.
func TestProblemGrows(t *testing.T) {
	var b Problem
	if m, err := b.Model(); err != nil {
		t.Error(err)
	} else if s := solution(t, m); s.Objective != 0 {
		t.Errorf("the empty problem: %v", s)
	}
	b.Maximize = true
	b.Column("x", 1, 0, 5)
	before, err := b.Model()
	if err != nil {
		t.Fatal(err)
	}
	b.Row("r", -inf, 2, Terms{"x": 1})
	after, err := b.Model()
	if err != nil {
		t.Fatal(err)
	}
	for m, want := range map[*Model]float64{before: 5, after: 2} {
		s := solution(t, m)
		testutil.Near(t, "objective", s.Objective, want, 1e-12)
	}
}

func TestProblemRefuses(t *testing.T) {
	nan := math.NaN()
	for want, tell := range map[string]func(b *Problem){
		`there are two columns "x"`:             func(b *Problem) { b.Column("x", 0, 0, 1) },
		`column 2 has no name`:                  func(b *Problem) { b.Column("", 0, 0, 1) },
		`cost of column "y" is NaN`:             func(b *Problem) { b.Column("y", nan, 0, 1) },
		`bounds of column "y" are [1e+20, 2]`:   func(b *Problem) { b.Column("y", 0, 1e20, 2) },
		`bounds of column "y" are [+Inf, +Inf]`: func(b *Problem) { b.Column("y", 0, inf, inf) },
		`bounds of row "r" are [NaN, 1]`:        func(b *Problem) { b.Row("r", nan, 1, nil) },
		`row 1 has no name`:                     func(b *Problem) { b.Row("", 0, 1, nil) },
		`there are two rows "r"`:                func(b *Problem) { b.Row("r", 0, 1, nil); b.Row("r", 0, 1, nil) },
		`row "r": there is no column "a"`:       func(b *Problem) { b.Row("r", 0, 1, Terms{"b": 1, "a": 1, "c": 1}) },
		`row "r": coefficient of "x" is -Inf`:   func(b *Problem) { b.Row("r", 0, 1, Terms{"x": -inf}) },
		`the objective's constant is +Inf`:      func(b *Problem) { b.Offset = inf },
		`cost of column "first" is +Inf`:        func(b *Problem) { b.Column("first", inf, 0, 1); b.Row("", 0, 1, nil) },
	} {
		var b Problem
		b.Column("x", 1, 0, 1)
		tell(&b)
		if _, err := b.Model(); !errors.Is(err, simplex.ErrInvalid) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

// TestSolutionPanics: a name that the program does not have is a programmer's mistake.
func TestSolutionPanics(t *testing.T) {
	s := (&Model{}).Solution(&simplex.Result{})
	defer func() {
		if got := recover(); got != `lpfile: the model has no row "r"` {
			t.Errorf("panic %v", got)
		}
	}()
	s.Dual("r")
}

// notFinite are the numbers that are not.
var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// TestNamesNotFinite gives them to a program that is built by names.
func TestNamesNotFinite(t *testing.T) {
	for field := range 6 {
		for _, bad := range notFinite {
			v := [6]float64{1, 0, 3, -2, 2, 1} // cost, bounds, bounds of the row, coefficient
			v[field] = bad
			if sign := [6]int{0, -1, 1, -1, 1, 0}[field]; sign != 0 && math.IsInf(bad, sign) {
				continue // no bound
			}
			var p Problem
			p.Column("x", v[0], v[1], v[2])
			p.Row("r", v[3], v[4], Terms{"x": v[5]})
			if _, err := p.Model(); !errors.Is(err, simplex.ErrInvalid) {
				t.Errorf("field %d is %v: error %v", field, bad, err)
			}
		}
	}
	for _, bad := range notFinite {
		p := Problem{Offset: bad}
		if _, err := p.Model(); !errors.Is(err, simplex.ErrInvalid) {
			t.Errorf("offset %v: error %v", bad, err)
		}
	}
}
