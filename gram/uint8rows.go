package gram

// uint8Tile is uint8TileGeneric at the active level.
func uint8Tile(out []int32, ldo int, q []uint32, qs, rows int, x []uint32, xs, k, panels int) {
	_, _, _ = out[(rows-1)*ldo+panels*uint8Lanes-1], q[(k-1)*qs+rows-1], x[(panels-1)*xs+k*uint8Lanes-1]
	o, a, b, os, as, bs := &out[0], &q[0], &x[0], uintptr(4*ldo), uintptr(4*qs), uintptr(4*xs)
	if !(hasDots() && runTileUint8Dots(o, os, a, as, rows, b, bs, k, panels)) &&
		!runTileUint8(o, os, a, as, rows, b, bs, k, panels) {
		uint8TileGeneric(out, ldo, q, qs, rows, x, xs, k, panels)
	}
}

// uint8Skip is uint8Tile for maxRows queries, one after the other, over the groups at the given byte offsets in a
// panel, in ascending order. It needs vnni.
func uint8Skip(out []int32, ldo int, q, offset []uint32, x []uint32, xs, panels int) {
	l, last, rows := uint8Lanes, int(offset[len(offset)-1])/panelWidth, maxRows()
	_, _, _ = out[(rows-1)*ldo+panels*l-1], q[len(offset)*rows-1], x[(panels-1)*xs+(last+1)*l-1]
	runSkipUint8Dots(&out[0], uintptr(4*ldo), &q[0], &offset[0], len(offset), &x[0], uintptr(4*xs), panels)
}

// uint8TileGeneric is tileUint8 with the offset 0 in portable Go. Strides count elements.
func uint8TileGeneric(out []int32, ldo int, q []uint32, qs, rows int, x []uint32, xs, k, panels int) {
	for r := range rows {
		for p := range panels {
			acc := (*[uint8Lanes]int32)(out[r*ldo+p*uint8Lanes:])
			clear(acc[:])
			for g := range k {
				w := q[g*qs+r]
				q0, q1, q2, q3 := int32(w&0xff), int32(w>>8&0xff), int32(w>>16&0xff), int32(w>>24)
				if w == 0 {
					continue
				}
				for l, v := range (*[uint8Lanes]uint32)(x[p*xs+g*uint8Lanes:]) {
					acc[l] += q0*int32(v&0xff) + q1*int32(v>>8&0xff) + q2*int32(v>>16&0xff) + q3*int32(v>>24)
				}
			}
		}
	}
}

// fromDots writes dst[j] = qn + zn[j] − 2·dots[j] at the active level. All results fit in int32.
func fromDots[T Float](dst []T, dots, zn []int32, qn int32) {
	dots, zn = dots[:len(dst)], zn[:len(dst)]
	whole := 0
	if n := len(dst) &^ (uint8Lanes - 1); n > 0 && runFromDots[T](start(dst), &dots[0], &zn[0], n, qn) {
		whole = n
	}
	for j := whole; j < len(dst); j++ {
		dst[j] = T(qn + zn[j] - 2*dots[j])
	}
}

// uint8Queries is a block of queries in the uint8 layout.
type uint8Queries struct {
	rows  int      // 1, 2, 4 or 8
	words []uint32 // rows words for each group of features
	ends  [8]int32 // the queries' terms in fromDots
	// kept holds the byte offsets of the groups that are non-zero in some query; their words come first. It is empty
	// if skipping does not pay.
	kept []uint32
	// asked holds the same queries in the 4-bit layout, if ones is true.
	ones  bool
	asked [8]bits4Query
}

// compact skips the groups that are 0 in all queries: half of them for eight handwritten digits.
func (b *uint8Queries) compact(groups int) {
	b.kept = b.kept[:0]
	if !vnni() || b.rows != maxRows() {
		return
	}
	zeros := 0
	for g := range groups {
		if allZero(b.words[g*b.rows:][:b.rows]) {
			zeros++
		}
	}
	if zeros < groups/8 || zeros == groups {
		return
	}
	for g := range groups {
		if q := b.words[g*b.rows:][:b.rows]; !allZero(q) {
			copy(b.words[len(b.kept)*b.rows:], q)
			b.kept = append(b.kept, uint32(g*panelWidth))
		}
	}
}

func allZero(words []uint32) bool {
	var any uint32
	for _, w := range words {
		any |= w
	}
	return any == 0
}

// reserve allocates the memory for up to m queries.
func (b *uint8Queries) reserve(o *uint8Samples, m int) {
	b.rows = rowsFor(min(m, uint8Rows()), o.groups)
	if n := b.rows * o.groups; cap(b.words) < n {
		b.words = make([]uint32, n)
	} else {
		b.words = b.words[:n]
	}
}

// gather makes the next 8, 4, 2 or 1 of the samples idx the queries.
func (b *uint8Queries) gather(o *uint8Samples, idx []int) {
	b.reserve(o, len(idx))
	if b.ones = o.ones != nil; b.ones {
		for r, i := range idx[:b.rows] {
			o.ones.query(&b.asked[r], i, o.groups)
		}
		return
	}
	for r, i := range idx[:b.rows] {
		x := o.panels[o.at(i):]
		words := b.words
		for g := 0; g < len(x) && r < len(words); g += uint8Lanes {
			words[r] = x[g]
			words = words[b.rows:]
		}
		b.ends[r] = o.end(o.squares[i], o.sums[i])
	}
	b.compact(o.groups)
}

