package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Rows to try: whole and broken groups of four.
var rowCounts = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17}

func TestRows(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		for _, n := range lengths() {
			for _, k := range rowCounts {
				if n > 100 && k%4 != 1 {
					continue
				}
				testAddRows(t, rng, n, k)
				testMulVec(t, rng, n, k)
				testAddBoth(t, rng, n, k)
			}
		}
		// Several calls of few columns.
		for _, k := range []int{callWork/8 - 1, callWork / 8, callWork/8 + 1, callWork/7 + 5} {
			testAddRows(t, rng, 7, k)
			testMulVec(t, rng, 9, k)
		}
	})
}

// matrix returns k rows of n elements, ld apart, and a list of copies at odd places.
func matrix(rng *rand.Rand, k, n int) (a *lent, ld int, copies []*lent, rows [][]float64) {
	ld = n + rng.IntN(3)
	a = lend(rng, max(0, (k-1)*ld+n), rng.IntN(4))
	copies, rows = make([]*lent, k), make([][]float64, k)
	for q := range rows {
		copies[q] = lend(rng, n, rng.IntN(4))
		copy(copies[q].s(), a.s()[q*ld:])
		copies[q].was = append([]float64(nil), copies[q].all...)
		rows[q] = copies[q].s()
	}
	return a, ld, copies, rows
}

func testAddRows(t *testing.T, rng *rand.Rand, n, k int) {
	t.Helper()
	what := fmt.Sprintf("n=%d, %d rows", n, k)
	a, ld, copies, rows := matrix(rng, k, n)
	coef, y := lend(rng, k, rng.IntN(4)), lend(rng, n, rng.IntN(4))
	want := append([]float64(nil), y.before()...)
	narrow, want32 := make([][]float32, k), append([]float64(nil), want...)
	for q, c := range coef.s() {
		narrow[q] = make([]float32, n+q%3)[q%3:]
		for j, v := range rows[q] {
			narrow[q][j] = float32(v)
			want[j] = math.FMA(c, v, want[j])
			want32[j] = math.FMA(c, float64(float32(v)), want32[j])
		}
	}
	y2, y32 := lend(rng, n, 1), lend(rng, n, 2)
	copy(y2.s(), y.s())
	copy(y32.s(), y.s())
	AddRows(y.s(), coef.s(), a.s(), ld)
	AddGathered(y2.s(), coef.s(), rows)
	AddGathered(y32.s(), coef.s(), narrow)
	checkBits(t, what+": AddRows", y.s(), want)
	checkBits(t, what+": AddGathered", y2.s(), want)
	checkBits(t, what+": AddGathered of float32", y32.s(), want32)
	for _, l := range []*lent{y, y2, y32} {
		l.checkGuards(t, what)
	}
	for _, l := range append(copies, a, coef) {
		l.checkInput(t, what)
	}
}

func testMulVec(t *testing.T, rng *rand.Rand, n, k int) {
	t.Helper()
	what := fmt.Sprintf("n=%d, %d rows", n, k)
	a, ld, copies, rows := matrix(rng, k, n)
	x, dst, sum, sum2 := lend(rng, n, rng.IntN(4)), lend(rng, k, 1), lend(rng, k, 2), lend(rng, k, 3)
	MulVec(dst.s(), a.s(), ld, x.s())
	AddMulVec(sum.s(), a.s(), ld, x.s())
	AddMulGathered(sum2.s(), rows, x.s())
	alone := []float64{0}
	for i, row := range rows {
		checkSum(t, what+": MulVec", dst.s()[i], 0, row, x.s())
		checkSum(t, what+": AddMulVec", sum.s()[i], sum.before()[i], row, x.s())
		checkSum(t, what+": AddMulGathered", sum2.s()[i], sum2.before()[i], row, x.s())
		if MulVec(alone, row, n, x.s()); alone[0] != dst.s()[i] {
			t.Fatalf("%s: row %d is %v among others, %v alone", what, i, dst.s()[i], alone[0])
		}
	}
	for _, l := range []*lent{dst, sum, sum2} {
		l.checkGuards(t, what)
	}
	for _, l := range append(copies, a, x) {
		l.checkInput(t, what)
	}
}

func testAddBoth(t *testing.T, rng *rand.Rand, n, k int) {
	t.Helper()
	what := fmt.Sprintf("AddBoth, n=%d, %d rows", n, k)
	a, ld, _, rows := matrix(rng, k, n)
	dst, coef, x, y := lend(rng, k, 1), lend(rng, k, 2), lend(rng, n, 3), lend(rng, n, rng.IntN(4))
	AddBoth(dst.s(), coef.s(), a.s(), ld, x.s(), y.s())
	want := append([]float64(nil), y.before()...)
	for i, row := range rows {
		checkSum(t, what, dst.s()[i], dst.before()[i], row, x.s())
		for j, v := range row {
			want[j] = math.FMA(coef.s()[i], v, want[j])
		}
	}
	checkBits(t, what, y.s(), want)
	dst.checkGuards(t, what)
	y.checkGuards(t, what)
	for _, l := range []*lent{a, coef, x} {
		l.checkInput(t, what)
	}
}

