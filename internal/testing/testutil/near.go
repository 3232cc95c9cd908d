package testutil

import (
	"math"
	"testing"
)

// A NaN answers false to every comparison, so `if math.Abs(got-want) > tol` lets
// it pass. The functions below ask whether the value is good, and a NaN is not.

// Within reports whether |got-want| <= tol. It is false when any of the three is NaN.
// An infinity is near to itself alone, even when tol, taken relative to it, is infinite too.
func Within(got, want, tol float64) bool {
	if got == want {
		return tol >= 0
	}
	d := math.Abs(got - want)
	return d <= tol && !math.IsInf(d, 1)
}

// Near fails the test unless |got-want| <= tol.
func Near(tb testing.TB, what string, got, want, tol float64) {
	tb.Helper()
	if !Within(got, want, tol) {
		tb.Errorf("%s: %.17g, want %.17g within %g (difference %g)", what, got, want, tol, got-want)
	}
}

// NearRel fails the test unless |got-want| <= tol·max(1, |want|).
func NearRel(tb testing.TB, what string, got, want, tol float64) {
	tb.Helper()
	Near(tb, what, got, want, tol*max(1, math.Abs(want)))
}

// NearAll fails the test unless got and want have one length and every
// |got[i]-want[i]| <= tol. It names the first bad element and counts the others.
func NearAll(tb testing.TB, what string, got, want []float64, tol float64) {
	tb.Helper()
	if len(got) != len(want) {
		tb.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	first, bad := 0, 0
	for i := range got {
		if !Within(got[i], want[i], tol) {
			if bad == 0 {
				first = i
			}
			bad++
		}
	}
	if bad > 0 {
		tb.Errorf("%s: element %d is %.17g, want %.17g within %g; %d of %d elements are off",
			what, first, got[first], want[first], tol, bad, len(got))
	}
}

// AtMost fails the test unless got <= bound: for gaps, residuals and errors.
func AtMost(tb testing.TB, what string, got, bound float64) {
	tb.Helper()
	if !(got <= bound) {
		tb.Errorf("%s: %g, want at most %g", what, got, bound)
	}
}
