package dense

import (
	"context"
	"fmt"
)

// SolveLower overwrites B with L⁻¹B. L is n×n; its elements above the diagonal are not read. B is n×r with one stride
// of +1 or −1. It runs on up to threads goroutines and returns ctx's error. A zero on the diagonal of L gives
// infinities, as in BLAS.
//
// Views turn the other triangular solves into this one: see [SolveUpper], and transpose both arguments for X·L = B.
func SolveLower(ctx context.Context, threads int, l, b Mat) error {
	if l.Rows != l.Cols || l.Cols != b.Rows {
		panic(fmt.Sprintf("dense: %d×%d triangle, right side of %d rows", l.Rows, l.Cols, b.Rows))
	}
	return split(threads, b.Cols, evenly(b.Cols), func(w *workspace, lo, hi int) error {
		return w.solveLower(ctx, l, b.Sub(0, b.Rows, lo, hi))
	})
}

// SolveUpper overwrites B with U⁻¹B for an upper triangle U. Reversing the order of rows and columns makes U a lower
// triangle.
func SolveUpper(ctx context.Context, threads int, u, b Mat) error {
	return SolveLower(ctx, threads, u.flipRows().flipCols(), b.flipRows())
}

// solveLower takes L in diagonal blocks of depth columns. It packs panels of B and solves them in place, with the
// product kernel and 8×8 triangles. It then subtracts the product with the solved rows from the rows below.
func (w *workspace) solveLower(ctx context.Context, l, b Mat) error {
	n := b.Rows
	for p0 := 0; p0 < n && b.Cols > 0; p0 += depth {
		p1 := min(p0+depth, n)
		w.packTriangle(l.Sub(p0, p1, p0, p1))
		x := b.Sub(p0, p1, 0, b.Cols)
		if err := w.solvePanels(ctx, x); err != nil {
			return err
		}
		a, x, c := rowMajor(l.Sub(p1, n, p0, p1), x, b.Sub(p1, n, 0, b.Cols))
		if err := w.mul(ctx, -1, a, x, c, full); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// packTriangle packs a diagonal block for solvePanels. The rows left of each 8×8 triangle go to w.left as panels, the
// triangles to w.tri. Missing rows are rows of the identity.
func (w *workspace) packTriangle(l Mat) {
	blocks := roundUp(l.Rows, solveRows) / solveRows
	grow(&w.left, solveRows*solveRows*blocks*(blocks-1)/2)
	grow(&w.tri, solveRows*solveRows*blocks)
	clear(w.tri)
	left := w.left
	for q := range blocks {
		i0 := q * solveRows
		i1 := min(i0+solveRows, l.Rows)
		packPanels(left, l.Sub(i0, i1, 0, i0).T(), w.mr, i0)
		clear(left[roundUp(i1-i0, w.mr)*i0 : solveRows*i0]) // whole panels of missing rows
		left = left[solveRows*i0:]
		tri := w.tri[i0*solveRows:]
		for i := range solveRows {
			if i0+i >= i1 {
				tri[i*solveRows+i] = 1
				continue
			}
			for j := range i {
				tri[i*solveRows+j] = l.At(i0+i, i0+j)
			}
			tri[i*solveRows+i] = 1 / l.At(i0+i, i0+i)
		}
	}
}

// solvePanels overwrites x with the solution for the packed triangle in w.left and w.tri.
func (w *workspace) solvePanels(ctx context.Context, x Mat) error {
	steps := roundUp(x.Rows, solveRows)
	grow(&w.b, w.nr*steps)
	for j := 0; j < x.Cols; j += w.nr {
		if j%width == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		xj := x.Sub(0, x.Rows, j, min(j+w.nr, x.Cols))
		packPanels(w.b, xj, w.nr, steps)
		left := w.left
		for i0 := 0; i0 < steps; i0 += solveRows {
			for r := 0; r < solveRows && i0 > 0; r += w.mr {
				runTile(i0, left[r*i0:], w.b, w.b, (i0+r)*w.nr, w.nr, -1)
			}
			left = left[solveRows*i0:]
			runSolve(w.tri[i0*solveRows:], w.b[i0*w.nr:])
		}
		unpackPanel(xj, w.b, w.nr)
	}
	return nil
}
