package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

// This file evaluates the panel layout.

func (p *inPanels[T]) rows(idx []int, lo, hi int, to *target[T]) {
	var blocks [sharedBlocks]*scratch[T]
	l := lanes[T]()
	for r := 0; r < len(idx); {
		n, first := 0, r
		for ; n < len(blocks) && r < len(idx); n++ {
			blocks[n] = getScratch[T]()
			blocks[n].gather(p, idx[r:])
			r += blocks[n].rows
		}
		step := sharedPanels(n, p.d, p.panelCount()) * l
		for from, end := lo, 0; from < hi; from = end {
			end = min((from+step)/l*l, hi)
			row := first
			for _, s := range blocks[:n] {
				p.sweep(s, from, end, to, row)
				row += s.rows
			}
		}
		for _, s := range blocks[:n] {
			putScratch(s)
		}
	}
}

// sharedBlocks is the number of query blocks that share a pass over the samples. The pass goes in pieces that fit in
// the second-level cache, so one read from memory serves all blocks.
const sharedBlocks = 8

// sharedPanels is the number of panels of d features in a piece: a multiple of the panels of a tile. They take five
// eighths of the second-level cache. A single block shares nothing and takes all panels at once.
func sharedPanels(blocks, d, all int) int {
	const multiple = 12
	if blocks == 1 {
		return all
	}
	return multiple * max(1, cpu.L2()*5/8/(panelWidth*multiple*max(1, d)))
}

func (p *inPanels[T]) cross(s *scratch[T], to *target[T], x []float64, m int) {
	for q := 0; q < m; q += s.rows {
		s.queries(p, x[q*p.d:], m-q)
		p.sweep(s, 0, p.n, to, q)
	}
}

// sweep evaluates the query rows in s with the samples lo ≤ j < hi, a chunk of panels at a time. It writes them from
// row first of the target on.
func (p *inPanels[T]) sweep(s *scratch[T], lo, hi int, to *target[T], first int) {
	l := lanes[T]()
	chunk := chunkPanels(accLen/lanes[T](), s.rows, p.d)
	for a := lo / l; a*l < hi; a += chunk {
		b := min(a+chunk, (hi+l-1)/l)
		j0, j1 := max(lo, a*l), min(hi, b*l)
		if s.rows == 1 && p.decays() {
			p.fused(s, to.row(first, j0, j1), a, b, j0, j1)
			continue
		}
		p.accumulate(s, a, b)
		for r := range s.rows {
			acc := s.acc[r*(b-a)*l:][:(b-a)*l]
			row, wanted, pos := to.row(first+r, j0, j1), acc[j0-a*l:j1-a*l], j0
			dst, src, parts := row, wanted, p.kernel.trait().curve != nil && j1-j0 < len(acc)
			if parts { // curves like whole panels
				dst, src, pos = acc, acc, a*l
			}
			p.finish(dst, src, s.norms[r], pos)
			if parts {
				copy(row, wanted)
			}
		}
	}
}

// fused writes the values of one query for the samples j0 ≤ j < j1, which lie in the panels a ≤ panel < b. The kernel
// must decay.
func (p *inPanels[T]) fused(s *scratch[T], dst []T, a, b, j0, j1 int) {
	l := lanes[T]()
	if len(dst) == (b-a)*l {
		p.values(dst, s, a, b)
		return
	}
	p.values(s.acc, s, a, b)
	copy(dst, s.acc[j0-a*l:j1-a*l])
}

// values writes the (b−a)·lanes values of the one query in s for the panels a ≤ panel < b.
func (p *inPanels[T]) values(dst []T, s *scratch[T], a, b int) {
	x, scale := p.panels[a*p.panelLen():], T(-p.kernel.Gamma)
	if rowExp(p.form, dst, s.q, x, p.panelLen(), p.d, b-a, scale) {
		return
	}
	n := (b - a) * lanes[T]()
	tile(p.form, s.acc, n, s.q, 1, 1, x, p.panelLen(), p.d, b-a)
	expScaled(dst[:n], s.acc[:n], scale)
}

// accumulate fills s.acc with rows × (b−a)·lanes sums for the panels a ≤ panel < b.
func (p *inPanels[T]) accumulate(s *scratch[T], a, b int) {
	if len(s.kept) > 0 {
		skipDot(s.acc, (b-a)*lanes[T](), s.packed, s.kept, p.panels[a*p.panelLen():], p.panelLen(), b-a)
		return
	}
	tile(p.form, s.acc, (b-a)*lanes[T](), s.q, s.rows, s.rows, p.panels[a*p.panelLen():], p.panelLen(), p.d, b-a)
}

// eval lets up to sharedBlocks blocks of queries share a pass over the samples. First holds the first block.
func (p *inPanels[T]) eval(e *Expansion[T], first *scratch[T], dst, x []float64, m int) {
	blocks, panels := [sharedBlocks]*scratch[T]{first}, p.panelCount()
	for taken := 0; taken < m; {
		n := 0
		for ; n < len(blocks) && taken < m; n++ {
			if n > 0 {
				blocks[n] = getScratch[T]()
			}
			blocks[n].queries(p, x[taken*p.d:], m-taken)
			blocks[n].reserveSums(len(e.coefs))
			taken += blocks[n].rows
		}
		step := sharedPanels(n, p.d, panels)
		for a := 0; a < panels; a += step {
			for _, s := range blocks[:n] {
				p.addPanels(e, s, a, min(a+step, panels))
			}
		}
		for i, s := range blocks[:n] {
			s.totals(dst, len(e.coefs))
			dst = dst[s.rows*len(e.coefs):]
			if i > 0 {
				putScratch(s)
			}
		}
	}
}

