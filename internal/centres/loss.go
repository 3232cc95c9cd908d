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
