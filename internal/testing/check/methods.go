package check

import (
	"math"
	"math/big"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/skm"
)

// svc judges the model of ½‖w‖² + Σ C_i ξ_i by its dual's variables, whose sums are its coefficients:
// max Σ α − ½ aᵀKa over a = Σ y_i α_i of a sample, 0 ≤ α_i ≤ C_i, Σ a = 0.
func (m *machine) svc(c float64) {
	total, size := m.sum(func(a float64) float64 { return a }), m.sum(math.Abs)
	if !(math.Abs(total) <= 1e-9*size) {
		m.outside("Σ a = %v of Σ|a| = %v", total, size)
	}
	loss, rounding := m.hinge(1, c)
	var square, alphas float64
	up, low := math.Inf(-1), math.Inf(1) // of y − Σ a k, over what may grow and what may shrink
	for _, q := range m.points() {
		u, l, w := c*q.pos, c*q.neg, m.F[q.at]-m.e.Bias
		if !(q.coef >= -l*(1+1e-12) && q.coef <= u*(1+1e-12)) {
			m.outside("coefficient %v of sample %d is outside [%v, %v]", q.coef, q.at, -l, u)
		}
		pos, neg, tiny := split(q.coef, u, l)
		square += q.coef * w
		alphas += pos + neg
		rounding += math.Abs(q.coef) * m.Rounding[q.at]
		if u-pos > tiny {
			up = max(up, 1-w)
		}
		if pos > tiny {
			low = min(low, 1-w)
		}
		if neg > tiny {
			up = max(up, -1-w)
		}
		if l-neg > tiny {
			low = min(low, -1-w)
		}
	}
	m.weighed(square/2+loss, alphas-square/2, rounding)
	m.Violation = max(0, up-low)
}

// sparse judges a model of penalty + Σ C_i ξ_i: at the fixed point of a reweighting each
// coefficient's share of the penalty is the same.
func (m *machine) sparse(penalty float64, q program) {
	q.short = m.margin(1)
	m.priced(penalty, q)
}

// tube is sparse with the ε-insensitive loss.
func (m *machine) tube(penalty float64, q program) {
	q.short = func(i int, f float64) float64 { return math.Abs(m.p.Y[i]-f) - m.params["epsilon"] }
	m.priced(penalty, q)
}

func (m *machine) priced(penalty float64, q program) {
	loss, rounding := m.paid(q.short, m.params["c"])
	if d := m.report.Duality; d != nil {
		m.weighed(penalty+loss, d.Objective, rounding)
		m.Violation = d.KKT
		m.attack(q)
	}
}

// reweighted is the last round of Huang et al. (2010), (9) or (10): coefficients in units of
// the model's own, and those that are 0 stay 0.
func (m *machine) reweighted(price func(float64) float64) program {
	own := m.own()
	return program{
		price: func(i int, a float64) float64 { return price(a / own[i]) },
		bias: func(b float64) float64 {
			switch {
			case b == 0:
				return 0
			case m.e.Bias == 0:
				return math.Inf(1)
			}
			return price(b / m.e.Bias)
		},
		live: func(i int) bool { return own[i] != 0 },
	}
}

// norm judges a model of ssvc-a: the 1-norm and the 2-norm are one program with λ = 1.
func (m *machine) norm(p float64) {
	price := map[float64]func(float64) float64{1: math.Abs, 2: half}[p]
	if price == nil {
		m.sparse(float64(m.nonzeros())/2, m.reweighted(half))
		return
	}
	m.sparse(m.sum(price)+price(m.e.Bias),
		program{price: func(_ int, a float64) float64 { return price(a) }, bias: price, live: always})
}

// own are the model's coefficients by point.
func (m *machine) own() []float64 {
	own := make([]float64, m.p.N)
	for s, i := range m.e.Support {
		own[i] = m.e.Coef[s]
	}
	return own
}

func always(int) bool      { return true }
func free(float64) float64 { return 0 }

// absolute is Σ|a|, signed coefficients within [0, most] where that is positive.
func (m *machine) absolute(largest float64) program {
	return program{price: func(_ int, a float64) float64 { return math.Abs(a) }, bias: free, live: always, max: largest}
}

