package check

import (
	"math"
	"slices"
)

// libsvmRule are the methods whose tolerance bounds the violation and the gap.
var libsvmRule = []string{"svc", "svr", "nu-svc", "nu-svr", "one-class"}

// svr judges the model of ½‖w‖² + Σ C_i max(0, |y_i − f_i| − ε) by its dual's variables, which are its coefficients:
// max −½ aᵀKa + yᵀa − ε Σ|a| over |a_i| ≤ C_i, Σ a = 0.
func (m *machine) svr(epsilon float64) {
	c, coef := m.params["c"], m.own()
	weight := m.together(coef)
	total, size := m.sum(func(a float64) float64 { return a }), m.sum(math.Abs)
	if !(math.Abs(total) <= 1e-9*size) {
		m.outside("Σ a = %v of Σ|a| = %v", total, size)
	}
	var square, loss, linear, rounding float64
	up, low := math.Inf(-1), math.Inf(1) // of y − Σ a k ∓ ε, over what may grow and what may shrink
	for _, i := range m.rows {
		if weight[i] == 0 { // it is another row's
			continue
		}
		y, a, w, largest := m.p.Y[i], coef[i], m.F[i]-m.e.Bias, c*weight[i]
		if !(math.Abs(a) <= largest*(1+1e-12)) {
			m.outside("coefficient %v of sample %d is outside ±%v", a, i, largest)
		}
		square += a * w
		linear += y*a - epsilon*math.Abs(a)
		loss += largest * max(0, math.Abs(y-m.F[i])-epsilon)
		rounding += (math.Abs(a) + largest) * (m.Rounding[i] + 0x1p-52*(math.Abs(y)+epsilon))
		if a < 0 {
			up = max(up, y-w+epsilon)
		} else if a < largest {
			up = max(up, y-w-epsilon)
		}
		if a > 0 {
			low = min(low, y-w-epsilon)
		} else if a > -largest {
			low = min(low, y-w+epsilon)
		}
	}
	m.weighed(square/2+loss, linear-square/2, rounding)
	m.Violation = max(0, up-low)
}

// together gives the coefficients of rows that repeat another's point and value to the first of them, and
// returns the rows' weights after that: one variable stands for all of them, with the sum of their bounds.
func (m *machine) together(coef []float64) (weight []float64) {
	d := m.p.D
	weight = make([]float64, m.p.N)
	for pos, i := range m.rows {
		first := i
		for _, j := range m.rows[:pos] {
			if m.p.Y[i] == m.p.Y[j] && slices.Equal(m.p.X[i*d:(i+1)*d], m.p.X[j*d:(j+1)*d]) {
				first = j
				break
			}
		}
		weight[first] += m.p.WeightOf(i)
		if first != i {
			coef[first], coef[i] = coef[first]+coef[i], 0
		}
	}
	return weight
}

// share judges a model with ν by that of C-SVC or ε-SVR at its cost, and by what its coefficients sum up to.
func (m *machine) share() {
	figures, ok := m.report.Figures.(interface{ AtCost() float64 })
	if !ok || !(figures.AtCost() >= 0) {
		m.fault("figures %+v without a cost", m.report.Figures)
		return
	}
	c, price := m.params["c"], figures.AtCost()
	if m.trainer.Name() == "nu-svc" {
		c = price
		m.svc(c)
	} else {
		m.svr(price)
	}
	want := 0.0
	for _, i := range m.rows {
		want += m.params["nu"] * c * m.p.WeightOf(i)
	}
	size := m.sum(math.Abs)
	if !(math.Abs(size-want) <= 1e-6*want) && !(price == 0 && size <= want) {
		m.outside("Σ|a| = %v, want %v", size, want)
	}
}

// oneClass judges the model of Schölkopf et al. (2001) in LIBSVM's units, ½‖w‖² − ρ ν Σw_i + Σ w_i max(0, ρ − wᵀφ_i),
// by its dual's variables: max −½ aᵀKa over 0 ≤ a_i ≤ w_i, Σ a = ν Σw.
func (m *machine) oneClass() {
	coef, want, size := m.own(), 0.0, m.sum(math.Abs)
	var square, loss, rounding float64
	up, low := math.Inf(-1), math.Inf(1)
	for _, i := range m.rows {
		a, w, largest := coef[i], m.F[i]-m.e.Bias, m.p.WeightOf(i)
		if !(a >= 0 && a <= largest*(1+1e-12)) {
			m.outside("coefficient %v of sample %d is outside [0, %v]", a, i, largest)
		}
		own := m.params["nu"] * largest
		want += own
		m.Constant += own * own * m.p.Kernel.Eval(m.p.X[i*m.p.D:(i+1)*m.p.D], m.p.X[i*m.p.D:(i+1)*m.p.D]) / 2
		square += a * w
		loss += largest * max(0, -m.F[i])
		rounding += (a + largest) * m.Rounding[i]
		if a < largest {
			up = max(up, -w)
		}
		if a > 0 {
			low = min(low, -w)
		}
	}
	m.Constant = min(m.Constant, 1)
	if !(math.Abs(size-want) <= 1e-9*want) {
		m.outside("Σ a = %v, want %v", size, want)
	}
	m.weighed(square/2+m.e.Bias*want+loss, -square/2, rounding+0x1p-50*math.Abs(m.e.Bias*want))
	m.Violation = max(0, up-low)
}
