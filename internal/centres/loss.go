package centres

import "math"

// Loss is ℓ of (1), evaluated for blocks of samples.
type Loss struct {
	// terms writes r_i = v_i ∂ℓ/∂f and, if s is not nil, s_i = v_i ∂²ℓ/∂f², a generalised derivative where there is no
	// other, and returns Σ v_i ℓ.
	terms func(r, s, f, y, v []float64) float64
	// value is ℓ(y, f). dual is the dual's term −v ℓ*(−δ/v) of a sample of weight v at the multiplier δ = −v ∂ℓ/∂f.
	// Both are nil if the dual is unknown.
	value func(y, f float64) float64
	dual  func(delta, y, v float64) float64
	// smoothed returns the loss with its corners rounded over a width; nil for a loss without corners.
	smoothed func(width float64) Loss
}

// At is ℓ(y, f).
func (l *Loss) At(y, f float64) float64 { return l.value(y, f) }

// SquaredHinge is max(0, 1 − y f)² for targets y = ±1.
var SquaredHinge = Loss{terms: squaredHinge,
	value: func(y, f float64) float64 { return math.Pow(math.Max(0, 1-y*f), 2) },
	dual:  func(delta, _, v float64) float64 { return math.Abs(delta) - delta*delta/(4*v) }}

func squaredHinge(r, s, f, y, v []float64) (sum float64) {
	f, y, v = f[:len(r)], y[:len(r)], v[:len(r)]
	for i := range r {
		m := 1 - y[i]*f[i]
		m = 0.5 * (m + math.Abs(m)) // max(0, m) without an unpredictable branch
		vm := v[i] * m
		sum += vm * m
		r[i] = -2 * y[i] * vm
	}
	for i := range s {
		s[i] = 0
		if !(y[i]*f[i] >= 1) {
			s[i] = 2 * v[i] * y[i] * y[i]
		}
	}
	return sum
}

// Follow is for targets that are decision values of a teacher. It is (f − y)² for |y| ≤ 1, and for |y| > 1 the squared
// hinge with the sign of y: how far a sample lies beyond the margin does not matter.
var Follow = Loss{terms: func(r, s, f, y, v []float64) (sum float64) {
	for i := range r {
		t := max(-1, min(1, y[i]))
		e := f[i] - t
		if t != y[i] && e*t >= 0 { // beyond the margin, on the side of y
			e = 0
		}
		r[i] = 2 * v[i] * e
		sum += v[i] * e * e
		if s != nil {
			if s[i] = 0; e != 0 || math.Abs(y[i]) <= 1 {
				s[i] = 2 * v[i]
			}
		}
	}
	return sum
}}

// Squared is (y − f)², for regression.
var Squared = Loss{
	terms: func(r, s, f, y, v []float64) (sum float64) {
		for i := range r {
			e := f[i] - y[i]
			r[i] = 2 * v[i] * e
			sum += v[i] * e * e
		}
		for i := range s {
			s[i] = 2 * v[i]
		}
		return sum
	},
	value: func(y, f float64) float64 { return (y - f) * (y - f) },
	dual:  func(delta, y, v float64) float64 { return delta * (y - delta/(4*v)) },
}

// Logistic is log(1 + exp(−y f)) for targets y = ±1.
var Logistic = Loss{
	terms: func(r, s, f, y, v []float64) (sum float64) {
		for i := range r {
			m := y[i] * f[i]
			e := math.Exp(-math.Abs(m))
			miss := e // of the sigmoid at −m, times 1 + e
			if m < 0 {
				miss = 1
			}
			sum += v[i] * (math.Max(-m, 0) + math.Log1p(e))
			r[i] = -y[i] * v[i] * miss / (1 + e)
			if s != nil {
				s[i] = v[i] * y[i] * y[i] * e / ((1 + e) * (1 + e))
			}
		}
		return sum
	},
	value: func(y, f float64) float64 { return math.Max(-y*f, 0) + math.Log1p(math.Exp(-math.Abs(y*f))) },
	dual:  func(delta, _, v float64) float64 { return v * entropy(math.Min(math.Abs(delta)/v, 1)) },
}

// CrossEntropy is log(1 + eᶠ) − y f for targets y in [0, 1]: the logistic loss of a sample that is positive with
// probability y.
var CrossEntropy = Loss{
	terms: func(r, s, f, y, v []float64) (sum float64) {
		for i := range r {
			e := math.Exp(-math.Abs(f[i]))
			p := e / (1 + e)
			if f[i] > 0 {
				p = 1 / (1 + e)
			}
			sum += v[i] * (math.Max(f[i], 0) + math.Log1p(e) - y[i]*f[i])
			r[i] = v[i] * (p - y[i])
			if s != nil {
				s[i] = v[i] * e / ((1 + e) * (1 + e))
			}
		}
		return sum
	},
	value: func(y, f float64) float64 { return math.Max(f, 0) + math.Log1p(math.Exp(-math.Abs(f))) - y*f },
	dual:  func(delta, y, v float64) float64 { return v * entropy(math.Max(0, math.Min(y-delta/v, 1))) },
}

// entropy is −p log p − (1 − p) log(1 − p), continued to 0 and 1.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -(p*math.Log(p) + (1-p)*math.Log(1-p))
}

// searchWidth is the width over which the search rounds corners; [Refit] does not.
const searchWidth = 0.5

// Hinge is max(0, 1 − y f) for targets y = ±1. The search rounds its corner.
var Hinge = cornered(false, 0, searchWidth)

// Insensitive is max(0, |y − f| − ε), for regression. The search rounds its corners.
func Insensitive(epsilon float64) Loss { return cornered(true, epsilon, searchWidth) }

// cornered is max(0, t) with t = |y − f| − ε for a tube, else 1 − y f. Its corners are rounded: t²/(2h) for 0 < t < h
// and t − h/2 beyond (Chapelle, "Training a support vector machine in the primal", Neural Computation 19, 2007,
// section 3.4, with the corner on one side).
func cornered(tube bool, epsilon, h float64) Loss {
	excess := func(y, f float64) (t, sign float64) {
		if tube {
			return math.Abs(f-y) - epsilon, math.Copysign(1, f-y)
		}
		return 1 - y*f, -y
	}
	return Loss{
		terms: func(r, s, f, y, v []float64) (sum float64) {
			for i := range r {
				t, sign := excess(y[i], f[i])
				t = max(0, t)
				in := min(t, h)
				sum += v[i] * in * (t - in/2) / h
				r[i] = sign * (v[i] * in / h)
				if s != nil {
					if s[i] = 0; t > 0 && t < h {
						s[i] = v[i] / h
					}
				}
			}
			return sum
		},
		value: func(y, f float64) float64 {
			t, _ := excess(y, f)
			return math.Max(0, t)
		},
		dual:     func(delta, y, _ float64) float64 { return y*delta - epsilon*math.Abs(delta) },
		smoothed: func(h float64) Loss { return cornered(tube, epsilon, h) },
	}
}
