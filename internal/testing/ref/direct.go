package ref

// This file is the objective of free vectors with plain loops: Wu, Schölkopf and Bakır (2006) with the squared
// hinge, or another loss, and a width for each feature. Tests alone import it.

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// DirectExpansion is f(x) = Σ_j Coef[j] exp(−Σ_k Gamma[k] e^(2 Log[k]) (x_k − Vectors[j][k])²) + Extra(x) + Bias,
// where Extra is the plane and the steps. Of another kernel, Curve has the value for the sum.
type DirectExpansion struct {
	Gamma   []float64 // γ times the feature's weight
	Log     []float64 // log w
	Vectors [][]float64
	Coef    []float64
	Bias    float64
	Plane   []float64
	Steps   []learn.Step
	Curve   func(sum float64) float64
}

// Kernel is k(x, z).
func (e *DirectExpansion) Kernel(x, z []float64) float64 {
	var s float64
	for k := range x {
		s += e.Gamma[k] * math.Exp(2*e.Log[k]) * (x[k] - z[k]) * (x[k] - z[k])
	}
	if e.Curve != nil {
		return e.Curve(s)
	}
	return math.Exp(-s)
}

// Decide is f(x).
func (e *DirectExpansion) Decide(x []float64) float64 {
	f := e.Bias
	for j, c := range e.Vectors {
		f += e.Coef[j] * e.Kernel(x, c)
	}
	for _, s := range e.Steps {
		value := s.Move
		for k, u := range s.Turn {
			value += u * x[k]
		}
		f += s.Coef / (1 + math.Exp(-value))
	}
	for k, w := range e.Plane {
		f += w * x[k]
	}
	return f
}

// Penalty is ½ν (aᵀ(K + ρI)a + ‖s‖² + ‖p‖²).
func (e *DirectExpansion) Penalty(norm, ridge float64) (s float64) {
	for j, c := range e.Vectors {
		for l, z := range e.Vectors {
			s += norm / 2 * e.Coef[j] * e.Coef[l] * e.Kernel(c, z)
		}
		s += norm / 2 * ridge * e.Coef[j] * e.Coef[j]
	}
	for _, step := range e.Steps {
		s += norm / 2 * step.Coef * step.Coef
	}
	for _, w := range e.Plane {
		s += norm / 2 * w * w
	}
	return s
}

// WidthPenalty is ½η‖log w‖².
func (e *DirectExpansion) WidthPenalty(eta float64) (s float64) {
	for _, log := range e.Log {
		s += eta / 2 * log * log
	}
	return s
}

// Loss is Σ_i v_i ℓ(y_i, f(x_i)).
func (e *DirectExpansion) Loss(x [][]float64, y, v []float64, loss func(y, f float64) float64) (s float64) {
	for i := range x {
		s += v[i] * loss(y[i], e.Decide(x[i]))
	}
	return s
}

// DirectMatern32 is the kernel's value for the sum Σ γ_k w_k² (x_k − z_k)².
func DirectMatern32(s float64) float64 {
	t := math.Sqrt(6 * s)
	return (1 + t) * math.Exp(-t)
}

// DirectMatern52 is the kernel's value for the same sum.
func DirectMatern52(s float64) float64 {
	t := math.Sqrt(10 * s)
	return (1 + t + t*t/3) * math.Exp(-t)
}

// DirectRationalQuadratic is the kernel's value for the same sum.
func DirectRationalQuadratic(alpha float64) func(s float64) float64 {
	return func(s float64) float64 { return math.Pow(1+s/alpha, -alpha) }
}

// DirectSquaredHinge is max(0, 1 − y f)².
func DirectSquaredHinge(y, f float64) float64 {
	m := math.Max(0, 1-y*f)
	return m * m
}

// DirectHinge is max(0, 1 − y f).
func DirectHinge(y, f float64) float64 { return math.Max(0, 1-y*f) }

// DirectRoundedHinge is the hinge with t²/(2h) for t = 1 − y f from 0 to h, and t − h/2 beyond.
func DirectRoundedHinge(h float64) func(y, f float64) float64 {
	return func(y, f float64) float64 {
		switch t := 1 - y*f; {
		case t <= 0:
			return 0
		case t < h:
			return t * t / (2 * h)
		default:
			return t - h/2
		}
	}
}

// DirectSquared is (y − f)².
func DirectSquared(y, f float64) float64 { return (y - f) * (y - f) }

// DirectInsensitive is max(0, |y − f| − ε).
func DirectInsensitive(epsilon float64) func(y, f float64) float64 {
	return func(y, f float64) float64 { return math.Max(0, math.Abs(y-f)-epsilon) }
}

// DirectRoundedInsensitive is Insensitive with the corners of RoundedHinge.
func DirectRoundedInsensitive(epsilon, h float64) func(y, f float64) float64 {
	corner := DirectRoundedHinge(h)
	return func(y, f float64) float64 { return corner(1, 1+epsilon-math.Abs(y-f)) }
}

// DirectCrossEntropy is −y log p − (1 − y) log(1 − p) with p = 1/(1 + exp(−f)).
func DirectCrossEntropy(y, f float64) float64 {
	p := 1 / (1 + math.Exp(-f))
	return -y*math.Log(p) - (1-y)*math.Log(1-p)
}

// DirectLogistic is log(1 + exp(−y f)).
func DirectLogistic(y, f float64) float64 {
	if m := y * f; m < 0 {
		return math.Log1p(math.Exp(m)) - m
	}
	return math.Log1p(math.Exp(-y * f))
}

// DirectFollow is (f − y)² within the margin, and the squared hinge to the sign of y beyond it.
func DirectFollow(y, f float64) float64 {
	switch {
	case y > 1:
		return math.Pow(math.Min(0, f-1), 2)
	case y < -1:
		return math.Pow(math.Max(0, f+1), 2)
	}
	return (f - y) * (f - y)
}
