package cholupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestNotFinite gives NaN and ±Inf to every entry: at elements of a matrix, of a row or vector, as diagonal and as λ.
// Factorisations refuse them and leave the receiver as it was; what has no error to return is NaN.
func TestNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 5, 40, 130} {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				t.Run(fmt.Sprintf("%v in %d", bad, n), func(t *testing.T) {
					for _, source := range [][2]int{{0, 0}, {n - 1, 0}, {n / 2, n / 2}, {n - 1, n / 2}, {n - 1, n - 1}, {n * 3 / 4, n / 3}} {
						notFiniteMatrix(t, n, source, bad)
					}
					for _, pos := range []int{0, n / 2, n - 1} {
						notFiniteVector(t, n, pos, bad)
					}
				})
			}
		}
	})
}

// refused fails unless the error is a *PivotError.
func refused(t *testing.T, what string, err error) {
	t.Helper()
	if p := (*PivotError)(nil); !errors.As(err, &p) {
		t.Errorf("%s: error %v, want a *PivotError", what, err)
	}
}

// notFiniteMatrix factors and inverts a matrix with one such element.
func notFiniteMatrix(t *testing.T, n int, source [2]int, bad float64) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	good := spd(rng, n, 1)
	a := func() []float64 {
		a := slices.Clone(good)
		a[source[0]*n+source[1]] = bad
		return a
	}
	name := func(what string) string { return fmt.Sprintf("%s, element %v", what, source) }
	for _, threads := range []int{1, 2} {
		f := factor(t, good, n)
		before := f.LogDet()
		refused(t, name("Factorize"), f.Factorize(ctx, a(), n, n, threads))
		if f.Len() != n || f.LogDet() != before {
			t.Error(name("Factorize has changed its receiver"))
		}
		refused(t, name("Cholesky"), Cholesky(ctx, a(), n, n, threads))
		refused(t, name("Invert"), Invert(ctx, a(), n, n, threads))
		_, err := NewInverse(ctx, a(), n, n, 1, threads)
		refused(t, name("NewInverse"), err)
		for _, keep := range []bool{false, true} {
			_, err = Pivot(ctx, a(), n, n, PivotOptions{Threads: threads, KeepFactor: keep})
			refused(t, name("Pivot"), err)
		}
	}
	b := a()
	v, err := NewInverse(ctx, good, n, n, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	copy(good, b) // the inverse keeps it for Renew
	refused(t, name("Renew"), v.Renew(ctx, 1))
}

// factor returns the factor of a.
func factor(t *testing.T, a []float64, n int) *Factor {
	t.Helper()
	f := new(Factor)
	if err := f.Factorize(ctx, a, n, n, 1); err != nil {
		t.Fatal(err)
	}
	return f
}

// notFiniteVector appends, updates, downdates and solves with a vector that has one such element.
func notFiniteVector(t *testing.T, n, pos int, bad float64) {
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	a := spd(rng, n, 1)
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.1 * rng.NormFloat64()
	}
	fine := slices.Clone(x)
	x[pos] = bad
	f := factor(t, a, n)
	want := slices.Clone(f.l)
	_, err := f.Append(x, 10, 0)
	refused(t, "Append", err)
	_, err = f.Append(fine, bad, 0)
	refused(t, "Append of a diagonal", err)
	refused(t, "Downdate", f.Downdate(x))
	for i, v := range f.l[:n*n] {
		if j := i % n; f.Len() != n || j <= i/n && v != want[i] {
			t.Fatalf("a refused vector has changed the receiver: element %d is %v", i, v)
		}
	}
	nan(t, "Solve", solved(f.Solve, x)[:1])
	nan(t, "Solve in place", solved(func(b []float64) { Solve(f.l, n, n, b) }, x)[:1])
	_, err = NewInverse(ctx, a, n, n, bad, 1)
	refused(t, "λ", err)
	v, err := NewInverse(ctx, a, n, n, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	product := make([]float64, n)
	v.MulVec(product, x)
	nan(t, "MulVec", product)
	f.Update(x)
	nan(t, "LogDet after Update", []float64{f.LogDet()})
	nan(t, "Try after Update", []float64{f.Try(fine, 1)})
	nan(t, "Solve after Update", solved(f.Solve, fine))
	_, err = f.Append(fine, 1, 0)
	refused(t, "Append after Update", err)
	refused(t, "Downdate after Update", f.Downdate(fine))
}

// solved returns the solution for the right-hand side b.
func solved(solve func([]float64), b []float64) []float64 {
	b = slices.Clone(b)
	solve(b)
	return b
}

// nan fails if one of the numbers is finite.
func nan(t *testing.T, what string, x []float64) {
	t.Helper()
	for i, v := range x {
		if v-v == 0 {
			t.Errorf("%s: number %d is %v", what, i, v)
			return
		}
	}
}
