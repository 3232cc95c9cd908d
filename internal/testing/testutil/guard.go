package testutil

import (
	"math"
	"testing"
)

// guardWords surround what Guarded lends, on either side: more than the widest store.
const guardWords = 32

// guard is a NaN that no arithmetic makes: read by mistake it spoils the result,
// and written over it is missed.
var (
	guard64 = math.Float64frombits(0x7ff8_dead_beef_0bad)
	guard32 = math.Float32frombits(0x7fc0_bad1)
)

// Guarded returns n zeros, offset elements behind a run of guard words and before another,
// for a function that must not leave its operands. Intact fails the test if a guard word changed.
func Guarded[T float32 | float64](tb testing.TB, n, offset int) (s []T, intact func(what string)) {
	tb.Helper()
	all := make([]T, offset+guardWords+n+guardWords)
	lo, hi := offset+guardWords, offset+guardWords+n
	for i := range all {
		if i < lo || i >= hi {
			all[i] = guardWord[T]()
		}
	}
	return all[lo:hi:hi], func(what string) {
		tb.Helper()
		for i, v := range all {
			if (i < lo || i >= hi) && !isGuard(v) {
				tb.Fatalf("%s: wrote at %d of %d elements", what, i-lo, n)
			}
		}
	}
}

func guardWord[T float32 | float64]() (v T) {
	switch p := any(&v).(type) {
	case *float64:
		*p = guard64
	case *float32:
		*p = guard32
	}
	return v
}

func isGuard[T float32 | float64](v T) bool {
	switch v := any(v).(type) {
	case float64:
		return math.Float64bits(v) == math.Float64bits(guard64)
	case float32:
		return math.Float32bits(v) == math.Float32bits(guard32)
	}
	return false
}

// Same reports whether a and b are equal, or both not a number.
func Same[T float32 | float64](a, b T) bool { return a == b || a != a && b != b }
