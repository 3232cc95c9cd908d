package gram

import "context"

// panelWidth is the size of one feature in a panel, in bytes: a cache line, and the widest register.
const panelWidth = 64

// inPanels is the panel layout for the form that plan chose.
type inPanels[T Float] struct {
	formula[T] // norms are padded to whole panels
	n, d       int
	feat       transform
	panels     []T // ⌈n/lanes⌉ panels of d × lanes
}

// newPanels allocates panels for n samples of d features.
func newPanels[T Float](f formula[T], t transform, n, d int) *inPanels[T] {
	p := &inPanels[T]{formula: f, n: n, d: d, feat: t}
	p.panels = Aligned[T](p.panelCount() * p.panelLen())
	return p
}

// packPanels packs n samples. Its error is ctx's.
func packPanels[T Float](ctx context.Context, f formula[T], t transform, x []float64, n, d int) (layout[T], error) {
	p := newPanels(f, t, n, d)
	const values = 1 << 20 // between checks of ctx: one or two milliseconds
	l, looked := lanes[T](), 0
	i := 0
	for ; i+4 <= n; i += 4 { // four lanes at a time fill the cache lines sooner
		if (i-looked)*d >= values {
			if looked = i; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		storeFour(t, p.point(i), l, x[i*d:(i+4)*d])
	}
	for ; i < n; i++ {
		store(t, p.point(i), l, x[i*d:(i+1)*d])
	}
	p.setNorms()
	return p, nil
}

// setNorms fills norms with the same operations as a tile, so that ‖x‖² + ‖x‖² − 2 xᵀx is exactly 0.
func (p *inPanels[T]) setNorms() {
	if p.form != expanded {
		return
	}
	l := lanes[T]()
	p.norms = Aligned[T](p.panelCount() * l)
	for b := range p.panelCount() {
		panelNorms(p.norms[b*l:(b+1)*l], p.panels[b*p.panelLen():], p.d)
	}
}

// panelNormsGeneric writes ‖x‖² of the samples of a panel, for d ≥ 1 features.
func panelNormsGeneric[T Float](dst, panel []T, d int) {
	for j := range dst {
		dst[j] = normSquared(panel[j:], len(dst), d)
	}
}

func (p *inPanels[T]) panelCount() int { return (p.n + lanes[T]() - 1) / lanes[T]() }

func (p *inPanels[T]) panelLen() int { return p.d * lanes[T]() }

// point returns the slice that holds feature k of sample i at k·lanes.
func (p *inPanels[T]) point(i int) []T {
	if p.d == 0 {
		return nil
	}
	l := lanes[T]()
	return p.panels[i/l*p.panelLen()+i%l:]
}

func (p *inPanels[T]) subset(idx []int) layout[T] {
	s := newPanels(formula[T]{kernel: p.kernel, form: p.form}, p.feat, len(idx), p.d)
	l := lanes[T]()
	for j := 0; j < len(idx); j += 4 {
		interleave(s.panels, j/l*s.panelLen()+j%l, l, p, idx[j:min(j+4, len(idx))])
	}
	if p.form == expanded {
		s.norms = Aligned[T](s.panelCount() * l)
		for j, i := range idx {
			s.norms[j] = p.norms[i]
		}
	}
	return s
}

func (p *inPanels[T]) cost() int { return p.d }

// diag writes k(x_i, x_i). All sums except inner products are 0 there.
func (p *inPanels[T]) diag(dst []T) {
	clear(dst)
	if p.form == inner {
		for i := range dst {
			dst[i] = normSquared(p.point(i), lanes[T](), p.d)
		}
	}
	p.apply(dst, dst)
}
