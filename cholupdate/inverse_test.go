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

// reference returns (A+λI)⁻¹ on the rows kept, by gonum.
func reference(t testing.TB, a []float64, n int, kept []int, lambda float64) *mat.SymDense {
	t.Helper()
	s := mat.NewSymDense(len(kept), nil)
	for i, p := range kept {
		for j, q := range kept[:i+1] {
			s.SetSym(i, j, a[max(p, q)*n+min(p, q)])
		}
		s.SetSym(i, i, s.At(i, i)+lambda)
	}
	var c mat.Cholesky
	if !c.Factorize(s) {
		t.Fatal("gonum failed")
	}
	var inv mat.SymDense
	if err := c.InverseTo(&inv); err != nil {
		t.Fatal(err)
	}
	return &inv
}

func sameInverse(t testing.TB, v *Inverse, want *mat.SymDense, tol float64) {
	t.Helper()
	for i := range v.Len() {
		for j := range v.Len() {
			if d := math.Abs(v.At(i, j) - want.At(i, j)); !(d <= tol) {
				t.Fatalf("order %d: H[%d,%d] = %v, want %v", v.Len(), i, j, v.At(i, j), want.At(i, j))
			}
		}
	}
}

func newInverse(t testing.TB, a []float64, n int, lambda float64) *Inverse {
	t.Helper()
	v, err := NewInverse(ctx, a, n, n, lambda, 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestInverse(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 8, leaf, leaf + 1, 2*leaf + 3, 150, 290} {
			a := spd(rand.New(rand.NewPCG(1, uint64(n))), n, 1)
			v := newInverse(t, a, n, 0.5)
			sameInverse(t, v, reference(t, a, n, v.Kept(), 0.5), 1e-12)
			if d := drift(v); !(d < float64(n)*float64(n)*1e-13) || d == 0 && n > 2 {
				t.Errorf("n=%d: drift %v", n, d)
			}
		}
	})
}

func TestInvertThreads(t *testing.T) {
	const n = 600
	a := spd(rand.New(rand.NewPCG(1, 2)), n, 1)
	one, two := slices.Clone(a), slices.Clone(a)
	if err := errors.Join(Invert(ctx, one, n, n, 1), Invert(ctx, two, n, n, 3)); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if !slices.Equal(one[i*n:i*n+i+1], two[i*n:i*n+i+1]) {
			t.Fatalf("row %d depends on the number of threads", i)
		}
	}
}

// Single and block removals in any order leave the inverse of what is left.
func TestInverseRemovals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := spd(rng, n, 1)
		v, err := NewInverse(ctx, a, n, n, 0.3, 1)
		if err != nil {
			t.Fatal(err)
		}
		kept := slices.Clone(v.Kept())
		for v.Len() > 1 {
			if m := rapid.IntRange(1, v.Len()-1).Draw(t, "block"); m > 1 {
				idx := rng.Perm(v.Len())[:m]
				if err := v.RemoveBlock(ctx, idx, 2); err != nil {
					t.Fatal(err)
				}
				slices.Sort(idx)
				for _, i := range slices.Backward(idx) {
					kept = slices.Delete(kept, i, i+1)
				}
			} else {
				i := rng.IntN(v.Len())
				if err := v.Remove(i); err != nil {
					t.Fatal(err)
				}
				kept = slices.Delete(kept, i, i+1)
			}
			if !slices.Equal(kept, v.Kept()) {
				t.Fatalf("kept %v, want %v", v.Kept(), kept)
			}
			s := mat.NewSymDense(len(kept), nil)
			x := normals(rng, len(kept))
			y, d := make([]float64, len(kept)), make([]float64, len(kept))
			v.MulVec(y, x)
			v.Diag(d)
			for i, p := range kept { // (A+λI)·H·x = x, rather than another inverse
				for j, q := range kept[:i+1] {
					s.SetSym(i, j, a[max(p, q)*n+min(p, q)])
				}
				s.SetSym(i, i, s.At(i, i)+0.3)
				if d[i] != v.At(i, i) {
					t.Fatalf("Diag and At differ at %d", i)
				}
			}
			var back mat.VecDense
			back.MulVec(s, mat.NewVecDense(len(y), y))
			for i := range x {
				if e := math.Abs(back.AtVec(i) - x[i]); !(e < 1e-9) {
					t.Fatalf("order %d: (A+λI)Hx misses x by %v", len(x), e)
				}
			}
		}
	})
}