// linearised is l0svm's program at its own solution: Σ α/(ᾱ + δ), eq. (11) of Peleg & Meir (2009).
func (m *machine) linearised() (penalty float64, q program) {
	own, delta := m.own(), m.params["offset"]
	price := func(i int, a float64) float64 { return math.Abs(a) / (math.Abs(own[i]) + delta) }
	for i, a := range own {
		penalty += price(i, a)
	}
	return penalty, program{price: price, bias: free, live: always, max: math.Inf(1)}
}

// sparsest judges a choice of at most max_sv vectors, of ½ Σ β² + Σ C_i ξ_i, against other coefficients of the same
// vectors: package sparsest's own tests compare it with other choices.
func (m *machine) sparsest() {
	if largest := int(m.params["max_sv"]); len(m.e.Coef) > largest {
		m.outside("%d vectors, want at most %d", len(m.e.Coef), largest)
	}
	own := m.own()
	m.sparse(m.sum(half), program{price: func(_ int, a float64) float64 { return half(a) }, bias: free,
		live: func(i int) bool { return own[i] != 0 }})
}

// skm judges the model of problem (3) of Peleg & Meir (2009): Σ α = 1, α ≥ 0, and the loss
// at its margin 2δ. What its last linear program charged for α is the report's.
func (m *machine) skm() {
	m.oneSided(math.Inf(1))
	if total := m.sum(math.Abs); !(math.Abs(total-1) <= 1e-9) {
		m.outside("Σ α = %v, want 1", total)
	}
	figures, ok := m.report.Figures.(skm.Figures)
	if !ok || !(figures.Delta > 0 && figures.Delta <= 1) {
		m.fault("margin %v", figures.Delta)
		return
	}
	loss, rounding := m.hinge(2*figures.Delta, 1)
	if !(m.report.Objective-loss >= -rounding-1e-9*loss) {
		m.outside("objective %v, but the loss alone is %v", m.report.Objective, loss)
	}
	if d := m.report.Duality; d != nil {
		m.weighed(m.report.Objective, d.Objective, rounding)
		m.Constant = m.params["c"] * math.Log(4/figures.Delta)
		m.Violation = d.KKT
	}
}

// dualLS judges a model of Suykens et al. (2000), eq. (4): Σ a = 0 and its equations.
func (m *machine) dualLS(gamma float64, equations []equation) {
	total := exactly(m.e.Coef)
	left, right := total*total, 0.0
	blur := math.Pow(0x1p-53*m.sum(math.Abs), 2) // of the coefficients themselves
	var primal, dual, rounding float64
	for _, q := range equations {
		w, off := m.F[q.at]-m.e.Bias, q.y-m.F[q.at]
		left += q.rows * (off - q.ridge*q.a) * (off - q.ridge*q.a)
		right += q.rows * (q.y*q.y + q.spread*gamma*q.ridge) // Σ y² of the copies, by weight
		primal += (q.a*w + off*off/q.ridge + gamma*q.spread) / 2
		dual += q.a*(q.y-(w+q.ridge*q.a)/2) + gamma*q.spread/2
		r := m.Rounding[q.at]
		rounding += math.Abs(q.a)*r + (math.Abs(off)+r)*r/q.ridge
		blur += q.rows * r * r
	}
	if m.Residual = 0; left > 0 {
		m.Residual, m.Blur = math.Sqrt(left/right), math.Sqrt(blur/right)
	}
	if m.report.Duality != nil { // pruning reports none
		m.weighed(primal, dual, rounding)
		return
	}
	m.Objective, m.Slack = primal, rounding
}

// extras are the norm of plane and steps, the largest derivative by one of their coefficients, about the means of the
// features for a plane, and the largest sum of its terms' sizes.
func (m *machine) extras(r *learn.Result, slope []float64) (square, gradient, largest float64) {
	d, mean := m.p.D, make([]float64, m.p.D)
	for _, i := range m.rows {
		for k := range mean {
			mean[k] += m.p.X[i*d+k] / float64(len(m.rows))
		}
	}
	by := func(coef float64, valueOf func(x []float64) float64) {
		sum, terms := coef, math.Abs(coef)
		for _, i := range m.rows {
			v := valueOf(m.p.X[i*d:(i+1)*d]) * slope[i]
			sum -= v
			terms += math.Abs(v)
		}
		square += coef * coef
		gradient, largest = max(gradient, math.Abs(sum)), max(largest, terms)
	}
	for _, s := range r.Steps {
		one := s
		one.Coef = 1
		by(s.Coef, one.At)
	}
	for k, w := range r.Plane {
		by(w, func(x []float64) float64 { return x[k] - mean[k] })
	}
	return square, gradient, largest
}

