package simplex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

// undecided returns a solver at its slack basis and a result without a proof.
func undecided(t *testing.T, lp LP, opt Options) (*Solver, *Result) {
	t.Helper()
	s, err := New(lp, opt)
	if err != nil {
		t.Fatal(err)
	}
	s.begin(context.Background())
	r := s.certified(0)
	r.Status = status.Numerical
	return s, r
}

// oneOfEach are an optimum, an infeasible program, an unbounded one, and one that rounding alone makes infeasible.
func oneOfEach() map[status.Status][]LP {
	row := func(a ...float64) *Dense { return NewDense(len(a)/2, 2, a) }
	tenth := 0.1
	return map[status.Status][]LP{
		status.Optimal: {
			{C: []float64{-1, -2}, A: row(1, 1), RowUp: []float64{3}, Up: []float64{2, 2}, Offset: 1},
			{C: []float64{1, 1}, A: row(tenth, 0, 3*tenth, 0), RowLo: []float64{1, 3}, RowUp: []float64{1, 3}}, // 3·0.1 > 0.3
		},
		status.Infeasible: {{A: row(1, 1), RowUp: []float64{-1}}},
		status.Unbounded:  {{C: []float64{-1, 0}, A: row(1, -1), RowUp: []float64{1}}},
	}
}

// TestDecide finds what a solve without a proof has not found, by another scaling and by exact pivots.
func TestDecide(t *testing.T) {
	for want, list := range oneOfEach() {
		for k, lp := range list {
			for _, noScaling := range []bool{false, true} { // then there is no other scaling
				s, r := undecided(t, lp, Options{NoScaling: noScaling})
				d := s.decide(context.Background(), r)
				if d.Status != want {
					t.Errorf("%v, program %d: %v", want, k, d.Status)
				}
				if err := Check(lp, d); err != nil {
					t.Errorf("%v, program %d: %v", want, k, err)
				}
				if again := s.Solve(context.Background()); again.Status != want || again.Iterations > 0 {
					t.Errorf("%v, program %d: %v after %d pivots from the last basis", want, k, again.Status, again.Iterations)
				}
			}
		}
	}
}

// TestDecideKeeps has results that are not to be decided: within a unit, after the caller's limit, or with no time.
func TestDecideKeeps(t *testing.T) {
	lp := oneOfEach()[status.Optimal][0]
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		opt Options
		st  status.Status
		ctx context.Context
	}{
		"unit":  {Options{Unit: 1}, status.Numerical, context.Background()},
		"limit": {Options{MaxIter: 5}, status.IterationLimit, context.Background()},
		"time":  {Options{}, status.Numerical, ended},
		"proof": {Options{}, status.Infeasible, context.Background()},
	} {
		s, r := undecided(t, lp, c.opt)
		r.Status = c.st
		if d := s.decide(c.ctx, r); d != r {
			t.Errorf("%s: %v", name, d.Status)
		}
	}
}

// TestExactWork stops exact pivots at the limit of their work.
func TestExactWork(t *testing.T) {
	lp := oneOfEach()[status.Optimal][0]
	s, _ := undecided(t, lp, Options{})
	p, err := newProver(&s.program.lp, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.MaxWork = 1500 // one factorisation
	if _, _, err := p.Prove(context.Background(), positions[prove.Position](s.values.position)); err == nil {
		t.Error("a proof beyond the limit")
	}
}

// roundedProgram draws a program whose optimum is degenerate but for rounding errors of its right-hand sides.
func roundedProgram(rng *rand.Rand) LP {
	const m, n = 9, 14
	a := &Sparse{Rows: m}
	lp := LP{A: a, C: make([]float64, n), RowLo: make([]float64, m), RowUp: make([]float64, m)}
	y := make([]float64, m)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	for j := range n {
		var index []int32
		var value []float64
		for i := range m {
			if rng.IntN(2) == 0 {
				index = append(index, int32(i))
				value = append(value, rng.Float64())
			}
		}
		a.Append(index, value)
		x := float64(max(0, rng.IntN(5)-2)) / 3
		for t, i := range index {
			lp.C[j] += y[i] * value[t]
			lp.RowLo[i] += x * value[t]
		}
		if x == 0 {
			lp.C[j] += rng.Float64()
		}
	}
	copy(lp.RowUp, lp.RowLo)
	return lp
}

// TestApproach: doubled precision makes the pivots that rounding errors ask for, so that one exact solution is enough.
func TestApproach(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	early, proved := 0, 0
	const trials = 100
	for range trials {
		lp := roundedProgram(rng)
		r, err := Solve(t.Context(), lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != status.Optimal {
			continue
		}
		first := positions[prove.Position](slices.Concat(r.Basis.Cols, r.Basis.Rows))
		filled := lp.filled()
		atOnce := func(near bool) bool {
			p, err := newProver(&filled, 0)
			if err != nil {
				t.Fatal(err)
			}
			from := slices.Clone(first)
			if near {
				from = p.Approach(t.Context(), from)
			}
			proof, last, err := p.Prove(t.Context(), slices.Clone(from))
			if err != nil {
				t.Fatal(err)
			}
			return proof.Status == status.Optimal && slices.Equal(last, from)
		}
		if atOnce(false) {
			early++
		}
		if atOnce(true) {
			proved++
		}
	}
	t.Logf("of %d bases %d are optimal at once, %d after the approach", trials, early, proved)
	if early > trials/2 || proved < early+20 {
		t.Errorf("of %d bases %d are optimal at once, %d after the approach", trials, early, proved)
	}
}

// TestProveBudget: a budget refuses the copies of the program or the numbers of the proof, and a larger one neither.
func TestProveBudget(t *testing.T) {
	lp := roundedProgram(rand.New(rand.NewPCG(17, 18)))
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(t.Context())
	for _, c := range []struct {
		bytes int64
		says  string
	}{{100, "the program takes"}, {8000, "digits take up to"}, {1 << 20, ""}, {0, ""}} {
		_, err := Prove(t.Context(), lp, r, c.bytes)
		if c.says == "" && err != nil ||
			c.says != "" && (!errors.Is(err, prove.ErrMemory) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d bytes: %v", c.bytes, err)
		}
	}
}

// TestMeanFactors recovers units of rows and columns that are powers of two, up to those of all costs and bounds: also
// those of columns without entries and of parts that share no row.
func TestMeanFactors(t *testing.T) {
	plain := func() *rowsOf {
		return &rowsOf{c: []float64{1, 1, -1, 1}, a: [][]float64{{1, 1, 0, 0}, {0, 0, 1, 0}},
			lo: []float64{-1, -1, -1, -1}, up: []float64{1, 1, 1, 1}, rowLo: []float64{-1, -1}, rowUp: []float64{1, 1}}
	}
	for seed := range uint64(20) {
		p := plain()
		p.scale(rand.New(rand.NewPCG(seed, 1)), 200)
		lp := p.lp(seed%2 == 0)
		row, col := meanFactors(&lp)
		for j, c := range col {
			testutil.Near(t, "cost", math.Abs(math.Log2(math.Abs(lp.C[j]*c)/math.Abs(lp.C[0]*col[0]))), 0, 2)
			testutil.Near(t, "bound", math.Abs(math.Log2(lp.Up[j]/c/(lp.Up[0]/col[0]))), 0, 2)
			for i := range row {
				if a := p.a[i][j] * row[i] * c; a != 0 {
					testutil.Near(t, "entry", math.Log2(a), 0, 2)
				}
			}
		}
	}
}