// uint8Dots is the number of integer sums of one call.
const uint8Dots = 3072

func (p *inUint8[T]) rows(idx []int, lo, hi int, to *target[T]) {
	s := getScratch[T]()
	defer putScratch(s)
	for r := 0; r < len(idx); {
		n, first := 0, r
		for ; n < len(s.uint8Blocks) && r < len(idx); n++ {
			s.uint8Blocks[n].gather(p.uint8Samples, idx[r:])
			r += s.uint8Blocks[n].rows
		}
		p.blocks(s, n, lo, hi, to, first)
	}
}

// blocks writes the rows of the first n query blocks of s, from row first on. The blocks share a pass over the
// samples, in pieces that fit in the second-level cache.
func (p *inUint8[T]) blocks(s *scratch[T], n, lo, hi int, to *target[T], first int) {
	step := sharedPanels(n, p.groups, p.panelCount()) * uint8Lanes
	for from, end := lo, 0; from < hi; from = end {
		end = min((from+step)/uint8Lanes*uint8Lanes, hi)
		row := first
		for b := range s.uint8Blocks[:n] {
			p.sweep(s, &s.uint8Blocks[b], from, end, to, row)
			row += s.uint8Blocks[b].rows
		}
	}
}

// sweep writes the rows of one block for lo ≤ j < hi, from row first of the target on.
func (p *inUint8[T]) sweep(s *scratch[T], b *uint8Queries, lo, hi int, to *target[T], first int) {
	if b.ones {
		for r := range b.rows {
			p.bits4Values(to.row(first+r, lo, hi), s, &b.asked[r], lo)
		}
		return
	}
	chunk := chunkPanels(uint8Dots/uint8Lanes, b.rows, p.groups)
	for a := lo / uint8Lanes; a*uint8Lanes < hi; a += chunk {
		end := min(a+chunk, (hi+uint8Lanes-1)/uint8Lanes)
		j0, j1 := max(lo, a*uint8Lanes), min(hi, end*uint8Lanes)
		dots := p.dots(s, b, a, end)
		for r := range b.rows {
			p.values(to.row(first+r, j0, j1), dots[(r*(end-a)-a)*uint8Lanes+j0:], j0, b.ends[r])
		}
	}
}

// dots computes rows × (end−a)·16 integer sums for the panels a ≤ panel < end.
func (p *inUint8[T]) dots(s *scratch[T], b *uint8Queries, a, end int) []int32 {
	o := p.uint8Samples
	s.reserveDots(b.rows * (end - a) * uint8Lanes)
	x, ldo := o.panels[a*o.panelLen():], (end-a)*uint8Lanes
	if len(b.kept) > 0 {
		uint8Skip(s.dots, ldo, b.words, b.kept, x, o.panelLen(), end-a)
		return s.dots
	}
	uint8Tile(s.dots, ldo, b.words, b.rows, b.rows, x, o.panelLen(), o.groups, end-a)
	return s.dots
}

// values turns the sums for the samples from j0 on into kernel values.
func (p *inUint8[T]) values(dst []T, dots []int32, j0 int, qn int32) {
	o := p.uint8Samples
	fromDots(dst, dots, o.ends[j0:], qn)
	if p.decays() {
		expScaled(dst, dst, T(-p.kernel.Gamma*o.step*o.step))
		return
	}
	if c := p.kernel.trait().curve; c != nil {
		bend(c, p.kernel, dst, dst, o.step*o.step)
		return
	}
	scale := T(o.step * o.step)
	if o.inner {
		scale *= -0.5
	}
	for j := range dst {
		dst[j] *= scale
	}
	p.apply(dst, dst)
}

// square reads its queries in place: each panel of samples is a block of queries.
func (p *inUint8[T]) square(dst []T, i0, i1, j0, j1 int) {
	o, s := p.uint8Samples, getScratch[T]()
	defer putScratch(s)
	if b := &s.uint8Blocks[0]; o.ones != nil {
		for i := i0; i < i1; i++ {
			o.ones.query(&b.asked[0], i, o.groups)
			p.bits4Values(dst[(i-i0)*tileSide:][:j1-j0], s, &b.asked[0], j0)
		}
		return
	}
	a, end := j0/uint8Lanes, (j1+uint8Lanes-1)/uint8Lanes
	rows, ldo := uint8Rows(), (end-a)*uint8Lanes // below callSteps even for uint8Features
	s.reserveDots(rows * ldo)
	for i := i0; i < i1; i += rows {
		q, x := o.panels[o.at(i):], o.panels[a*o.panelLen():]
		uint8Tile(s.dots, ldo, q, uint8Lanes, rows, x, o.panelLen(), o.groups, end-a)
		for r := i; r < min(i+rows, i1); r++ {
			p.values(dst[(r-i0)*tileSide:][:j1-j0], s.dots[(r-i)*ldo:], j0, o.end(o.squares[r], o.sums[r]))
		}
	}
}

// reserveDots allocates the memory for n sums.
func (s *scratch[T]) reserveDots(n int) {
	if len(s.dots) < n {
		s.dots = make([]int32, max(n, uint8Dots))
	}
}
