package gram

import (
	"context"
	"slices"
)

// The CSC layout holds samples whose features are mostly 0: the non-zeros by sample and by feature. An inner product
// with a query visits the query's non-zero features, and for each of them only the samples that have it. A feature
// that a share ρ of all samples has costs ρ² additions a pair. In panels it costs a fraction of one instruction. So
// the features that many samples have stay in panels, the head; the others are sparse features.

const (
	// cscSamples is the least number of samples for which the CSC layout may pay. Fewer samples stay in panels, which
	// Small needs.
	cscSamples = 129
	// additionCost is the time of one sparse addition, divided by the time of one feature of one pair in panels.
	additionCost = 20
	// cscGain is the estimated speedup from which the CSC layout is chosen.
	cscGain = 2
)

// inCSC is the CSC layout: the head in panels, and the non-zeros of the sparse features.
type inCSC[T Float] struct {
	formula[T]
	split
	n, d     int
	scale    transform    // of dense samples
	names    *numbering   // new numbers of a matrix's features; nil if they keep their own
	head     *inPanels[T] // inner products over the dense features; of dimension 0 if there are none
	bySample lists[T]     // sparse features of each sample, ascending
	byColumn lists[T]     // samples that have each feature, ascending
}

// lists holds the non-zeros of a matrix by row or by column.
type lists[T Float] struct {
	start []int // where each row or column begins, and where the last one ends
	index []int32
	value []T
}

// of returns row or column i.
func (l *lists[T]) of(i int) ([]int32, []T) {
	lo, hi := l.start[i], l.start[i+1]
	return l.index[lo:hi:hi], l.value[lo:hi:hi]
}

// within returns the part of row or column i with lo ≤ index < hi.
func (l *lists[T]) within(i, lo, hi int) ([]int32, []T) {
	index, value := l.of(i)
	if len(index) > 0 && int(index[0]) < lo {
		pos, _ := slices.BinarySearch(index, int32(lo))
		index, value = index[pos:], value[pos:]
	}
	if len(index) > 0 && int(index[len(index)-1]) >= hi {
		end, _ := slices.BinarySearch(index, int32(hi))
		index, value = index[:end], value[:end]
	}
	return index, value
}

// split says which features belong to the head.
type split struct {
	column       []int32 // a feature's place in the head, −1 for a sparse feature
	heads, total int     // features of the head; non-zeros of the sparse features
	perPair      float64 // estimated cost of a pair, in features of panels
}

// splitOf chooses the split for n samples, given how many of them have each feature.
func splitOf(points []int, n int) split {
	s := split{column: make([]int32, len(points))}
	for k, c := range points {
		share := float64(c) / float64(n)
		if listed := additionCost * share * share; listed < 1 {
			s.column[k] = -1
			s.total += c
			s.perPair += listed
			continue
		}
		s.column[k] = int32(s.heads)
		s.heads++
		s.perPair++
	}
	return s
}

// sparse looks at every step-th sample and returns the split of the features. It reports whether the CSC layout beats
// a layout that is the given factor faster than panels.
func sparse(x []float64, n, d, step, faster int) (s split, ok bool) {
	if n < cscSamples || d < expandFeatures || !isSparse(x[:cscSamples*d]) { // the first samples rule out most sets
		return s, false
	}
	points := make([]int, d)
	for i := 0; i < n; i += step {
		for k, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				points[k]++
			}
			if v-v != 0 { // NaN and ±Inf times the zeros of other samples is NaN
				return s, false
			}
		}
	}
	s = splitOf(points, (n+step-1)/step)
	return s, cscGain*s.perPair*float64(faster) <= float64(d)
}

// isSparse reports whether less than a quarter of x is non-zero.
func isSparse(x []float64) bool {
	some := 0
	for _, v := range x {
		if v != 0 {
			some++
		}
	}
	return some < len(x)/4
}

// fill packs the samples into the head and the sparse features as the split says. Its error is ctx's.
func (v *inCSC[T]) fill(ctx context.Context, x []float64) error {
	v.head = newHead[T](v.n, v.heads)
	p := &v.bySample
	p.start, p.index, p.value = make([]int, v.n+1), make([]int32, 0, v.total), make([]T, 0, v.total)
	l := lanes[T]()
	for i := range v.n {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		of := v.head.point(i)
		for k, f := range x[i*v.d : (i+1)*v.d] {
			s := T(v.scale.feature(k, f))
			switch c := v.column[k]; {
			case c >= 0:
				of[int(c)*l] = s
			case s != 0:
				p.index = append(p.index, int32(k))
				p.value = append(p.value, s)
			}
		}
		p.start[i+1] = len(p.index)
	}
	v.complete()
	return nil
}

// newHead allocates a head of n samples.
func newHead[T Float](n, features int) *inPanels[T] {
	return newPanels(formula[T]{kernel: Linear(), form: inner}, transform{}, n, features)
}

// complete fills byColumn and norms.
func (v *inCSC[T]) complete() {
	p, c := &v.bySample, &v.byColumn
	c.start, c.index, c.value = make([]int, v.d+1), make([]int32, len(p.index)), make([]T, len(p.index))
	for _, k := range p.index {
		c.start[k+1]++
	}
	for k := range v.d {
		c.start[k+1] += c.start[k]
	}
	next := slices.Clone(c.start[:v.d])
	for i := range v.n {
		index, value := p.of(i)
		for s, k := range index {
			c.index[next[k]], c.value[next[k]] = int32(i), value[s]
			next[k]++
		}
	}
	if v.form != expanded {
		return
	}
	v.norms = make([]T, v.n)
	for i := range v.norms { // in the same order of operations as products
		_, value := v.bySample.of(i)
		v.norms[i] = addSquares(normSquared(v.head.point(i), lanes[T](), v.head.d), value)
	}
}

func (v *inCSC[T]) subset(idx []int) layout[T] {
	s := *v
	s.n, s.head, s.bySample, s.byColumn = len(idx), v.head.subset(idx).(*inPanels[T]), lists[T]{}, lists[T]{}
	s.bySample.start = make([]int, 1, len(idx)+1)
	for _, i := range idx {
		index, value := v.bySample.of(i)
		s.bySample.index = append(s.bySample.index, index...)
		s.bySample.value = append(s.bySample.value, value...)
		s.bySample.start = append(s.bySample.start, len(s.bySample.index))
	}
	s.complete()
	return &s
}

func (v *inCSC[T]) cost() int {
	switch {
	case v.kernel.Rows != nil:
		return v.head.d + additionCost
	case v.names != nil:
		return v.names.d
	}
	return v.d
}

// addSquares returns sum + Σ x² in the order of products. The conversion keeps compilers from fusing the operations.
func addSquares[T Float](sum T, value []T) T {
	for _, f := range value {
		sum += T(f * f)
	}
	return sum
}
