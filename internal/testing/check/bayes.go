package check

import (
	"cmp"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
)

// relevance judges a relevance vector machine by the precisions that it reports: at the mode of
// ln p(t|w) − ½ Σ α w² the gradient is 0, and Laplace's evidence is ln p(t|w) − ½ Σ α w² + ½ Σ ln α − ½ ln |H|
// (Tipping 2001, eq. 24-27). The objective is minus that. For regression p(t|w) is normal with the noise that it
// reports (eq. 4), which has to be the best one for the α σ² that it has.
func (m *machine) relevance() {
	figures, ok := m.report.Figures.(bayes.Figures)
	alpha := figures.Alpha
	if !ok || len(alpha) != len(m.e.Coef) {
		m.fault("%d precisions for %d coefficients", len(alpha), len(m.e.Coef))
		return
	}
	a, cols := m.basis(figures.AlphaBias > 0)
	if figures.AlphaBias > 0 {
		alpha = append(append([]float64(nil), alpha...), figures.AlphaBias)
	}
	slope, curve := make([]float64, m.p.N), make([]float64, m.p.N)
	var unit float64
	if m.p.Task == learn.Regress {
		unit = m.normal(figures.Noise, slope, curve)
		m.noise(figures.Noise, a, alpha)
	} else {
		unit = m.logistic(slope, curve)
	}
	m.stationary(a, cols, slope, unit, func(s int) float64 { return alpha[s] * a[s] })
	h := make([][]float64, len(a)) // of functions of size 1, whose products do not overflow
	for s := range a {
		size := shrink(cols[s])
		h[s] = make([]float64, len(a))
		for r := range s + 1 {
			for _, i := range m.rows {
				h[s][r] += curve[i] * cols[s][i] * cols[r][i]
			}
		}
		h[s][s] += alpha[s] / size / size
		m.Objective += alpha[s]*a[s]*a[s]/2 - math.Log(alpha[s])/2 + math.Log(size)
	}
	logDet, blur := halfLogDet(h)
	m.Objective += logDet
	m.Slack += blur + 1e-12*float64(1+len(a))
}

// shrink divides a column by its largest |v|, which it returns, or 1 where that is 0.
func shrink(col []float64) (size float64) {
	for _, v := range col {
		size = max(size, math.Abs(v))
	}
	size = cmp.Or(size, 1)
	for i := range col {
		col[i] /= size
	}
	return size
}

// logistic sets the objective to −ln p(t|w), with its derivatives, and returns the unit of gradients.
func (m *machine) logistic(slope, curve []float64) (total float64) {
	m.Objective = 0
	for _, i := range m.rows {
		w, t := m.p.WeightOf(i), m.p.Y[i]*m.F[i]
		sure := 1 / (1 + math.Exp(t)) // of the wrong class
		m.Objective += w * (math.Max(0, -t) + math.Log1p(math.Exp(-math.Abs(t))))
		slope[i], curve[i] = w*m.p.Y[i]*sure, w/(2+math.Exp(t)+math.Exp(-t))
		m.Slack += w * m.Rounding[i]
		total += w
	}
	return max(1, total)
}

// normal does so for noise of the deviation σ.
func (m *machine) normal(sigma float64, slope, curve []float64) (unit float64) {
	m.Objective = 0
	for _, i := range m.rows {
		w, e := m.p.WeightOf(i), (m.p.Y[i]-m.F[i])/sigma
		m.Objective += w * (e*e/2 + math.Log(sigma) + math.Log(2*math.Pi)/2)
		slope[i], curve[i] = w*e/sigma, w/(sigma*sigma)
		m.Slack += w * (math.Abs(e)*m.Rounding[i]/sigma + 1e-15)
		unit += w * math.Abs(m.p.Y[i]) / (sigma * sigma)
	}
	return unit
}

// noise doubts a variance that is not (Σ w e² + σ² Σ α a²) / Σ w, but at the least noise that a model may have:
// 1e-5 of the targets' deviation, or of their size where they have none.
func (m *machine) noise(sigma float64, a, alpha []float64) {
	var total, squares, mean, spread, size float64
	for _, i := range m.rows {
		w, e := m.p.WeightOf(i), m.p.Y[i]-m.F[i]
		total, squares, mean = total+w, squares+w*e*e, mean+w*m.p.Y[i]
		size = max(size, math.Abs(m.p.Y[i]))
	}
	for _, i := range m.rows {
		spread += m.p.WeightOf(i) * math.Pow(m.p.Y[i]-mean/total, 2)
	}
	for s, v := range alpha {
		squares += sigma * sigma * v * a[s] * a[s]
	}
	smallest := math.Sqrt(spread / total)
	if !(smallest > 1e-12*size) {
		smallest = cmp.Or(size, 1)
	}
	if off := math.Abs(squares/(total*sigma*sigma) - 1); !(off <= 1e-6) && !(sigma <= 1.001e-5*smallest) {
		m.outside("the variance of the noise is %.2g of itself from the best one", off)
	}
}

