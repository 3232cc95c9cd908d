package dense

import "fmt"

// blockColumns is the number of columns that a pass over all rows takes. That part of the vectors stays in the
// first-level cache.
const blockColumns = 2048

// AddRows does y += Σ_q coef[q]·row_q, where row q is a[q·ld:]. There are len(coef) rows of len(y) elements. Fused
// multiply-adds in the order of the rows give the same bits at every level.
func AddRows(y, coef, a []float64, ld int) {
	if len(y) == 0 || len(coef) == 0 {
		return
	}
	checkMatrix(len(coef), len(y), a, ld)
	for lo := 0; lo < len(y); lo += blockColumns {
		part := y[lo:min(lo+blockColumns, len(y))]
		step := rowsPerCall(len(part))
		for q := 0; q < len(coef); q += step {
			runAddStrided(part, coef[q:min(q+step, len(coef))], a[q*ld+lo:], ld)
		}
	}
}

// AddOuter does c_i += coef_i·x for len(coef) rows of len(x) elements, ld apart: row by row what [Axpy] does. len(x)
// must be a multiple of 8.
func AddOuter(c []float64, ld int, coef, x []float64) {
	n := len(x)
	if n%8 != 0 {
		panic(fmt.Sprintf("dense: %d columns, want a multiple of 8", n))
	}
	if n == 0 || len(coef) == 0 {
		return
	}
	checkMatrix(len(coef), n, c, ld)
	for lo := 0; lo < n; lo += blockColumns {
		part := x[lo:min(lo+blockColumns, n)]
		step := rowsPerCall(len(part))
		for i := 0; i < len(coef); i += step {
			runAddOuter(c[i*ld+lo:], ld, coef[i:min(i+step, len(coef))], part)
		}
	}
}

// AddOuterSquares is [AddOuter], and sets squares[i] to the sum of the squares of the new c_i.
func AddOuterSquares(c []float64, ld int, coef, x, squares []float64) {
	n := len(x)
	if len(squares) != len(coef) {
		panic(fmt.Sprintf("dense: %d squares for %d rows", len(squares), len(coef)))
	}
	if n%8 == 0 && n > 0 && n <= blockColumns && len(coef) > 0 && len(coef) <= rowsPerCall(n) {
		checkMatrix(len(coef), n, c, ld)
		if runAddOuterSquares(c, ld, coef, x, squares) {
			return
		}
	}
	AddOuter(c, ld, coef, x)
	for i := range squares {
		row := c[i*ld:][:n]
		squares[i] = Dot(row, row)
	}
}

// AddGathered does y += Σ_q coef[q]·rows[q] in float64, for rows of either type with at least len(y) elements each.
// The order and the rounding are those of [AddRows].
func AddGathered[T Float](y, coef []float64, rows [][]T) {
	checkRows(rows, len(coef), len(y))
	if len(y) == 0 || len(coef) == 0 {
		return
	}
	for lo := 0; lo < len(y); lo += blockColumns {
		part := y[lo:min(lo+blockColumns, len(y))]
		step := rowsPerCall(len(part))
		for q := 0; q < len(coef); q += step {
			hi := min(q+step, len(coef))
			switch r := any(rows).(type) {
			case [][]float64:
				runAddGathered64(part, coef[q:hi], r[q:hi], lo)
			case [][]float32:
				runAddGathered32(part, coef[q:hi], r[q:hi], lo)
			}
		}
	}
}

// rowsPerCall is the number of rows of n columns of one kernel call: a multiple of four, because kernels take four
// rows a pass.
func rowsPerCall(n int) int { return max(4, callWork/n&^3) }

// MulVec writes dst[i] = row_i·x, where row i is a[i·ld:]. There are len(dst) rows of len(x) elements. The bits of an
// element do not depend on the other rows.
func MulVec(dst, a []float64, ld int, x []float64) {
	if len(x) == 0 {
		clear(dst)
	}
	mulVec(dst, a, ld, x, false)
}

// AddMulVec does dst[i] += row_i·x; see [MulVec].
func AddMulVec(dst, a []float64, ld int, x []float64) { mulVec(dst, a, ld, x, true) }

func mulVec(dst, a []float64, ld int, x []float64, add bool) {
	if len(dst) == 0 || len(x) == 0 {
		return
	}
	checkMatrix(len(dst), len(x), a, ld)
	for lo := 0; lo < len(x); lo += blockColumns {
		part := x[lo:min(lo+blockColumns, len(x))]
		step := rowsPerCall(len(part))
		for i := 0; i < len(dst); i += step {
			runMulStrided(dst[i:min(i+step, len(dst))], a[i*ld+lo:], ld, part, add || lo > 0)
		}
	}
}

// AddMulGathered does dst[i] += rows[i]·x for len(dst) rows with at least len(x) elements each. The bits of an
// element do not depend on the other rows.
func AddMulGathered(dst []float64, rows [][]float64, x []float64) {
	checkRows(rows, len(dst), len(x))
	if len(dst) == 0 || len(x) == 0 {
		return
	}
	for lo := 0; lo < len(x); lo += blockColumns {
		part := x[lo:min(lo+blockColumns, len(x))]
		step := rowsPerCall(len(part))
		for i := 0; i < len(dst); i += step {
			hi := min(i+step, len(dst))
			runMulGathered(dst[i:hi], rows[i:hi], lo, part)
		}
	}
}

// AddBoth does dst[i] += row_i·x and y += Σ_i coef[i]·row_i in one pass over the len(dst) rows a[i·ld:] of len(x)
// elements. This is the product with a symmetric matrix of which one triangle is stored. dst and coef have the same
// length, and so have x and y.
func AddBoth(dst, coef, a []float64, ld int, x, y []float64) {
	if len(dst) != len(coef) || len(x) != len(y) {
		panic(fmt.Sprintf("dense: %d and %d rows, vectors of %d and %d elements", len(dst), len(coef), len(x), len(y)))
	}
	if len(dst) == 0 || len(x) == 0 {
		return
	}
	checkMatrix(len(dst), len(x), a, ld)
	fours := len(dst) &^ 3
	for lo := 0; lo < len(x); lo += blockColumns {
		hi := min(lo+blockColumns, len(x))
		for i := 0; i < fours; i += 4 {
			runBoth(dst[i:i+4], coef[i:i+4], a[i*ld+lo:], ld, x[lo:hi], y[lo:hi])
		}
	}
	if fours < len(dst) {
		AddMulVec(dst[fours:], a[fours*ld:], ld, x)
		AddRows(y, coef[fours:], a[fours*ld:], ld)
	}
}

func checkMatrix(rows, cols int, a []float64, ld int) {
	if ld < 0 || rows > 1 && ld < cols || len(a) < (rows-1)*ld+cols {
		panic(fmt.Sprintf("dense: %d values for %d rows of %d, %d apart", len(a), rows, cols, ld))
	}
}

func checkRows[T Float](rows [][]T, k, n int) {
	if len(rows) != k {
		panic(fmt.Sprintf("dense: %d rows, want %d", len(rows), k))
	}
	for q, row := range rows {
		if len(row) < n {
			panic(fmt.Sprintf("dense: row %d has %d elements, want %d", q, len(row), n))
		}
	}
}
