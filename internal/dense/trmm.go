package dense

import (
	"context"
	"fmt"
)

// triangle is the order of the diagonal blocks that ApplyUpper multiplies as full blocks. It is small, because half
// of that work is wasted.
const triangle = 64

// ApplyUpper overwrites the row-major n×r matrix B with U·B. U is n×n; its elements below the diagonal are not used.
// It runs on up to threads goroutines and returns ctx's error.
func ApplyUpper(ctx context.Context, threads int, u, b Mat) error {
	if u.Rows != u.Cols || u.Cols != b.Rows || b.CS != 1 {
		panic(fmt.Sprintf("dense: %d×%d triangle, matrix of %d rows with columns %d apart", u.Rows, u.Cols, b.Rows, b.CS))
	}
	return split(threads, b.Cols, evenly(b.Cols), func(w *workspace, lo, hi int) error {
		return w.applyUpper(ctx, u, b.Sub(0, b.Rows, lo, hi))
	})
}

// applyUpper takes the blocks of rows from top to bottom. Each needs itself and the blocks below it, which are still
// unchanged.
func (w *workspace) applyUpper(ctx context.Context, u, b Mat) error {
	n := b.Rows
	for p0 := 0; p0 < n; p0 += triangle {
		p1 := min(p0+triangle, n)
		k := p1 - p0
		w.packUpper(u.Sub(p0, p1, p0, p1))
		for j0 := 0; j0 < b.Cols; j0 += width {
			j1 := min(j0+width, b.Cols)
			c := b.Sub(p0, p1, j0, j1)
			grow(&w.b, roundUp(j1-j0, w.nr)*k)
			packPanels(w.b, c, w.nr, k)
			for i := range k {
				o := c.Off + i*c.RS
				clear(c.Data[o : o+c.Cols])
			}
			w.block(k, 1, w.b, k, c, full)
		}
		if err := w.mul(ctx, 1, u.Sub(p0, p1, p1, n), b.Sub(p1, n, 0, b.Cols), b.Sub(p0, p1, 0, b.Cols), full); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// packUpper is packLeft for an upper triangle, with zeros below the diagonal.
func (w *workspace) packUpper(u Mat) {
	w.packLeft(u)
	for i := range u.Rows {
		for p := range i {
			w.a[i/w.mr*w.mr*u.Cols+p*w.mr+i%w.mr] = 0
		}
	}
}