// drift is ‖(A+λI)·H − I‖∞ on the indices that are left.
func drift(v *Inverse) (worst float64) {
	for i, p := range v.Kept() {
		var sum float64
		for j := range v.Len() {
			var s float64
			for k, q := range v.Kept() {
				e := v.a[max(p, q)*v.lda+min(p, q)]
				if p == q {
					e += v.lambda
				}
				s += e * v.At(k, j)
			}
			if i == j {
				s--
			}
			sum += math.Abs(s)
		}
		worst = math.Max(worst, sum)
	}
	return worst
}

// Renew clears the errors of removals, and worse ones.
func TestRenewAfterRemovals(t *testing.T) {
	// Nearly dependent rows and a tiny λ: H has few good digits.
	const n = 120
	rng := rand.New(rand.NewPCG(2, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
	}
	v := newInverse(t, a, n, 1e-8)
	for v.Len() > n/2 {
		if err := v.Remove(rng.IntN(v.Len())); err != nil {
			t.Fatal(err)
		}
	}
	before := drift(v)
	v.h[7*v.ld+3] *= 1 + 1e-6 // more than rounding would do: a refresh clears it
	if spoilt := drift(v); !(spoilt > 100*before) {
		t.Errorf("drift %v, then %v with an error of 1e-6 in one element", before, spoilt)
	}
	if err := v.Renew(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if after := drift(v); !(after < 10*before) {
		t.Errorf("drift %v before, %v after a Renew", before, after)
	}
}

func TestInverseFailureLeavesIt(t *testing.T) {
	const n = 6
	a := spd(rand.New(rand.NewPCG(5, 5)), n, 1)
	v := newInverse(t, a, n, 1)
	v.h[2*v.ld+2] = -1 // as if rounding had done it
	before := slices.Clone(v.h)
	var p *PivotError
	if err := v.Remove(2); !errors.As(err, &p) || p.Index != 2 || p.Pivot != -1 {
		t.Error(err)
	}
	if err := v.RemoveBlock(ctx, []int{0, 2}, 1); !errors.As(err, &p) || p.Index != 1 {
		t.Error(err)
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	if err := v.RemoveBlock(dead, []int{0, 1}, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !slices.Equal(before, v.h) || v.Len() != n {
		t.Error("the receiver changed")
	}
	if _, err := NewInverse(ctx, []float64{1, 0, 1, 1}, 2, 2, 0, 1); !errors.As(err, &p) || p.Index != 1 {
		t.Errorf("singular matrix: %v", err)
	}
}

// pivotLiteral is the textbook: choose, subtract, repeat, on a full matrix.
func pivotLiteral(a []float64, n int, threshold float64) (order []int, pivots []float64) {
	s := symmetric(a, n)
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		pos := 0
		for k, i := range left {
			if s.At(i, i) > s.At(left[pos], left[pos]) {
				pos = k
			}
		}
		i := left[pos]
		d := s.At(i, i)
		if !(d > threshold) {
			break
		}
		left = slices.Delete(left, pos, pos+1)
		order = append(order, i)
		pivots = append(pivots, d)
		col := make([]float64, n)
		for j := range n {
			col[j] = s.At(j, i)
		}
		for _, j := range left {
			for _, k := range left {
				if k <= j {
					s.SetSym(j, k, s.At(j, k)-col[j]*col[k]/d)
				}
			}
		}
	}
	return order, pivots
}

func TestPivot(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 2, pending - 1, pending, pending + 1, 3*pending + 5} {
			a := spd(rand.New(rand.NewPCG(7, uint64(n))), n, 0.01)
			for i := range n { // without NaN, for the check below
				for j := i + 1; j < n; j++ {
					a[i*n+j] = a[j*n+i]
				}
			}
			order, pivots := pivotLiteral(a, n, 0)
			p, err := Pivot(ctx, slices.Clone(a), n, n, PivotOptions{Threads: 2, KeepFactor: true})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(order, p.Order) {
				t.Fatalf("n=%d: order differs from the literal one", n)
			}
			for k := range pivots {
				if !testutil.Within(pivots[k], p.Pivots[k], 1e-9*pivots[0]) {
					t.Fatalf("n=%d: pivot %d is %v, want %v", n, k, p.Pivots[k], pivots[k])
				}
			}
			for i := range n {
				for j := range n {
					var s float64
					for q := range p.Order {
						s += p.Rows[q*n+i] * p.Rows[q*n+j]
					}
					if d := math.Abs(s - a[i*n+j]); !(d < 1e-11*float64(n)*a[0]) {
						t.Fatalf("n=%d: GᵀG misses A[%d,%d] by %v", n, i, j, d)
					}
				}
			}
		}
	})
}

