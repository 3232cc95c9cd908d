package boxqp

import (
	"cmp"
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
)

// products keeps the elements of H between rows that have been free in a solve, for
// the Newton steps of a stage leave most of F as it was.
type products struct {
	slot []int // of a row, 0 for none, else one more than its place in rows
	rows []int
	seen [][]float64 // their features
	h    []float64   // lower triangle, in the order of rows
	ld   int
	part []float64 // scratch: some columns of seen
}

// few is the number of rows up to which a product each is cheaper than gathering all.
const few = 4

// begin forgets what an earlier solve has left.
func (g *products) begin(n int) {
	g.slot = duals.Grow(g.slot, n)
	clear(g.slot)
	g.rows, g.seen = g.rows[:0], g.seen[:0]
}

// lower writes the lower triangle of the block of H of the rows idx, of which there are at most
// f.most, to dst; it brings idx into the order of that. When ctx ends, only a part of it.
func (g *products) lower(ctx context.Context, f *Factor, dst []float64, idx []int) {
	missing := 0
	for _, i := range idx {
		if g.slot[i] == 0 {
			missing++
		}
	}
	if len(g.rows)+missing > f.most {
		g.begin(len(g.slot))
	}
	g.join(ctx, f, idx)
	slices.SortFunc(idx, func(i, j int) int { return cmp.Compare(g.slot[i], g.slot[j]) })
	m := len(idx)
	for a, i := range idx {
		row := g.h[(g.slot[i]-1)*g.ld:]
		for b, j := range idx[:a+1] {
			dst[a*m+b] = row[g.slot[j]-1]
		}
	}
}

// join adds those of the rows idx that are not there.
func (g *products) join(ctx context.Context, f *Factor, idx []int) {
	old := len(g.rows)
	for _, i := range idx {
		if g.slot[i] == 0 {
			g.rows = append(g.rows, i)
			g.seen = append(g.seen, f.row(i))
			g.slot[i] = len(g.rows)
		}
	}
	m := len(g.rows)
	if m > g.ld {
		g.widen(min(2*m, f.most), old)
	}
	if m-old <= few {
		for a := old; a < m; a++ {
			dst := g.h[a*g.ld : a*g.ld+a+1]
			clear(dst)
			dense.AddMulGathered(dst, g.seen[:a+1], g.seen[a])
		}
		return
	}
	const chunk, strip = 256, 64 // columns and rows
	g.part = duals.Grow(g.part, m*min(chunk, f.r))
	for a := old; a < m; a++ {
		clear(g.h[a*g.ld : a*g.ld+a+1])
	}
	h := dense.Of(g.h, m, m, g.ld)
	for lo := 0; lo < f.r; lo += chunk {
		k := min(chunk, f.r-lo)
		parallel.For(f.threads, (m+strip-1)/strip, func(_, t int) {
			for a := t * strip; a < min((t+1)*strip, m); a++ {
				copy(g.part[a*k:(a+1)*k], g.seen[a][lo:lo+k])
			}
		})
		w := dense.Of(g.part, m, k, k)
		next := w.Sub(old, m, 0, k)
		if dense.Mul(ctx, f.threads, 1, next, w.Sub(0, old, 0, k).T(), h.Sub(old, m, 0, old)) != nil {
			return
		}
		if dense.MulLower(ctx, f.threads, 1, next, next.T(), h.Sub(old, m, old, m)) != nil {
			return
		}
	}
}

// widen makes room for ld rows and keeps the first ones.
func (g *products) widen(ld, keep int) {
	h := make([]float64, ld*ld)
	for a := range keep {
		copy(h[a*ld:a*ld+a+1], g.h[a*g.ld:])
	}
	g.h, g.ld = h, ld
}
