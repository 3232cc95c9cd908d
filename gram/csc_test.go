package gram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// sparsePoints draws n samples of d features of which a share is not 0. No sample has some, two thirds have others.
func sparsePoints(n, d int, share float64) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := make([]float64, n*d)
	for i := range x {
		if rng.Float64() < share && i/d%17 != 3 && i%d%13 != 5 || i%d%20 == 7 && i%3 > 0 {
			x[i] = rng.NormFloat64()
		}
	}
	return x
}

// Samples as lists against the formula, by every path; where density asks for panels there are panels.
func TestInverted(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testInverted[float64](t, 1e-13) })
		t.Run("float32", func(t *testing.T) { testInverted[float32](t, 1e-5) })
	})
}

func testInverted[T Float](t *testing.T, tol float64) {
	const n, d = 205, 60
	weights := make([]float64, d)
	for k := range weights {
		weights[k] = float64(k%5) / 4
	}
	x := sparsePoints(n, d, 0.1)
	for _, k := range []Kernel{RBF(0.1), Matern32(0.1), RationalQuadratic(1.5, 0.1), WeightedRBF(0.2, weights), Linear(),
		Poly(3, 0.1, 1), Sigmoid(0.1, 0.5)} {
		p := Pack[T](k, x, n, d)
		if listsOf(p) == nil {
			t.Fatalf("%v: 10 %% of the features are not 0, and there are panels", k.Kind)
		}
		want := make([]float64, n*n)
		for i := range n {
			for j := range n {
				want[i*n+j] = k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
			}
		}
		testValues(t, k, p, x, want, tol)
		testWeighted(t, k, p, x, want, tol)
	}
	for name, far := range map[string]*Samples[T]{
		"dense":  Pack[T](Linear(), sparsePoints(n, d, 0.3), n, d),
		"offset": Pack[T](RBF(1e4), x, n, d),
		"few":    Pack[T](Linear(), x, cscSamples-1, d),
		"NaN":    Pack[T](Linear(), append([]float64{math.NaN()}, x[1:]...), n, d),
	} {
		if listsOf(far) != nil {
			t.Errorf("%s: lists", name)
		}
	}
}

// testValues holds rows, parts of them, blocks and queries against the formula, and against one another by their bits.
func testValues[T Float](t *testing.T, k Kernel, p *Samples[T], x, want []float64, tol float64) {
	t.Helper()
	n, d := p.Len(), p.Dim()
	full, row, part, cross := make([]T, n*n), make([]T, n), make([]T, n), make([]T, n)
	p.Full(full, n)
	diag := make([]T, n)
	p.Diag(diag)
	for i := range n {
		p.Row(row, i)
		lo, hi := i/3, n-i/5
		p.RowsRange([][]T{part}, []int{i}, lo, hi)
		p.Cross(cross, n, x[i*d:(i+1)*d], 1)
		for j, v := range row {
			w := want[i*n+j]
			testutil.Near(t, fmt.Sprintf("%v: k(%d, %d)", k.Kind, i, j), float64(v), w, tol*max(1, math.Abs(w)))
			if full[i*n+j] != v || full[j*n+i] != v || cross[j] != v || j >= lo && j < hi && part[j] != v {
				t.Fatalf("%v: k(%d, %d) = %v in a row, %v and %v of the matrix, %v of a query, %v in a part", k.Kind, i, j, v,
					full[i*n+j], full[j*n+i], cross[j], part[j])
			}
		}
		if diag[i] != row[i] || k.trait().distance && row[i] != 1 {
			t.Fatalf("%v: k(%d, %d) = %v, the diagonal has %v", k.Kind, i, i, row[i], diag[i])
		}
	}
}

// testWeighted holds a subset and weighted sums against the formula.
func testWeighted[T Float](t *testing.T, k Kernel, p *Samples[T], x, want []float64, tol float64) {
	t.Helper()
	n := p.Len()
	idx := []int{7, 3, 200, 0, 20, 7}
	few, row := make([]T, len(idx)), make([]T, n)
	p.Subset(idx).Row(few, 2)
	p.Row(row, 200)
	for s, i := range idx {
		if few[s] != row[i] {
			t.Fatalf("%v: k(200, %d) = %v in a subset, not %v", k.Kind, i, few[s], row[i])
		}
	}
	one, two := make([]float64, n), make([]float64, n)
	for j := range one {
		one[j], two[j] = float64(j%7-3), 1/float64(j+1)
	}
	got := make([]float64, 2*n)
	p.Expand(one, two).Eval(got, x, n)
	for i := range n {
		var a, b, size float64
		for j := range n {
			a, b, size = a+one[j]*want[i*n+j], b+two[j]*want[i*n+j], size+math.Abs(one[j]*want[i*n+j])
		}
		testutil.Near(t, fmt.Sprintf("%v: sum %d", k.Kind, i), got[2*i], a, tol*size)
		testutil.Near(t, fmt.Sprintf("%v: second sum %d", k.Kind, i), got[2*i+1], b, tol*(size+1))
	}
}

// A feature of a query that is no number gives what the formula does: no number, or infinity.
func TestInvertedSpecial(t *testing.T) {
	const n, d = 150, 40
	x := sparsePoints(n, d, 0.1)
	p := Pack[float64](Linear(), x, n, d)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		query, row := sparsePoints(1, d, 0.5), make([]float64, n)
		query[7] = v
		p.Cross(row, n, query, 1)
		for j, got := range row {
			if want := Linear().Eval(query, x[j*d:(j+1)*d]); !testutil.Same(got, want) && !testutil.Within(got, want, 1e-13) {
				t.Fatalf("%v: value %d is %v, want %v", v, j, got, want)
			}
		}
	}
}

// listsOf is the lists of p, nil if it has another layout.
func listsOf[T Float](p *Samples[T]) *inCSC[T] {
	v, _ := p.layout.(*inCSC[T])
	return v
}

// panelsOf is p with panels of all features, whatever is faster.
func panelsOf[T Float](p *Samples[T], x []float64) *Samples[T] {
	f, t := plan[T](p.kernel, x, p.n, p.d)
	in, _ := packPanels(context.Background(), formula[T]{kernel: p.kernel, form: f}, t, x, p.n, p.d)
	return &Samples[T]{p.kernel, p.n, p.d, in}
}

func BenchmarkInverted(b *testing.B) {
	for _, c := range []struct {
		n, d  int
		share float64
	}{{2000, 123, 0.1}, {2000, 300, 0.04}, {2000, 300, 0.1}, {2000, 300, 0.12}, {2000, 300, 0.14}, {32000, 123, 0.1}} {
		x := sparsePoints(c.n, c.d, c.share)
		p := Pack[float32](RBF(0.01), x, c.n, c.d)
		if listsOf(p) == nil {
			b.Fatalf("panels for %v", c)
		}
		for where, points := range map[string]*Samples[float32]{"lists": p, "panels": panelsOf(p, x)} {
			name := fmt.Sprintf("n=%d/d=%d/share=%v/of=%s", c.n, c.d, c.share, where)
			rows, idx := make([][]float32, 32), make([]int, 32)
			for r := range rows {
				rows[r], idx[r] = Aligned[float32](c.n), r*c.n/32
			}
			for _, m := range []int{1, 32} {
				b.Run(fmt.Sprintf("rows=%d/%s", m, name), func(b *testing.B) {
					for b.Loop() {
						points.Rows(rows[:m], idx[:m])
					}
					perEntry(b, m*c.n)
				})
			}
		}
	}
}
