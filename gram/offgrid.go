package gram

// This file evaluates a caller's queries on the uint8 layout. Queries on the grid are packed as bytes. For off-grid
// queries, the bytes of the samples are expanded into temporary panels.

func (p *inUint8[T]) cross(s *scratch[T], to *target[T], x []float64, m int) {
	for q := 0; q < m; {
		n, taken := p.uint8Of(s, x[q*p.d:], m-q)
		if n > 0 {
			p.blocks(s, n, 0, p.n, to, q)
		} else {
			taken = p.offGridOf(s, x[q*p.d:], m-q)
			for pos := 0; pos < p.n; pos += offGridSamples[T]() {
				some := p.offGridFrom(s, pos)
				some.sweep(s, 0, some.n, &target[T]{flat: to.flat[q*to.ld+pos:], ld: to.ld}, 0)
			}
		}
		q += taken
	}
}

func (p *inUint8[T]) eval(e *Expansion[T], s *scratch[T], dst, x []float64, m int) {
	outs := len(e.coefs)
	for q := 0; q < m; {
		n, taken := p.uint8Of(s, x[q*p.d:], m-q)
		if n > 0 {
			p.addUint8(e, s, dst[q*outs:], n)
		} else {
			taken = p.offGridOf(s, x[q*p.d:], m-q)
			p.addOffGrid(e, s, dst[q*outs:])
		}
		q += taken
	}
}

// uint8Of packs up to four blocks of the caller's m samples, until one is off the grid. It returns the number of
// blocks and of samples; both are 0 if the first sample is off the grid.
func (p *inUint8[T]) uint8Of(s *scratch[T], x []float64, m int) (blocks, taken int) {
	for blocks < len(s.uint8Blocks) && taken < m {
		b := &s.uint8Blocks[blocks]
		b.reserve(p.uint8Samples, m-taken)
		switch on := b.pack(p.uint8Samples, x[taken*p.d:]); on {
		case b.rows:
			taken += on
			blocks++
		case 0:
			return blocks, taken
		default: // pack again the samples before the off-grid one
			m = taken + on
		}
	}
	return blocks, taken
}

// pack packs rows of x until one is off the grid, and returns the number of rows before it.
func (b *uint8Queries) pack(o *uint8Samples, x []float64) int {
	b.ones = o.ones != nil
	for r := range b.rows {
		squares, sum, ok := o.pack(b.words[r:], b.rows, x[r*o.d:(r+1)*o.d])
		if !ok {
			return r
		}
		b.ends[r] = o.end(squares, sum)
		b.ones = b.ones && squares == sum && squares+o.ones.max <= uint8Max
		if b.ones {
			b.asked[r].take(b.words[r:], b.rows, squares)
		}
	}
	if !b.ones {
		b.compact(o.groups)
	}
	return b.rows
}

// addUint8 evaluates n blocks of queries.
func (p *inUint8[T]) addUint8(e *Expansion[T], s *scratch[T], dst []float64, n int) {
	s.rows = 0
	for b := range s.uint8Blocks[:n] {
		s.rows += s.uint8Blocks[b].rows
	}
	s.reserveSums(len(e.coefs))
	panels := p.panelCount()
	step := sharedPanels(n, p.groups, panels)
	for a := 0; a < panels; a += step {
		row := 0
		for b := range s.uint8Blocks[:n] {
			p.addPanels(e, s, &s.uint8Blocks[b], a, min(a+step, panels), row)
			row += s.uint8Blocks[b].rows
		}
	}
	s.totals(dst, len(e.coefs))
}

// addPanels adds the weighted kernels on panels from to to−1 to the sums of block b, whose first row is row first.
// From must be a multiple of sumPanels.
func (p *inUint8[T]) addPanels(e *Expansion[T], s *scratch[T], b *uint8Queries, from, to, first int) {
	chunk := chunkPanels(uint8Dots/uint8Lanes, b.rows, p.groups)
	if b.ones {
		chunk = bits4Chunk / uint8Lanes
	}
	for a := from; a < to; a += chunk {
		end := min(a+chunk, to)
		j0, j1 := a*uint8Lanes, min(end*uint8Lanes, Stride[T](p.n))
		var dots []int32
		if !b.ones {
			dots = p.dots(s, b, a, end)
		}
		if len(s.values) < j1-j0 {
			s.values = Aligned[T](max(j1-j0, uint8Dots))
		}
		for r := range b.rows {
			k := s.values[:j1-j0]
			if b.ones {
				p.bits4Values(k, s, &b.asked[r], j0)
			} else {
				p.values(k, dots[r*(end-a)*uint8Lanes:], j0, b.ends[r])
			}
			s.weigh(e, first+r, k, j0)
		}
	}
}

// offGridOf takes the first of the caller's m samples, and the next ones until one is on the grid, as off-grid
// queries.
func (p *inUint8[T]) offGridOf(s *scratch[T], x []float64, m int) (taken int) {
	n := 1
	for largest := maxRows(); n < min(m, largest) && !p.holds(x[n*p.d:(n+1)*p.d]); {
		n++
	}
	s.offGrid = inPanels[T]{formula: p.formula, d: p.d, feat: p.offGrid, panels: s.offGrid.panels}
	if !p.inner { // distances are in units of the step
		s.offGrid.kernel.Gamma *= p.step * p.step
	}
	s.queries(&s.offGrid, x, n)
	return s.rows
}

// holds reports whether x is on the grid.
func (o *uint8Samples) holds(x []float64) bool {
	for _, v := range x {
		if _, ok := o.number(v); !ok {
			return false
		}
	}
	return true
}

// offGridSamples is the number of samples that are expanded into panels at a time.
func offGridSamples[T Float]() int { return sumPanels * lanes[T]() }

// offGridFrom returns panels of the samples from at on, for the queries of offGridOf.
func (p *inUint8[T]) offGridFrom(s *scratch[T], pos int) *inPanels[T] {
	v, l := &s.offGrid, lanes[T]()
	if n := offGridSamples[T]() * p.d; len(v.panels) < n {
		v.panels = Aligned[T](n)
	}
	v.n = min(offGridSamples[T](), p.n-pos)
	for i := range v.n {
		x, to := p.panels[p.at(pos+i):], v.point(i)
		for k := range p.d {
			to[k*l] = T(x[k/4*uint8Lanes] >> (8 * (k % 4)) & uint8Max)
		}
	}
	return v
}

// addOffGrid evaluates the off-grid queries in s.
func (p *inUint8[T]) addOffGrid(e *Expansion[T], s *scratch[T], dst []float64) {
	s.reserveSums(len(e.coefs))
	n := offGridSamples[T]()
	if len(s.values) < n*s.rows {
		s.values = Aligned[T](max(n*s.rows, uint8Dots))
	}
	for pos := 0; pos < p.n; pos += n {
		some := p.offGridFrom(s, pos)
		some.sweep(s, 0, some.n, &target[T]{flat: s.values, ld: n}, 0)
		for r := range s.rows {
			k := s.values[r*n : r*n+Stride[T](some.n)]
			clear(k[some.n:])
			s.weigh(e, r, k, pos)
		}
	}
	s.totals(dst, len(e.coefs))
}
