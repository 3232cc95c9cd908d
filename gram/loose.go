package gram

// A caller's points against octets: those on the same grid as bytes, any other as numbers, against panels that are made
// of the bytes for a moment.

// octetCross writes the rows of m points of the caller's.
func (p *Points[T]) octetCross(s *scratch[T], to target[T], x []float64, m int) {
	for q := 0; q < m; {
		n, taken := p.octetsOf(s, x[q*p.d:], m-q)
		if n > 0 {
			p.octetBlocks(s, n, 0, p.n, to.from(q), 0)
		} else {
			taken = p.looseOf(s, x[q*p.d:], m-q)
			for at := 0; at < p.n; at += loosePoints[T]() {
				some := p.looseFrom(s, at)
				some.sweep(s, 0, some.n, target[T]{flat: to.flat[q*to.ld+at:], ld: to.ld}, 0)
			}
		}
		q += taken
	}
}

// octetEval is Expansion.Eval.
func (e *Expansion[T]) octetEval(dst []float64, s *scratch[T], x []float64, m int) {
	p, outs := e.points, len(e.coefs)
	for q := 0; q < m; {
		n, taken := p.octetsOf(s, x[q*p.d:], m-q)
		if n > 0 {
			e.addOctets(dst[q*outs:], s, n)
		} else {
			taken = p.looseOf(s, x[q*p.d:], m-q)
			e.addLoose(dst[q*outs:], s)
		}
		q += taken
	}
}

// octetsOf packs up to four blocks of the caller's m points, as long as they are on the grid, and returns how many
// blocks and points; 0 if the first one is not.
func (p *Points[T]) octetsOf(s *scratch[T], x []float64, m int) (blocks, taken int) {
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

// pack takes rows of the caller's points and returns how many there are before one that is not on the grid.
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
func (e *Expansion[T]) addOctets(dst []float64, s *scratch[T], n int) {
	p, outs, rows := e.points, len(e.coefs), 0
	for b := range s.octets[:n] {
		rows += s.octets[b].rows
	}
	s.rows = rows
	s.reserveSums(outs)
	panels := p.octets.panelCount()
	step := panels
	if n > 1 {
		step = sharedPanels(p.octets.groups)
	}
	for a := 0; a < panels; a += step {
		row := 0
		for b := range s.octets[:n] {
			e.addOctetPanels(s, &s.octets[b], a, min(a+step, panels), row)
			row += s.octets[b].rows
		}
	}
	for r := range rows * outs {
		dst[r] = total(s.sum(r))
	}
}

// addOctetPanels adds the kernels on panels, weighed, to the sums of a block from row first on. From is a multiple of
// sumPanels.
func (e *Expansion[T]) addOctetPanels(s *scratch[T], b *octetQueries, from, to, first int) {
	p, l, outs := e.points, lanes[T](), len(e.coefs)
	chunk := octetChunk(b.rows, p.octets.groups)
	if b.ones {
		chunk = nibbleChunk / octetLanes
	}
	for a := from; a < to; a += chunk {
		end := min(a+chunk, to)
		j0, j1 := a*octetLanes, min(end*octetLanes, p.panelCount()*l)
		var dots []int32
		if !b.ones {
			dots = p.octetDots(s, b, a, end)
		}
		if len(s.values) < j1-j0 {
			s.values = alignedSlice[T](max(j1-j0, octetDots))
		}
		for r := range b.rows {
			k := s.values[:j1-j0]
			if b.ones {
				p.nibbleValues(k, s, &b.asked[r], j0)
			} else {
				p.octetValues(k, dots[r*(end-a)*octetLanes:], j0, b.ends[r])
			}
			for o, c := range e.coefs {
				weigh(s.sum((first+r)*outs+o), k, c[j0:j1])
			}
		}
	}
}

// looseOf takes the first of the caller's m points, and those after it up to one on the grid, as queries, as numbers.
func (p *Points[T]) looseOf(s *scratch[T], x []float64, m int) (taken int) {
	n := 1
	for most := maxRows[T](); n < min(m, most) && !p.octets.holds(x[n*p.d:(n+1)*p.d]); {
		n++
	}
	s.loose = Points[T]{kernel: p.kernel, d: p.d, form: p.form, feat: p.octets.loose, panels: s.loose.panels}
	if !p.octets.inner { // distances are of numbers, not of features
		s.loose.kernel.Gamma *= p.octets.step * p.octets.step
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

// loosePoints is the number of points that are numbers at a time.
func loosePoints[T Float]() int { return sumPanels * lanes[T]() }

// looseFrom returns the points from at on as numbers, for the queries of looseOf.
func (p *Points[T]) looseFrom(s *scratch[T], at int) *Points[T] {
	v, l := &s.loose, lanes[T]()
	if n := loosePoints[T]() * p.d; len(v.panels) < n {
		v.panels = alignedSlice[T](n)
	}
	v.n = min(loosePoints[T](), p.n-at)
	for i := range v.n {
		x, to := p.octets.panels[p.octets.at(at+i):], v.point(i)
		for k := range p.d {
			to[k*l] = T(x[k/4*octetLanes] >> (8 * (k % 4)) & octetMax)
		}
	}
	return v
}

// addLoose evaluates the queries in s.
func (e *Expansion[T]) addLoose(dst []float64, s *scratch[T]) {
	p, l, outs := e.points, lanes[T](), len(e.coefs)
	s.reserveSums(outs)
	n := loosePoints[T]()
	if len(s.values) < n*s.rows {
		s.values = alignedSlice[T](max(n*s.rows, octetDots))
	}
	for at := 0; at < p.n; at += n {
		some := p.looseFrom(s, at)
		some.sweep(s, 0, some.n, target[T]{flat: s.values, ld: n}, 0)
		for r := range s.rows {
			k := s.values[r*n : r*n+(some.n+l-1)/l*l]
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
