package gram

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
)

// Kind names a kernel's formula.
type Kind uint8

// Model files hold these numbers: new kinds come last.
const (
	KindRBF         Kind = iota // exp(−γ Σ w_k (x_k−z_k)²), w = 1 unless Weights is set
	KindLinear                  // xᵀz
	KindPoly                    // (γ xᵀz + c0)^degree
	KindSigmoid                 // tanh(γ xᵀz + c0)
	KindCustom                  // Func(x, z)
	KindLaplacian               // exp(−γ Σ |x_k−z_k|)
	KindPrecomputed             // given values
)

// form is how the features of a pair are combined.
type form uint8

const (
	pairs    form = iota // by the kernel's formula, pair by pair: nothing is planned for it
	square               // Σ (x_k − z_k)²
	expanded             // ‖x‖² + ‖z‖² − 2 xᵀz on points near the origin, in the place of square
	inner                // xᵀz
	absolute             // Σ |x_k − z_k|
	forms    = iota
)

// sums4 is the portable loop of a form: k features of a query, q[0], q[qs], ..., with
// four points of a panel, whose feature i is at x[i·lanes].
func sums4[T Float](f form, q []T, qs int, x []T, k int) (s0, s1, s2, s3 T) {
	switch f {
	case square:
		return squares4(q, qs, x, k)
	case expanded, inner:
		return products4(q, qs, x, k)
	case absolute:
		return differences4(q, qs, x, k)
	}
	panic(fmt.Sprintf("gram: no loop for form %d", f))
}

// kind is what a kernel is: the one declaration that everything else asks.
type kind struct {
	name   string
	libsvm string // its kernel_type in LIBSVM's model files; "" if LIBSVM does not have it

	gamma, coef0, degree, weights bool // the parameters that it has

	unit        bool // k(x, x) = 1
	bounded     bool // |k| ≤ 1, and values are exact to a few units in the last place of 1
	nonnegative bool
	distance    bool // a function of x − z, with γ > 0
	code        bool // Go code, which no file can hold
	indexed     bool // points are numbered rows of a matrix, see Kernel.Indexed

	// The formula: a sum over the features of a pair, here in plain Go, and what makes a
	// value of it. Eval does just this and is the reference for everything else.
	sum   func(k Kernel, x, z []float64) float64
	decay bool                              // the value is exp(−γ·sum)
	value func(k Kernel, s float64) float64 // else; nil if it is the sum itself

	// form is the loop that has the same sum. The zero form is safe for every kernel:
	// pairs of points, by Eval.
	form form
}

var kinds = [...]kind{
	KindRBF: {
		name: "rbf", libsvm: "rbf", gamma: true, weights: true,
		unit: true, bounded: true, nonnegative: true, distance: true,
		sum: squares, decay: true, form: square,
	},
	KindLinear: {name: "linear", libsvm: "linear", sum: products, form: inner},
	KindPoly: {
		name: "poly", libsvm: "polynomial", gamma: true, coef0: true, degree: true,
		sum: products, form: inner,
		value: func(k Kernel, s float64) float64 { return powInt(k.Gamma*s+k.Coef0, k.Degree) },
	},
	KindSigmoid: {
		name: "sigmoid", libsvm: "sigmoid", gamma: true, coef0: true,
		sum: products, form: inner,
		value: func(k Kernel, s float64) float64 { return math.Tanh(k.Gamma*s + k.Coef0) },
	},
	KindLaplacian: {
		name: "laplacian", gamma: true,
		unit: true, bounded: true, nonnegative: true, distance: true,
		sum: differences, decay: true, form: absolute,
	},
	KindPrecomputed: {name: "precomputed", libsvm: "precomputed", indexed: true, sum: lookUp},
	KindCustom:      {name: "custom", code: true, sum: func(k Kernel, x, z []float64) float64 { return k.Func(x, z) }},
}

// String returns the name that [ParseKind] takes.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Names returns the names of all kernels but that of Go code, in the order of their numbers.
func Names() []string {
	var names []string
	for _, t := range kinds {
		if !t.code {
			names = append(names, t.name)
		}
	}
	return names
}

// ParseKind is the inverse of String; "custom" is no kernel that a name can choose.
func ParseKind(s string) (Kind, error) {
	for k, t := range kinds {
		if t.name == s && !t.code {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("gram: unknown kernel %q, want %s", s, strings.Join(Names(), ", "))
}

// ParseLIBSVM returns the kernel that LIBSVM's model files call by this kernel_type.
func ParseLIBSVM(s string) (Kind, bool) {
	k := slices.IndexFunc(kinds[:], func(t kind) bool { return t.libsvm == s && s != "" })
	return Kind(max(k, 0)), k >= 0
}

// Kernel is a kernel function's formula and parameters. Build it with [RBF],
// [RBFSigma], [WeightedRBF], [Laplacian], [Linear], [Poly], [Sigmoid],
// [Precomputed], [Custom] or [Register].
type Kernel struct {
	Kind    Kind
	Gamma   float64   // all but linear and custom
	Coef0   float64   // poly, sigmoid
	Degree  int       // poly
	Weights []float64 // RBF: one nonnegative weight per feature; nil means all 1
	// Func is a kernel of the user's own. It gets two points of the caller's
	// dimension, must be symmetric and safe for concurrent use, and must not keep its arguments.
	Func func(x, z []float64) float64
	Name string      // of a function of [Register]; files hold it
	Rows *csr.Matrix // see [Kernel.On]; nil for points that have their features
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

// Eval evaluates the formula for one pair, in plain Go. It is the reference for
// everything else in this package; use [Samples] for speed.
func (k Kernel) Eval(x, z []float64) float64 {
	if k.Rows != nil {
		return k.evalRows(int(x[0]), int(z[0]))
	}
	return k.of(k.trait().sum(k, x, z))
}

// of is the value for a sum over features.
func (k Kernel) of(s float64) float64 {
	t := k.trait()
	switch {
	case t.decay:
		return math.Exp(-k.Gamma * s)
	case t.value != nil:
		return t.value(k, s)
	}
	return s
}

func squares(k Kernel, x, z []float64) float64 {
	var s float64
	for i, v := range x {
		t := v - z[i]
		if k.Weights != nil {
			s += k.Weights[i] * t * t
		} else {
			s += t * t
		}
	}
	return s
}

func products(_ Kernel, x, z []float64) float64 {
	var s float64
	for i, v := range x {
		s += v * z[i]
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
