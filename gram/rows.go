package gram

// Row writes k(x_i, x_j) for every j: dst has at least Len elements.
func (p *Points[T]) Row(dst []T, i int) { p.Tile(dst, p.n, []int{i}, 0, p.n) }

// Rows writes the rows idx, dst[r][j] = k(x_idx[r], x_j), in as few passes over
// the points as the machine allows. Each dst[r] has at least Len elements.
func (p *Points[T]) Rows(dst [][]T, idx []int) {
	if p.kernel.Kind == KindCustom {
		for r, i := range idx {
			p.customRow(dst[r][:p.n], p.at(i), 0)
		}
		return
	}
	s := getScratch[T]()
	defer putScratch(s)
	for r := 0; r < len(idx); r += s.rows {
		s.gather(p, idx[r:])
		p.sweep(s, 0, p.n, func(row, lo, hi int) []T { return dst[r+row][lo:hi] })
	}
}

// Tile writes dst[r*ld+(j−lo)] = k(x_idx[r], x_j) for lo ≤ j < hi.
func (p *Points[T]) Tile(dst []T, ld int, idx []int, lo, hi int) {
	if p.kernel.Kind == KindCustom {
		for r, i := range idx {
			p.customRow(dst[r*ld:][:hi-lo], p.at(i), lo)
		}
		return
	}
	s := getScratch[T]()
	defer putScratch(s)
	for r := 0; r < len(idx); r += s.rows {
		s.gather(p, idx[r:])
		p.sweep(s, lo, hi, func(row, from, to int) []T { return dst[(r+row)*ld+from-lo:][:to-from] })
	}
}

// Cross writes dst[q*ld+j] = k(x_q, x_j) for m points of the caller's (x is m×d,
// row-major) against every packed point.
// A row's values do not depend on m: a single query gives the same bits as a batch.
func (p *Points[T]) Cross(dst []T, ld int, x []float64, m int) {
	if p.kernel.Kind == KindCustom {
		for q := range m {
			p.customRow(dst[q*ld:][:p.n], x[q*p.d:(q+1)*p.d], 0)
		}
		return
	}
	s := getScratch[T]()
	defer putScratch(s)
	for q := 0; q < m; q += s.rows {
		s.queries(p, x[q*p.d:], m-q)
		p.sweep(s, 0, p.n, func(row, lo, hi int) []T { return dst[(q+row)*ld+lo:][:hi-lo] })
	}
}

// Diag writes k(x_i, x_i), the bits of the matrix's diagonal.
func (p *Points[T]) Diag(dst []T) {
	l := lanes[T]()
	for i := range p.n {
		switch {
		case p.kernel.Kind == KindCustom:
			dst[i] = T(p.kernel.Func(p.at(i), p.at(i)))
		case p.kernel.Kind == KindRBF:
			dst[i] = 1
		default:
			dst[i] = normSquared(p.point(i), l, p.d)
			p.finish(dst[i:i+1], dst[i:i+1], 0, nil)
		}
	}
}

func (p *Points[T]) customRow(dst []T, x []float64, lo int) {
	for j := range dst {
		dst[j] = T(p.kernel.Func(x, p.at(lo+j)))
	}
}

// sweep evaluates the query rows in s against the points lo ≤ j < hi, a chunk of
// panels at a time; dst returns where a row's values of a chunk go.
func (p *Points[T]) sweep(s *scratch[T], lo, hi int, dst func(row, lo, hi int) []T) {
	l := lanes[T]()
	chunk := chunkPanels[T](s.rows, p.d)
	for a := lo / l; a*l < hi; a += chunk {
		b := min(a+chunk, (hi+l-1)/l)
		p.accumulate(s, a, b)
		from, to := max(lo, a*l), min(hi, b*l)
		for r := range s.rows {
			acc := s.acc[r*(b-a)*l:][from-a*l : to-a*l]
			p.finish(dst(r, from, to), acc, s.norms[r], p.normsOf(from, to))
		}
	}
}

// accumulate fills s.acc, rows × (b−a)·lanes, for the panels a ≤ panel < b.
func (p *Points[T]) accumulate(s *scratch[T], a, b int) {
	tile(p.form, s.acc[:], (b-a)*lanes[T](), s.q, s.rows, s.rows, p.panels[a*p.panelLen():], p.panelLen(), p.d, b-a)
}

func (p *Points[T]) normsOf(lo, hi int) []T {
	if p.form != expanded {
		return nil
	}
	return p.norms[lo:hi]
}

// finish turns combined features into kernel values; dst may be src. For expanded,
// qn is ‖q‖² and zn the ‖z‖² of the columns.
func (p *Points[T]) finish(dst, src []T, qn T, zn []T) {
	k := p.kernel
	switch k.Kind {
	case KindRBF:
		if p.form == expanded {
			for j, v := range src {
				dst[j] = max(0, (qn+zn[j])-2*v)
			}
			src = dst
		}
		expScaled(dst, src, T(-k.Gamma))
	case KindLinear:
		copy(dst, src)
	default:
		for j, v := range src {
			dst[j] = T(k.ofDot(float64(v)))
		}
	}
}
