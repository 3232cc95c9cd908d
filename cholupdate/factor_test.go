package cholupdate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// spd returns a random symmetric positive definite matrix of order n with
// eigenvalues at least shift; elements above the diagonal are NaN, since they must not be read.
func spd(rng *rand.Rand, n int, shift float64) []float64 {
	g := make([]float64, n*n)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			if j > i {
				a[i*n+j] = math.NaN()
				continue
			}
			a[i*n+j] = dot(g[i*n:i*n+n], g[j*n:])
		}
		a[i*n+i] += shift
	}
	return a
}

// symmetric is a gonum view of the symmetric matrix whose lower triangle is in a.
func symmetric(a []float64, n int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, a[i*n+j])
		}
	}
	return s
}

// residual returns ‖A − LLᵀ‖∞ / (n·2⁻⁵²·‖A‖∞), the ratio that LAPACK's tests hold against 30.
func residual(f *Factor, a mat.Symmetric) float64 {
	n := a.SymmetricDim()
	if f.Len() != n {
		return math.Inf(1)
	}
	l := mat.NewDense(n, n, nil)
	for i := range n {
		for j, v := range f.Row(i) {
			l.Set(i, j, v)
		}
	}
	var r mat.Dense
	r.Mul(l, l.T())
	r.Sub(&r, a)
	return mat.Norm(&r, math.Inf(1)) / (float64(n) * 0x1p-52 * mat.Norm(a, math.Inf(1)))
}

const maxResidual = 30

func factorOf(t testing.TB, a []float64, n int) *Factor {
	t.Helper()
	var f Factor
	if err := f.Factorize(ctx, a, n, n, 1); err != nil {
		t.Fatal(err)
	}
	return &f
}

func TestFactorize(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, leaf - 1, leaf, leaf + 1, 2 * leaf, 2*leaf + 1, 100, 257, 300} {
			a := spd(rng, n, 0.1)
			f := factorOf(t, a, n)
			if n == 0 {
				continue
			}
			if r := residual(f, symmetric(a, n)); !(r < maxResidual) {
				t.Errorf("n=%d: residual ratio %v", n, r)
			}
		}
	})
}

func TestFactorizeAgreesWithGonum(t *testing.T) {
	const n = 80
	a := spd(rand.New(rand.NewPCG(3, 1)), n, 1)
	f := factorOf(t, a, n)
	var c mat.Cholesky
	if !c.Factorize(symmetric(a, n)) {
		t.Fatal("gonum failed")
	}
	var l mat.TriDense
	c.LTo(&l)
	for i := range n {
		for j, v := range f.Row(i) {
			if d := math.Abs(l.At(i, j) - v); !(d <= 1e-10) {
				t.Fatalf("L[%d,%d] differs by %v", i, j, d)
			}
		}
	}
	testutil.Near(t, "log determinant", c.LogDet(), f.LogDet(), 1e-9)
}

func TestFactorizeFailure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 5, 40, 200} {
		for _, bad := range []int{0, n / 2, n - 1} {
			for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
				a := spd(rng, n, 1)
				f := factorOf(t, spd(rng, 3, 1), 3)
				before := f.Clone()
				a[bad*n+bad] = v
				err := f.Factorize(ctx, a, n, n, 1)
				var p *PivotError
				if !errors.As(err, &p) || p.Index != bad || p.Pivot > 0 && !math.IsInf(v, 1) {
					t.Fatalf("n=%d, diagonal %d = %v: error %v", n, bad, v, err)
				}
				sameFactor(t, f, before)
			}
		}
	}
}

func sameFactor(t *testing.T, f, g *Factor) {
	t.Helper()
	if f.n != g.n {
		t.Fatalf("order %d, want %d", f.n, g.n)
	}
	for i := range f.n {
		if !slices.Equal(f.Row(i), g.Row(i)) {
			t.Fatalf("row %d changed", i)
		}
	}
}

func TestFactorizeCancelled(t *testing.T) {
	dead, cancel := context.WithCancel(ctx)
	cancel()
	f := factorOf(t, []float64{4}, 1)
	if err := f.Factorize(dead, spd(rand.New(rand.NewPCG(1, 1)), 50, 1), 50, 50, 2); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if f.Len() != 1 || f.Row(0)[0] != 2 {
		t.Error("the receiver changed")
	}
}

func TestThreadsGiveSameBits(t *testing.T) {
	const n = 700
	a := spd(rand.New(rand.NewPCG(4, 2)), n, 1)
	one := factorOf(t, a, n)
	for _, threads := range []int{2, 3} {
		var f Factor
		if err := f.Factorize(ctx, a, n, n, threads); err != nil {
			t.Fatal(err)
		}
		sameFactor(t, &f, one)
	}
}

