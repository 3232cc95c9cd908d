package gram

import (
	"context"
	"slices"
)

// Samples with few features that are not 0 are kept as lists, by samples and by features. Σ x_k z_k over the listed
// features that a query has adds to the samples that have them and to no others: a feature that a share ρ of the
// samples has costs ρ² additions a pair, one in a panel a part of an instruction. So the features that many samples
// have stay in panels.

const (
	// cscSamples is the number of samples from which on lists may pay; so Small has panels.
	cscSamples = 129
	// additionCost is what an addition by lists costs, in features of panels for one pair.
	additionCost = 20
	// cscGain is how many times fewer of them there have to be.
	cscGain = 2
)

// inCSC is samples by a head, the features that many of them have, and lists of the others.
type inCSC[T Float] struct {
	formula[T]
	split
	n, d     int
	scale    transform    // of dense samples
	names    *numbering   // of rows of a matrix: what features are called here; nil where they keep their numbers
	head     *inPanels[T] // inner products of these features; of dimension 0 where all are listed
	bySample lists[T]     // the features of a sample, ascending
	byColumn lists[T]     // the samples that have a feature, ascending
}

// lists is the nonzeros of a matrix by its rows or by its columns.
type lists[T Float] struct {
	start []int // of list i, and the end of the last one
	index []int32
	value []T
}

// of returns list i.
func (l *lists[T]) of(i int) ([]int32, []T) {
	lo, hi := l.start[i], l.start[i+1]
	return l.index[lo:hi:hi], l.value[lo:hi:hi]
}

// within returns the part of list i with lo ≤ index < hi.
func (l *lists[T]) within(i, lo, hi int) ([]int32, []T) {
	index, value := l.of(i)
	if len(index) > 0 && int(index[0]) < lo {
		at, _ := slices.BinarySearch(index, int32(lo))
		index, value = index[at:], value[at:]
	}
	if len(index) > 0 && int(index[len(index)-1]) >= hi {
		end, _ := slices.BinarySearch(index, int32(hi))
		index, value = index[:end], value[:end]
	}
	return index, value
}

// split is which features are at the head of samples as lists.
type split struct {
	column       []int32 // of the head by feature, −1 for a listed one
	heads, total int     // features of the head, and numbers in lists
	perPair      float64 // what a pair costs, in features of panels
}

// splitOf is the split for n samples of which so many have each feature.
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

// sparse looks at every step-th point and reports whether lists are faster for sums over the features than panels, or
// than what is so many times faster than they are, and how to split them then.
func sparse(x []float64, n, d, step, faster int) (s split, ok bool) {
	if n < cscSamples || d < expandFeatures || !few(x[:cscSamples*d]) { // a look at some of them tells most sets
		return s, false
	}
	points := make([]int, d)
	for i := 0; i < n; i += step {
		for k, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				points[k]++
			}
			if v-v != 0 { // what is not finite meets the zeros of others
				return s, false
			}
		}
	}
	s = splitOf(points, (n+step-1)/step)
	return s, cscGain*s.perPair*float64(faster) <= float64(d)
}

// few reports whether less than a quarter of x is not 0.
func few(x []float64) bool {
	some := 0
	for _, v := range x {
		if v != 0 {
			some++
		}
	}
	return some < len(x)/4
}

// fill makes the lists and the head of samples whose column is known; an error is that of ctx.
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
				p.index, p.value = append(p.index, int32(k)), append(p.value, s)
			}
		}
		p.start[i+1] = len(p.index)
	}
	v.complete()
	return nil
}

// newHead makes room for n samples by the given number of features at the head.
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
	for i := range v.norms { // by the operations that products does
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
		s.bySample.index, s.bySample.value = append(s.bySample.index, index...), append(s.bySample.value, value...)
		s.bySample.start = append(s.bySample.start, len(s.bySample.index))
	}
	s.complete()
	return &s
}

func (v *inCSC[T]) diag(dst []T) {
	for i := range dst {
		v.rows([]int{i}, i, i+1, &target[T]{flat: dst[i:], lo: i})
	}
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

// addSquares is sum + Σ x² in the order of products. The conversion keeps compilers from fusing.
func addSquares[T Float](sum T, value []T) T {
	for _, f := range value {
		sum += T(f * f)
	}
	return sum
}
