package centres

import "math"

// searchWidth is the width over which the search rounds corners; [Refit] does not.
const searchWidth = 0.5

// Hinge is max(0, 1 − y f) for targets y = ±1. The search rounds its corner.
var Hinge = hinge(searchWidth)

// Logistic is log(1 + exp(−y f)) for targets y = ±1.
var Logistic = Loss{slope: logisticSlope, curve: logisticCurve,
	value: func(y, f float64) float64 { return softplus(-y * f) },
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

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// xlogx is x log x, continued to 0.
func xlogx(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}
