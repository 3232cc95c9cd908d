package greedy

import (
	"context"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// panelRows is the height of a panel: small enough that little of the symmetric
// half is stored twice, large enough for the panels' partial sums to be few.
const panelRows = 128

// panels holds the kernel columns of the candidates against all samples, each pair once. With the candidates first, in
// the order `order`, a panel has the rows [lo, hi) of the candidates and the columns from lo on. Panels that do not fit
// the arena are computed for each product, a strip of rows at a time. If the context ends, products are incomplete;
// callers check it after them.
type panels struct {
	ctx    context.Context
	task   *samples.LeastSquares
	order  []int // all samples, candidates first
	packed *gram.Samples[float64]
	n      int
	cand   int
	panel  []panel
	arena  []float64   // the stored panels, one after another
	sums   []float64   // the panels' partial sums
	strip  [][]float64 // one per worker: rows of a panel that is not stored
	v, c   []float64   // operand and result of a product, in the order of order
	evals  int64       // kernel evaluations so far
}

type panel struct {
	lo, hi int
	value  []float64 // (hi−lo)×(n−lo), nil when not stored
	end    int       // of value in the arena
	sum    []float64 // partial result for the candidates from hi on
}

// The strips of all workers together are one panel high. So their memory, and with it the result, does not depend on
// the number of workers.
const maxStrips = panelRows / 4

// newPanels prepares products with the columns of the candidates cand (ascending). It stores as many panels as the
// budget allows, and takes that memory.
func newPanels(ctx context.Context, t *samples.LeastSquares, cand []int) *panels {
	p := &panels{ctx: ctx, task: t, n: t.N, order: make([]int, t.N), v: make([]float64, t.N), c: make([]float64, len(cand))}
	p.sums = make([]float64, sumsLen(len(cand)))
	size := min(t.Budget.Left()/8, int64(panelsLen(t.N, len(cand))))
	if t.Budget.Take(8*size) == nil { // size is within what is left
		p.arena = dense.New(ctx, int(size)) // on a page, unless it is small; nil if ctx has ended
	}
	p.layout(cand)
	return p
}

// eachPanel calls f with the bounds of every panel of cand candidates.
func eachPanel(cand int, f func(lo, hi int)) {
	for lo := 0; lo < cand; lo += panelRows {
		f(lo, min(lo+panelRows, cand))
	}
}

// panelsLen is the number of values in all panels, sumsLen that in their partial sums.
func panelsLen(n, cand int) (size int) {
	eachPanel(cand, func(lo, hi int) { size += (hi - lo) * (n - lo) })
	return size
}

func sumsLen(cand int) (size int) {
	eachPanel(cand, func(_, hi int) { size += cand - hi })
	return size
}

// layout replaces the candidates by cand, a subset of them, and computes the panels that fit the arena.
func (p *panels) layout(cand []int) {
	p.panel, p.packed = p.panel[:0], nil // free the old samples before the new ones are packed
	p.cand, p.c = len(cand), p.c[:len(cand)]
	isCand := make([]bool, p.n)
	for _, i := range cand {
		isCand[i] = true
	}
	p.order = append(p.order[:0], cand...)
	for i, c := range isCand {
		if !c {
			p.order = append(p.order, i)
		}
	}
	p.packed = p.task.Packed.Subset(p.order)
	used, sums, whole := 0, p.sums, true
	eachPanel(p.cand, func(lo, hi int) {
		pan := panel{lo: lo, hi: hi, sum: sums[:p.cand-hi]}
		sums = sums[p.cand-hi:]
		if size := (hi - lo) * (p.n - lo); size <= len(p.arena)-used {
			pan.value, pan.end = p.arena[used:used+size], used+size
			used += size
		} else {
			whole = false
		}
		p.panel = append(p.panel, pan)
	})
	if !whole {
		p.makeStrips()
	}
	parallel.For(p.task.Threads, len(p.panel), func(_, k int) {
		if pan := &p.panel[k]; pan.value != nil {
			for i := pan.lo; i < pan.hi && p.ctx.Err() == nil; i += tileRows {
				p.fill(pan.value[(i-pan.lo)*(p.n-pan.lo):], pan.lo, i, min(i+tileRows, pan.hi))
			}
		}
	})
	for k := range p.panel {
		if p.panel[k].value != nil {
			p.evals += p.panel[k].size(p.n)
		}
	}
}

// reclaim returns the last size values of the arena for another use, nil if it is smaller. The panels there are no
// longer stored.
func (p *panels) reclaim(size int) []float64 {
	limit := len(p.arena) - size
	if limit < 0 {
		return nil
	}
	for k := range p.panel {
		if pan := &p.panel[k]; pan.end > limit {
			pan.value, pan.end = nil, 0
		}
	}
	p.makeStrips()
	end := p.arena[limit:]
	p.arena = p.arena[:limit:limit]
	return end
}

func (p *panels) makeStrips() {
	if p.strip != nil {
		return
	}
	p.strip = make([][]float64, min(parallel.Workers(p.task.Threads), maxStrips))
	rows := max(4, min(tileRows, panelRows/len(p.strip)/4*4))
	for w := range p.strip {
		p.strip[w] = make([]float64, rows*p.n)
	}
}

// stripsLen is the number of values in the strips of any number of workers, at most.
func stripsLen(n int) int { return panelRows * n }

func (pan *panel) size(n int) int64 { return int64(pan.hi-pan.lo) * int64(n-pan.lo) }

// tileRows bounds one call of gram.Tile.
const tileRows = 8

// fill writes the kernel rows [i, end), at most tileRows, of a panel that begins at lo.
func (p *panels) fill(dst []float64, lo, i, end int) {
	var idx [tileRows]int
	for k := range end - i {
		idx[k] = i + k
	}
	p.packed.Tile(dst, p.n-lo, idx[:end-i], lo, p.n)
}

// each calls f for every panel, in parallel, with consecutive rows: value holds rows from first on, relative to the
// panel. Their number is a multiple of four, except for the last rows of a panel.
func (p *panels) each(f func(pan *panel, first int, value []float64)) {
	threads := p.task.Threads
	if p.strip != nil {
		threads = len(p.strip)
	}
	parallel.For(threads, len(p.panel), func(w, k int) {
		pan := &p.panel[k]
		clear(pan.sum)
		if p.ctx.Err() != nil {
			return
		}
		if pan.value != nil {
			f(pan, 0, pan.value)
			return
		}
		ld := p.n - pan.lo
		rows := min(len(p.strip[w])/p.n, tileRows)
		for i := pan.lo; i < pan.hi && p.ctx.Err() == nil; i += rows {
			end := min(i+rows, pan.hi)
			value := p.strip[w][:(end-i)*ld]
			p.fill(value, pan.lo, i, end)
			f(pan, i-pan.lo, value)
		}
	})
	for k := range p.panel {
		if p.panel[k].value == nil {
			p.evals += p.panel[k].size(p.n)
		}
	}
}

// product writes dst_j = Σ_i k(x_i, x_j) v_i for each candidate j. v and dst are indexed by sample; other elements of
// dst stay unchanged.
func (p *panels) product(dst, v []float64) {
	for k, i := range p.order {
		p.v[k] = v[i]
	}
	p.each(p.panelProduct)
	p.collect(dst)
}

// collect adds the panels' partial sums in order, so that the result does not depend on the workers.
func (p *panels) collect(dst []float64) {
	for k := range p.panel {
		dense.Axpy(1, p.panel[k].sum, p.c[p.panel[k].hi:])
	}
	for k, v := range p.c {
		dst[p.order[k]] = v
	}
}

// panelProduct multiplies rows of one panel: by dot products for its own candidates and, by symmetry, by sums of rows
// for the candidates after it.
func (p *panels) panelProduct(pan *panel, first int, value []float64) {
	ld, own, both := p.n-pan.lo, pan.hi-pan.lo, p.cand-pan.lo
	rows := len(value) / ld
	v, c := p.v[pan.lo:], p.c[pan.lo+first:][:rows]
	dense.MulVec(c, value, ld, v[:own])
	dense.AddBoth(c, v[first:first+rows], value[own:], ld, v[own:both], pan.sum)
	dense.AddMulVec(c, value[both:], ld, v[both:])
}

// spread writes dst_j = Σ_i w_i (k(x_i, x_j) − mean_j)² for each candidate j. The differences are formed before they
// are squared: a wide kernel's columns are nearly constant, and Σ w k² − W mean² would cancel.
func (p *panels) spread(dst, w, mean []float64) {
	pw, pm := deal.Pick(w, p.order), deal.Pick(mean, p.order)
	p.each(func(pan *panel, first int, value []float64) {
		ld, own, both := p.n-pan.lo, pan.hi-pan.lo, p.cand-pan.lo
		w, mean := pw[pan.lo:], pm[pan.lo:]
		for r := range len(value) / ld {
			a := value[r*ld : (r+1)*ld]
			var s float64
			m := mean[first+r]
			for j, v := range a {
				d := v - m
				s += w[j] * d * d
			}
			p.c[pan.lo+first+r] = s
			wr := w[first+r]
			for j, v := range a[own:both] {
				d := v - mean[own+j]
				pan.sum[j] += wr * d * d
			}
		}
	})
	p.collect(dst)
}
