package check

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// coefficient is one of a model over features: of a feature in units of its largest size, or of the square of
// that. Coefficients of one group are kept or dropped together.
type coefficient struct {
	size  float64
	group int
	of    func(i int) float64
}

// features judges the model of Σ_g cost(‖w_g‖/‖w̄_g‖) + cost(b/b̄) + Σ C_i ξ_i at w̄ = w, g being a feature,
// with its square where there are squares: its objective, which no other model of the same features may be
// below the dual's value of. norm is that of a group of two.
func (m *machine) features(r *learn.Result, price func(float64) float64, norm func(a, b float64) float64) {
	columns, bias, ok := m.columns(r)
	if !ok {
		return
	}
	if learn.ValuesOf(m.trainer)["ranked"] == true {
		m.ranked(columns)
		return
	}
	own := make([]float64, m.p.D)
	for _, c := range columns {
		own[c.group] = norm(own[c.group], c.size)
	}
	penalty := 0.0
	for _, a := range append([]float64{bias}, own...) {
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
		m.Better = m.descend(columns, bias, own, price, norm)
	}
}

// columns reads the coefficients off the vectors: Σ a_s z_s of a linear kernel; of (xᵀz + 1)², for vectors of one
// feature each, 2 Σ a_s z_sk of x_k, Σ a_s z_sk² of its square, and Σ a_s of the bias.
func (m *machine) columns(r *learn.Result) (columns []coefficient, bias float64, ok bool) {
	d := m.p.D
	unit, first, second := m.units(), make([]float64, d), make([]float64, d)
	squares := learn.ValuesOf(m.trainer)["squares"] == true
	bias = m.e.Bias
	size := math.Abs(bias)
	for s, a := range r.Coef {
		listed := 0
		for k, z := range r.Vectors[s*d : (s+1)*d] {
			if z != 0 {
				listed++
			}
			first[k] += a * (z * unit[k])
			second[k] += a * (z * unit[k]) * (z * unit[k])
		}
		if squares && listed != 1 {
			m.fault("vector %d has %d features, want one with its square", s, listed)
			return nil, 0, false
		}
		if squares {
			bias, size = bias+a, size+math.Abs(a)
		}
	}
	if math.Abs(bias) <= 1e-14*size { // what is left of a bias that is none
		bias = 0
	}
	for k := range d {
		valueOf := func(i int) float64 { return m.p.X[i*d+k] / unit[k] }
		if !squares {
			columns = append(columns, coefficient{first[k], k, valueOf})
			continue
		}
		square := func(i int) float64 { return valueOf(i) * valueOf(i) }
		columns = append(columns, coefficient{2 * first[k], k, valueOf}, coefficient{second[k], k, square})
	}
	return columns, bias, true
}

// units are the features' largest sizes, 1 for one that is 0.
func (m *machine) units() []float64 {
	unit := make([]float64, m.p.D)
	for k := range unit {
		for _, i := range m.rows {
			unit[k] = max(unit[k], math.Abs(m.p.X[i*m.p.D+k]))
		}
		if unit[k] == 0 {
			unit[k] = 1
		}
	}
	return unit
}

// ranked judges the model of ½ Σ (4 s_c w_c)² + ½ f̄² + Σ C_i ξ_i; s_c is the standard deviation of a feature or a
// square, and f̄ the mean of the decisions, over the samples with their weights.
func (m *machine) ranked(columns []coefficient) {
	moments := func(valueOf func(i int) float64) (mean, square float64) {
		var total float64
		for _, i := range m.rows {
			total += m.p.WeightOf(i)
			mean += m.p.WeightOf(i) * valueOf(i)
		}
		mean /= total
		for _, i := range m.rows {
			square += m.p.WeightOf(i) / total * (valueOf(i) - mean) * (valueOf(i) - mean)
		}
		return mean, square
	}
	mean, _ := moments(func(i int) float64 { return m.F[i] })
	penalty := mean * mean / 2
	for _, c := range columns {
		if c.size != 0 {
			_, square := moments(c.of)
			penalty += 8 * square * c.size * c.size
		}
	}
	loss, rounding := m.hinge(1, m.params["c"])
	if d := m.report.Duality; d != nil {
		m.weighed(penalty+loss, d.Objective, rounding)
		m.Violation = d.KKT
	}
}

// descend lowers the objective one coefficient at a time, each by a search along the line, and returns the least. own
// are the norms of the groups at w̄.
func (m *machine) descend(columns []coefficient, ownBias float64, own []float64, price func(float64) float64,
	norm func(a, b float64) float64) float64 {
	w, bias, f := make([]float64, len(columns)), ownBias, append([]float64(nil), m.F...)
	for k, c := range columns {
		w[k] = c.size
	}
	cost, short := m.params["c"], m.margin(1)
	loss := func(t float64, valueOf func(i int) float64) (sum float64) {
		for _, i := range m.rows {
			sum += cost * m.p.WeightOf(i) * max(0, short(i, f[i]+t*valueOf(i)))
		}
		return sum
	}
	move := func(value *float64, reach float64, of func(i int) float64, penalty func() float64) {
		if reach == 0 {
			return
		}
		from := *value
		t := lowest(-2*reach, 2*reach, func(t float64) float64 { *value = from + t; return penalty() + loss(t, of) })
		*value = from + t
		for i := range f {
			f[i] += t * of(i)
		}
	}
	ofGroup := func(g int) float64 {
		size := 0.0
		for k, c := range columns {
			if c.group == g {
				size = norm(size, w[k])
			}
		}
		return price(size / own[g])
	}
	for range 3 {
		for k, c := range columns {
			move(&w[k], own[c.group], c.of, func() float64 { return ofGroup(c.group) })
		}
		move(&bias, math.Abs(ownBias), func(int) float64 { return 1 }, func() float64 { return price(bias / ownBias) })
	}
	sum := loss(0, func(int) float64 { return 0 })
	for g, size := range own {
		if size != 0 {
			sum += ofGroup(g)
		}
	}
	if ownBias != 0 {
		sum += price(bias / ownBias)
	}
	return sum
}
