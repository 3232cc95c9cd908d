package check

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// features judges the linear machine of Σ price(w_k/w̄_k) + price(b/b̄) + Σ C_i ξ_i at w̄ = w: its objective, which no
// other machine of the same features may be below the dual's value of.
func (m *machine) features(r *learn.Result, price func(float64) float64) {
	w := make([]float64, m.p.D)
	for s, a := range r.Coef {
		for k := range w {
			w[k] += a * r.Vectors[s*m.p.D+k]
		}
	}
	if learn.ValuesOf(m.trainer)["ranked"] == true {
		m.ranked(w)
		return
	}
	penalty := 0.0
	for _, a := range append([]float64{m.e.Bias}, w...) {
		if a != 0 {
			penalty += price(1)
		}
	}
	loss, rounding := m.hinge(1, m.params["c"])
	d := m.report.Duality
	if d == nil {
		return
	}
	m.weighed(penalty+loss, d.Objective, rounding)
	m.Violation = d.KKT
	if m.p.N <= attacked {
		m.Better = m.descend(w, price)
	}
}

// ranked judges the linear machine of ½ Σ (4 s_k w_k)² + ½ f̄² + Σ C_i ξ_i; s_k is the standard deviation of a feature
// and the mean f̄ of the decisions, over the points with their weights.
func (m *machine) ranked(w []float64) {
	moments := func(of func(i int) float64) (mean, square float64) {
		var total float64
		for _, i := range m.rows {
			total += m.p.WeightOf(i)
			mean += m.p.WeightOf(i) * of(i)
		}
		mean /= total
		for _, i := range m.rows {
			square += m.p.WeightOf(i) / total * (of(i) - mean) * (of(i) - mean)
		}
		return mean, square
	}
	mean, _ := moments(func(i int) float64 { return m.F[i] })
	penalty := mean * mean / 2
	for k, v := range w {
		if v != 0 {
			_, square := moments(func(i int) float64 { return m.p.X[i*m.p.D+k] })
			penalty += 8 * square * v * v
		}
	}
	loss, rounding := m.hinge(1, m.params["c"])
	if d := m.report.Duality; d != nil {
		m.weighed(penalty+loss, d.Objective, rounding)
		m.Violation = d.KKT
	}
}

// descend lowers the objective one feature at a time, each by a search along the line, and returns the least.
func (m *machine) descend(own []float64, price func(float64) float64) float64 {
	w, bias, f := append([]float64(nil), own...), m.e.Bias, append([]float64(nil), m.F...)
	c, short := m.params["c"], m.margin(1)
	loss := func(t float64, column func(i int) float64) (sum float64) {
		for _, i := range m.rows {
			sum += c * m.p.WeightOf(i) * max(0, short(i, f[i]+t*column(i)))
		}
		return sum
	}
	move := func(at *float64, own float64, column func(i int) float64) {
		if own == 0 {
			return
		}
		reach := 2 * math.Abs(own)
		t := lowest(-reach, reach, func(t float64) float64 { return price((*at+t)/own) + loss(t, column) })
		*at += t
		for i := range f {
			f[i] += t * column(i)
		}
	}
	for range 3 {
		for k := range w {
			move(&w[k], own[k], func(i int) float64 { return m.p.X[i*m.p.D+k] })
		}
		move(&bias, m.e.Bias, func(int) float64 { return 1 })
	}
	sum := loss(0, func(int) float64 { return 0 })
	for k, a := range w {
		if own[k] != 0 {
			sum += price(a / own[k])
		}
	}
	if m.e.Bias != 0 {
		sum += price(bias / m.e.Bias)
	}
	return sum
}
