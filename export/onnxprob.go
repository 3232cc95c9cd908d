package export

import "github.com/sparsekm/sparsekm/model"

// probabilities adds the output probabilities.
func (b *builder) probabilities() {
	m, k := len(b.Submodels), len(b.Labels)
	pa, pb := make([]float64, m), make([]float64, m)
	for i, p := range b.Platt {
		pa[i], pb[i] = -p.A, -p.B
	}
	// 1 / (1 + exp(A f + B))
	p := b.op("Sigmoid", []string{b.add(b.mul("decisions", b.reals(pa, m)), b.reals(pb, m))})
	switch b.Scheme {
	case model.Binary:
		columns := []string{b.sub(b.real(1), p), p}
		if b.Submodels[0].Pos == 0 {
			columns[0], columns[1] = columns[1], columns[0]
		}
		b.opTo("probabilities", "Concat", columns, "axis", 1)
	case model.OneVsRest:
		p = b.op("Gather", []string{p, b.ints(b.byClass()...)}, "axis", 1)
		sum := b.sumOver(1, p)
		some := b.op("Greater", []string{sum, b.real(0)})
		one := b.op("Where", []string{some, sum, b.real(1)}) // no division by 0
		b.opTo("probabilities", "Where", []string{some, b.div(p, one), b.real(1 / float64(k))})
	default:
		b.coupled(p)
	}
}

// coupled is the second method of Wu, Lin and Weng (2004) on the pairs' probabilities p (rows × submodels): the
// solution of (Q + e eᵀ) p = e by Gauss-Jordan elimination, divided by its sum. Q + e eᵀ is positive
// definite, so that no pivoting is needed.
func (b *builder) coupled(p string) {
	const least = 1e-7
	k := len(b.Labels)
	p = b.op("Max", []string{b.op("Min", []string{p, b.real(1 - least)}), b.real(least)})
	// r (rows × k × k): r_st is p or 1 − p of the pair of s and t, and 0 for s = t.
	m := len(b.Submodels)
	to, base := make([]float64, m*k*k), make([]float64, k*k)
	back, backBase := make([]float64, m*k*k), make([]float64, k*k)
	for i := range b.Submodels {
		s, t := b.Submodels[i].Pos, b.Submodels[i].Neg
		to[i*k*k+s*k+t], to[i*k*k+t*k+s], base[t*k+s] = 1, -1, 1
		back[i*k*k+t*k+s], back[i*k*k+s*k+t], backBase[s*k+t] = 1, -1, 1
	}
	square := b.ints(-1, k, k)
	r := b.op("Reshape", []string{b.add(b.dot(p, b.reals(to, m, k*k)), b.reals(base, k*k)), square})
	rt := b.op("Reshape", []string{b.add(b.dot(p, b.reals(back, m, k*k)), b.reals(backBase, k*k)), square})
	// Q_ss = Σ_t r_ts², Q_st = −r_ts r_st; then 1 is added to each.
	unit := make([]float64, k*k)
	for s := range k {
		unit[s*k+s] = 1
	}
	q := b.sub(b.mul(b.sumOver(1, b.mul(r, r)), b.reals(unit, k, k)), b.mul(r, rt))
	q = b.add(q, b.real(1))
	first := b.op("Slice", []string{q, b.ints(0), b.ints(1), b.ints(2)})
	t := b.op("Concat", []string{q, b.add(b.mul(first, b.real(0)), b.real(1))}, "axis", 2) // and a column of e
	for s := range k {
		row := b.op("Slice", []string{t, b.ints(s), b.ints(s + 1), b.ints(1)})
		column := b.op("Slice", []string{t, b.ints(s), b.ints(s + 1), b.ints(2)})
		pivot := b.op("Slice", []string{row, b.ints(s), b.ints(s + 1), b.ints(2)})
		t = b.sub(t, b.mul(b.sub(column, b.reals(unit[s*k:(s+1)*k], k, 1)), b.div(row, pivot)))
	}
	x := b.op("Squeeze", []string{b.op("Slice", []string{t, b.ints(k), b.ints(k + 1), b.ints(2)}), b.ints(2)})
	x = b.op("Max", []string{x, b.real(0)})
	b.opTo("probabilities", "Div", []string{x, b.sumOver(1, x)})
}
