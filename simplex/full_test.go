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

// TestFullSparse solves programs of all densities from a sparse matrix and from a dense one, then with a row more, and
// wants the same statuses and optima. The sparse one is read as a dense one from the stated share of entries on.
func TestFullSparse(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m, n := 1+rng.IntN(60), 1+rng.IntN(60)
		density, whole := rng.Float64(), seed%2 == 0
		if seed%6 == 0 { // without a zero, so that columns are read where they are
			density, whole = 1, false
		}
		p, _ := planted(rng, m, n, density, whole)
		if seed%5 == 4 { // most of these have no solution
			for i := range p.rowLo {
				p.rowLo[i], p.rowUp[i] = p.rowLo[i]+3, p.rowUp[i]+3
			}
		}
		sparse, dense := p.lp(false), p.lp(true)
		a, b := solverOf(t, sparse), solverOf(t, dense)
		compareSolves(t, seed, sparse, dense, a, b)
		entries := sparse.A.(*Sparse)
		if full := a.matrix.parts[0].full != nil; full != (float64(len(entries.Value)) >= 0.3*float64(m*n)) {
			t.Errorf("seed %d: %d of %d entries, read as dense: %v", seed, len(entries.Value), m*n, full)
		}

		row := make([]float64, n) // may make a full matrix one that is not, or the reverse
		for j := range row {
			if rng.IntN(4) == 0 {
				row[j] = rng.NormFloat64()
			}
		}
		p.a = append(p.a, row)
		p.rowLo = append(p.rowLo, -1)
		p.rowUp = append(p.rowUp, 1)
		more, wide := p.lp(false), p.lp(true)
		*entries, *dense.A.(*Dense) = *more.A.(*Sparse), *wide.A.(*Dense)
		for _, s := range []*Solver{a, b} {
			if err := s.AddRows([]float64{-1}, []float64{1}); err != nil {
				t.Fatal(err)
			}
		}
		compareSolves(t, seed, more, wide, a, b)
	}
}

func solverOf(t *testing.T, lp LP) *Solver {
	t.Helper()
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compareSolves(t *testing.T, seed uint64, sparse, dense LP, a, b *Solver) {
	t.Helper()
	r, want := a.Solve(context.Background()), b.Solve(context.Background())
	if r.Status != want.Status {
		t.Fatalf("seed %d: %v from the sparse matrix, %v from the dense one", seed, r.Status, want.Status)
	}
	for _, c := range []struct {
		lp LP
		r  *Result
	}{{sparse, r}, {dense, want}, {sparse, want}} {
		if err := Check(c.lp, c.r); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if r.Status == status.Optimal && !testutil.Within(r.Objective, want.Objective, 1e-8*(1+math.Abs(want.Objective))) {
		t.Errorf("seed %d: objective %.15g, want %.15g", seed, r.Objective, want.Objective)
	}
}

// TestFullColumns holds what the solver reads of a full matrix, scaled, against its entries; columns of one entry stay
// columns of one entry.
func TestFullColumns(t *testing.T) {
	const m, n = 30, 40
	rng := rand.New(rand.NewPCG(3, 4))
	p := &rowsOf{c: make([]float64, n)}
	for i := range m {
		row := make([]float64, n)
		for j := range row {
			if j < n/2 {
				row[j] = math.Ldexp(rng.NormFloat64(), 3*i-2*j)
			} else if j-n/2 == i {
				row[j] = 2
			}
		}
		p.a = append(p.a, row)
	}
	a := p.lp(false).A
	mx := newMatrix(a, true)
	if mx.parts[0].full == nil || mx.rowScale == nil {
		t.Fatal("the matrix is not read as a dense one, or not scaled")
	}
	rows, y, x := []int32{2, 7, 11}, []float64{0.5, -1, 3}, make([]float64, n)
	got := make([]float64, n)
	mx.mulRows(got, rows, y)
	for j := range n {
		x[j] = rng.NormFloat64()
		c, want, sum := mx.load(int32(j)), make([]float64, m), 0.0
		for i := range m {
			want[i] = p.a[i][j] * mx.rowScale[i] * mx.colScale[j]
			if pos := slices.Index(rows, int32(i)); pos >= 0 {
				sum += y[pos] * want[i]
			}
		}
		dst := make([]float64, m)
		c.addTo(dst, 1)
		if !slices.Equal(dst, want) || c.dense != (j < n/2) {
			t.Errorf("column %d: %v, want %v; dense: %v", j, dst, want, c.dense)
		}
		if !testutil.Within(got[j], sum, 1e-12*(1+math.Abs(sum))) {
			t.Errorf("product with column %d: %v, want %v", j, got[j], sum)
		}
		mx.release(c)
	}
	product := make([]float64, m)
	mx.mulAdd(product, x)
	for i, v := range product {
		want, size := 0.0, 0.0
		for j := range n {
			term := p.a[i][j] * mx.rowScale[i] * mx.colScale[j] * x[j]
			want, size = want+term, size+math.Abs(term)
		}
		if !testutil.Within(v, want, 1e-12*(1+size)) {
			t.Errorf("row %d of the product: %v, want %v", i, v, want)
		}
	}
}
