package gram

import (
	"context"
	"fmt"
	"slices"
)

// Term is a product of kernels times a number. Without factors it is the number.
type Term struct {
	Scale   float64  `json:"scale"`
	Factors []Kernel `json:"factors,omitempty"`
}

// Composite is the sum of the terms: Σ_t Scale_t Π_f k_tf(x, z). Factors hold samples' features by a formula of this
// package: none is composite, precomputed or custom. It is for models of Gaussian processes; no method trains with it.
func Composite(terms ...Term) Kernel { return Kernel{Kind: KindComposite, Terms: terms} }

// MostFactors bounds the factors of a [Composite], of which each packs the samples, and its terms.
const MostFactors = 64

// Composed reports whether the kernel is a [Composite].
func (k Kernel) Composed() bool { return k.Kind == KindComposite }

// Packs returns the number of times that [Pack] stores the samples: once, or for every factor of a [Composite].
//
//go:noinline
func (k Kernel) Packs() int {
	if !k.Composed() {
		return 1
	}
	n := 0
	for _, t := range k.Terms {
		n += len(t.Factors)
	}
	return n
}

// Clone copies what k refers to, but for rows and functions.
func (k Kernel) Clone() Kernel {
	k.Weights, k.Terms = slices.Clone(k.Weights), slices.Clone(k.Terms)
	for t := range k.Terms {
		factors := slices.Clone(k.Terms[t].Factors)
		for f := range factors {
			factors[f] = factors[f].Clone()
		}
		k.Terms[t].Factors = factors
	}
	return k
}

// validateTerms is Validate for a composite kernel.
func (k *Kernel) validateTerms(d int) error {
	n := k.Packs()
	if m := max(len(k.Terms), n); m < 1 || m > MostFactors || k.Weights != nil || k.Rows != nil {
		return fmt.Errorf("gram: %d terms of %d factors in a composite kernel, want 1 to %d of both, and no weights or rows "+
			"of its own", len(k.Terms), n, MostFactors)
	}
	for i := range k.Terms {
		t := &k.Terms[i]
		if !(t.Scale > 0) || t.Scale-t.Scale != 0 {
			return fmt.Errorf("gram: scale of term %d of a composite kernel is %v, want a finite number > 0", i+1, t.Scale)
		}
		for j := range t.Factors {
			f := &t.Factors[j]
			if int(f.Kind) >= len(kinds) || kinds[f.Kind].form == pairs || f.Rows != nil {
				return fmt.Errorf("gram: a %v kernel in term %d of a composite one, want kernels of features by formulas", f.Kind,
					i+1)
			}
			if err := f.Validate(d); err != nil {
				return fmt.Errorf("%w, in term %d", err, i+1)
			}
		}
	}
	return nil
}

// evalTerms is Eval for a composite kernel.
func (k *Kernel) evalTerms(x, z []float64) float64 {
	var sum float64
	for i := range k.Terms {
		t := &k.Terms[i]
		product := t.Scale
		for j := range t.Factors {
			product *= t.Factors[j].Eval(x, z)
		}
		sum += float64(product)
	}
	return sum
}

// inTerms holds a layout for every factor of a composite kernel. Rows and tiles are products and sums of theirs.
type inTerms[T Float] struct {
	kernel  Kernel
	n, d    int
	scales  []T
	factors [][]layout[T]
}

// packTerms packs samples for a composite kernel. Its error is ctx's.
func packTerms[T Float](ctx context.Context, k Kernel, x []float64, n, d int) (layout[T], error) {
	p := &inTerms[T]{kernel: k, n: n, d: d}
	for i := range k.Terms {
		t := &k.Terms[i]
		factors := make([]layout[T], len(t.Factors))
		for f := range factors {
			var err error
			if factors[f], err = layoutOf[T](ctx, t.Factors[f], x, n, d); err != nil {
				return nil, err
			}
		}
		p.scales = append(p.scales, T(t.Scale))
		p.factors = append(p.factors, factors)
	}
	return p, nil
}

const (
	termRows   = 8    // rows of one pass over the factors
	termValues = 4096 // values of a row of them, in one pass over rows of packed samples
)

// termScratch is for composite kernels only: sums, products, and values of a factor.
type termScratch[T Float] struct{ sum, product, value []T }

// reserve makes room for n values of each kind, all 0.
func (s *termScratch[T]) reserve(n int) {
	for _, v := range []*[]T{&s.sum, &s.product, &s.value} {
		if cap(*v) < n {
			*v = Aligned[T](n)
			continue
		}
		*v = (*v)[:n]
		clear(*v)
	}
}

