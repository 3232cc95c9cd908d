package check

import "math"

// attacked is the size up to which a model's dual bound is attacked.
const attacked = 64

// program is a convex objective: what coefficients and the bias cost, next to C times the losses.
type program struct {
	price func(i int, a float64) float64 // of sample i's coefficient
	bias  func(b float64) float64
	live  func(i int) bool // whether the coefficient may be other than 0
	short short            // what has to be paid for
	// Signed coefficients y a are within [0, most] where most is positive.
	max float64
}

// attack lowers the objective of the model coefficient by coefficient, each by a search
// along the line. No model is below a dual bound: one that is gives the bound the lie, and so the gap.
func (m *machine) attack(q program) {
	if m.p.N > attacked {
		return
	}
	coef, bias, f := make([]float64, m.p.N), m.e.Bias, append([]float64(nil), m.F...)
	size, largest := math.Abs(bias), 0.0 // most is the value that a sample asks for
	for s, i := range m.e.Support {
		coef[i] = m.e.Coef[s]
		size = max(size, math.Abs(coef[i]))
	}
	for _, i := range m.rows {
		largest = max(largest, q.short(i, 0))
	}
	c := m.params["c"]
	loss := func(t float64, column func(i int) float64) (sum float64) {
		for _, i := range m.rows {
			sum += c * m.p.WeightOf(i) * max(0, q.short(i, f[i]+t*column(i)))
		}
		return sum
	}
	for range 3 {
		for _, j := range m.rows {
			if !q.live(j) {
				continue
			}
			column := func(i int) float64 { return m.k[i*m.p.N+j] }
			reach := 2 * (size + largest/max(math.Abs(column(j)), 1e-300))
			lo, hi := -reach, reach
			if q.max > 0 && m.p.Y[j] > 0 {
				lo, hi = -coef[j], min(reach, q.max-coef[j])
			} else if q.max > 0 {
				lo, hi = max(-reach, -q.max-coef[j]), -coef[j]
			}
			t := lowest(lo, hi, func(t float64) float64 { return q.price(j, coef[j]+t) + loss(t, column) })
			coef[j] += t
			for i := range f {
				f[i] += t * column(i)
			}
		}
		one := func(int) float64 { return 1 }
		t := lowest(-2*(size+largest), 2*(size+largest), func(t float64) float64 { return q.bias(bias+t) + loss(t, one) })
		bias += t
		for i := range f {
			f[i] += t
		}
	}
	m.Better = q.bias(bias) + loss(0, func(int) float64 { return 0 })
	for i, a := range coef {
		if a != 0 {
			m.Better += q.price(i, a)
		}
	}
}

// lowest is where the convex function g of [lo, hi] is least, and 0 where that is no lower.
func lowest(lo, hi float64, g func(float64) float64) float64 {
	from := g(0)
	for range 60 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if g(a) <= g(b) {
			hi = b
		} else {
			lo = a
		}
	}
	if t := lo + (hi-lo)/2; g(t) < from {
		return t
	}
	return 0
}