// moved judges the coefficients of Wu, Schölkopf & Bakır (2006), for the vectors that the model has:
// ½ a'(K + 1e-9 I)a + Σ C_i ℓ(y_i, f_i) + ½ η‖log w‖², whose gradient in a and b is 0. At a hinge's corner the slope is
// anything between two, so that its gradient is the report's.
func (m *machine) moved(r *learn.Result) {
	const ridge = 1e-9
	k, d := r.KernelOf(m.p), m.p.D
	vector := func(s int) []float64 { return r.Vectors[s*d : (s+1)*d] }
	name, _ := learn.ValuesOf(m.trainer)["loss"].(string)
	if m.p.Task == learn.Regress && name == "squared-hinge" {
		name = "squared"
	}
	l, cost := m.loss(name), m.params["c"]
	if f, ok := m.report.Figures.(direct.Figures); ok && f.C > 0 {
		cost = f.C
	}
	var square, loss, rounding, pull, push, blur float64
	slope := make([]float64, m.p.N) // −C_i ∂ℓ/∂f
	for _, i := range m.rows {
		c := cost * m.p.WeightOf(i)
		m.Idle += c * l.value(m.p.Y[i], 0)
		slope[i] = c * l.slope(m.p.Y[i], m.F[i])
		loss += c * l.value(m.p.Y[i], m.F[i])
		rounding += (math.Abs(slope[i]) + c*l.curve*m.Rounding[i]) * m.Rounding[i]
		pull += slope[i]
		push += math.Abs(slope[i])
		blur += c * l.curve * m.Rounding[i]
	}
	bias, gradient, largest := 0.0, 0.0, max(1, push) // next to the unit of ½ a'Ka and the sum of all slopes
	if push > 0 {
		bias = max(0, math.Abs(pull)-blur) / push
	}
	for s, a := range m.e.Coef {
		sum, terms := ridge*a, ridge*math.Abs(a)
		for o, b := range m.e.Coef {
			v := b * k.Eval(vector(s), vector(o))
			sum += v
			terms += math.Abs(v)
		}
		square += a * sum
		for _, i := range m.rows {
			v := k.Eval(vector(s), m.p.X[i*d:(i+1)*d]) * slope[i]
			sum -= v
			terms += math.Abs(v)
		}
		gradient, largest = max(gradient, math.Abs(sum)), max(largest, terms)
	}
	extra, g, size := m.extras(r, slope)
	square, gradient, largest = square+extra, max(gradient, g), max(largest, size)
	m.Violation = max(bias, max(0, gradient-blur)/largest)
	if r.Kernel != nil {
		for _, w := range r.Kernel.Weights {
			if w > 0 {
				loss += m.params["width_penalty"] * math.Pow(math.Log(w)/2, 2) / 2
			}
		}
	}
	loss += m.levels(k.Gamma, r.Values)
	if dual := m.report.Duality; dual != nil {
		m.weighed(square/2+loss, dual.Objective, rounding)
		if name == "hinge" || name == "insensitive" {
			m.Violation = dual.KKT
		}
	}
}

// levels is the penalty Σ √(γ ‖v‖² + ε²) − ε of the values v of each coded feature, with ε = 0.03, and for each value
// of a level of n samples 5 γ v²/(1 + n).
func (m *machine) levels(gamma float64, values []float64) (sum float64) {
	for _, c := range m.p.Coded {
		square, own, count := 0.0009, gamma, make(map[float64]float64) // samples that have a value
		if m.p.Kernel.Weights != nil {
			own *= m.p.Kernel.Weights[c.Feature]
		}
		for _, i := range m.rows {
			count[m.p.X[i*m.p.D+c.Feature]]++
		}
		for _, v := range values[:c.Levels] {
			square += own * v * v
			sum += 5 * own * v * v / (1 + count[v])
		}
		sum += math.Sqrt(square) - 0.03
		values = values[c.Levels:]
	}
	return sum
}

