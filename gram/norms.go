package gram

// setNorms fills norms with the very operations that a tile does, so that
// ‖x‖² + ‖x‖² − 2 xᵀx is exactly 0.
func (p *Points[T]) setNorms() {
	if p.form != expanded {
		return
	}
	if p.lists != nil {
		p.norms = p.lists.norms()
		return
	}
	l := lanes[T]()
	p.norms = alignedSlice[T](p.panelCount() * l)
	for b := range p.panelCount() {
		panelNorms(p.norms[b*l:(b+1)*l], p.panels[b*p.panelLen():], p.d)
	}
}

// panelNormsGeneric writes the ‖x‖² of a panel's points of d ≥ 1 features.
func panelNormsGeneric[T Float](dst, panel []T, d int) {
	for j := range dst {
		dst[j] = normSquared(panel[j:], len(dst), d)
	}
}
