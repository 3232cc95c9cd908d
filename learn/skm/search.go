package skm

import "math"

// deltaMin is the lower end of the search for the margin δ. The paper's interval
// (0, 1] is open at 0, where ln(4/δ) has no bound.
const deltaMin = 1e-3

// coarse is the grid that minimise looks at first: f0(δ) has several local minima, and golden section alone finds the
// one its first bracket happens to hold. The values descend, so that each LP starts from the basis of a wider margin.
var coarse = []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.01, deltaMin}

// invPhi is the golden ratio's reciprocal.
var invPhi = (math.Sqrt(5) - 1) / 2

// minimise looks for the δ with the least f where there is no path to follow: every value of the coarse grid, then
// golden section on ln δ between the neighbours of the best one, until the bracket is narrower than the factor 1+width.
// It stops early when f reports false, and returns the best δ that it evaluated.
func minimise(f func(delta float64) (value float64, ok bool), width float64) float64 {
	best, bestAt := math.Inf(1), 0
	at := coarse[0]
	eval := func(delta float64) (float64, bool) {
		v, ok := f(delta)
		if v < best {
			best, at = v, delta
		}
		return v, ok
	}
	for i, d := range coarse {
		was := best
		if _, ok := eval(d); !ok {
			return at
		}
		if best < was {
			bestAt = i
		}
	}
	lo := math.Log(coarse[min(bestAt+1, len(coarse)-1)])
	hi := math.Log(coarse[max(bestAt-1, 0)])
	golden(func(u float64) (float64, bool) { return eval(math.Exp(u)) }, lo, hi, math.Log1p(width))
	return at
}

// golden narrows [lo, hi] around a local minimum of f by golden section until it is shorter than tol.
func golden(f func(float64) (float64, bool), lo, hi, tol float64) {
	u, v := hi-invPhi*(hi-lo), lo+invPhi*(hi-lo)
	fu, ok := f(u)
	if !ok {
		return
	}
	fv, ok := f(v)
	for ok && hi-lo > tol {
		if fu <= fv {
			hi, v, fv = v, u, fu
			u = hi - invPhi*(hi-lo)
			fu, ok = f(u)
		} else {
			lo, u, fu = u, v, fv
			v = lo + invPhi*(hi-lo)
			fv, ok = f(v)
		}
	}
}
