package centres

import "math"

// Loss is ℓ of (1), evaluated for blocks of samples.
type Loss struct {
	// slope writes r_i = v_i ∂ℓ/∂f and returns Σ v_i ℓ.
	slope func(r, f, y, v []float64) float64
	// curve writes v_i ∂²ℓ/∂f², a generalised derivative for the squared hinge.
	curve func(s, f, y, v []float64)
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
var SquaredHinge = Loss{slope: squaredSlope, curve: squaredCurve,
	value: func(y, f float64) float64 { return math.Pow(math.Max(0, 1-y*f), 2) },
	dual:  func(delta, _, v float64) float64 { return math.Abs(delta) - delta*delta/(4*v) }}

// Follow is for targets that are decision values of a teacher. It is (f − y)² for |y| ≤ 1, and for |y| > 1 the squared
// hinge with the sign of y: how far a sample lies beyond the margin does not matter.
var Follow = Loss{slope: followSlope, curve: followCurve}

func squaredSlope(r, f, y, v []float64) (sum float64) {
	f, y, v = f[:len(r)], y[:len(r)], v[:len(r)]
	for i := range r {
		m := 1 - y[i]*f[i]
		m = 0.5 * (m + math.Abs(m)) // max(0, m) without an unpredictable branch
		vm := v[i] * m
		sum += vm * m
		r[i] = -2 * y[i] * vm
	}
	return sum
}

func squaredCurve(s, f, y, v []float64) {
	f, y, v = f[:len(s)], y[:len(s)], v[:len(s)]
	for i := range s {
		s[i] = 0
		if !(y[i]*f[i] >= 1) {
			s[i] = 2 * v[i] * y[i] * y[i]
		}
	}
}

// missed is f − y, or 0 if |y| ≥ 1 and f is beyond the margin on the side of y.
func missed(f, y float64) float64 {
	t := max(-1, min(1, y))
	if e := f - t; t == y || e*t < 0 {
		return e
	}
	return 0
}

func followSlope(r, f, y, v []float64) (sum float64) {
	for i := range r {
		e := missed(f[i], y[i])
		r[i] = 2 * v[i] * e
		sum += v[i] * e * e
	}
	return sum
}

func followCurve(s, f, y, v []float64) {
	for i := range s {
		s[i] = 0
		if missed(f[i], y[i]) != 0 || math.Abs(y[i]) <= 1 {
			s[i] = 2 * v[i]
		}
	}
}

// searchWidth is the width over which the search rounds corners; [Refit] does not.
const searchWidth = 0.5

// Hinge is max(0, 1 − y f) for targets y = ±1. The search rounds its corner.
var Hinge = hinge(searchWidth)

// Logistic is log(1 + exp(−y f)) for targets y = ±1.
var Logistic = Loss{slope: logisticSlope, curve: logisticCurve,
	value: func(y, f float64) float64 { return math.Max(-y*f, 0) + math.Log1p(math.Exp(-math.Abs(y*f))) },
	dual: func(delta, _, v float64) float64 { // the entropy of α/v, α = |δ|
		p := math.Min(math.Abs(delta)/v, 1)
		return -v * (xlogx(p) + xlogx(1-p))
	}}

// hinge is the hinge with t²/(2h) for 0 < t = 1 − y f < h and t − h/2 beyond: Chapelle, "Training a support vector
// model in the primal" (Neural Computation 19, 2007), section 3.4, with the corner on one side.
func hinge(h float64) Loss {
	return Loss{
		slope: func(r, f, y, v []float64) (sum float64) {
			for i := range r {
				t := max(0, 1-y[i]*f[i])
				in := min(t, h)
				sum += v[i] * in * (t - in/2) / h
				r[i] = -y[i] * v[i] * in / h
			}
			return sum
		},
		curve: func(s, f, y, v []float64) {
			for i := range s {
				s[i] = 0
				if t := 1 - y[i]*f[i]; t > 0 && t < h {
					s[i] = v[i] * y[i] * y[i] / h
				}
			}
		},
		value:    func(y, f float64) float64 { return math.Max(0, 1-y*f) },
		dual:     func(delta, _, _ float64) float64 { return math.Abs(delta) },
		smoothed: hinge,
	}
}

func logisticSlope(r, f, y, v []float64) (sum float64) {
	for i := range r {
		m := y[i] * f[i]
		e := math.Exp(-math.Abs(m))
		miss := e // of the sigmoid at −m, times 1 + e
		if m < 0 {
			miss = 1
		}
		sum += v[i] * (math.Max(-m, 0) + math.Log1p(e))
		r[i] = -y[i] * v[i] * miss / (1 + e)
	}
	return sum
}

func logisticCurve(s, f, y, v []float64) {
	for i := range s {
		e := math.Exp(-math.Abs(y[i] * f[i]))
		s[i] = v[i] * y[i] * y[i] * e / ((1 + e) * (1 + e))
	}
}

// CrossEntropy is log(1 + eᶠ) − y f for targets y in [0, 1]: the logistic loss of a sample that is positive with
// probability y.
var CrossEntropy = Loss{slope: entropySlope, curve: entropyCurve,
	value: func(y, f float64) float64 { return math.Max(f, 0) + math.Log1p(math.Exp(-math.Abs(f))) - y*f },
	dual: func(delta, y, v float64) float64 {
		p := math.Max(0, math.Min(y-delta/v, 1))
		return -v * (xlogx(p) + xlogx(1-p))
	}}

func entropySlope(r, f, y, v []float64) (sum float64) {
	for i := range r {
		e := math.Exp(-math.Abs(f[i]))
		p := e / (1 + e)
		if f[i] > 0 {
			p = 1 / (1 + e)
		}
		sum += v[i] * (math.Max(f[i], 0) + math.Log1p(e) - y[i]*f[i])
		r[i] = v[i] * (p - y[i])
	}
	return sum
}

func entropyCurve(s, f, _, v []float64) {
	for i := range s {
		e := math.Exp(-math.Abs(f[i]))
		s[i] = v[i] * e / ((1 + e) * (1 + e))
	}
}

// xlogx is x log x, continued to 0.
func xlogx(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}

// Squared is (y − f)², for regression.
var Squared = Loss{
	slope: func(r, f, y, v []float64) (sum float64) {
		for i := range r {
			e := f[i] - y[i]
			r[i] = 2 * v[i] * e
			sum += v[i] * e * e
		}
		return sum
	},
	curve: func(s, _, _, v []float64) {
		for i := range s {
			s[i] = 2 * v[i]
		}
	},
	value: func(y, f float64) float64 { return (y - f) * (y - f) },
	dual:  func(delta, y, v float64) float64 { return delta * (y - delta/(4*v)) },
}

// Insensitive is max(0, |y − f| − ε), for regression. The search rounds its corners.
func Insensitive(epsilon float64) Loss { return insensitive(epsilon, searchWidth) }

// insensitive rounds the corners as [hinge] does: with t²/(2h) for 0 < t = |y − f| − ε < h and t − h/2 beyond.
func insensitive(epsilon, h float64) Loss {
	return Loss{
		slope: func(r, f, y, v []float64) (sum float64) {
			for i := range r {
				e := f[i] - y[i]
				t := max(0, math.Abs(e)-epsilon)
				in := min(t, h)
				sum += v[i] * in * (t - in/2) / h
				r[i] = math.Copysign(v[i]*in/h, e)
			}
			return sum
		},
		curve: func(s, f, y, v []float64) {
			for i := range s {
				s[i] = 0
				if t := math.Abs(f[i]-y[i]) - epsilon; t > 0 && t < h {
					s[i] = v[i] / h
				}
			}
		},
		value:    func(y, f float64) float64 { return math.Max(0, math.Abs(y-f)-epsilon) },
		dual:     func(delta, y, _ float64) float64 { return y*delta - epsilon*math.Abs(delta) },
		smoothed: func(h float64) Loss { return insensitive(epsilon, h) },
	}
}
