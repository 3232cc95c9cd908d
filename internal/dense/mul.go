package dense

import (
	"context"
	"fmt"
	"math"
)

// Mul does C += alpha·A·B, where alpha is +1 or −1, A is m×k, B is k×n and C is m×n. One stride of C must be +1 or
// −1. C must not overlap A or B. Mul runs on up to threads goroutines. It panics if the shapes do not match, and
// returns ctx's error.
func Mul(ctx context.Context, threads int, alpha float64, a, b, c Mat) error {
	checkMul(alpha, a, b, c)
	a, b, c = rowMajor(a, b, c)
	if c.Rows >= c.Cols {
		return split(threads, c.Rows, evenly(c.Rows), func(w *workspace, lo, hi int) error {
			return w.mul(ctx, alpha, a.Sub(lo, hi, 0, a.Cols), b, c.Sub(lo, hi, 0, c.Cols), full)
		})
	}
	return split(threads, c.Cols, evenly(c.Cols), func(w *workspace, lo, hi int) error {
		return w.mul(ctx, alpha, a, b.Sub(0, b.Rows, lo, hi), c.Sub(0, c.Rows, lo, hi), full)
	})
}

// MulLower is Mul for square C. It computes only the lower triangle with the diagonal, and leaves the elements above
// untouched. C must be row-major.
func MulLower(ctx context.Context, threads int, alpha float64, a, b, c Mat) error {
	checkMul(alpha, a, b, c)
	if c.CS != 1 || c.Rows != c.Cols {
		panic("dense: MulLower needs a square row-major C")
	}
	return split(threads, c.Rows, triangularly(c.Rows), func(w *workspace, lo, hi int) error {
		return w.mul(ctx, alpha, a.Sub(lo, hi, 0, a.Cols), b.Sub(0, b.Rows, 0, hi), c.Sub(lo, hi, 0, hi), -lo)
	})
}

// rowMajor returns views of the same product in which C's columns are one element apart.
func rowMajor(a, b, c Mat) (Mat, Mat, Mat) {
	if c.CS != 1 && c.CS != -1 {
		a, b, c = b.T(), a.T(), c.T()
	}
	if c.CS == -1 {
		b, c = b.flipCols(), c.flipCols()
	}
	if c.CS != 1 {
		panic("dense: neither stride of the result is 1")
	}
	return a, b, c
}

func checkMul(alpha float64, a, b, c Mat) {
	if alpha != 1 && alpha != -1 {
		panic("dense: alpha must be +1 or -1") // otherwise the rounding would depend on an element's place in a tile
	}
	if a.Rows != c.Rows || b.Cols != c.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("dense: %d×%d times %d×%d into %d×%d", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols))
	}
}

// full is the value of diag with which mul computes a whole rectangle.
const full = math.MinInt / 2

// mul computes the elements (i, j) of the row-major C with i − j ≥ diag.
func (w *workspace) mul(ctx context.Context, alpha float64, a, b, c Mat, diag int) error {
	if c.Rows == 0 || c.Cols == 0 {
		return ctx.Err()
	}
	for p0 := 0; p0 < a.Cols; p0 += depth {
		k := min(depth, a.Cols-p0)
		for i0 := 0; i0 < c.Rows; i0 += height {
			i1 := min(i0+height, c.Rows)
			cols := min(c.Cols, i1-diag) // nothing to compute at columns j > i1−1−diag
			if cols <= 0 {
				continue
			}
			w.packLeft(a.Sub(i0, i1, p0, p0+k))
			for j0 := 0; j0 < cols; j0 += width {
				if err := ctx.Err(); err != nil {
					return err
				}
				j1 := min(j0+width, cols)
				grow(&w.b, roundUp(j1-j0, w.nr)*k)
				packPanels(w.b, b.Sub(p0, p0+k, j0, j1), w.nr, k)
				w.block(k, alpha, w.b, k, c.Sub(i0, i1, j0, j1), diag-i0+j0)
			}
		}
	}
	return nil
}

func (w *workspace) packLeft(a Mat) {
	grow(&w.a, roundUp(a.Rows, w.mr)*a.Cols)
	packPanels(w.a, a.T(), w.mr, a.Cols)
}

// block does C += alpha·A·B for the packed left block w.a and the packed right block b. The panels of b have room for
// steps steps, and the first k are used. Only elements with i − j ≥ diag change.
func (w *workspace) block(k int, alpha float64, b []float64, steps int, c Mat, diag int) {
	for i := 0; i < c.Rows; i += w.mr {
		a := w.a[i*k:]
		rows := min(w.mr, c.Rows-i)
		for j := 0; j < c.Cols && j <= i+rows-1-diag; j += w.nr {
			bp := b[j*steps:]
			cols := min(w.nr, c.Cols-j)
			pos := c.Off + i*c.RS + j
			if rows == w.mr && cols == w.nr && i-(j+cols-1) >= diag {
				runTile(k, a, bp, c.Data, pos, c.RS, alpha)
				continue
			}
			part := w.part[:w.mr*w.nr]
			clear(part)
			runTile(k, a, bp, part, 0, w.nr, alpha)
			for r := range rows {
				n := min(cols, i+r-diag-j+1)
				for q := range max(n, 0) {
					c.Data[pos+r*c.RS+q] += part[r*w.nr+q]
				}
			}
		}
	}
}
