package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// cross builds the simplex method's program and its basis from the interior-point solution. Its rows are those of the
// non-zero coefficients, its columns the margins nearest to 1. Near the optimum the products of a distance from a bound
// and the bound's multiplier are all equal. So the larger of both is the one that is not 0 at the optimum.
func (m *merged) cross(ctx context.Context) error {
	at := simplex.Basis{Rows: m.support()}
	if err := m.of.k.outputs(ctx, &m.sift.last); err != nil {
		return err
	}
	t, _ := m.sift.search(m.p)
	m.sift.centre.towards(&m.sift.last, t)
	m.sift.radius = math.Inf(1)
	basic := 0
	for _, p := range at.Rows {
		if p != simplex.Basic {
			basic++
		}
	}
	var samples []int
	samples, at.Cols = m.columns(basic)
	b, err := m.sift.box(ctx, samples)
	if err != nil {
		return err
	}
	if err := m.sift.fix(ctx); err != nil {
		return err
	}
	if err := m.sift.build(m.p, b); err != nil {
		return err
	}
	at.Cols = append(at.Cols, slices.Repeat([]simplex.Position{simplex.AtLower}, 2*len(at.Rows))...)
	return m.sift.sifted.SetBasis(at)
}

// support makes the non-zero coefficients the working rows and the last model. It returns the positions of the rows,
// the bias's first.
func (m *merged) support() []simplex.Position {
	clear(m.of.row)
	m.of.working = nil
	a := slices.Clone(m.sift.last.a)
	clear(m.sift.last.a)
	var sum float64
	for _, v := range m.of.m {
		sum += v
	}
	at := []simplex.Position{resting(m.sift.last.bias, m.p.Bias, sum)}
	if at[0] == simplex.Basic {
		m.sift.last.bias = 0
	}
	for _, i := range m.rows {
		if p := resting(a[i], m.p.Coef[i], m.of.g[i]); p != simplex.Basic {
			m.of.working = append(m.of.working, i)
			m.of.row[i] = len(m.of.working)
			m.sift.last.a[i] = a[i]
			at = append(at, p)
		}
	}
	return at
}

// resting returns the position of the row with activity g of a coefficient a with a cost.
func resting(a, price, g float64) simplex.Position {
	switch {
	case math.IsInf(price, 1) || price > 0 && math.Abs(a)*price <= (price-math.Abs(g))/price:
		return simplex.Basic
	case a < 0:
		return simplex.AtLower
	}
	return simplex.AtUpper
}

// columns returns the margins nearest to 1, with so many basic ones among them, and the positions of their multipliers.
func (m *merged) columns(basic int) (samples []int, at []simplex.Position) {
	type column struct {
		at         int
		far, inner float64 // from 1, and also between the bounds
	}
	own := make([]column, m.own)
	for t, j := range m.samples[:m.own] {
		lo, hi, x := m.q.Lo[t], m.q.Hi[t], m.iterate.X[t]
		far := math.Abs(m.sift.slack(m.sift.centre.f, j))
		own[t] = column{t, far, min(x-lo, hi-x) / (hi - lo) / max(far, 1e-300)}
	}
	slices.SortFunc(own, func(a, b column) int { return cmp.Or(cmp.Compare(b.inner, a.inner), cmp.Compare(a.at, b.at)) })
	basic = min(basic, len(own))
	rest := own[basic:]
	slices.SortFunc(rest, func(a, b column) int { return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.at, b.at)) })
	width := max(firstWidth(len(m.of.y)), marginsPerRow*basic)
	for r, c := range own[:min(len(own), max(width, basic))] {
		samples = append(samples, m.samples[c.at])
		switch {
		case r < basic:
			at = append(at, simplex.Basic)
		case m.iterate.X[c.at]-m.q.Lo[c.at] > m.q.Hi[c.at]-m.iterate.X[c.at]:
			at = append(at, simplex.AtUpper)
		default:
			at = append(at, simplex.AtLower)
		}
	}
	return samples, at
}