func TestPivotStops(t *testing.T) {
	const n, rank = 150, 70 // beyond one block
	rng := rand.New(rand.NewPCG(7, 7))
	g := normals(rng, n*rank)
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = dot(g[i*rank:(i+1)*rank], g[j*rank:])
		}
	}
	p, err := Pivot(ctx, slices.Clone(a), n, n, PivotOptions{Threshold: 1e-8})
	if err != nil || len(p.Order) != rank {
		t.Errorf("rank %d, want %d (%v)", len(p.Order), rank, err)
	}
	few, err := Pivot(ctx, slices.Clone(a), n, n, PivotOptions{MaxSteps: 65})
	if err != nil || !slices.Equal(few.Order, p.Order[:65]) {
		t.Errorf("65 steps differ from the first 65 of %d (%v)", len(p.Order), err)
	}
	ties, err := Pivot(ctx, identity(5), 5, 5, PivotOptions{})
	if err != nil || !slices.Equal(ties.Order, []int{0, 1, 2, 3, 4}) {
		t.Errorf("ties are broken as %v", ties.Order)
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Pivot(dead, a, n, n, PivotOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func identity(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

func BenchmarkInvert(b *testing.B) {
	for _, n := range []int{100, 1000, 3000, 4000} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				a := diagonallyHeavy(n)
				h := make([]float64, len(a))
				b.ReportAllocs()
				for b.Loop() {
					copy(h, a)
					if err := Invert(ctx, h, n, n, threads); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkPivot(b *testing.B) {
	const n = 3000
	a := diagonallyHeavy(n)
	h := make([]float64, len(a))
	for _, steps := range []int{1500, 3000} {
		b.Run(fmt.Sprintf("n=%d/steps=%d", n, steps), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(h, a)
				if _, err := Pivot(ctx, h, n, n, PivotOptions{MaxSteps: steps}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Renew is NewInverse of a changed matrix, after one that could not be inverted too.
func TestRenew(t *testing.T) {
	const n = 70
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = math.Exp(-math.Abs(float64(i-j)) / 3)
		}
	}
	v, err := NewInverse(t.Context(), a, n, n, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	old := a[5*n+5]
	a[5*n+5] = -1
	var pivot *PivotError
	if err = v.Renew(t.Context(), 1); !errors.As(err, &pivot) {
		t.Fatalf("an indefinite matrix: error %v", err)
	}
	a[5*n+5] = 2 * old
	if err = v.Renew(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	want, err := NewInverse(t.Context(), a, n, n, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range i + 1 {
			if g, w := v.At(i, j), want.At(i, j); g != w {
				t.Fatalf("element (%d, %d) is %v, want %v", i, j, g, w)
			}
		}
	}
}
