package gram

import "fmt"

// Row writes k(x_i, x_j) for every j. It panics if dst is shorter than Len or i is no
// point's number.
func (p *Points[T]) Row(dst []T, i int) { p.Tile(dst, p.n, []int{i}, 0, p.n) }

// Rows writes the rows idx, dst[r][j] = k(x_idx[r], x_j), in as few passes over
// the points as the machine allows. It panics if there are fewer dst than idx, if one is
// shorter than Len, or if an index is no point's number; some rows may be written then.
func (p *Points[T]) Rows(dst [][]T, idx []int) {
	p.RowsRange(dst, idx, 0, p.n)
}

// RowsRange writes the part lo ≤ j < hi of what Rows writes, dst[r][lo:hi], so that
// workers can share rows. It panics as Rows does, and unless 0 ≤ lo ≤ hi ≤ Len.
func (p *Points[T]) RowsRange(dst [][]T, idx []int, lo, hi int) {
	p.eachBlock(idx, lo, hi, target[T]{rows: dst})
}

// Tile writes dst[r*ld+(j−lo)] = k(x_idx[r], x_j) for lo ≤ j < hi. It panics if dst ends
// before the last of them, if an index is no point's number, and unless 0 ≤ lo ≤ hi ≤
// Len; some values may be written then. Rows of ld < hi−lo elements overlap.
func (p *Points[T]) Tile(dst []T, ld int, idx []int, lo, hi int) {
	p.eachBlock(idx, lo, hi, target[T]{flat: dst, ld: ld, lo: lo})
}

// Cross writes dst[q*ld+j] = k(x_q, x_j) for m points of the caller's (x is m×d,
// row-major) against every packed point.
// A row's values do not depend on m: a single query gives the same bits as a batch.
// It panics if x is shorter than m·d or dst ends before the last value.
func (p *Points[T]) Cross(dst []T, ld int, x []float64, m int) {
	to := target[T]{flat: dst, ld: ld}
	s := getScratch[T]()
	defer putScratch(s)
	if p.form == pairs {
		for q := range m {
			p.pairRow(to.row(q, 0, p.n), s.own(x[q*p.d:(q+1)*p.d]), 0)
		}
		return
	}
	if p.octets != nil {
		p.octetCross(s, to, x, m)
		return
	}
	if p.lists != nil {
		for q := 0; q < m; q += listedBlock {
			for r, values := range p.listedQueries(s, p.asked(x[q*p.d:]), min(listedBlock, m-q)) {
				copy(to.row(q+r, 0, p.n), values)
			}
		}
		return
	}
	for q := 0; q < m; q += s.rows {
		s.queries(p, x[q*p.d:], m-q)
		p.sweep(s, 0, p.n, to, q)
	}
}

// eachBlock evaluates the rows idx, a block of queries at a time.
func (p *Points[T]) eachBlock(idx []int, lo, hi int, to target[T]) {
	if lo < 0 || lo > hi || hi > p.n {
		panic(fmt.Sprintf("gram: columns %d to %d of %d points", lo, hi, p.n))
	}
	p.check(idx)
	if p.form == pairs {
		for r, i := range idx {
			p.pairRow(to.row(r, lo, hi), p.at(i), lo)
		}
		return
	}
	if p.lists != nil {
		p.listedRows(idx, lo, hi, to)
		return
	}
	if p.octets != nil {
		p.octetRows(idx, lo, hi, to)
		return
	}
	var blocks [sharedBlocks]*scratch[T]
	for r := 0; r < len(idx); {
		n, first := 0, r
		for ; n < len(blocks) && r < len(idx); n++ {
			blocks[n] = getScratch[T]()
			blocks[n].gather(p, idx[r:])
			r += blocks[n].rows
		}
		for from := lo; from < hi; {
			end := hi
			if n > 1 { // one block has nothing to share
				step := sharedPanels(p.d) * lanes[T]()
				end = min(from/step*step+step, hi)
			}
			row := first
			for _, s := range blocks[:n] {
				p.sweep(s, from, end, to, row)
				row += s.rows
			}
			from = end
		}
		for _, s := range blocks[:n] {
			putScratch(s)
		}
	}
}

// sharedBlocks is the number of blocks of queries that go over the points together, a
// piece that the second-level cache holds at a time: many features are read from beyond it once for all.
const sharedBlocks = 8

// sharedPanels is the number of panels of d features in such a piece, a multiple of what the tiles take.
func sharedPanels(d int) int {
	const bytes, multiple = 640 << 10, 12
	return multiple * max(1, bytes/(panelWidth*multiple*max(1, d)))
}

// target is where rows go: separate slices, or one whose column 0 is point lo.
type target[T Float] struct {
	rows   [][]T
	flat   []T
	ld, lo int
}

