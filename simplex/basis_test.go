package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// mixed returns a solver of a random program of dense, sparse and single-entry
// columns on a random basis, everything computed for it.
func mixed(t *testing.T, seed uint64, m int) *Solver {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	data := make([]float64, m*m)
	for i := range data {
		data[i] = rng.NormFloat64()
	}
	sp := &Sparse{Rows: m}
	for j := range 2 * m {
		rows, values := []int32{int32(j % m)}, []float64{rng.NormFloat64() + 2}
		if j >= m {
			rows = append(rows, int32((j+3)%m))
			values = append(values, rng.NormFloat64())
		}
		sp.Append(rows, values)
	}
	n := 3 * m
	lp := LP{C: make([]float64, n), Up: make([]float64, n), RowLo: make([]float64, m), RowUp: make([]float64, m),
		A: Blocks{NewDense(m, m, data), sp}}
	for j := range lp.C {
		lp.C[j], lp.Up[j] = rng.NormFloat64(), 1+rng.Float64()
	}
	for i := range m {
		lp.RowLo[i], lp.RowUp[i] = -1-rng.Float64(), 1+rng.Float64()
	}
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Basis(Basis{})
	for j := range b.Cols {
		b.Cols[j] = Position(rng.IntN(3))
	}
	for i := range b.Rows {
		b.Rows[i] = Position(rng.IntN(3))
	}
	if err := s.SetBasis(b); err != nil {
		t.Fatal(err)
	}
	s.begin(context.Background())
	return s
}

// literal is a basis as a matrix, inverted by gonum: row of[v] of the inverse belongs to basic variable v.
type literal struct {
	numbers map[int32]int
	inverse mat.Dense
}

func newLiteral(t *testing.T, s *Solver) *literal {
	t.Helper()
	m := s.matrix.m
	l := &literal{numbers: map[int32]int{}}
	b := mat.NewDense(m, m, nil)
	for v, p := range s.values.position {
		if p == Basic {
			b.SetCol(len(l.numbers), denseColumn(s.matrix, int32(v)))
			l.numbers[int32(v)] = len(l.numbers)
		}
	}
	if len(l.numbers) != m {
		t.Fatalf("%d basic variables for %d rows", len(l.numbers), m)
	}
	if err := l.inverse.Inverse(b); err != nil {
		t.Fatal(err)
	}
	return l
}

// denseColumn returns column v of the scaled matrix [A −I].
func denseColumn(a *matrix, v int32) []float64 {
	dst := make([]float64, a.m)
	if int(v) >= a.n {
		dst[int(v)-a.n] = -1
		return dst
	}
	p := a.find(int(v))
	p.a.Column(dst, int(v)-p.from)
	for i := range dst {
		dst[i] *= a.scaleOfRow(i) * a.scaleOfCol(int(v))
	}
	return dst
}

// row returns the row of B⁻¹ of basic variable v.
func (l *literal) row(v int32) []float64 { return l.inverse.RawRowView(l.numbers[v]) }

// solve returns B⁻¹·rhs.
func (l *literal) solve(rhs []float64) *mat.VecDense {
	var z mat.VecDense
	z.MulVec(&l.inverse, mat.NewVecDense(len(rhs), rhs))
	return &z
}

