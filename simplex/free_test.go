package simplex

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestEnterFree says which row's logical a free column replaces at the slack basis, −1 for none.
func TestEnterFree(t *testing.T) {
	for _, c := range []struct {
		name         string
		cost         float64
		column       []float64
		rowLo, rowUp []float64
		want         int
		rests        Position // of the logical that left
	}{
		{"most violated", 0, []float64{1, 1}, []float64{1, 3}, []float64{inf, inf}, 1, AtLower},
		{"most violated above", 0, []float64{1, 1}, []float64{-inf, -inf}, []float64{-1, -3}, 1, AtUpper},
		{"violated per unit", 0, []float64{1, 2}, []float64{2, 3}, []float64{inf, inf}, 0, AtLower},
		{"larger entry where equal", 0, []float64{1, 2}, []float64{0, 0}, []float64{inf, inf}, 1, AtLower},
		{"a tenth of the largest is too small", 0, []float64{1, 0.1}, []float64{0, 9}, []float64{inf, inf}, 0, AtLower},
		{"more than a tenth will do", 0, []float64{1, 0.101}, []float64{0, 9}, []float64{inf, inf}, 1, AtLower},
		{"all tiny", 0, []float64{1e-6, 0}, []float64{1, 1}, []float64{inf, inf}, -1, AtLower},
		{"nearly tiny", 0, []float64{1.01e-6, 0}, []float64{1, 1}, []float64{inf, inf}, 0, AtLower},
		{"free rows do not serve", 0, []float64{5, 1}, []float64{-inf, 0}, []float64{inf, 1}, 1, AtLower},
		{"the dual's sign wants a lower bound", 1, []float64{1, 1}, []float64{-inf, 1}, []float64{-9, inf}, 1, AtLower},
		{"the dual's sign wants an upper bound", -1, []float64{1, 1}, []float64{9, -inf}, []float64{inf, -1}, 1, AtUpper},
		{"no row has the dual's sign", 1, []float64{-1, -1}, []float64{1, 1}, []float64{inf, inf}, -1, AtLower},
		{"nearer bound", 0, []float64{1, 0}, []float64{-1, 0}, []float64{3, 0}, 0, AtLower},
		{"nearer bound above", 0, []float64{1, 0}, []float64{-3, 0}, []float64{1, 0}, 0, AtUpper},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := New(LP{C: []float64{c.cost}, Lo: []float64{-inf}, Up: []float64{inf}, RowLo: c.rowLo, RowUp: c.rowUp,
				A: NewDense(2, 1, c.column)}, Options{NoScaling: true})
			if err != nil {
				t.Fatal(err)
			}
			s.begin(context.Background())
			b, got := s.Basis(Basis{}), -1
			for r, p := range b.Rows {
				if p != Basic {
					got = r
				}
			}
			if got != c.want || (b.Cols[0] == Basic) != (c.want >= 0) {
				t.Fatalf("basis %+v, want row %d replaced", b, c.want)
			}
			if got >= 0 && b.Rows[got] != c.rests {
				t.Errorf("row %d rests at %d, want %d", got, b.Rows[got], c.rests)
			}
		})
	}
}

// TestEnterFreeKeeps: a free column that has become basic is not replaced by the next one.
func TestEnterFreeKeeps(t *testing.T) {
	sp := &Sparse{Rows: 2}
	sp.Append([]int32{0}, []float64{1})
	sp.Append([]int32{0, 1}, []float64{5, 1})
	lp := LP{Lo: []float64{-inf, -inf}, Up: []float64{inf, inf}, RowLo: []float64{1, 1}, A: sp}
	s, err := New(lp, Options{NoScaling: true})
	if err != nil {
		t.Fatal(err)
	}
	s.begin(context.Background())
	if b := s.Basis(Basis{}); b.Cols[0] != Basic || b.Cols[1] != Basic || b.Rows[0] == Basic || b.Rows[1] == Basic {
		t.Errorf("basis %+v, want both columns", b)
	}
}

