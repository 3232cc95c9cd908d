package gram

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The properties of a kernel, for code that must not depend on its Kind. A kind has a property only if its
// declaration says so, which is the safe default.

// trait returns the declaration of k. An unknown kind has no properties.
func (k Kernel) trait() *kind {
	if int(k.Kind) < len(kinds) {
		return &kinds[k.Kind]
	}
	return &unknown
}

var unknown kind

// HasGamma reports whether the formula has a γ.
func (k Kernel) HasGamma() bool { return k.trait().gamma }

// HasCoef0 reports whether the formula has a c0.
func (k Kernel) HasCoef0() bool { return k.trait().coef0 }

// HasDegree reports whether the formula has a degree.
func (k Kernel) HasDegree() bool { return k.trait().degree }

// HasAlpha reports whether the formula has an α.
func (k Kernel) HasAlpha() bool { return k.trait().curve == &rational }

// Bounded reports whether k(x, x) = 1 and 0 ≤ k ≤ 1, with values exact to a few units in the last place of 1 in both
// element types; see the package's section on accuracy.
func (k Kernel) Bounded() bool { return k.trait().distance }

// Additive reports whether k is linear in each argument, so that Σ c_j k(x, x_j) = k(x, Σ c_j x_j). Kernels on row
// numbers are not, because row numbers cannot be added.
func (k Kernel) Additive() bool {
	t := k.trait()
	return t.form == inner && t.value == nil && k.Rows == nil
}

// Vectorised reports whether [Samples] evaluates many pairs at a time. Otherwise it calls Eval for each pair.
func (k Kernel) Vectorised() bool { return k.trait().form != pairs || k.Composed() }

// Storable reports whether a file can hold the kernel: its formula is not Go code, or [Register] named it.
func (k Kernel) Storable() bool {
	if !k.HasCode() {
		return k.Rows == nil
	}
	_, err := Registered(k.Name)
	return err == nil
}

// HasCode reports whether the formula is Go code.
func (k Kernel) HasCode() bool { return k.trait().code }

// Indexed reports whether the features of a sample are its serial number, from 1, and its row of a kernel matrix, as
// [PrecomputedSamples] makes them. Such features cannot be scaled. LIBSVM's files count them from 0, and its models
// keep only the first.
func (k Kernel) Indexed() bool { return k.trait().indexed }

// ValidateSamples returns an error if k(·, x_i) cannot be evaluated for one of n samples of dimension d (x is n×d,
// row-major).
func (k Kernel) ValidateSamples(x []float64, n, d int) error {
	if k.Rows != nil {
		return k.validateNumbers(x, n)
	}
	if !k.Indexed() {
		return nil
	}
	for i := range n {
		if s := x[i*d]; !(s >= 1 && s < float64(d)) || s != math.Trunc(s) {
			return fmt.Errorf("gram: serial number of sample %d is %v, want an integer from 1 to the %d values of its row",
				i, s, d-1)
		}
	}
	return nil
}

// ValidateMatrix returns an error if the samples, valid for [Kernel.ValidateSamples], have no kernel matrix.
// Precomputed values must be present, and symmetric to nine digits.
func (k Kernel) ValidateMatrix(x []float64, n, d int) error {
	if k.Rows != nil {
		return k.ValidateRows(k.Rows)
	}
	if !k.Indexed() {
		return nil
	}
	for i := range n {
		a := x[i*d : (i+1)*d]
		if !slices.ContainsFunc(a[1:], func(v float64) bool { return v != 0 }) {
			return fmt.Errorf("gram: sample %d, serial number %v, has no kernel values (a LIBSVM model does not keep them)",
				i, a[0])
		}
		for j := range i {
			b := x[j*d : (j+1)*d]
			v, w := a[int(b[0])], b[int(a[0])]
			if !(math.Abs(v-w) <= 1e-9*max(math.Abs(v), math.Abs(w))) {
				return fmt.Errorf("gram: the kernel matrix is not symmetric: row %v has %v in column %v, "+
					"row %v has %v in column %v", a[0], v, b[0], b[0], w, a[0])
			}
		}
	}
	return nil
}

// LIBSVM returns the kernel_type in LIBSVM's model files, or "" if LIBSVM does not have the kernel.
func (k Kernel) LIBSVM() string {
	if k.Weights != nil {
		return ""
	}
	return k.trait().libsvm
}

// Validate returns an error if the parameters are not valid for samples of dimension d.
func (k Kernel) Validate(d int) error {
	if int(k.Kind) >= len(kinds) {
		return fmt.Errorf("gram: unknown kernel kind %d, of a later version of this program", k.Kind)
	}
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	t := k.trait()
	switch {
	case t.composed():
		return k.validateTerms(d)
	case len(k.Terms) > 0:
		return fmt.Errorf("gram: %d terms of a %s kernel, want none", len(k.Terms), t.name)
	case t.distance && (bad(k.Gamma) || k.Gamma <= 0):
		return fmt.Errorf("gram: %s kernel needs gamma > 0 and finite, got %v", t.name, k.Gamma)
	case t.gamma && bad(k.Gamma) || t.coef0 && bad(k.Coef0):
		return fmt.Errorf("gram: %s kernel needs finite gamma and coef0, got %v and %v", t.name, k.Gamma, k.Coef0)
	case k.HasAlpha() && !(k.Alpha > 0 && k.Alpha <= MaxAlpha):
		return fmt.Errorf("gram: %s kernel needs 0 < alpha <= %g, got %v", t.name, float64(MaxAlpha), k.Alpha)
	case t.degree && k.Degree < 1:
		return fmt.Errorf("gram: polynomial degree %d, want at least 1", k.Degree)
	case t.indexed && d < 2:
		return fmt.Errorf("gram: %s kernel with samples of %d features, want a serial number and at least one value",
			t.name, d)
	case k.Rows != nil && (!k.Sparse() || d != 1):
		return fmt.Errorf("gram: %s kernel of rows by %d features, want a kernel of sums of squares or products, without "+
			"weights, and the row's number", t.name, d)
	case t.code && k.Func == nil:
		return errors.New("gram: custom kernel without a function")
	case k.Weights == nil:
		return nil
	case t.form != square:
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

// Gaussian reports whether k = exp(−γ Σ w_k (x_k−z_k)²) of samples that hold their features. The w_k are Weights, or
// 1 without them.
func (k Kernel) Gaussian() bool { t := k.trait(); return t.decay && t.form == square && k.Rows == nil }

// ValidateSlopes returns an error unless [Kernel.Slopes] has the slopes of the kernel: a function of Σ w_k (x_k−z_k)²
// of samples that hold their features. Matern12 has none where x = z. Descents that move vectors or
// learn widths need it.
func (k Kernel) ValidateSlopes() error {
	if k.trait().sloped() && k.Rows == nil {
		return nil
	}
	var names []string
	for i := range kinds {
		if kinds[i].sloped() {
			names = append(names, kinds[i].name)
		}
	}
	return fmt.Errorf("found the kernel %v, want %s: the others have no slope by the distance everywhere",
		k.Kind, strings.Join(names, ", "))
}

// sloped reports whether [Kernel.Slopes] has the slope: it knows decay and curves, and no other formula.
func (t *kind) sloped() bool {
	return t.distance && t.form == square && (t.decay || t.curve != nil && !t.curve.sharp())
}
