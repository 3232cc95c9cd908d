package gram

import (
	"errors"
	"fmt"
	"math"
)

// Kind names a kernel's formula.
type Kind uint8

const (
	KindRBF     Kind = iota // exp(−γ Σ w_k (x_k−z_k)²), w = 1 unless Weights is set
	KindLinear              // xᵀz
	KindPoly                // (γ xᵀz + c0)^degree
	KindSigmoid             // tanh(γ xᵀz + c0)
	KindCustom              // Func(x, z)
)

var kindNames = [...]string{"rbf", "linear", "poly", "sigmoid", "custom"}

func (k Kind) String() string { return kindNames[k] }

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, error) {
	for k, n := range kindNames {
		if n == s {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("gram: unknown kernel %q", s)
}

// Kernel is a kernel function's formula and parameters. Build it with [RBF],
// [RBFSigma], [WeightedRBF], [Linear], [Poly], [Sigmoid] or [Custom].
type Kernel struct {
	Kind    Kind
	Gamma   float64   // RBF, poly, sigmoid
	Coef0   float64   // poly, sigmoid
	Degree  int       // poly
	Weights []float64 // RBF: one nonnegative weight per feature; nil means all 1
	// Func is a kernel of the user's own. It gets two points of the caller's
	// dimension, must be symmetric and safe for concurrent use, and must not keep its arguments.
	Func func(x, z []float64) float64
}

// RBF is the Gaussian kernel exp(−γ‖x−z‖²).
func RBF(gamma float64) Kernel { return Kernel{Kind: KindRBF, Gamma: gamma} }

// RBFSigma is the Gaussian kernel exp(−‖x−z‖²/(2σ²)), Huang et al. (2010), section 4.
func RBFSigma(sigma float64) Kernel { return RBF(1 / (2 * sigma * sigma)) }

// WeightedRBF is exp(−γ Σ w_k (x_k−z_k)²); with w the reciprocal variances it is
// the diagonal Mahalanobis kernel of Abe (2008), section 4.
func WeightedRBF(gamma float64, w []float64) Kernel {
	return Kernel{Kind: KindRBF, Gamma: gamma, Weights: w}
}

// Linear is xᵀz.
func Linear() Kernel { return Kernel{Kind: KindLinear} }

// Poly is (γ xᵀz + c0)^degree.
func Poly(degree int, gamma, coef0 float64) Kernel {
	return Kernel{Kind: KindPoly, Degree: degree, Gamma: gamma, Coef0: coef0}
}

// Sigmoid is tanh(γ xᵀz + c0). It is not positive semidefinite in general.
func Sigmoid(gamma, coef0 float64) Kernel {
	return Kernel{Kind: KindSigmoid, Gamma: gamma, Coef0: coef0}
}

// Custom wraps a function of the user's own.
func Custom(f func(x, z []float64) float64) Kernel { return Kernel{Kind: KindCustom, Func: f} }

// Validate reports what is wrong with the parameters for points of dimension d.
func (k Kernel) Validate(d int) error {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	switch k.Kind {
	case KindRBF:
		if bad(k.Gamma) || k.Gamma <= 0 {
			return fmt.Errorf("gram: RBF kernel needs gamma > 0 and finite, got %v", k.Gamma)
		}
		if k.Weights != nil && len(k.Weights) != d {
			return fmt.Errorf("gram: %d kernel weights for %d features", len(k.Weights), d)
		}
		for i, w := range k.Weights {
			if bad(w) || w < 0 {
				return fmt.Errorf("gram: kernel weight of feature %d is %v, want a finite number >= 0", i+1, w)
			}
		}
	case KindLinear:
	case KindPoly, KindSigmoid:
		if bad(k.Gamma) || bad(k.Coef0) {
			return fmt.Errorf("gram: %s kernel needs finite gamma and coef0, got %v and %v", k.Kind, k.Gamma, k.Coef0)
		}
		if k.Kind == KindPoly && k.Degree < 1 {
			return fmt.Errorf("gram: polynomial degree %d, want at least 1", k.Degree)
		}
	case KindCustom:
		if k.Func == nil {
			return errors.New("gram: custom kernel without a function")
		}
	default:
		return fmt.Errorf("gram: unknown kernel kind %d", k.Kind)
	}
	return nil
}

// Eval evaluates the formula for one pair, in plain Go. It is the reference for
// everything else in this package; use [Points] for speed.
func (k Kernel) Eval(x, z []float64) float64 {
	switch k.Kind {
	case KindRBF:
		var s float64
		for i, v := range x {
			t := v - z[i]
			if k.Weights != nil {
				s += k.Weights[i] * t * t
			} else {
				s += t * t
			}
		}
		return math.Exp(-k.Gamma * s)
	case KindCustom:
		return k.Func(x, z)
	}
	var s float64
	for i, v := range x {
		s += v * z[i]
	}
	return k.ofDot(s)
}

// ofDot applies the formula of a dot-product kernel to xᵀz.
func (k Kernel) ofDot(s float64) float64 {
	switch k.Kind {
	case KindPoly:
		return powInt(k.Gamma*s+k.Coef0, k.Degree)
	case KindSigmoid:
		return math.Tanh(k.Gamma*s + k.Coef0)
	}
	return s
}

// powInt is v^n by squaring, the order of multiplications that LIBSVM uses.
func powInt(v float64, n int) float64 {
	r := 1.0
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			r *= v
		}
		v *= v
	}
	return r
}