// addPanels adds the weighted kernels on the panels from ≤ panel < to to the sums of the query rows in s. From must
// be a multiple of sumPanels, so that the bits do not depend on the pieces.
func (p *inPanels[T]) addPanels(e *Expansion[T], s *scratch[T], from, to int) {
	l := lanes[T]()
	chunk := chunkPanels(accLen/lanes[T](), s.rows, p.d)
	for a := from; a < to; a += chunk {
		b := min(a+chunk, to)
		single := s.rows == 1 && p.decays()
		if single {
			p.values(s.acc, s, a, b)
		} else {
			p.accumulate(s, a, b)
		}
		for r := range s.rows {
			k := s.acc[r*(b-a)*l : (r+1)*(b-a)*l]
			if !single {
				p.finish(k, k, s.norms[r], a*l)
			}
			s.weigh(e, r, k, a*l)
		}
	}
}

// square reads its queries in place: each panel of samples is a block of queries.
func (p *inPanels[T]) square(dst []T, i0, i1, j0, j1 int) {
	l := lanes[T]()
	a, b := j0/l, (j1+l-1)/l
	rows := rowsFor(maxRows(), p.d)
	wide := p.wide()
	if wide {
		p.wideDots(dst, i0, i1, a, b)
	}
	for i := i0; i < i1; i += rows {
		part := dst[(i-i0)*tileSide:]
		if !wide {
			tile(p.form, part, tileSide, p.point(i), l, rows, p.panels[a*p.panelLen():], p.panelLen(), p.d, b-a)
		}
		if p.form != expanded && j1-j0 == tileSide {
			part = part[:rows*tileSide]
			p.apply(part, part)
			continue
		}
		for r := i; r < min(i+rows, i1); r++ {
			row := dst[(r-i0)*tileSide:][:j1-j0]
			p.finish(row, row, p.norm(r), j0)
		}
	}
}

// fuseFeatures is the largest dimension at which the expanded form uses fuseExpanded, which overlaps the stores of a
// block with the computation of the next one. Beyond it, tiles that go through the features in pieces are as fast or
// faster.
const fuseFeatures = 256

// fusePanels is the number of panels that the fuse functions take at a time, a multiple of 2 and 3: half a tile's of
// float64. With 60 features a tile's fill the first-level cache, which they need while stores wait for memory.
const fusePanels = 6

// fuseSquare writes a whole block of a large matrix and its mirror image. It reports whether the level has assembly
// for this. Where rows of the matrix begin inside cache lines, the values take the way through s.
func (p *inPanels[T]) fuseSquare(s *scratch[T], to out[T], i0, j0 int) bool {
	if !to.stream() || p.form == absolute || !p.kernel.trait().decay || p.d == 0 ||
		p.form == expanded && p.d > fuseFeatures || p.form != expanded && !to.onLines() {
		return false
	}
	l, ld := lanes[T](), to.ld
	if to.onLines() {
		for j := j0; j < j0+tileSide; j += fusePanels * l { // these panels stay in the first-level cache
			for i := i0; i < i0+tileSide; i += l {
				p.fusePanels(to.dst[i*ld+j:], to.dst[j*ld+i:], ld, s.tile, i, j, false)
			}
		}
		return true
	}
	rows, turned := s.tile[3*l*l:], s.turnedTile()
	for i := i0; i < i0+tileSide; i += l {
		for j := 0; j < tileSide; j += fusePanels * l {
			p.fusePanels(rows[j:], turned[j*turnedPitch[T]()+i-i0:], turnedPitch[T](), s.tile, i, j0+j, true)
		}
		streamRows(to.dst[i*ld+j0:], ld, rows, turnedPitch[T](), tileSide, l)
	}
	streamRows(to.dst[j0*ld+i0:], ld, turned, turnedPitch[T](), tileSide, tileSide)
	return true
}

// fusePanels writes the values of the panel that begins with sample i and the panels from sample j on, and their mirror
// image, with ordinary stores if keep is set: for the expanded form only.
//
// Its unsafe pointers come from start, by rule 1 of package unsafe: the assembly reads and writes elements of type T,
// which the slices hold. The index expressions prove that every access stays inside the slices.
func (p *inPanels[T]) fusePanels(row, mirror []T, ld int, tile []T, i, j int, keep bool) {
	l, side, scale := lanes[T](), fusePanels*lanes[T](), T(-p.kernel.Gamma)
	q, x := p.point(i), p.panels[j/l*p.panelLen():]
	_, _, _ = tile[3*l*l-1], x[(fusePanels-1)*p.panelLen()+p.d*l-1], q[(p.d-1)*l+l-1]
	_, _ = row[(l-1)*ld+side-1], mirror[(side-1)*ld+l-1]
	var qn, zn []T
	if p.form == expanded {
		qn, zn = p.norms[i:i+l], p.norms[j:j+side]
	}
	to, by, turned, size := start(row), bytes[T](ld), start(mirror), bytes[T](p.panelLen())
	queries, from := start(q), start(x)
	switch {
	case p.form == expanded && keep:
		runKeepExpanded(to, by, turned, queries, from, size, p.d, fusePanels, start(qn), start(zn), scale, start(tile))
	case p.form == expanded:
		runFuseExpanded(to, by, turned, queries, from, size, p.d, fusePanels, start(qn), start(zn), scale, start(tile))
	default:
		runFuseSquare(to, by, turned, queries, from, size, p.d, fusePanels, start(qn), start(zn), scale, start(tile))
	}
}
