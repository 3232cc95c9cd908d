package gram

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
)

// Kind identifies the formula of a kernel.
type Kind uint8

// Model files hold these numbers, so a new kind goes to the end.
const (
	KindRBF               Kind = iota // exp(−γ Σ w_k (x_k−z_k)²), w = 1 unless Weights is set
	KindLinear                        // xᵀz
	KindPoly                          // (γ xᵀz + c0)^degree
	KindSigmoid                       // tanh(γ xᵀz + c0)
	KindCustom                        // Func(x, z)
	KindLaplacian                     // exp(−γ Σ |x_k−z_k|)
	KindPrecomputed                   // values are given as a matrix
	KindMatern12                      // e^(−t), t = √(2γs) with the sum s of RBF
	KindMatern32                      // (1 + t) e^(−t), t = √(6γs)
	KindMatern52                      // (1 + t + t²/3) e^(−t), t = √(10γs)
	KindRationalQuadratic             // (1 + γs/α)^(−α)
	KindComposite                     // a sum of products of the others: Terms
	KindSpline                        // the linear spline with infinitely many knots
)

// form is the way to combine the features of a pair.
type form uint8

const (
	pairs    form = iota // the kernel's own formula, pair by pair, without a packed layout
	square               // Σ (x_k − z_k)²
	expanded             // ‖x‖² + ‖z‖² − 2 xᵀz instead of square, for samples near the origin
	inner                // xᵀz
	absolute             // Σ |x_k − z_k|
	forms    = iota
)

// sums4 is the portable loop of a form. It combines k features of a query, q[0], q[qs], ..., with four samples of a
// panel, whose feature i is at x[i·lanes].
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

// kind declares the properties of a kernel. All other code asks here and does not test for a Kind.
type kind struct {
	name   string
	libsvm string // kernel_type in LIBSVM's model files; "" if LIBSVM does not have the kernel

	gamma, coef0, degree bool // the parameters of the formula

	// distance marks functions of x − z with γ > 0, k(x, x) = 1 and 0 ≤ k ≤ 1, whose values are exact to a few units in
	// the last place of 1.
	distance bool
	code     bool // Go code, which a file cannot hold
	indexed  bool // samples are numbered rows of a matrix, see Kernel.Indexed

	// The formula in plain Go: a sum over the features of a pair, and the kernel value as a function of the sum. Eval
	// uses only these, and is the reference for all other code. A composite kernel has no sum.
	sum   func(k Kernel, x, z []float64) float64
	decay bool                              // the value is exp(−γ·sum)
	value func(k Kernel, s float64) float64 // otherwise the value is this function of the sum; nil for the sum itself
	curve *curve                            // or this one, which is fast for many sums; nil for none

	// form is the loop that computes the same sum. The zero value, pairs, is correct for every kernel: it calls Eval.
	form form
}

var kinds = [...]kind{
	KindRBF:    {name: "rbf", libsvm: "rbf", gamma: true, distance: true, sum: squares, decay: true, form: square},
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
	KindLaplacian: {name: "laplacian", gamma: true, distance: true, sum: differences, decay: true, form: absolute},
	KindMatern12:  {name: "matern12", gamma: true, distance: true, sum: squares, curve: &matern12, form: square},
	KindMatern32:  {name: "matern32", gamma: true, distance: true, sum: squares, curve: &matern32, form: square},
	KindMatern52:  {name: "matern52", gamma: true, distance: true, sum: squares, curve: &matern52, form: square},
	KindRationalQuadratic: {
		name: "rational-quadratic", gamma: true, distance: true,
		sum: squares, curve: &rational, form: square,
	},
	KindComposite:   {name: "composite"},
	KindPrecomputed: {name: "precomputed", libsvm: "precomputed", indexed: true, sum: lookUp},
	KindSpline:      {name: "spline", sum: splines},
	KindCustom:      {name: "custom", code: true, sum: func(k Kernel, x, z []float64) float64 { return k.Func(x, z) }},
}

// composed reports whether it is a sum of products of other kernels, which a name does not determine.
func (t *kind) composed() bool { return t.name != "" && t.sum == nil }

// String returns the name that [ParseKind] accepts.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Names returns the names of all kernels except custom and composite, in the order of Kind.
func Names() []string {
	var names []string
	for _, t := range kinds {
		if !t.code && !t.composed() {
			names = append(names, t.name)
		}
	}
	return names
}

// ParseKind is the inverse of String. It rejects "custom" and "composite", because a name does not determine the
// function.
func ParseKind(s string) (Kind, error) {
	for k, t := range kinds {
		if t.name == s && !t.code && !t.composed() {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("gram: unknown kernel %q, want %s", s, strings.Join(Names(), ", "))
}

// ParseLIBSVM returns the kernel with this kernel_type in LIBSVM's model files.
func ParseLIBSVM(s string) (Kind, bool) {
	k := slices.IndexFunc(kinds[:], func(t kind) bool { return t.libsvm == s && s != "" })
	return Kind(max(k, 0)), k >= 0
}

// Kernel is the formula and the parameters of a kernel function. Build it with [RBF], [RBFSigma], [WeightedRBF],
// [Laplacian], [Matern12], [Matern32], [Matern52], [RationalQuadratic], [Spline], [Linear], [Poly], [Sigmoid],
// [Composite], [Precomputed], [Custom] or [Register].
type Kernel struct {
	Kind    Kind
	Gamma   float64   // for all kernels except linear, spline and custom
	Coef0   float64   // for poly and sigmoid
	Degree  int       // for poly
	Alpha   float64   // for rational-quadratic
	Weights []float64 // for functions of Σ w_k (x_k−z_k)²: one non-negative weight a feature; nil means all 1
	// Func is the function of a custom kernel. It gets two samples of the caller's dimension. It must be symmetric
	// and safe for concurrent use, and must not keep its arguments.
	Func func(x, z []float64) float64
	Name string      // of a function given to [Register]; model files hold it
	Rows *csr.Matrix // see [Kernel.On]; nil for samples that hold their features
	// Terms are those of a composite kernel.
	Terms []Term
}

// RBF is the Gaussian kernel exp(−γ‖x−z‖²).
func RBF(gamma float64) Kernel { return Kernel{Kind: KindRBF, Gamma: gamma} }

// RBFSigma is the Gaussian kernel exp(−‖x−z‖²/(2σ²)), Huang et al. (2010), section 4.
func RBFSigma(sigma float64) Kernel { return RBF(1 / (2 * sigma * sigma)) }

// WeightedRBF is exp(−γ Σ w_k (x_k−z_k)²). If w holds the reciprocal variances, it is the diagonal Mahalanobis kernel
// of Abe (2008), section 4.
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

// Custom returns the kernel of the caller's own function f; see Kernel.Func for its duties.
func Custom(f func(x, z []float64) float64) Kernel { return Kernel{Kind: KindCustom, Func: f} }

// Eval evaluates the formula for one pair in plain Go. It is the reference for all other code of this package; use
// [Samples] for speed.
func (k Kernel) Eval(x, z []float64) float64 {
	if k.Rows != nil {
		return k.evalRows(int(x[0]), int(z[0]))
	}
	if k.Composed() {
		return k.evalTerms(x, z)
	}
	return k.of(k.trait().sum(k, x, z))
}

// of returns the kernel value for a sum s over the features.
func (k Kernel) of(s float64) float64 {
	t := k.trait()
	switch {
	case t.decay:
		return math.Exp(-k.Gamma * s)
	case t.curve != nil:
		return t.curve.of(k, s)
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

// powInt returns v^n by repeated squaring, in LIBSVM's order of multiplications.
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