// A number that is not finite shows in its row's sum and its column's, and nowhere else.
func TestRowsNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, n := range []int{1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 63, 70} {
			for _, k := range []int{1, 3, 4, 6} {
				for i := range k * n {
					testRowsNotFinite(t, rng, n, k, i/n, i%n)
				}
			}
		}
	})
}

func testRowsNotFinite(t *testing.T, rng *rand.Rand, n, k, q, j int) {
	t.Helper()
	bad := []float64{math.NaN(), math.Inf(1)}[rng.IntN(2)]
	a, ld, _, rows := matrix(rng, k, n)
	a.s()[q*ld+j], rows[q][j] = bad, bad
	x, coef := lend(rng, n, 0).s(), lend(rng, k, 0).s()
	x[j], coef[q] = 1, 1
	for name, f := range map[string]func(dst, y []float64){
		"strided":  func(dst, y []float64) { AddMulVec(dst, a.s(), ld, x); AddRows(y, coef, a.s(), ld) },
		"gathered": func(dst, y []float64) { AddMulGathered(dst, rows, x); AddGathered(y, coef, rows) },
		"both":     func(dst, y []float64) { AddBoth(dst, coef, a.s(), ld, x, y) },
	} {
		dst, y := make([]float64, k), make([]float64, n)
		f(dst, y)
		for i, v := range dst {
			if finite(v) == (i == q) {
				t.Fatalf("%s, n=%d, %d rows, %v at (%d,%d): row %d sums to %v", name, n, k, bad, q, j, i, v)
			}
		}
		for i, v := range y {
			if finite(v) == (i == j) {
				t.Fatalf("%s, n=%d, %d rows, %v at (%d,%d): column %d sums to %v", name, n, k, bad, q, j, i, v)
			}
		}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func TestGather(t *testing.T) {
	var g Gather
	y := []float64{1, 2}
	g.Add(0, []float64{math.NaN(), 0})
	g.AddTo(y)
	g.Add(3, []float64{1, 10, 100})
	g.Add(0, nil)
	g.Add(-1, []float64{5, 5})
	g.AddTo(y)
	g.AddTo(y)
	if y[0] != -1 || y[1] != 27 {
		t.Errorf("sum %v, want [-1 27]", y)
	}
}

// Slices that are too short panic at every level, before anything is read.
func TestShort(t *testing.T) {
	v := func(n int) []float64 { return make([]float64, n) }
	rows := func(k, n int) [][]float64 {
		r := make([][]float64, k)
		for i := range r {
			r[i] = v(n)
		}
		return r
	}
	calls := map[string]func(){
		"Dot":                          func() { Dot(v(30), v(29)) },
		"Dot, short":                   func() { Dot(v(3), v(2)) },
		"Axpy":                         func() { Axpy(1, v(30), v(29)) },
		"Axpy, short":                  func() { Axpy(1, v(3), v(2)) },
		"AddRows, values":              func() { AddRows(v(30), v(4), v(119), 30) },
		"AddRows, stride":              func() { AddRows(v(30), v(4), v(200), 29) },
		"AddRows, negative stride":     func() { AddRows(v(30), v(1), v(30), -1) },
		"AddGathered, row":             func() { AddGathered(v(30), v(4), append(rows(3, 30), v(29))) },
		"AddGathered, rows":            func() { AddGathered(v(30), v(4), rows(3, 30)) },
		"AddGathered, float32":         func() { AddGathered(v(30), v(1), [][]float32{make([]float32, 29)}) },
		"MulVec, values":               func() { MulVec(v(4), v(119), 30, v(30)) },
		"AddMulVec, stride":            func() { AddMulVec(v(4), v(200), 29, v(30)) },
		"AddMulGathered, row":          func() { AddMulGathered(v(4), append(rows(3, 30), v(29)), v(30)) },
		"AddMulGathered, rows":         func() { AddMulGathered(v(4), rows(3, 30), v(30)) },
		"MulRows, values":              func() { MulRows(v(80), 20, v(4), v(12), 3, v(59), 20, 3, 20) },
		"MulRows, coefficients":        func() { MulRows(v(80), 20, v(4), v(11), 3, v(60), 20, 3, 20) },
		"MulRows, result":              func() { MulRows(v(79), 20, v(4), v(12), 3, v(60), 20, 3, 20) },
		"AddDots, rows":                func() { AddDots(v(8), 4, v(79), 20, 4, v(40), 20, 2, 20) },
		"AddDots, other rows":          func() { AddDots(v(8), 4, v(80), 20, 4, v(39), 20, 2, 20) },
		"AddDots, result":              func() { AddDots(v(7), 4, v(80), 20, 4, v(40), 20, 2, 20) },
		"Scale":                        func() { Scale(v(30), v(29)) },
		"AddBoth, values":              func() { AddBoth(v(4), v(4), v(119), 30, v(30), v(30)) },
		"AddBoth, rows":                func() { AddBoth(v(4), v(3), v(120), 30, v(30), v(30)) },
		"AddBoth, columns":             func() { AddBoth(v(4), v(4), v(120), 30, v(30), v(29)) },
		"AddBoth, columns the other w": func() { AddBoth(v(4), v(4), v(120), 30, v(29), v(30)) },
	}
	testutil.EachLevel(t, func(t *testing.T) {
		for name, f := range calls {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				f()
			}()
		}
	})
}

func TestNoAllocation(t *testing.T) {
	const n, k = 2100, 19
	x, y, a, coef := make([]float64, n), make([]float64, n), make([]float64, n*k), make([]float64, k)
	rows, narrow := make([][]float64, k), make([][]float32, k)
	for q := range rows {
		rows[q], narrow[q] = a[q*n:(q+1)*n], make([]float32, n)
	}
	var g Gather
	testutil.EachLevel(t, func(t *testing.T) {
		for name, f := range map[string]func(){
			"Dot":            func() { Dot(x, y) },
			"Axpy":           func() { Axpy(1, x, y) },
			"AddRows":        func() { AddRows(y, coef, a, n) },
			"AddGathered":    func() { AddGathered(y, coef, rows) },
			"AddGathered32":  func() { AddGathered(y, coef, narrow) },
			"MulVec":         func() { MulVec(coef, a, n, x) },
			"AddMulGathered": func() { AddMulGathered(coef, rows, x) },
			"AddBoth":        func() { AddBoth(coef, coef, a, n, x, y) },
			"MulRows":        func() { MulRows(y[:40], 10, coef[:4], a, 3, a, n, 3, 10) },
			"AddDots":        func() { AddDots(y[:8], 4, a, n, 4, a, n, 2, 100) },
			"Scale":          func() { Scale(y, x) },
			"Gather":         func() { g.Add(1, x); g.Add(2, x); g.AddTo(y) },
		} {
			if allocs := testing.AllocsPerRun(10, f); allocs != 0 {
				t.Errorf("%s allocates %v times", name, allocs)
			}
		}
	})
}

// TestAddOuter: each row is what a fused multiply-add of every element makes it, or Axpy at the portable level, and
// nothing between the rows changes.
func TestAddOuter(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 5))
		for _, n := range []int{0, 8, 16, 24, 32, 40, 64, 96, blockColumns + 8} {
			for _, k := range rowCounts {
				for _, apart := range []int{0, 1, 8} {
					ld := n + apart
					c := lend(rng, max(0, (k-1)*ld+n), rng.IntN(4))
					coef, x := lend(rng, k, rng.IntN(4)), lend(rng, n, rng.IntN(4))
					want := append([]float64(nil), c.before()...)
					for i, v := range coef.s() {
						for j, e := range x.s() {
							value := &want[i*ld+j]
							if cpu.Active().Fused() {
								*value = math.FMA(v, e, *value)
							} else {
								*value += float64(v * e)
							}
						}
					}
					what := fmt.Sprintf("n=%d, %d rows, %d apart", n, k, ld)
					if rng.IntN(2) == 0 {
						AddOuter(c.s(), ld, coef.s(), x.s())
					} else {
						squares := lend(rng, k, rng.IntN(4))
						AddOuterSquares(c.s(), ld, coef.s(), x.s(), squares.s())
						checkSquares(t, what, squares.s(), want, ld, n)
						squares.checkGuards(t, what)
					}
					checkBits(t, what, c.s(), want)
					c.checkGuards(t, what)
					coef.checkInput(t, what)
					x.checkInput(t, what)
				}
			}
		}
	})
}

// checkSquares holds sums of squares to those of the rows of c.
func checkSquares(t *testing.T, what string, squares, c []float64, ld, n int) {
	t.Helper()
	for i, got := range squares {
		want := 0.0
		for _, v := range c[i*ld:][:n] {
			want += v * v
		}
		if !(math.Abs(got-want) <= 1e-13*want) {
			t.Errorf("%s: the squares of row %d add up to %v, want %v", what, i, got, want)
		}
	}
}
