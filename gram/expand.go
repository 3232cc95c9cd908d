package gram

import "fmt"

// Expansion is one or more weighted sums of kernels over the same packed samples, f_o(x) = Σ_j coef_o[j]·k(x, x_j).
// It is immutable and safe for concurrent use.
type Expansion[T Float] struct {
	points *Samples[T]
	coefs  [][]T // one slice an output, zero-padded to whole panels
}

// Expand builds the expansion with the given coefficients: for each output one slice of Len numbers. The expansion
// keeps p and copies the coefficients.
func (p *Samples[T]) Expand(coefs ...[]float64) *Expansion[T] {
	e := &Expansion[T]{points: p}
	for _, c := range coefs {
		if len(c) != p.n {
			panic(fmt.Sprintf("gram: %d coefficients for %d samples", len(c), p.n))
		}
		padded := Aligned[T](Stride[T](p.n))
		for j, v := range c {
			padded[j] = T(v)
		}
		e.coefs = append(e.coefs, padded)
	}
	return e
}

// Samples returns the packed samples x_j of the sums.
func (e *Expansion[T]) Samples() *Samples[T] { return e.points }

// Eval writes dst[q*outputs+o] = f_o(x_q) for m of the caller's samples (x is m×d, row-major). It allocates nothing,
// and kernel values stay in the first-level cache. The result of a sample does not depend on m or on the SIMD level.
func (e *Expansion[T]) Eval(dst []float64, x []float64, m int) {
	p := e.points
	if len(dst) < m*len(e.coefs) || len(x) < m*p.d {
		panic(fmt.Sprintf("gram: %d values and %d results for %d samples of dimension %d", len(x), len(dst), m, p.d))
	}
	s := getScratch[T]()
	defer putScratch(s)
	eval(p.layout, e, s, dst, x, m)
}

// Sums writes f_o(x) to dst[o] for a sample x whose kernel values are the first Len of values. That slice has [Stride]
// of Len elements; the others must be finite. The bits are those of Eval if the kernel is
// [Kernel.Vectorised].
func (e *Expansion[T]) Sums(dst []float64, values []T) {
	for o, c := range e.coefs {
		var sums [sumPanels * panelWidth / 4]T
		parts := sums[:sumPanels*lanes[T]()]
		weigh(parts, values[:len(c)], c)
		dst[o] = total(parts)
	}
}