// from is the target of the rows from row r on.
func (t target[T]) from(r int) target[T] {
	if t.rows != nil {
		t.rows = t.rows[r:]
	} else {
		t.flat = t.flat[r*t.ld:]
	}
	return t
}

// row is the place of row r, points from ≤ j < to.
func (t target[T]) row(r, from, to int) []T {
	if t.rows != nil {
		return t.rows[r][from:to:len(t.rows[r])]
	}
	at := r*t.ld + from - t.lo
	return t.flat[at : at+to-from : len(t.flat)]
}

// Diag writes k(x_i, x_i), the bits of the matrix's diagonal; dst has at least Len elements.
func (p *Points[T]) Diag(dst []T) {
	for i := range p.n {
		switch {
		case p.kernel.trait().unit:
			dst[i] = 1
		case p.form == pairs:
			dst[i] = T(p.kernel.Eval(p.at(i), p.at(i)))
		case p.lists != nil || p.octets != nil:
			p.Tile(dst[i:i+1], 1, []int{i}, i, i+1)
		case p.form == inner:
			dst[i] = normSquared(p.point(i), lanes[T](), p.d)
			p.apply(dst[i:i+1], dst[i:i+1])
		default: // all sums of differences
			dst[i] = 0
			p.apply(dst[i:i+1], dst[i:i+1])
		}
	}
}

func (p *Points[T]) pairRow(dst []T, x []float64, lo int) {
	for j := range dst {
		dst[j] = T(p.kernel.Eval(x, p.at(lo+j)))
	}
}

// sweep evaluates the query rows in s against the points lo ≤ j < hi, a chunk of
// panels at a time, and writes them from row first of the target on.
func (p *Points[T]) sweep(s *scratch[T], lo, hi int, to target[T], first int) {
	l := lanes[T]()
	chunk := chunkPanels[T](s.rows, p.d)
	for a := lo / l; a*l < hi; a += chunk {
		b := min(a+chunk, (hi+l-1)/l)
		j0, j1 := max(lo, a*l), min(hi, b*l)
		if s.rows == 1 && p.decays() {
			p.fused(s, to.row(first, j0, j1), a, b, j0, j1)
			continue
		}
		p.accumulate(s, a, b)
		for r := range s.rows {
			acc := s.acc[r*(b-a)*l:][j0-a*l : j1-a*l]
			p.finish(to.row(first+r, j0, j1), acc, s.norms[r], p.normsOf(j0, j1))
		}
	}
}

// decays reports whether exp alone turns what tiles give into values.
func (p *Points[T]) decays() bool { return p.form != expanded && p.kernel.trait().decay }

// fused writes the values of one row of a kernel that decays for the panels a ≤ panel < b, of which it
// wants the points j0 ≤ j < j1.
func (p *Points[T]) fused(s *scratch[T], dst []T, a, b, j0, j1 int) {
	l := lanes[T]()
	if len(dst) == (b-a)*l {
		p.values(dst, s, a, b)
		return
	}
	p.values(s.acc, s, a, b)
	copy(dst, s.acc[j0-a*l:j1-a*l])
}

// values writes the (b−a)·lanes values of the one query in s for whole panels.
func (p *Points[T]) values(dst []T, s *scratch[T], a, b int) {
	x, scale := p.panels[a*p.panelLen():], T(-p.kernel.Gamma)
	if rowExp(p.form, dst, s.q, x, p.panelLen(), p.d, b-a, scale) {
		return
	}
	n := (b - a) * lanes[T]()
	tile(p.form, s.acc, n, s.q, 1, 1, x, p.panelLen(), p.d, b-a)
	expScaled(dst[:n], s.acc[:n], scale)
}

// accumulate fills s.acc, rows × (b−a)·lanes, for the panels a ≤ panel < b.
func (p *Points[T]) accumulate(s *scratch[T], a, b int) {
	if len(s.kept) > 0 {
		skipDot(s.acc, (b-a)*lanes[T](), s.packed, s.kept, p.panels[a*p.panelLen():], p.panelLen(), b-a)
		return
	}
	tile(p.form, s.acc, (b-a)*lanes[T](), s.q, s.rows, s.rows, p.panels[a*p.panelLen():], p.panelLen(), p.d, b-a)
}

// normOf is ‖x_i‖²; 0 where no form asks for it.
func (p *Points[T]) normOf(i int) T {
	if p.form != expanded {
		return 0
	}
	return p.norms[i]
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
	if p.form == expanded {
		distances(dst, src, zn, qn)
		src = dst
	}
	p.apply(dst, src)
}

// apply turns the sums of a form into kernel values; dst may be src.
func (p *Points[T]) apply(dst, src []T) {
	t := p.kernel.trait()
	switch {
	case t.decay:
		expScaled(dst, src, T(-p.kernel.Gamma))
	case t.value == nil:
		copy(dst, src)
	default:
		for j, v := range src {
			dst[j] = T(t.value(p.kernel, float64(v)))
		}
	}
}