// Whatever is appended, deleted, updated and downdated: the factor stays that of
// the matrix which the same changes give.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var f Factor
		var largest float64
		a := mat.NewSymDense(1, nil)
		a.Reset()
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			n := f.Len()
			op := rapid.SampledFrom([]string{"append", "append", "append", "delete", "update", "downdate"}).Draw(t, "op")
			switch {
			case op == "append":
				row := normals(rng, n)
				diag := dot(row, row)*(1+rng.Float64())*10 + 1
				want := f.Try(row, diag)
				pivot, err := f.Append(row, diag, 0)
				if pivot != want || (err == nil) != (pivot > 0) {
					t.Fatalf("Try gives %v, Append %v and %v", want, pivot, err)
				}
				if err == nil {
					a = grown(a, row, diag)
				}
			case n == 0:
			case op == "delete":
				i := rng.IntN(n)
				f.Delete(i)
				a = without(a, i)
			case op == "update":
				x := normals(rng, n)
				f.Update(x)
				a.SymRankOne(a, 1, mat.NewVecDense(n, x))
			case op == "downdate":
				x := normals(rng, n) // scaled so that a good part of A stays
				y := slices.Clone(x)
				f.Solve(y)
				scale := math.Sqrt(rng.Float64() * 0.9 / dot(x, y))
				for i := range x {
					x[i] *= scale
				}
				if err := f.Downdate(x); err != nil {
					t.Fatal(err)
				}
				a.SymRankOne(a, -1, mat.NewVecDense(n, x))
			}
			if f.Len() == 0 {
				continue
			}
			// Rounding is that of the largest A so far: a downdate leaves it and may take A away. Errors add up.
			size := float64(f.Len()) * mat.Norm(a, math.Inf(1))
			largest = max(largest, size)
			if r := residual(&f, a) * size / largest; !(r < 10*maxResidual) {
				t.Fatalf("residual ratio %v after %s at order %d", r, op, n)
			}
		}
	})
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func grown(a *mat.SymDense, row []float64, diag float64) *mat.SymDense {
	n := len(row)
	b := mat.NewSymDense(n+1, nil)
	for i := range n {
		for j := range i + 1 {
			b.SetSym(i, j, a.At(i, j))
		}
		b.SetSym(n, i, row[i])
	}
	b.SetSym(n, n, diag)
	return b
}

func without(a *mat.SymDense, k int) *mat.SymDense {
	n := a.SymmetricDim()
	if n == 1 {
		return new(mat.SymDense)
	}
	b := mat.NewSymDense(n-1, nil)
	skip := func(i int) int {
		if i >= k {
			return i + 1
		}
		return i
	}
	for i := range n - 1 {
		for j := range i + 1 {
			b.SetSym(i, j, a.At(skip(i), skip(j)))
		}
	}
	return b
}

func TestFailedChangesLeaveTheFactor(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(8, 8))
	f := factorOf(t, spd(rng, n, 1), n)
	before := f.Clone()
	x := normals(rng, n)
	for name, change := range map[string]func() error{
		"dependent row": func() error { _, err := f.Append(x, 0, 0); return err },
		"below threshold": func() error {
			_, err := f.Append(make([]float64, n), 0.5, 0.5)
			return err
		},
		"not a number": func() error { _, err := f.Append(x, math.NaN(), 0); return err },
		"infinite":     func() error { _, err := f.Append(x, math.Inf(1), 0); return err },
		"downdate": func() error {
			y := slices.Clone(x)
			for i := range y {
				y[i] *= 1e3
			}
			return f.Downdate(y)
		},
	} {
		var p *PivotError
		if err := change(); !errors.As(err, &p) || p.Error() == "" {
			t.Errorf("%s: error %v", name, err)
		}
		sameFactor(t, f, before)
	}
}

func TestSolve(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 5, 40, 130} {
			rng := rand.New(rand.NewPCG(5, uint64(n)))
			a := spd(rng, n, 1)
			f := factorOf(t, a, n)
			b := normals(rng, n)
			x := slices.Clone(b)
			f.Solve(x)
			var r mat.VecDense
			r.MulVec(symmetric(a, n), mat.NewVecDense(n, x))
			r.SubVec(&r, mat.NewVecDense(n, b))
			if e := mat.Norm(&r, 2) / mat.Norm(mat.NewVecDense(n, b), 2); !(e <= 1e-10) {
				t.Errorf("n=%d: residual %v", n, e)
			}
		}
	})
}

func BenchmarkFactorize(b *testing.B) {
	for _, n := range []int{100, 1000, 4000} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				a := diagonallyHeavy(n)
				var f Factor
				b.ReportAllocs()
				for b.Loop() {
					if err := f.Factorize(ctx, a, n, n, threads); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(n)*float64(n)/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func diagonallyHeavy(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	a := make([]float64, n*n)
	for i := range n {
		for j := range i {
			a[i*n+j] = rng.Float64()
		}
		a[i*n+i] = float64(n)
	}
	return a
}

func BenchmarkChange(b *testing.B) {
	const n = 1000
	a := diagonallyHeavy(n)
	x := normals(rand.New(rand.NewPCG(1, 1)), n)
	for name, change := range map[string]func(f *Factor){
		"try":      func(f *Factor) { f.Try(x, 1) },
		"append":   func(f *Factor) { _, _ = f.Append(x, 1e9, 0); f.Delete(n) },
		"delete":   func(f *Factor) { f.Delete(n / 2); _, _ = f.Append(x[1:], 1e9, 0) },
		"update":   func(f *Factor) { f.Update(x) },
		"downdate": func(f *Factor) { f.Update(x); _ = f.Downdate(x) },
	} {
		b.Run(fmt.Sprintf("op=%s/n=%d", name, n), func(b *testing.B) {
			f := factorOf(b, a, n)
			f.Reserve(n + 1)
			b.ReportAllocs()
			for b.Loop() {
				change(f)
			}
		})
	}
}

// Solving on memory of the caller's is solving with a Factor.
func TestSolveInPlace(t *testing.T) {
	const n, ld = 5, 7
	a := make([]float64, n*ld)
	for i := range n {
		for j := range i + 1 {
			a[i*ld+j] = 1 / float64(1+i+j)
		}
		a[i*ld+i]++
	}
	var f Factor
	if err := f.Factorize(t.Context(), a, n, ld, 1); err != nil {
		t.Fatal(err)
	}
	want := []float64{1, -2, 3, 0.5, 4}
	got := slices.Clone(want)
	f.Solve(want)
	if err := Cholesky(t.Context(), a, n, ld, 1); err != nil {
		t.Fatal(err)
	}
	Solve(a, n, ld, got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