// add writes the sums of products of n values to s.sum. A call of values writes those of a factor.
func (p *inTerms[T]) add(s *termScratch[T], values func(of layout[T], dst []T)) {
	for t, factors := range p.factors {
		if len(factors) == 0 {
			for i := range s.sum {
				s.sum[i] += p.scales[t]
			}
			continue
		}
		values(factors[0], s.product)
		for _, f := range factors[1:] {
			values(f, s.value)
			times(s.product, s.value)
		}
		plus(s.sum, s.product, p.scales[t])
	}
}

// times multiplies dst by v.
func times[T Float](dst, v []T) {
	dst = dst[:len(v)]
	for i, w := range v {
		dst[i] *= w
	}
}

// plus adds scale times v to dst. The product is rounded, so that the bits are the same at every level.
func plus[T Float](dst, v []T, scale T) {
	dst = dst[:len(v)]
	for i, w := range v {
		dst[i] += T(scale * w)
	}
}

func (p *inTerms[T]) rows(idx []int, lo, hi int, to *target[T]) {
	s := getScratch[T]()
	defer putScratch(s)
	for a := lo; a < hi; a += termValues {
		b := min(a+termValues, hi)
		for r := 0; r < len(idx); r += termRows {
			block := idx[r:min(r+termRows, len(idx))]
			s.terms.reserve(len(block) * (b - a))
			p.add(&s.terms, func(of layout[T], dst []T) {
				rows(of, block, a, b, &target[T]{flat: dst, ld: b - a, lo: a})
			})
			for q := range block {
				copy(to.row(r+q, a, b), s.terms.sum[q*(b-a):])
			}
		}
	}
}

// queries writes the values of the caller's samples x to rows of s.terms.sum, ld apart, and returns their
// number, at most m.
func (p *inTerms[T]) queries(s *scratch[T], x []float64, m, ld int) int {
	m = min(m, max(1, min(termRows, termRows*termValues/max(1, p.n)))) // fewer rows of many samples
	s.terms.reserve(m * ld)
	p.add(&s.terms, func(of layout[T], dst []T) { cross(of, s, &target[T]{flat: dst, ld: ld}, x, m) })
	return m
}

func (p *inTerms[T]) cross(s *scratch[T], to *target[T], x []float64, m int) {
	for q := 0; q < m; {
		for r := range p.queries(s, x[q*p.d:], m-q, p.n) {
			copy(to.row(q, 0, p.n), s.terms.sum[r*p.n:])
			q++
		}
	}
}

func (p *inTerms[T]) eval(e *Expansion[T], s *scratch[T], dst, x []float64, m int) {
	ld, outs := Stride[T](p.n), len(e.coefs)
	for q := 0; q < m; {
		for r := range p.queries(s, x[q*p.d:], m-q, ld) {
			e.Sums(dst[q*outs:(q+1)*outs], s.terms.sum[r*ld:(r+1)*ld])
			q++
		}
	}
}

func (p *inTerms[T]) square(dst []T, i0, i1, j0, j1 int) {
	s := getScratch[T]()
	defer putScratch(s)
	s.terms.reserve(tileSide * tileSide)
	p.add(&s.terms, func(of layout[T], dst []T) { of.square(dst, i0, i1, j0, j1) })
	copy(dst, s.terms.sum)
}

func (p *inTerms[T]) subset(idx []int) layout[T] {
	s := *p
	s.n, s.factors = len(idx), nil
	for _, factors := range p.factors {
		layouts := make([]layout[T], len(factors))
		for f, in := range factors {
			layouts[f] = in.subset(idx)
		}
		s.factors = append(s.factors, layouts)
	}
	return &s
}

func (p *inTerms[T]) diag(dst []T) {
	clear(dst)
	values, product := make([]T, len(dst)), make([]T, len(dst))
	for t, factors := range p.factors {
		for i := range product {
			product[i] = 1
		}
		for f, in := range factors {
			if k := &p.kernel.Terms[t].Factors[f]; !k.trait().distance {
				diag(in, values)
				times(product, values)
			}
		}
		plus(dst, product, p.scales[t])
	}
}

func (p *inTerms[T]) cost() int {
	total := 1
	for _, factors := range p.factors {
		for _, in := range factors {
			total += in.cost()
		}
	}
	return total
}
