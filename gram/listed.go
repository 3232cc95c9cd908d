package gram

import "github.com/sparsekm/sparsekm/csr"

// The evaluation of points as lists.

// add adds Σ_k q_k·x_jk over the listed features to dst[j−lo] for lo ≤ j < lo+len(dst), where index and value are the
// list of q. What the features add to a pair comes in ascending order, and so does not depend on lo or on which of the
// two is q.
func (v *inverted[T]) add(dst []T, index []int32, value []T, lo int) {
	hi := lo + len(dst)
	for t, k := range index {
		at, of := v.byColumn.within(int(k), lo, hi)
		f := value[t]
		if f-f != 0 {
			v.addNotFinite(dst, at, of, f, lo)
			continue
		}
		of = of[:len(at)]
		for s, j := range at {
			dst[int(j)-lo] += T(f * of[s])
		}
	}
}

// addNotFinite adds what a feature f of a query that is NaN or infinite gives, which is NaN for the points without it.
func (v *inverted[T]) addNotFinite(dst []T, at []int32, of []T, f T, lo int) {
	for j := range dst {
		if len(at) > 0 && int(at[0]) == lo+j {
			dst[j] += T(f * of[0])
			at, of = at[1:], of[1:]
		} else {
			dst[j] += f * 0
		}
	}
}

const (
	listedBlock = 8       // queries that go over the head together
	listedSpan  = 1 << 14 // points that their rows stay in the second-level cache for
)

// listedRows writes the rows idx of points as lists for lo ≤ j < hi: the head of several at a time.
func (p *Points[T]) listedRows(idx []int, lo, hi int, to target[T]) {
	for r := 0; r < len(idx); r += listedBlock {
		block := idx[r:min(r+listedBlock, len(idx))]
		for from := lo; from < hi; from += listedSpan {
			end := min(from+listedSpan, hi)
			if p.lists.head.d > 0 {
				p.lists.head.eachBlock(block, from, end, to.from(r))
			}
			for b, i := range block {
				dst := to.row(r+b, from, end)
				if p.lists.head.d == 0 {
					clear(dst)
				}
				index, value := p.lists.byPoint.of(i)
				p.lists.add(dst, index, value, from)
				p.finish(dst, dst, p.normOf(i), p.normsOf(from, end))
			}
		}
	}
}

// queries are points of the caller's: dense, rows by their numbers, or consecutive rows.
type queries struct {
	x    []float64 // nil for consecutive rows
	rows *csr.Matrix
	lo   int
}

// asked is the caller's x for Eval and Cross.
func (p *Points[T]) asked(x []float64) queries { return queries{x: x, rows: p.kernel.Rows} }

// listedQueries returns the values of m ≤ listedBlock points of the caller's, rows of whole panels, which are s's.
func (p *Points[T]) listedQueries(s *scratch[T], of queries, m int) [][]T {
	v, ld := p.lists, p.panelCount()*lanes[T]()
	if cap(s.values) < m*ld {
		s.values = alignedSlice[T](m * ld)
	}
	s.values = s.values[:m*ld]
	s.listQueries(v, p.feat, of, m)
	v.head.crossPanels(s.values, ld, s.point, m)
	for q := range m {
		row := s.values[q*ld:][:p.n]
		value := s.value[s.ends[q]:s.ends[q+1]]
		v.add(row, s.index[s.ends[q]:s.ends[q+1]], value, 0)
		var norm T
		for _, f := range s.point[q*v.head.d : (q+1)*v.head.d] {
			norm = fused(T(f), T(f), norm)
		}
		p.finish(row, row, addSquares(norm, value), p.norms)
		clear(s.values[q*ld+p.n : (q+1)*ld])
		s.listed[q] = s.values[q*ld : (q+1)*ld]
	}
	return s.listed[:m]
}

// crossPanels writes the inner products of m points of the caller's and whole panels, to rows of ld.
func (p *Points[T]) crossPanels(dst []T, ld int, x []float64, m int) {
	if p.d == 0 {
		clear(dst)
		return
	}
	s := getScratch[T]()
	defer putScratch(s)
	l := lanes[T]()
	for q := 0; q < m; q += s.rows {
		s.queries(p, x[q*p.d:], m-q)
		chunk := chunkPanels[T](s.rows, p.d)
		for a := 0; a < p.panelCount(); a += chunk {
			b := min(a+chunk, p.panelCount())
			tile(inner, dst[q*ld+a*l:], ld, s.q, s.rows, s.rows, p.panels[a*p.panelLen():], p.panelLen(), p.d, b-a)
		}
	}
}

// listQueries makes s.point the heads, and s.index and s.value the lists, of m queries of the caller's; that of q ends
// before s.ends[q+1].
func (s *scratch[T]) listQueries(v *inverted[T], t transform, of queries, m int) {
	s.index, s.value, s.point = s.index[:0], s.value[:0], s.point[:0]
	for q := range m {
		switch {
		case of.rows == nil && v.names == nil:
			s.listDense(v, t, of.x[q*v.d:(q+1)*v.d])
		case of.rows == nil:
			s.listWide(v, of.x[q*v.names.d:(q+1)*v.names.d])
		case of.x != nil:
			index, value := of.rows.Row(int(of.x[q]))
			s.listRow(v, index, value)
		default:
			index, value := of.rows.Row(of.lo + q)
			s.listRow(v, index, value)
		}
		s.ends[q+1] = len(s.index)
	}
}

// listDense appends the head and the list of a point of all features.
func (s *scratch[T]) listDense(v *inverted[T], t transform, x []float64) {
	for k, f := range x {
		switch {
		case v.column[k] >= 0:
			s.point = append(s.point, t.feature(k, f))
		case f != 0:
			s.index, s.value = append(s.index, int32(k)), append(s.value, T(t.feature(k, f)))
		}
	}
}

// listWide appends a point of all features to those of rows.
func (s *scratch[T]) listWide(v *inverted[T], x []float64) {
	s.wide, s.given = s.wide[:0], s.given[:0]
	for k, f := range x {
		if f != 0 {
			s.wide, s.given = append(s.wide, int32(k)), append(s.given, f)
		}
	}
	s.listRow(v, s.wide, s.given)
}
