package centres

import "math"

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