// pointLoss is a loss: value, −slope in f, and the most that the slope changes with f.
type pointLoss struct {
	value, slope func(y, f float64) float64
	curve        float64
}

// ofMargin is a loss of the margin y f.
func ofMargin(value, slope func(margin float64) float64, curve float64) pointLoss {
	return pointLoss{func(y, f float64) float64 { return value(y * f) },
		func(y, f float64) float64 { return y * slope(y*f) }, curve}
}

// losses by name; that of the tube has its ε from the parameters.
func (m *machine) loss(name string) pointLoss {
	switch name {
	case "squared-hinge":
		return ofMargin(func(t float64) float64 { return math.Pow(max(0, 1-t), 2) },
			func(t float64) float64 { return 2 * max(0, 1-t) }, 2)
	case "hinge":
		return ofMargin(func(t float64) float64 { return max(0, 1-t) }, func(float64) float64 { return 1 }, 0)
	case "logistic":
		return ofMargin(func(t float64) float64 { return max(0, -t) + math.Log1p(math.Exp(-math.Abs(t))) },
			func(t float64) float64 { return 1 / (1 + math.Exp(t)) }, 0.25)
	case "squared":
		return pointLoss{func(y, f float64) float64 { return (y - f) * (y - f) },
			func(y, f float64) float64 { return 2 * (y - f) }, 2}
	}
	epsilon, given := m.params["epsilon"]
	if t, ok := m.trainer.(direct.Trainer); !given && ok && t.Epsilon == 0 {
		epsilon = 0.1
	}
	return pointLoss{func(y, f float64) float64 { return max(0, math.Abs(y-f)-epsilon) },
		func(y, f float64) float64 { return math.Copysign(1, y-f) }, 0}
}

// exactly is Σ a but for one rounding: coefficients of 1e12 cancel to less than a float64's sum shows.
func exactly(a []float64) float64 {
	sum := new(big.Float).SetPrec(2200)
	for _, v := range a {
		sum.Add(sum, big.NewFloat(v))
	}
	s, _ := sum.Float64()
	return s
}

// primalLS judges a fit of ½ Σ w_i (y_i − f_i)² + ½ ρ v'K_SS v + ½ μ v'v in the span of the
// chosen samples S, Abe (2008), eq. (1), (3) and (4), by its normal equations. The paper's objective is that
// over μ where there is a μ.
func (m *machine) primalLS(rho, mu float64, bias bool) {
	var left, right, blur, squared, norm, size, rounding float64
	var e normal // of the bias
	for _, i := range m.rows {
		e.add(m, i, 1, 1)
		off, r := m.p.Y[i]-m.F[i], m.Rounding[i]
		squared += m.p.WeightOf(i) * off * off
		rounding += m.p.WeightOf(i) * (2*math.Abs(off) + r) * r
	}
	if bias {
		left, right, blur = math.Abs(e.left), math.Abs(e.right), e.blur
	}
	for s, pos := range m.e.Support {
		v, w := m.e.Coef[s], m.F[pos]-m.e.Bias
		e = normal{left: -rho*w - mu*v, blur: rho * m.Rounding[pos]}
		for _, i := range m.rows {
			e.add(m, i, m.k[i*m.p.N+pos], m.scale(i, pos))
		}
		left, right, blur = math.Hypot(left, e.left), math.Hypot(right, e.right), math.Hypot(blur, e.blur)
		norm += v * w
		size += v * v
		rounding += rho * math.Abs(v) * m.Rounding[pos]
	}
	if m.Residual = 0; left > 0 {
		m.Residual, m.Blur = left/right, blur/right
	}
	m.Objective, m.Slack = (squared+rho*norm+mu*size)/2, rounding/2
	if mu > 0 {
		m.Objective, m.Slack = m.Objective/mu, m.Slack/mu
	}
}

// normal is one of the normal equations.
type normal struct{ left, right, blur float64 }

// add adds sample i, whose column has the value k of the given scale.
func (e *normal) add(m *machine, i int, k, scale float64) {
	w, off := m.p.WeightOf(i), m.p.Y[i]-m.F[i]
	e.left += w * k * off
	e.right += w * k * m.p.Y[i]
	e.blur += w * scale * (m.Rounding[i] + m.roundings(len(m.rows))*math.Abs(off))
}
