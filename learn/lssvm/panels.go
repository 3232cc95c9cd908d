package lssvm

import (
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// panelRows is the height of a panel: small enough that little of the symmetric
// half is stored twice, large enough for the panels' partial sums to be few.
const panelRows = 128

// panels holds the kernel columns of the candidates against all points, once for
// each pair: with the candidates first, in the order `order`, a panel has the
// rows [lo, hi) of the candidates and the columns from lo on. Panels beyond the
// memory budget are computed anew for each product.
type panels struct {
	threads int
	order   []int // the points: candidates first, the others behind them
	points  *gram.Points[float64]
	n, cand int
	panel   []panel
	scratch [][]float64 // one a worker, when some panel is not stored
	v, c    []float64   // operand and result of a product, in the order of order
	evals   int64       // kernel evaluations so far
}

type panel struct {
	lo, hi int
	value  []float64 // (hi−lo)×(n−lo), nil when not stored
	sum    []float64 // partial result for the candidates behind hi
}

// newPanels prepares products with the columns of the candidates cand (ascending).
func newPanels(t *task, cand []int, memory int64) *panels {
	p := &panels{threads: t.Threads, n: t.n, cand: len(cand)}
	isCand := make([]bool, t.n)
	for _, i := range cand {
		isCand[i] = true
	}
	p.order = append(make([]int, 0, t.n), cand...)
	for i, c := range isCand {
		if !c {
			p.order = append(p.order, i)
		}
	}
	p.points = t.points.Subset(p.order)
	p.v, p.c = make([]float64, t.n), make([]float64, p.cand)
	unstored := 0
	for lo := 0; lo < p.cand; lo += panelRows {
		hi := min(lo+panelRows, p.cand)
		pan := panel{lo: lo, hi: hi, sum: make([]float64, p.cand-hi)}
		if size := (hi - lo) * (t.n - lo); int64(8*size) <= memory {
			memory -= int64(8 * size)
			pan.value = make([]float64, size)
		} else {
			unstored = max(unstored, size)
		}
		p.panel = append(p.panel, pan)
	}
	if unstored > 0 {
		p.scratch = make([][]float64, parallel.Workers(p.threads))
		for w := range p.scratch {
			p.scratch[w] = make([]float64, unstored)
		}
	}
	parallel.For(p.threads, len(p.panel), func(_, k int) {
		if pan := &p.panel[k]; pan.value != nil {
			p.fill(pan, pan.value)
		}
	})
	for k := range p.panel {
		if p.panel[k].value != nil {
			p.evals += p.panel[k].size(p.n)
		}
	}
	return p
}

func (pan *panel) size(n int) int64 { return int64(pan.hi-pan.lo) * int64(n-pan.lo) }

// tileRows bounds one call of gram.Tile.
const tileRows = 8

// fill writes the panel's kernel values to dst.
func (p *panels) fill(pan *panel, dst []float64) {
	idx := make([]int, 0, tileRows)
	ld := p.n - pan.lo
	for i := pan.lo; i < pan.hi; i += tileRows {
		idx = idx[:0]
		for k := i; k < min(i+tileRows, pan.hi); k++ {
			idx = append(idx, k)
		}
		p.points.Tile(dst[(i-pan.lo)*ld:], ld, idx, pan.lo, p.n)
	}
}

// each calls f with every panel and its values, in parallel.
func (p *panels) each(f func(pan *panel, value []float64)) {
	parallel.For(p.threads, len(p.panel), func(w, k int) {
		pan := &p.panel[k]
		value := pan.value
		if value == nil {
			value = p.scratch[w][:pan.size(p.n)]
			p.fill(pan, value)
		}
		f(pan, value)
	})
	for k := range p.panel {
		if p.panel[k].value == nil {
			p.evals += p.panel[k].size(p.n)
		}
	}
}

// product writes dst_j = Σ_i k(x_i, x_j) v_i for each candidate j; v has an
// element for each point, dst as well, and the others' elements are left alone.
func (p *panels) product(dst, v []float64) {
	for k, i := range p.order {
		p.v[k] = v[i]
	}
	p.each(p.panelProduct)
	p.collect(dst)
}

// collect adds the panels' partial sums in their order, so that the result does
// not depend on which worker did which panel.
func (p *panels) collect(dst []float64) {
	for k := range p.panel {
		dense.Axpy(1, p.panel[k].sum, p.c[p.panel[k].hi:])
	}
	for k, v := range p.c {
		dst[p.order[k]] = v
	}
}

// panelProduct multiplies one panel: its own rows by dot products, and the
// candidates behind it, by symmetry, by adding its rows up.
func (p *panels) panelProduct(pan *panel, value []float64) {
	ld, own, both := p.n-pan.lo, pan.hi-pan.lo, p.cand-pan.lo
	v, c := p.v[pan.lo:], p.c[pan.lo:pan.hi]
	clear(pan.sum)
	dense.MulVec(c, value, ld, v[:own])
	dense.AddBoth(c, v[:own], value[own:], ld, v[own:both], pan.sum)
	dense.AddMulVec(c, value[both:], ld, v[both:])
}

// spread writes dst_j = Σ_i w_i (k(x_i, x_j) − mean_j)² for each candidate j. The
// differences are formed before they are squared: a wide kernel's columns are
// nearly constant, and Σ w k² − W mean² would cancel.
func (p *panels) spread(dst, w, mean []float64) {
	pw, pm := make([]float64, p.n), make([]float64, p.n)
	for k, i := range p.order {
		pw[k], pm[k] = w[i], mean[i]
	}
	p.each(func(pan *panel, value []float64) {
		ld, own, both := p.n-pan.lo, pan.hi-pan.lo, p.cand-pan.lo
		w, mean := pw[pan.lo:], pm[pan.lo:]
		clear(pan.sum)
		for r := range own {
			a := value[r*ld : (r+1)*ld]
			var s float64
			m := mean[r]
			for j, v := range a {
				d := v - m
				s += w[j] * d * d
			}
			p.c[pan.lo+r] = s
			wr := w[r]
			for j, v := range a[own:both] {
				d := v - mean[own+j]
				pan.sum[j] += wr * d * d
			}
		}
	})
	p.collect(dst)
}