// TestBasisFollows makes random exchanges and compares every solve with the basis
// by the literal inverse.
func TestBasisFollows(t *testing.T) {
	kinds, sorted := map[string]int{}, map[bool]bool{}
	for seed := range uint64(6) {
		s := mixed(t, seed, 12)
		if seed%2 == 1 { // from the slack basis on
			slack := Basis{Cols: make([]Position, s.matrix.n), Rows: make([]Position, s.matrix.m)}
			for j := range slack.Cols {
				slack.Cols[j] = AtLower
			}
			if err := s.SetBasis(slack); err != nil {
				t.Fatal(err)
			}
			s.begin(context.Background())
		}
		rng := rand.New(rand.NewPCG(seed, 22))
		for range 60 {
			if rng.IntN(10) == 0 {
				s.refactor(context.Background())
			}
			sorted[s.basis.representation.(*blockBasis).sorted] = true
			checkSolves(t, s, rng)
			e, ok := randomExchange(s, rng)
			if !ok {
				continue
			}
			_, _, unit := s.matrix.unit(e.entering)
			kinds[map[bool]string{true: "unit for ", false: "column for "}[unit]+
				map[bool]string{true: "column", false: "unit"}[s.basis.representation.(*blockBasis).slot[e.leaving] >= 0]]++
			s.values.position[e.entering], s.values.position[e.leaving] = Basic, AtLower
			s.basis.replace(e)
		}
	}
	if len(sorted) != 2 {
		t.Errorf("columns by places: %v, want both", sorted)
	}
	if len(kinds) != 4 {
		t.Errorf("exchanges made: %v, want four kinds", kinds)
	}
}

// randomExchange begins one whose pivot is not small.
func randomExchange(s *Solver, rng *rand.Rand) (e exchange, ok bool) {
	entering := int32(rng.IntN(len(s.values.position)))
	if s.values.position[entering] == Basic {
		return e, false
	}
	e = s.enter(entering)
	least := 0.3 * s.basis.largest(e.direction)
	var choice []int32
	s.basis.each(e.direction, pivotZero, func(v int32, x float64) {
		if !(math.Abs(x) < least) {
			choice = append(choice, v)
		}
	})
	if len(choice) == 0 { // a column without entries
		return e, false
	}
	e.leaving = choice[rng.IntN(len(choice))]
	e.pivot = s.basis.element(e.direction, e.leaving)
	s.row.compute(e.leaving)
	return e, true
}

// checkSolves compares ftran, btran and rows of the inverse with the literal basis.
func checkSolves(t *testing.T, s *Solver, rng *rand.Rand) {
	t.Helper()
	const tol = 1e-8
	l, m := newLiteral(t, s), s.matrix.m
	x := s.basis.newVector()
	for i := range m {
		x.covered[i] = rng.NormFloat64()
	}
	want := l.solve(append([]float64(nil), x.covered...))
	x.written()
	s.basis.ftran(x)
	cost, y, wantY := make([]float64, len(s.values.position)), make([]float64, m), make([]float64, m)
	for v, k := range l.numbers {
		testutil.NearRel(t, "ftran", s.basis.element(x, v), want.AtVec(k), tol)
		cost[v] = rng.NormFloat64()
		for i := range m {
			wantY[i] += cost[v] * l.row(v)[i]
		}
	}
	s.basis.btran(y, cost)
	testutil.NearAll(t, "btran", y, wantY, tol*(1+mat.Norm(mat.NewVecDense(m, wantY), 2)))
	var row inverseRow
	for v := range l.numbers {
		s.basis.btranUnit(v, &row)
		got := make([]float64, m)
		for k, r := range row.Index {
			got[r] = row.Value[k]
		}
		testutil.NearAll(t, "row of the inverse", got, l.row(v), tol*(1+math.Sqrt(row.squaredNorm())))
	}
}

// TestEmptyColumn: a column without entries cannot be basic, and is sent away.
func TestEmptyColumn(t *testing.T) {
	s, err := New(LP{RowLo: []float64{0, 0}, RowUp: []float64{1, 1}, Up: []float64{1},
		A: &Sparse{Rows: 2, Start: []int{0, 0}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetBasis(Basis{Cols: []Position{Basic}, Rows: []Position{Basic, AtLower}}); err != nil {
		t.Fatal(err)
	}
	s.begin(context.Background())
	if b := s.Basis(Basis{}); b.Cols[0] == Basic || b.Rows[0] != Basic || b.Rows[1] != Basic {
		t.Errorf("basis %v, want the two rows", b)
	}
}
