package gram

// inPairs holds the samples as they were given. It evaluates kernels without a packed layout by their formula, pair
// by pair.
type inPairs[T Float] struct {
	kernel Kernel
	n, d   int
	raw    []float64 // n×d, row-major
}

func (p *inPairs[T]) at(i int) []float64 { return p.raw[i*p.d : (i+1)*p.d] }

// row writes the values of x with the samples from lo on.
func (p *inPairs[T]) row(dst []T, x []float64, lo int) {
	for j := range dst {
		dst[j] = T(p.kernel.Eval(x, p.at(lo+j)))
	}
}

func (p *inPairs[T]) rows(idx []int, lo, hi int, to *target[T]) {
	for r, i := range idx {
		p.row(to.row(r, lo, hi), p.at(i), lo)
	}
}

func (p *inPairs[T]) cross(s *scratch[T], to *target[T], x []float64, m int) {
	for q := range m {
		p.row(to.row(q, 0, p.n), s.own(x[q*p.d:(q+1)*p.d]), 0)
	}
}

func (p *inPairs[T]) eval(e *Expansion[T], s *scratch[T], dst, x []float64, m int) {
	for q := range m {
		point, sums := s.own(x[q*p.d:(q+1)*p.d]), dst[q*len(e.coefs):][:len(e.coefs)]
		clear(sums)
		for j := range p.n {
			k := p.kernel.Eval(point, p.at(j))
			for o, c := range e.coefs {
				sums[o] += float64(float64(c[j]) * k)
			}
		}
	}
}

func (p *inPairs[T]) square(dst []T, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		p.row(dst[(i-i0)*tileSide:][:j1-j0], p.at(i), j0)
	}
}

func (p *inPairs[T]) subset(idx []int) layout[T] {
	s := &inPairs[T]{kernel: p.kernel, n: len(idx), d: p.d}
	for _, i := range idx {
		s.raw = append(s.raw, p.at(i)...)
	}
	return s
}

func (p *inPairs[T]) cost() int { return p.d }
