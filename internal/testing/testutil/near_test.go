package testutil

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// recorder is a testing.TB that keeps what a helper reports.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestNear(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		call func(tb testing.TB)
		want []string // parts of the message; none: the comparison passes
	}{
		{"near", func(tb testing.TB) { Near(tb, "bias", 1.5, 1, 0.5) }, nil},
		{"near, equal infinities", func(tb testing.TB) { Near(tb, "bias", inf, inf, 0) }, nil},
		{"far", func(tb testing.TB) { Near(tb, "bias", 1, 1.5, 0.25) }, []string{"bias: 1, want 1.5 within 0.25"}},
		{"near, got NaN", func(tb testing.TB) { Near(tb, "bias", nan, 1, 0.5) }, []string{"bias: NaN"}},
		{"near, want NaN", func(tb testing.TB) { Near(tb, "bias", 1, nan, 0.5) }, []string{"want NaN"}},
		{"near, tolerance NaN", func(tb testing.TB) { Near(tb, "bias", 1, 1, nan) }, []string{"within NaN"}},
		{"near, infinity", func(tb testing.TB) { Near(tb, "bias", inf, -inf, 1) }, []string{"+Inf, want -Inf"}},
		{"relative to infinity", func(tb testing.TB) { NearRel(tb, "norm", 1, inf, 1e-9) }, []string{"norm: 1, want +Inf"}},
		{"relative", func(tb testing.TB) { NearRel(tb, "norm", 104, -100, 3) }, nil},
		{"relative, small", func(tb testing.TB) { NearRel(tb, "norm", 0.25, 0.5, 0.25) }, nil},
		{"relative, far", func(tb testing.TB) { NearRel(tb, "norm", 8, 4, 0.5) }, []string{"norm: 8, want 4 within 2"}},
		{"relative, NaN", func(tb testing.TB) { NearRel(tb, "norm", nan, 4, 1) }, []string{"norm: NaN"}},
		{"at most", func(tb testing.TB) { AtMost(tb, "gap", 1, 1) }, nil},
		{"above", func(tb testing.TB) { AtMost(tb, "gap", 2, 1) }, []string{"gap: 2, want at most 1"}},
		{"at most, NaN", func(tb testing.TB) { AtMost(tb, "gap", nan, 1) }, []string{"gap: NaN"}},
		{"all", func(tb testing.TB) { NearAll(tb, "w", []float64{1, 2}, []float64{1.5, 2}, 0.5) }, nil},
		{"all, NaN", func(tb testing.TB) { NearAll(tb, "w", []float64{1, nan, 5}, []float64{1, 2, 3}, 1) },
			[]string{"w: element 1 is NaN, want 2", "2 of 3"}},
		{"all, length", func(tb testing.TB) { NearAll(tb, "w", []float64{1}, []float64{1, 2}, 1) },
			[]string{"w: 1 elements, want 2"}},
	} {
		r := &recorder{TB: t}
		c.call(r)
		if got := strings.Join(r.errors, "\n"); len(r.errors) > 1 || (got == "") != (c.want == nil) {
			t.Errorf("%s: reported %q", c.name, got)
		} else {
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("%s: reported %q, want it to contain %q", c.name, got, part)
				}
			}
		}
	}
}

func TestWithin(t *testing.T) {
	if !Within(1, 2, 1) || Within(1, 2.5, 1) || Within(1, 1, -1) || Within(math.NaN(), 1, 1) || Within(1, 1, math.NaN()) {
		t.Error("Within is not |got-want| <= tol")
	}
}
