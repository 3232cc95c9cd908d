package gram

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// Kernels on the rows of a sparse matrix, for samples too wide to be stored densely. The one feature of such a sample
// is the number of its row.

// On returns the kernel of samples that are rows of m, which must not change. The one feature of a sample is the
// number of its row, from 0. The kernel must be [Kernel.Sparse]. Distances are always computed as ‖x‖² + ‖z‖² − 2xᵀz.
// So a value of the RBF kernel is within (k+8)·u·(4γ·max‖x‖² + 1) of the exact one, where k is the largest number of
// non-zeros of a row.
func (k Kernel) On(m *csr.Matrix) Kernel {
	k.Rows = m
	return k
}

// Off returns the kernel of samples that hold their features; it is the inverse of On.
func (k Kernel) Off() Kernel {
	k.Rows = nil
	return k
}

// Sparse reports whether the non-zero features suffice to evaluate the kernel.
func (k Kernel) Sparse() bool {
	t := k.trait()
	return (t.form == square && !t.curve.sharp() || t.form == inner) && k.Weights == nil
}

// Inner reports whether the kernel is a function of xᵀz.
func (k Kernel) Inner() bool { return k.trait().form == inner }

// Singles reports whether float32 is as accurate for the kernel's rows as for samples in panels.
func (k Kernel) Singles() bool {
	radius, largest := 0.0, 0.0
	for i := range k.Rows.N {
		_, value := k.Rows.Row(i)
		for _, v := range value {
			largest = max(largest, math.Abs(v))
		}
		radius = max(radius, sumSquares(value))
	}
	return largest <= 1e18 && k.Gamma*radius <= expandRadius
}

// farthest bounds γ·max‖x‖² of the rows. At this bound, rounding leaves an absolute error of about 1e-5 in γ times a
// distance.
const farthest = 1e10

// ValidateRows returns an error if the kernel is not [Kernel.Sparse] or the values of m are too large.
func (k Kernel) ValidateRows(m *csr.Matrix) error {
	if !k.Sparse() {
		return fmt.Errorf("gram: the %v kernel needs every feature, those that are 0 too", k.Kind)
	}
	for i := range m.N {
		_, value := m.Row(i)
		square := sumSquares(value)
		if square-square != 0 {
			return fmt.Errorf("gram: the squares of row %d add up to %v", i, square)
		}
		if k.trait().distance && k.Gamma*square > farthest {
			return fmt.Errorf("gram: γ‖x‖² = %.3g of row %d, want at most %g: scale the features, or lower γ", k.Gamma*square, i,
				farthest)
		}
	}
	return nil
}

func sumSquares(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// validateNumbers returns an error if a sample is not the number of a row.
func (k Kernel) validateNumbers(x []float64, n int) error {
	for i, v := range x[:n] {
		if !(v >= 0 && v < float64(k.Rows.N)) || v != math.Trunc(v) {
			return fmt.Errorf("gram: sample %d is row %v, want one of the %d rows", i, v, k.Rows.N)
		}
	}
	return nil
}

// evalRows is Eval for two rows.
func (k Kernel) evalRows(i, j int) float64 {
	a, av := k.Rows.Row(i)
	b, bv := k.Rows.Row(j)
	distance := k.trait().form == square
	var s float64
	if i == j {
		if !distance {
			s = sumSquares(av)
		}
		return k.of(s)
	}
	add := func(x, z float64) {
		if distance {
			s += (x - z) * (x - z)
		} else {
			s += x * z
		}
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			add(av[0], 0)
			a, av = a[1:], av[1:]
		case len(a) == 0 || b[0] < a[0]:
			add(0, bv[0])
			b, bv = b[1:], bv[1:]
		default:
			add(av[0], bv[0])
			a, av, b, bv = a[1:], av[1:], b[1:], bv[1:]
		}
	}
	return k.of(s)
}

// PackRows packs all rows of m for k, which must be [Kernel.Sparse] and valid for m. The samples have D features.
// Queries may be rows of another matrix (see [Expansion.EvalRows]) or dense samples.
func PackRows[T Float](k Kernel, m *csr.Matrix) *Samples[T] {
	if err := k.ValidateRows(m); err != nil {
		panic(err.Error())
	}
	idx := deal.All(m.N)
	in, _ := packRows[T](context.Background(), k, m, idx) // the background context never ends, so there is no error
	return &Samples[T]{k, m.N, m.D, in}
}

// numbers converts the features, which are row numbers, to integers.
func numbers(x []float64) []int {
	idx := make([]int, len(x))
	for i, v := range x {
		idx[i] = int(v)
	}
	return idx
}

// numbering renumbers the features in ascending order, because most of them occur in no sample. All features that
// occur in none share one number.
type numbering struct {
	of     []int32 // new number of each feature; nil if this table would be much larger than the data
	sorted []int32 // features that occur
	d      int     // number of features
}