// TestMethodsBegin: pivots of the primal method leave the dual weights behind, and
// neither method counts the other's idle steps.
func TestMethodsBegin(t *testing.T) {
	s := mixed(t, 4, 10)
	s.maxIterations = 0
	s.dualWeights.reset(context.Background())
	s.perturbation.idle = stallLimit
	s.dual(context.Background())
	if !s.dualWeights.valid || s.perturbation.idle != 0 {
		t.Errorf("dual: weights valid %v, %d idle steps", s.dualWeights.valid, s.perturbation.idle)
	}
	s.perturbation.idle = stallLimit
	s.primalWeights.weight[0] = 5
	s.primal(context.Background())
	if s.dualWeights.valid || s.perturbation.idle != 0 || s.primalWeights.weight[0] != 1 {
		t.Errorf("primal: dual weights valid %v, %d idle steps, weight %v",
			s.dualWeights.valid, s.perturbation.idle, s.primalWeights.weight[0])
	}
}

// keepsBasis: rows that join leave the inverse and the weights what a fresh inverse would make them.
func keepsBasis(t *testing.T, s *Solver) {
	t.Helper()
	if !s.loaded {
		t.Fatal("the basis is to be loaded again")
	}
	if s.dualWeights.valid {
		from, ended := s.dualWeights.from, testutil.EndAfter(t.Context(), 1)
		s.dualWeights.renew(ended)
		if added := len(s.dualWeights.weight) - from; from > 0 && s.dualWeights.valid != (added == 1) {
			t.Errorf("weights of %d added rows after one look: valid %v", added, s.dualWeights.valid)
		}
		s.dualWeights.valid, s.dualWeights.from = true, from
		s.dualWeights.renew(t.Context())
	}
	fresh := newBasis(s.matrix)
	fresh.load(context.Background(), slices.Clone(s.values.position))
	want, got := &dualWeights{basis: fresh}, &dualWeights{basis: s.basis}
	want.resize(s.program.variables())
	got.resize(s.program.variables())
	want.reset(context.Background())
	got.reset(context.Background())
	for v, w := range want.weight {
		testutil.NearRel(t, "weight by the inverse kept", got.weight[v], w, 1e-6)
		if s.dualWeights.valid && s.values.position[v] == Basic {
			testutil.NearRel(t, "weight", s.dualWeights.weight[v], w, 1e-6)
		}
	}
}

// TestAddRows solves a program whose matrix gains rows, each time as a new solver would.
func TestAddRows(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 41))
		p, _ := planted(rng, 24, 15, 0.7, seed%2 == 0)
		whole := p.lp(true)
		data := whole.A.(*Dense)
		grown := *data
		grown.Rows = 8
		part := whole
		part.A, part.RowLo, part.RowUp = &grown, whole.RowLo[:8], whole.RowUp[:8]
		warm, err := New(part, Options{NoScaling: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int{8, 9, 16, 24} {
			if from := grown.Rows; rows > from {
				grown.Rows = rows
				if err := warm.AddRows(whole.RowLo[from:rows], whole.RowUp[from:rows]); err != nil {
					t.Fatal(err)
				}
				keepsBasis(t, warm)
			}
			lp := whole
			lp.A, lp.RowLo, lp.RowUp = &Dense{rows, data.Cols, data.Stride, data.Data}, whole.RowLo[:rows], whole.RowUp[:rows]
			cold, err := New(lp, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := warm.Solve(context.Background()), cold.Solve(context.Background())
			if err := Check(lp, got); err != nil || got.Status != want.Status {
				t.Fatalf("seed %d, %d rows: %v, want %v, %v", seed, rows, got.Status, want.Status, err)
			}
			testutil.NearRel(t, "objective", got.Objective, want.Objective, 1e-8)
		}
	}
}

// TestEnterFreeFollows: values and reduced costs that follow the exchanges are those of the basis.
func TestEnterFreeFollows(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 43))
		p, _ := planted(rng, 60, 40, 0.1, seed%2 == 0)
		lp := p.lp(seed%3 == 0)
		for j := range lp.C {
			if rng.IntN(2) == 0 {
				lp.Lo[j], lp.Up[j] = -inf, inf
			}
		}
		lp.RowLo[0], lp.RowUp[0] = 1, 1 // not so at the slack basis
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.program.restoreBounds()
		s.program.restoreCosts()
		s.program.restoreTolerances()
		s.basis.load(context.Background(), s.values.position)
		s.values.settle()
		s.enterFree(context.Background())
		x, y := slices.Clone(s.values.x), slices.Clone(s.costs.y)
		s.values.compute()
		s.costs.compute()
		testutil.NearAll(t, "values", x, s.values.x, 1e-8)
		testutil.NearAll(t, "duals", y, s.costs.y, 1e-8)
		if s.basis.updates == 0 {
			t.Errorf("seed %d: no column has entered", seed)
		}
	}
}
