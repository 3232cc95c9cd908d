package simplex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// followed is an inverse and the rows of the matrix that it belongs to.
type followed struct {
	rng  *rand.Rand
	rows [][]float64
	inv  inverse
}

// vector draws one of n small elements.
func (f *followed) vector(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = f.rng.NormFloat64() / 8
	}
	return v
}

// solve returns M·t, solveT Mᵀ·t.
func (f *followed) solve(t []float64) []float64 {
	x := basicVector{block: make([]float64, len(t))}
	f.inv.solve([]basicVector{x}, t)
	return x.block[:len(t)]
}

func (f *followed) solveT(t []float64) []float64 {
	dst := make([]float64, len(t))
	f.inv.solveT(dst, t)
	return dst
}

// start fills the block and inverts it.
func (f *followed) start(t *testing.T, k int) {
	f.inv.blank(k)
	f.rows = nil
	for i := range k {
		row := f.vector(k)
		row[i] += 4
		f.rows = append(f.rows, row)
		for j, x := range row {
			f.inv.set(i, j, x)
		}
	}
	if _, ok := f.inv.factor(context.Background()); !ok {
		t.Fatal("singular")
	}
}

// change makes one of the four changes, where its pivot is safe.
func (f *followed) change(kind int) {
	k := len(f.rows)
	i, t := f.rng.IntN(k), f.rng.IntN(k)
	switch kind {
	case 0: // a row and a column more
		col, row := f.vector(k), f.vector(k)
		u, w, corner := f.solve(col), f.solveT(row), 4.0
		sigma := corner - mat.Dot(mat.NewVecDense(k, row), mat.NewVecDense(k, u))
		f.inv.border(u, w, sigma)
		for r := range f.rows {
			f.rows[r] = append(f.rows[r], col[r])
		}
		f.rows = append(f.rows, append(row, corner))
	case 1: // a row and a column less: the ones with the largest entry of M
		row := make([]float64, k)
		f.inv.unitT(row, i)
		for c, x := range row {
			if abs(x) > abs(row[t]) {
				t = c
			}
		}
		f.inv.remove(i, t)
		f.rows[t] = f.rows[k-1]
		f.rows = f.rows[:k-1]
		for r := range f.rows {
			f.rows[r][i] = f.rows[r][k-1]
			f.rows[r] = f.rows[r][:k-1]
		}
	case 2: // another column
		col := f.vector(k)
		for r := range col {
			col[r] += f.rows[r][i]
		}
		f.inv.replaceColumn(i, f.solve(col))
		for r := range f.rows {
			f.rows[r][i] = col[r]
		}
	case 3: // another row
		row := f.vector(k)
		for c := range row {
			row[c] += f.rows[t][c]
		}
		f.inv.replaceRow(t, f.solveT(row))
		f.rows[t] = row
	}
}

func abs(x float64) float64 { return max(x, -x) }

// check compares rows and products of the inverse with those of the block's literal one.
func (f *followed) check(t *testing.T, what string) {
	t.Helper()
	k := len(f.rows)
	b := mat.NewDense(k, k, nil)
	for i, row := range f.rows {
		b.SetRow(i, row)
	}
	var literal mat.Dense
	if err := literal.Inverse(b); err != nil {
		t.Fatal(err)
	}
	rhs, got := f.vector(k), make([]float64, k)
	var want mat.VecDense
	want.MulVec(&literal, mat.NewVecDense(k, rhs))
	testutil.NearAll(t, what+", solve", f.solve(rhs), want.RawVector().Data, 1e-9)
	want.MulVec(literal.T(), mat.NewVecDense(k, rhs))
	testutil.NearAll(t, what+", solveT", f.solveT(rhs), want.RawVector().Data, 1e-9)
	for i := range k {
		f.inv.unitT(got, i)
		testutil.NearAll(t, what+", row", got, literal.RawRowView(i), 1e-9)
	}
}

// TestInverseFollows changes blocks of orders at which none, few and many products wait, and
// whose storage grows meanwhile, and compares what is solved with the literal inverse after every change.
func TestInverseFollows(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		most := 0
		for _, k := range []int{5, 31, 64, 100, 300} {
			f := &followed{rng: rand.New(rand.NewPCG(uint64(k), 71))}
			f.start(t, k)
			f.check(t, fmt.Sprint(k, " factored"))
			for c := range 40 {
				kind := f.rng.IntN(4)
				f.change(kind)
				most = max(most, f.inv.waiting)
				if c%4 == 3 || c > 30 {
					f.check(t, fmt.Sprintf("%d, change %d of kind %d", k, c, kind))
				}
			}
		}
		if most < 8 {
			t.Errorf("at most %d products have waited", most)
		}
	})
}

// TestFactorDependent: columns that depend on others before them find no pivot, in the first panel and later.
func TestFactorDependent(t *testing.T) {
	const k = 100
	f := &followed{rng: rand.New(rand.NewPCG(7, 72))}
	dependent := map[int]bool{20: true, 33: true, 50: true, 99: true}
	f.inv.blank(k)
	for i := range k {
		row := f.vector(k)
		for j := range row {
			if dependent[j] {
				row[j] = row[j-1] - row[j-2]
			}
			f.inv.set(i, j, row[j])
		}
	}
	pivots, ok := f.inv.factor(context.Background())
	if ok {
		t.Error("a singular block has an inverse")
	}
	seen := map[int32]bool{-1: true}
	for j, r := range pivots {
		if (r < 0) != dependent[j] || r >= 0 && seen[r] {
			t.Errorf("column %d is pivoted on row %d", j, r)
		}
		seen[r] = true
	}
}
