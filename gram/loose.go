package gram

// A caller's samples against uint8 samples: those on the same grid as bytes, any other as numbers, against panels
// that are made of the bytes for a moment.

func (p *inOctets[T]) cross(s *scratch[T], to *target[T], x []float64, m int) {
	for q := 0; q < m; {
		n, taken := p.octetsOf(s, x[q*p.d:], m-q)
		if n > 0 {
			p.blocks(s, n, 0, p.n, to, q)
		} else {
			taken = p.looseOf(s, x[q*p.d:], m-q)
			for at := 0; at < p.n; at += loosePoints[T]() {
				some := p.looseFrom(s, at)
				some.sweep(s, 0, some.n, &target[T]{flat: to.flat[q*to.ld+at:], ld: to.ld}, 0)
			}
		}
		q += taken
	}
}

func (p *inOctets[T]) eval(e *Expansion[T], s *scratch[T], dst, x []float64, m int) {
	outs := len(e.coefs)
	for q := 0; q < m; {
		n, taken := p.octetsOf(s, x[q*p.d:], m-q)
		if n > 0 {
			p.addOctets(e, s, dst[q*outs:], n)
		} else {
			taken = p.looseOf(s, x[q*p.d:], m-q)
			p.addLoose(e, s, dst[q*outs:])
		}
		q += taken
	}
}

// octetsOf packs up to four blocks of the caller's m samples, as long as they are on the grid, and returns how many
// blocks and samples; 0 if the first one is not.
func (p *inOctets[T]) octetsOf(s *scratch[T], x []float64, m int) (blocks, taken int) {
	for blocks < len(s.octets) && taken < m {
		b := &s.octets[blocks]
		b.reserve(p.octets, m-taken)
		switch on := b.pack(p.octets, x[taken*p.d:]); on {
		case b.rows:
			taken += on
			blocks++
		case 0:
			return blocks, taken
		default: // those before it, in blocks that are theirs
			m = taken + on
		}
	}
	return blocks, taken
}

// pack takes rows of the caller's samples and returns how many there are before one that is not on the grid.
func (b *octetQueries) pack(o *octets, x []float64) int {
	b.ones = o.ones != nil
	for r := range b.rows {
		squares, sum, ok := o.pack(b.words[r:], b.rows, x[r*o.d:(r+1)*o.d])
		if !ok {
			return r
		}
		b.ends[r] = o.end(squares, sum)
		b.ones = b.ones && squares == sum && squares+o.ones.most <= octetMax
		if b.ones {
			b.asked[r].take(b.words[r:], b.rows, squares)
		}
	}
	if !b.ones {
		b.compact(o.groups)
	}
	return b.rows
}

// addOctets evaluates n blocks of queries.
func (p *inOctets[T]) addOctets(e *Expansion[T], s *scratch[T], dst []float64, n int) {
	s.rows = 0
	for b := range s.octets[:n] {
		s.rows += s.octets[b].rows
	}
	s.reserveSums(len(e.coefs))
	panels := p.panelCount()
	step := sharedPanels(n, p.groups, panels)
	for a := 0; a < panels; a += step {
		row := 0
		for b := range s.octets[:n] {
			p.addPanels(e, s, &s.octets[b], a, min(a+step, panels), row)
			row += s.octets[b].rows
		}
	}
	for r := range s.rows * len(e.coefs) {
		dst[r] = total(s.sum(r))
	}
}

// addPanels adds the kernels on panels, weighed, to the sums of a block from row first on. From is a multiple of
// sumPanels.
func (p *inOctets[T]) addPanels(e *Expansion[T], s *scratch[T], b *octetQueries, from, to, first int) {
	outs := len(e.coefs)
	chunk := chunkPanels(octetDots/octetLanes, b.rows, p.groups)
	if b.ones {
		chunk = nibbleChunk / octetLanes
	}
	for a := from; a < to; a += chunk {
		end := min(a+chunk, to)
		j0, j1 := a*octetLanes, min(end*octetLanes, Stride[T](p.n))
		var dots []int32
		if !b.ones {
			dots = p.dots(s, b, a, end)
		}
		if len(s.values) < j1-j0 {
			s.values = alignedSlice[T](max(j1-j0, octetDots))
		}
		for r := range b.rows {
			k := s.values[:j1-j0]
			if b.ones {
				p.nibbleValues(k, s, &b.asked[r], j0)
			} else {
				p.values(k, dots[r*(end-a)*octetLanes:], j0, b.ends[r])
			}
			for o, c := range e.coefs {
				weigh(s.sum((first+r)*outs+o), k, c[j0:j1])
			}
		}
	}
}

// looseOf takes the first of the caller's m samples, and those after it up to one on the grid, as queries, as numbers.
func (p *inOctets[T]) looseOf(s *scratch[T], x []float64, m int) (taken int) {
	n := 1
	for most := maxRows(); n < min(m, most) && !p.holds(x[n*p.d:(n+1)*p.d]); {
		n++
	}
	s.loose = inPanels[T]{formula: p.formula, d: p.d, feat: p.loose, panels: s.loose.panels}
	if !p.inner { // distances are of numbers, not of features
		s.loose.kernel.Gamma *= p.step * p.step
	}
	s.queries(&s.loose, x, n)
	return s.rows
}

// holds reports whether x is on the grid.
func (o *octets) holds(x []float64) bool {
	for _, v := range x {
		if _, ok := o.number(v); !ok {
			return false
		}
	}
	return true
}

// loosePoints is the number of samples that are numbers at a time.
func loosePoints[T Float]() int { return sumPanels * lanes[T]() }

// looseFrom returns the samples from at on as numbers, for the queries of looseOf.
func (p *inOctets[T]) looseFrom(s *scratch[T], at int) *inPanels[T] {
	v, l := &s.loose, lanes[T]()
	if n := loosePoints[T]() * p.d; len(v.panels) < n {
		v.panels = alignedSlice[T](n)
	}
	v.n = min(loosePoints[T](), p.n-at)
	for i := range v.n {
		x, to := p.panels[p.at(at+i):], v.point(i)
		for k := range p.d {
			to[k*l] = T(x[k/4*octetLanes] >> (8 * (k % 4)) & octetMax)
		}
	}
	return v
}

// addLoose evaluates the queries in s.
func (p *inOctets[T]) addLoose(e *Expansion[T], s *scratch[T], dst []float64) {
	outs := len(e.coefs)
	s.reserveSums(outs)
	n := loosePoints[T]()
	if len(s.values) < n*s.rows {
		s.values = alignedSlice[T](max(n*s.rows, octetDots))
	}
	for at := 0; at < p.n; at += n {
		some := p.looseFrom(s, at)
		some.sweep(s, 0, some.n, &target[T]{flat: s.values, ld: n}, 0)
		for r := range s.rows {
			k := s.values[r*n : r*n+Stride[T](some.n)]
			clear(k[some.n:])
			for o, c := range e.coefs {
				weigh(s.sum(r*outs+o), k, c[at:at+len(k)])
			}
		}
	}
	for r := range s.rows * outs {
		dst[r] = total(s.sum(r))
	}
}
