package gram

import (
	"errors"
	"fmt"
	"math"
)

// What a kernel is, for code that must not know every kernel by name. A kind that
// does not say a thing of itself is taken not to have it, the safe answer.

// trait returns the declaration of k; an unknown kind claims nothing.
func (k Kernel) trait() *kind {
	if int(k.Kind) < len(kinds) {
		return &kinds[k.Kind]
	}
	return new(kind)
}

// HasGamma reports whether the formula has a γ.
func (k Kernel) HasGamma() bool { return k.trait().gamma }

// HasCoef0 reports whether the formula has a c0.
func (k Kernel) HasCoef0() bool { return k.trait().coef0 }

// HasDegree reports whether the formula has a degree.
func (k Kernel) HasDegree() bool { return k.trait().degree }

// Bounded reports whether |k| ≤ 1, with values that are exact to a few units in the
// last place of 1 in either element type: see the package's section on accuracy.
func (k Kernel) Bounded() bool { return k.trait().bounded }

// NonNegative reports whether k ≥ 0.
func (k Kernel) NonNegative() bool { return k.trait().nonnegative }

// Additive reports whether k is linear in each argument, so that Σ c_j k(x, x_j) is k(x, Σ c_j x_j).
func (k Kernel) Additive() bool { t := k.trait(); return t.form == inner && t.value == nil }

// Vectorised reports whether [Points] evaluates many pairs at a time. Otherwise it
// calls Eval for each.
func (k Kernel) Vectorised() bool { return k.trait().form != pairs }

// Storable reports whether a file can hold the kernel: it is not Go code.
func (k Kernel) Storable() bool { return !k.trait().code }

// LIBSVM returns the kernel_type of LIBSVM's model files; "" if LIBSVM has no such kernel.
func (k Kernel) LIBSVM() string {
	if k.Weights != nil {
		return ""
	}
	return k.trait().libsvm
}

// Validate reports what is wrong with the parameters for points of dimension d.
func (k Kernel) Validate(d int) error {
	if int(k.Kind) >= len(kinds) {
		return fmt.Errorf("gram: unknown kernel kind %d", k.Kind)
	}
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	t := k.trait()
	switch {
	case t.distance && (bad(k.Gamma) || k.Gamma <= 0):
		return fmt.Errorf("gram: %s kernel needs gamma > 0 and finite, got %v", t.name, k.Gamma)
	case t.gamma && bad(k.Gamma) || t.coef0 && bad(k.Coef0):
		return fmt.Errorf("gram: %s kernel needs finite gamma and coef0, got %v and %v", t.name, k.Gamma, k.Coef0)
	case t.degree && k.Degree < 1:
		return fmt.Errorf("gram: polynomial degree %d, want at least 1", k.Degree)
	case t.code && k.Func == nil:
		return errors.New("gram: custom kernel without a function")
	case k.Weights == nil:
		return nil
	case !t.weights:
		return fmt.Errorf("gram: %d kernel weights, but the %s kernel has none", len(k.Weights), t.name)
	case len(k.Weights) != d:
		return fmt.Errorf("gram: %d kernel weights for %d features", len(k.Weights), d)
	}
	for i, w := range k.Weights {
		if bad(w) || w < 0 {
			return fmt.Errorf("gram: kernel weight of feature %d is %v, want a finite number >= 0", i+1, w)
		}
	}
	return nil
}
