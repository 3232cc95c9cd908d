package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// newFactoredSolver is New, with a sparse program's basis for sparse matrices of any size.
func newFactoredSolver(lp LP, opt Options) (*Solver, error) {
	s, err := New(lp, opt)
	if err != nil {
		return nil, err
	}
	if _, sparse := lp.A.(*Sparse); sparse && s.matrix.m > 0 && s.matrix.byRow == nil {
		for i := range s.matrix.parts {
			s.matrix.scaleSparse(&s.matrix.parts[i])
		}
		s.matrix.byRow = newRowCopy(s.matrix)
		*s.basis = *newBasis(s.matrix)
		s.resize(s.values.position)
	}
	return s, nil
}

// scattered is a sparse program with a random basis.
func scattered(t *testing.T, seed uint64, m int) *Solver {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 61))
	p, _ := planted(rng, m, 2*m, 3/float64(m), false)
	s, err := newFactoredSolver(p.lp(false), Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Basis(Basis{})
	for j := range b.Cols {
		b.Cols[j] = Position(rng.IntN(3))
	}
	if err := s.SetBasis(b); err != nil {
		t.Fatal(err)
	}
	s.begin(context.Background())
	if !s.basis.sparse() {
		t.Fatal("the basis is not factored")
	}
	return s
}

// TestFactoredFollows makes random exchanges and compares solves, pivot rows, scores and lists with the literal inverse
// and what a look at everything finds.
func TestFactoredFollows(t *testing.T) {
	for seed := range uint64(8) {
		s := scattered(t, seed, 30)
		rng := rand.New(rand.NewPCG(seed, 62))
		s.dualWeights.reset(context.Background())
		s.primalWeights.reset()
		s.violations.compute()
		s.attractive.compute()
		for range 40 {
			if rng.IntN(10) == 0 {
				s.refactor(context.Background())
				s.violations.compute()
				s.attractive.compute()
			}
			checkSolves(t, s, rng)
			checkRowCopy(t, s)
			e, ok := randomExchange(s, rng)
			if !ok {
				continue
			}
			checkPivotRow(t, s, e.leaving)
			s.dualWeights.begin(e.row)
			s.basis.ftran(s.dualWeights.tau)
			s.dualWeights.update(e)
			s.costs.update(s.row, e.entering, e.leaving, s.costs.d[e.entering]/e.pivot)
			s.pivot(e, rng.NormFloat64(), s.program.rest(int(e.leaving), AtLower))
			s.violations.follow(e.direction)
			s.attractive.follow(s.row, e.leaving)
			checkLists(t, s)
		}
	}
}

// checkRowCopy holds the copy of the matrix by rows against the matrix and the positions.
func checkRowCopy(t *testing.T, s *Solver) {
	t.Helper()
	rows := s.matrix.byRow
	for i := range s.matrix.m {
		got := make([]float64, s.matrix.n)
		for e := rows.Start[i]; e < rows.Start[i+1]; e++ {
			j := rows.Index[e]
			got[j] = rows.Value[e]
			if basic := s.values.position[j] == Basic; basic != (e >= rows.nonbasic[i]) {
				t.Fatalf("row %d: the entry of column %d, basic %v, is on the wrong side", i, j, basic)
			}
		}
		for j, v := range got {
			testutil.Near(t, "entry", v, denseColumn(s.matrix, int32(j))[i], 0)
		}
	}
}

// checkPivotRow holds the row of basic variable v against the literal inverse.
func checkPivotRow(t *testing.T, s *Solver, v int32) {
	t.Helper()
	l := newLiteral(t, s)
	listed := map[int32]bool{}
	for _, j := range s.row.listed {
		if listed[j] {
			t.Fatalf("column %d is listed twice", j)
		}
		listed[j] = true
	}
	for j := range int32(s.matrix.n) {
		var want float64
		for i, x := range denseColumn(s.matrix, j) {
			want += l.row(v)[i] * x
		}
		if s.values.position[j] == Basic {
			want = 0
		}
		testutil.Near(t, "entry of the pivot row", s.row.entry[j], want, 1e-8)
		if s.row.entry[j] != 0 && !listed[j] {
			t.Fatalf("column %d is not listed", j)
		}
	}
}

// checkLists holds what violations and attractive follow against all variables.
func checkLists(t *testing.T, s *Solver) {
	t.Helper()
	for p, v := range s.basis.cover {
		e := s.values.beyond(v)
		testutil.NearRel(t, "score", s.violations.score[p], e*e/s.dualWeights.weight[v], 1e-12)
	}
	for v := range s.values.position {
		if !(s.costs.violation(v) <= 0) && !slices.Contains(s.attractive.list, int32(v)) {
			t.Errorf("variable %d, whose reduced cost has the wrong sign, is not listed", v)
		}
	}
	want := s.primalWeights.chooseEntering(s.costs, s.excluded)
	if got := s.attractive.choose(s.excluded); got != want && s.costs.d[got] != s.costs.d[want] {
		t.Errorf("variable %d enters, want %d", got, want)
	}
}

