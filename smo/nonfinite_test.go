package smo_test

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// TestNotFinite puts NaN and ±Inf into every field of both problems, one value at a time, and never gets an optimum
// that has such a value, or depends on it: a row of K that no variable moved along is not looked at. Bounds that are
// not finite are a programmer's mistake in a Pair; in a Box infinite ones are allowed.
func TestNotFinite(t *testing.T) {
	const n = 20 // more than the lanes of a kernel
	testutil.EachLevel(t, func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, at := range []int{0, 7, n - 1} {
				for field := range 4 {
					t.Run(fmt.Sprintf("%v at %d of field %d", bad, at, field), func(t *testing.T) {
						notOptimal(t, "Pair", func() status.Status { return pairWith(n, field, at, bad) })
						if field < 2 || math.IsNaN(bad) {
							notOptimal(t, "Box", func() status.Status { return boxWith(n, field, at, bad) })
						}
					})
				}
			}
		}
	})
}

// notOptimal fails if solve says that it has an optimum. A panic with the package's name refuses the problem.
func notOptimal(t *testing.T, what string, solve func() status.Status) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if text := fmt.Sprint(r); !strings.HasPrefix(text, "smo: ") && !strings.HasPrefix(text, "boxqp: ") {
				t.Errorf("%s: panic %v\n%s", what, r, debug.Stack())
			}
		}
	}()
	if st := solve(); st == status.Optimal {
		t.Errorf("%s: %v", what, st)
	}
}

func pairWith(n, field, at int, bad float64) status.Status {
	k, p, lo, hi := identity(n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range p {
		p[i] = float64(i%5) - 1.7
		if hi[i] = 1; i%2 == 1 {
			lo[i], hi[i] = -1, 0
		}
	}
	*[]*float64{&k[at*n+at], &p[at], &lo[at], &hi[at]}[field] = bad
	program := smo.Pair{K: smo.NewDense(n, k, n), P: p, Lo: lo, Hi: hi}
	r := smo.Solve(context.Background(), &program, smo.Options{MaxIter: 10000})
	if sum := r.KKT + r.Gap + r.Objective; field == 0 && r.A[at] == 0 && sum-sum == 0 {
		return status.Unknown
	}
	return r.Status
}

func boxWith(n, field, at int, bad float64) status.Status {
	z, p, lo, hi := identity(n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range p {
		p[i], hi[i] = float64(i%5)-1.7, 1
	}
	*[]*float64{&z[at*n+at], &p[at], &lo[at], &hi[at]}[field] = bad
	program := boxqp.Problem{H: boxqp.NewFactor(z, n, n, n), P: p, Lo: lo, Hi: hi}
	return boxqp.Solve(context.Background(), &program, boxqp.Options{}).Status
}

func identity(n int) []float64 {
	k := make([]float64, n*n)
	for i := range n {
		k[i*n+i] = 1
	}
	return k
}
