package gram

import "github.com/sparsekm/sparsekm/csr"

// This file evaluates the CSC layout.

// add adds Σ_k q_k·x_jk over the sparse features to dst[j−lo] for lo ≤ j < lo+len(dst). The arguments index and value
// hold the sparse features of q. The terms of a pair are added in ascending order of the features. So the bits do not
// depend on lo, nor on which of the two samples is the query.
func (v *inCSC[T]) add(dst []T, index []int32, value []T, lo int) {
	hi := lo + len(dst)
	for t, k := range index {
		indices, of := v.byColumn.within(int(k), lo, hi)
		f := value[t]
		if f-f != 0 {
			v.addNotFinite(dst, indices, of, f, lo)
			continue
		}
		of = of[:len(indices)]
		for s, j := range indices {
			dst[int(j)-lo] += T(f * of[s])
		}
	}
}

// addNotFinite adds the terms of a query feature f that is NaN or infinite: f·0 = NaN for the samples without it.
func (v *inCSC[T]) addNotFinite(dst []T, indices []int32, of []T, f T, lo int) {
	for j := range dst {
		if len(indices) > 0 && int(indices[0]) == lo+j {
			dst[j] += T(f * of[0])
			indices, of = indices[1:], of[1:]
		} else {
			dst[j] += f * 0
		}
	}
}

const (
	listedBlock = 8       // queries that share a pass over the head
	listedSpan  = 1 << 14 // samples of a pass, so that the queries' rows fit in the second-level cache
)

// rows evaluates the head for several queries at a time.
func (v *inCSC[T]) rows(idx []int, lo, hi int, to *target[T]) {
	for r := 0; r < len(idx); r += listedBlock {
		block, below := idx[r:min(r+listedBlock, len(idx))], to.from(r)
		for from := lo; from < hi; from += listedSpan {
			end := min(from+listedSpan, hi)
			if v.head.d > 0 {
				v.head.rows(block, from, end, &below)
			}
			for b, i := range block {
				dst := below.row(b, from, end)
				if v.head.d == 0 {
					clear(dst)
				}
				index, value := v.bySample.of(i)
				v.add(dst, index, value, from)
				v.finish(dst, dst, v.norm(i), from)
			}
		}
	}
}

func (v *inCSC[T]) square(dst []T, i0, i1, j0, j1 int) {
	var idx [tileSide]int
	for r := range i1 - i0 {
		idx[r] = i0 + r
	}
	v.rows(idx[:i1-i0], j0, j1, &target[T]{flat: dst, ld: tileSide, lo: j0})
}

// queries are the caller's queries: dense samples, or consecutive rows of a matrix.
type queries struct {
	x    []float64 // dense samples; nil for rows
	rows *csr.Matrix
	lo   int
}

func (v *inCSC[T]) cross(s *scratch[T], to *target[T], x []float64, m int) {
	v.crossQueries(s, to, queries{x: x, rows: v.kernel.Rows}, m)
}

func (v *inCSC[T]) crossQueries(s *scratch[T], to *target[T], of queries, m int) {
	for q := 0; q < m; q += listedBlock {
		for r, values := range v.values(s, of, q, min(listedBlock, m-q)) {
			copy(to.row(q+r, 0, v.n), values)
		}
	}
}

func (v *inCSC[T]) eval(e *Expansion[T], s *scratch[T], dst, x []float64, m int) {
	v.evalQueries(e, s, dst, queries{x: x, rows: v.kernel.Rows}, m)
}

func (v *inCSC[T]) evalQueries(e *Expansion[T], s *scratch[T], dst []float64, of queries, m int) {
	outs := len(e.coefs)
	for q := 0; q < m; q += listedBlock {
		values := v.values(s, of, q, min(listedBlock, m-q))
		s.rows = len(values)
		s.reserveSums(outs)
		for r, k := range values {
			s.weigh(e, r, k, 0)
		}
		s.totals(dst[q*outs:], outs)
	}
}

// values returns the values of m ≤ listedBlock queries from q on. Its rows hold whole panels and belong to s.
func (v *inCSC[T]) values(s *scratch[T], of queries, q, m int) [][]T {
	ld := Stride[T](v.n)
	if cap(s.values) < m*ld {
		s.values = Aligned[T](m * ld)
	}
	s.values = s.values[:m*ld]
	s.listQueries(v, of, q, m)
	v.head.products(s.values, ld, s.point, m)
	for r := range m {
		row := s.values[r*ld:][:v.n]
		value := s.value[s.ends[r]:s.ends[r+1]]
		v.add(row, s.index[s.ends[r]:s.ends[r+1]], value, 0)
		var norm T
		for _, f := range s.point[r*v.head.d : (r+1)*v.head.d] {
			norm = fused(T(f), T(f), norm)
		}
		v.finish(row, row, addSquares(norm, value), 0)
		clear(s.values[r*ld+v.n : (r+1)*ld])
		s.listed[r] = s.values[r*ld : (r+1)*ld]
	}
	return s.listed[:m]
}

// products writes the inner products of m of the caller's samples with whole panels, in rows of length ld.
func (p *inPanels[T]) products(dst []T, ld int, x []float64, m int) {
	if p.d == 0 {
		clear(dst)
		return
	}
	s := getScratch[T]()
	defer putScratch(s)
	l := lanes[T]()
	for q := 0; q < m; q += s.rows {
		s.queries(p, x[q*p.d:], m-q)
		chunk := chunkPanels(accLen/lanes[T](), s.rows, p.d)
		for a := 0; a < p.panelCount(); a += chunk {
			b := min(a+chunk, p.panelCount())
			tile(inner, dst[q*ld+a*l:], ld, s.q, s.rows, s.rows, p.panels[a*p.panelLen():], p.panelLen(), p.d, b-a)
		}
	}
}

// listQueries stores m queries from q on: their heads in s.point, their sparse features in s.index and s.value. The
// sparse features of query q+r end before s.ends[r+1].
func (s *scratch[T]) listQueries(v *inCSC[T], of queries, q, m int) {
	s.index, s.value, s.point = s.index[:0], s.value[:0], s.point[:0]
	for r := range m {
		pos := q + r
		switch {
		case of.rows == nil && v.names == nil:
			s.listDense(v, of.x[pos*v.d:(pos+1)*v.d])
		case of.rows == nil:
			s.listWide(v, of.x[pos*v.names.d:(pos+1)*v.names.d])
		case of.x != nil:
			index, value := of.rows.Row(int(of.x[pos]))
			s.listRow(v, index, value)
		default:
			index, value := of.rows.Row(of.lo + pos)
			s.listRow(v, index, value)
		}
		s.ends[r+1] = len(s.index)
	}
}

// listDense appends the head and the sparse features of a dense sample.
func (s *scratch[T]) listDense(v *inCSC[T], x []float64) {
	for k, f := range x {
		switch {
		case v.column[k] >= 0:
			s.point = append(s.point, v.scale.feature(k, f))
		case f != 0:
			s.index = append(s.index, int32(k))
			s.value = append(s.value, T(v.scale.feature(k, f)))
		}
	}
}

// listWide appends a dense sample for a layout whose features were renumbered.
func (s *scratch[T]) listWide(v *inCSC[T], x []float64) {
	s.wide, s.given = s.wide[:0], s.given[:0]
	for k, f := range x {
		if f != 0 {
			s.wide = append(s.wide, int32(k))
			s.given = append(s.given, f)
		}
	}
	s.listRow(v, s.wide, s.given)
}