// probit judges a sparse probit classifier by its fixed point, a_s ∂/∂a_s Σ w ln Φ(y f) = 1 for every
// coefficient that is not 0 (Figueiredo 2003); the objective is Σ ln |a| − Σ w ln Φ(y f).
func (m *machine) probit() {
	a, cols := m.basis(m.e.Bias != 0)
	slope := make([]float64, m.p.N)
	m.Objective = 0
	for _, i := range m.rows {
		w, t := m.p.WeightOf(i), m.p.Y[i]*m.F[i]
		v := math.Log(math.Erfc(-t/math.Sqrt2) / 2)
		if t < -30 { // the asymptotic series
			v = -t*t/2 - math.Log(-t*math.Sqrt(2*math.Pi)) + math.Log1p(-1/(t*t)+3/(t*t*t*t))
		}
		rate := math.Exp(-t*t/2-math.Log(2*math.Pi)/2-v) * w
		m.Objective -= w * v
		slope[i] = m.p.Y[i] * rate
		m.Slack += rate * m.Rounding[i]
	}
	for s := range a {
		m.Objective += math.Log(math.Abs(a[s]))
	}
	m.stationary(a, cols, slope, 0, func(s int) float64 { return 1 / a[s] })
}

// basis lists the coefficients, that of the bias last where it is one, with the values of their functions.
func (m *machine) basis(bias bool) (a []float64, cols [][]float64) {
	for s, pos := range m.e.Support {
		col := make([]float64, m.p.N)
		for i := range col {
			col[i] = m.k[i*m.p.N+pos]
		}
		a = append(a, m.e.Coef[s])
		cols = append(cols, col)
	}
	if bias {
		one := make([]float64, m.p.N)
		for i := range one {
			one[i] = 1
		}
		a = append(a, m.e.Bias)
		cols = append(cols, one)
	}
	return a, cols
}

// stationary sets the gradient: the largest |Σ slope φ_s − price_s| that rounding does not explain, in units of the
// function's largest value times the given one, or of 1/a_s where that is 0.
func (m *machine) stationary(a []float64, cols [][]float64, slope []float64, unit float64, price func(s int) float64) {
	m.Gradient = 0
	for s, col := range cols {
		sum, terms, largest := -price(s), math.Abs(price(s)), 0.0
		for _, i := range m.rows {
			sum += slope[i] * col[i]
			terms += (math.Abs(slope[i]) + m.p.WeightOf(i)*m.Rounding[i]/m.roundings(len(m.rows))) * math.Abs(col[i])
			largest = max(largest, math.Abs(col[i]))
		}
		off := max(0, math.Abs(sum)-terms*m.roundings(len(m.rows)))
		if unit > 0 {
			off /= unit * largest
		} else {
			off *= math.Abs(a[s])
		}
		m.Gradient = max(m.Gradient, off)
	}
}

// halfLogDet is ½ ln |H| by a plain Cholesky factorisation of the lower triangle, which it overwrites, and what
// rounding may have done to it: each pivot is known to a rounding of its diagonal element for every row.
func halfLogDet(h [][]float64) (sum, blur float64) {
	for i := range h {
		for j := range i + 1 {
			v, noise := h[i][j], float64(len(h))*0x1p-52*h[i][i]
			for k := range j {
				v -= h[i][k] * h[j][k]
			}
			if i == j {
				v = max(v, noise)
				blur += noise / v
				h[i][i] = math.Sqrt(v)
				sum += math.Log(v) / 2
			} else {
				h[i][j] = v / h[j][j]
			}
		}
	}
	return sum, 40 * blur
}

// controlled judges a sparsity-controlled model: ½ aᵀKa + λ Σ|a| + Σ C_i ξ_i.
func (m *machine) controlled() {
	loss, rounding := m.hinge(1, m.params["c"])
	penalty := m.params["lambda"] * m.sum(math.Abs)
	for s, i := range m.e.Support {
		penalty += m.e.Coef[s] * (m.F[i] - m.e.Bias) / 2
		rounding += math.Abs(m.e.Coef[s]) * m.Rounding[i]
	}
	if d := m.report.Duality; d != nil {
		m.weighed(penalty+loss, d.Objective, rounding)
		m.Violation = d.KKT
		return
	}
	m.Objective, m.Slack = penalty+loss, rounding
}