// number builds the numbering of the rows idx.
func number(m *csr.Matrix, idx []int) *numbering {
	total := 0
	for _, i := range idx {
		total += m.Start[i+1] - m.Start[i]
	}
	n := &numbering{d: m.D}
	if base, factor := 1<<16, 16; m.D > base+factor*total {
		all := make([]int, 0, total) // every program has the sort of int
		for _, i := range idx {
			index, _ := m.Row(i)
			for _, k := range index {
				all = append(all, int(k))
			}
		}
		slices.Sort(all)
		for _, k := range slices.Compact(all) {
			n.sorted = append(n.sorted, int32(k))
		}
		return n
	}
	n.of = make([]int32, m.D)
	for _, i := range idx {
		index, _ := m.Row(i)
		for _, k := range index {
			n.of[k] = 1
		}
	}
	for k, met := range n.of {
		if met > 0 {
			n.of[k] = int32(len(n.sorted))
			n.sorted = append(n.sorted, int32(k))
		} else {
			n.of[k] = -1
		}
	}
	for k, pos := range n.of {
		if pos < 0 {
			n.of[k] = int32(len(n.sorted))
		}
	}
	return n
}

// name returns the new number of feature k, which is len(sorted) if k occurs in no sample.
func (n *numbering) name(k int32) int32 {
	if n.of != nil {
		return n.of[k]
	}
	pos, met := slices.BinarySearch(n.sorted, k)
	if !met {
		pos = len(n.sorted)
	}
	return int32(pos)
}

// packRows packs the rows idx in the CSC layout. Its error is ctx's.
func packRows[T Float](ctx context.Context, k Kernel, m *csr.Matrix, idx []int) (layout[T], error) {
	names := number(m, idx)
	points := make([]int, len(names.sorted))
	for _, i := range idx {
		index, _ := m.Row(i)
		for _, k := range index {
			points[names.name(k)]++
		}
	}
	v := &inCSC[T]{split: splitOf(points, len(idx)), n: len(idx), d: len(points) + 1, names: names}
	v.column = append(v.column, -1) // for features that occur in no sample
	v.head = newHead[T](v.n, v.heads)
	v.kernel, v.form = k, inner
	if k.trait().form == square {
		v.form = expanded
	}
	p, l := &v.bySample, lanes[T]()
	p.start, p.index, p.value = make([]int, 1, len(idx)+1), make([]int32, 0, v.total), make([]T, 0, v.total)
	for pos, i := range idx {
		if pos%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		index, value := m.Row(i)
		of := v.head.point(pos)
		for s, k := range index {
			c := v.names.name(k)
			if h := v.column[c]; h >= 0 {
				of[int(h)*l] = T(value[s])
			} else if t := T(value[s]); t != 0 {
				p.index = append(p.index, c)
				p.value = append(p.value, t)
			}
		}
		p.start = append(p.start, len(p.index))
	}
	v.complete()
	return v, nil
}

// listRow appends the sparse features of a row to s, and its head including zeros.
func (s *scratch[T]) listRow(v *inCSC[T], index []int32, value []float64) {
	pos := len(s.point)
	s.point = slices.Grow(s.point, v.head.d)[:pos+v.head.d]
	clear(s.point[pos:])
	for t, k := range index {
		c := v.names.name(k)
		if h := v.column[c]; h >= 0 {
			s.point[pos+int(h)] = value[t]
		} else {
			s.index = append(s.index, c)
			s.value = append(s.value, T(value[t]))
		}
	}
}

// EvalRows is Eval for rows lo ≤ i < lo+m of another matrix with the same number of features. It needs samples of
// [PackRows].
func (e *Expansion[T]) EvalRows(dst []float64, rows *csr.Matrix, lo, m int) {
	if len(dst) < m*len(e.coefs) {
		panic(fmt.Sprintf("gram: %d results for %d rows", len(dst), m))
	}
	v, s := e.points.forRows(rows), getScratch[T]()
	defer putScratch(s)
	v.evalQueries(e, s, dst, queries{rows: rows, lo: lo}, m)
}

// CrossRows is Cross for rows lo ≤ i < lo+m of another matrix with the same number of features. It needs samples of
// [PackRows].
func (p *Samples[T]) CrossRows(dst []T, ld int, rows *csr.Matrix, lo, m int) {
	v, s := p.forRows(rows), getScratch[T]()
	defer putScratch(s)
	v.crossQueries(s, &target[T]{flat: dst, ld: ld}, queries{rows: rows, lo: lo}, m)
}

// forRows returns the CSC layout of samples of PackRows. It panics unless rows have as many features.
func (p *Samples[T]) forRows(rows *csr.Matrix) *inCSC[T] {
	v, ok := p.layout.(*inCSC[T])
	if !ok || v.names == nil || rows.D != p.d {
		panic(fmt.Sprintf("gram: rows of %d features, samples have %d", rows.D, p.d))
	}
	return v
}