// TestFactoredPlanted: random sparse programs of up to 150 rows, many of them degenerate, by each method.
func TestFactoredPlanted(t *testing.T) {
	count := 400
	if testing.Short() {
		count = 80
	}
	for k := range count {
		rng := rand.New(rand.NewPCG(uint64(k), 63))
		m := 1 + rng.IntN(150)
		n := 1 + rng.IntN(2*m)
		p, opt := planted(rng, m, n, (1+4*rng.Float64())/float64(m), k%2 == 0)
		lp := p.lp(false)
		s, err := newFactoredSolver(lp, Options{Method: Method(k % 3), NoScaling: k%7 == 0, Seed: uint64(k)})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if err := Check(lp, r); err != nil || r.Status != status.Optimal {
			t.Errorf("seed %d, %d×%d: %v, %v", k, m, n, r.Status, err)
		}
		if !testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
			t.Errorf("seed %d: objective %.15g, want %.15g", k, r.Objective, opt)
		}
	}
}

// TestFactoredInfeasible: a row that contradicts two others is proved to, with the multipliers of a long sum.
func TestFactoredInfeasible(t *testing.T) {
	for k := range 60 {
		rng := rand.New(rand.NewPCG(uint64(k), 64))
		m := 10 + rng.IntN(60)
		p, _ := planted(rng, m, 2*m, 3/float64(m), k%2 == 0)
		sum, least, factor := make([]float64, 2*m), 0.0, 0.0
		for i := range m {
			if factor = rng.Float64(); !math.IsInf(p.rowLo[i], -1) {
				for j, v := range p.a[i] {
					sum[j] += factor * v
				}
				least += factor * p.rowLo[i]
			}
		}
		p.a = append(p.a, sum)
		p.rowLo = append(p.rowLo, -inf)
		p.rowUp = append(p.rowUp, least-1e-3)
		lp := p.lp(false)
		s, err := newFactoredSolver(lp, Options{Method: Method(k % 3)})
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Solve(context.Background()); r.Status != status.Infeasible || Check(lp, r) != nil {
			t.Errorf("seed %d: %v, %v", k, r.Status, Check(lp, r))
		}
	}
}

// TestFactoredChanges: programs that change are solved from the basis before as they are from the start.
func TestFactoredChanges(t *testing.T) {
	for k := range 40 {
		rng := rand.New(rand.NewPCG(uint64(k), 65))
		m := 20 + rng.IntN(40)
		p, _ := planted(rng, m, 2*m, 3/float64(m), false)
		lp := p.lp(false)
		warm, err := newFactoredSolver(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		warm.Solve(context.Background())
		switch k % 3 {
		case 0:
			for j := range lp.C {
				lp.C[j] *= 1 + 0.1*rng.Float64()
			}
			err = warm.SetCost(lp.C)
		case 1:
			added := &Sparse{Rows: m}
			added.Append([]int32{0, 3}, []float64{1, -2})
			lp.C = append(lp.C, -1)
			lp.Lo = append(lp.Lo, 0)
			lp.Up = append(lp.Up, 1)
			lp.A = Blocks{lp.A, added}
			err = warm.AddColumns([]float64{-1}, nil, []float64{1}, added)
		case 2: // a dense column ends the factors
			data := make([]float64, m)
			data[1], data[5] = 1, 1
			lp.C = append(lp.C, -1)
			lp.Lo = append(lp.Lo, 0)
			lp.Up = append(lp.Up, 1)
			lp.A = Blocks{lp.A, NewDense(m, 1, data)}
			err = warm.AddColumns([]float64{-1}, nil, []float64{1}, NewDense(m, 1, data))
		}
		if err != nil {
			t.Fatal(err)
		}
		r := warm.Solve(context.Background())
		cold, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := cold.Solve(context.Background())
		if err := Check(lp, r); err != nil || r.Status != want.Status {
			t.Errorf("seed %d: %v, want %v: %v", k, r.Status, want.Status, err)
		}
		if want.Status == status.Optimal {
			testutil.NearRel(t, "objective", r.Objective, want.Objective, 1e-8)
		}
	}
}

// TestFactoredRows: rows that join are taken in.
func TestFactoredRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 66))
	p, _ := planted(rng, 40, 80, 0.1, false)
	few := *p
	few.a, few.rowLo, few.rowUp = p.a[:30], p.rowLo[:30], p.rowUp[:30]
	grown := few.lp(false).A.(*Sparse)
	lp := few.lp(false)
	lp.A = grown
	s, err := newFactoredSolver(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Solve(context.Background())
	*grown = *p.lp(false).A.(*Sparse)
	if err := s.AddRows(p.rowLo[30:], p.rowUp[30:]); err != nil {
		t.Fatal(err)
	}
	whole := p.lp(false)
	r := s.Solve(context.Background())
	cold, _ := New(whole, Options{})
	if err := Check(whole, r); err != nil || r.Status != status.Optimal {
		t.Fatal(r.Status, err)
	}
	testutil.NearRel(t, "objective", r.Objective, cold.Solve(context.Background()).Objective, 1e-8)
}
