package check

import "math"

// density judges a sparse kernel density by the program of Huang et al. (2010), eq. (18)-(20), whose λ is 1/α² of the
// model: −C Σ w ln p + Σ λα², the last sum being the number of vectors. From a sample of the simplex the
// linearised objective falls to its best corner by no less than the objective can.
func (m *machine) density() {
	height := math.Pow(m.p.Kernel.Gamma/math.Pi, float64(m.p.D)/2)
	c := m.params["c"]
	objective, sum, rounding := float64(len(m.e.Coef)), 0.0, 0.0
	for _, i := range m.rows {
		w := c * m.p.WeightOf(i)
		objective -= w * math.Log(m.F[i])
		rounding += w * m.Rounding[i] / m.F[i]
	}
	lowest, mean, sizes := math.Inf(1), 0.0, 0.0
	for s, pos := range m.e.Support {
		alpha := m.e.Coef[s] / height
		slope := 2 / alpha
		for _, i := range m.rows {
			slope -= c * m.p.WeightOf(i) * m.k[i*m.p.N+pos] * height / m.F[i]
		}
		lowest, mean = min(lowest, slope), mean+alpha*slope
		sizes += 2 + alpha*math.Abs(slope)
		if sum += alpha; !(alpha > 0) {
			m.outside("a weight of %v", alpha)
		}
	}
	if !(math.Abs(sum-1) <= 1e-9) || m.e.Bias != 0 {
		m.outside("weights of sum %v, bias %v", sum, m.e.Bias)
	}
	m.weighed(objective, objective-max(0, mean-lowest), rounding+1e-13*sizes)
}
