package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// cross makes the program of simplex from the solution of a model: its rows are the coefficients that are not 0, its
// columns the margins nearest to 1. Products of a distance from a bound and its multiplier are all the same on the way
// to an optimum, so that the larger of the two says which is not 0 there: so the basis is read.
func (m *model) cross(ctx context.Context) error {
	at := simplex.Basis{Rows: m.support()}
	if err := m.k.outputs(ctx, &m.last); err != nil {
		return err
	}
	t, _ := m.search(m.p)
	m.centre.towards(&m.last, t)
	m.radius = math.Inf(1)
	basic := 0
	for _, p := range at.Rows {
		if p != simplex.Basic {
			basic++
		}
	}
	var samples []int
	samples, at.Cols = m.columns(basic)
	b, err := m.box(ctx, samples)
	if err != nil {
		return err
	}
	if err := m.fix(ctx); err != nil {
		return err
	}
	if err := m.build(m.p, b); err != nil {
		return err
	}
	at.Cols = append(at.Cols, slices.Repeat([]simplex.Position{simplex.AtLower}, 2*len(at.Rows))...)
	return m.sifted.SetBasis(at)
}

// support makes the coefficients that are not 0 the working rows and the last model, and returns where the rows rest,
// the bias's first.
func (m *model) support() []simplex.Position {
	clear(m.row)
	m.working = nil
	a := slices.Clone(m.last.a)
	clear(m.last.a)
	var sum float64
	for _, v := range m.m {
		sum += v
	}
	at := []simplex.Position{resting(m.last.bias, m.p.Bias, sum)}
	if at[0] == simplex.Basic {
		m.last.bias = 0
	}
	for _, i := range m.rows {
		if p := resting(a[i], m.p.Coef[i], m.g[i]); p != simplex.Basic {
			m.working = append(m.working, i)
			m.row[i] = len(m.working)
			m.last.a[i] = a[i]
			at = append(at, p)
		}
	}
	return at
}

// resting is where the row of a coefficient rests, at that cost, whose margins add up to g.
func resting(a, price, g float64) simplex.Position {
	switch {
	case math.IsInf(price, 1) || price > 0 && math.Abs(a)*price <= (price-math.Abs(g))/price:
		return simplex.Basic
	case a < 0:
		return simplex.AtLower
	}
	return simplex.AtUpper
}

// columns returns margins nearest to 1, among them so many basic ones, and where their multipliers rest.
func (m *model) columns(basic int) (samples []int, at []simplex.Position) {
	type column struct {
		at         int
		far, inner float64 // from 1, and also between the bounds
	}
	own := make([]column, m.own)
	for t, j := range m.samples[:m.own] {
		lo, hi, x := m.q.Lo[t], m.q.Hi[t], m.iterate.X[t]
		far := math.Abs(m.slack(m.centre.f, j))
		own[t] = column{t, far, min(x-lo, hi-x) / (hi - lo) / max(far, 1e-300)}
	}
	slices.SortFunc(own, func(a, b column) int { return cmp.Or(cmp.Compare(b.inner, a.inner), cmp.Compare(a.at, b.at)) })
	basic = min(basic, len(own))
	rest := own[basic:]
	slices.SortFunc(rest, func(a, b column) int { return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.at, b.at)) })
	width := max(firstWidth(len(m.y)), marginsPerRow*basic)
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
