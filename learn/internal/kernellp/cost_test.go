package kernellp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// standardised reads the first n samples of a file and their labels.
func standardised(t *testing.T, path string, n int) (x, y []float64) {
	t.Helper()
	set, err := dataset.ReadFile(path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scale, err := dataset.FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	if y, err = set.Signs(); err != nil {
		t.Fatal(err)
	}
	return scale.Apply(set).X[:n*set.D], y[:n]
}

// TestDependentColumns: a kernel so wide that basic columns depend on each other to the last digits. Two of
// them took turns until the limit of 126400 pivots.
func TestDependentColumns(t *testing.T) {
	x, y := standardised(t, testutil.Shared(t, "open/banana-1000.libsvm"), 1000)
	k := blocked.New(gram.Pack[float64](gram.RBF(0.05), x, 1000, 2), 1<<30, 1)
	sol := solved(t, New(k, y, fill(1000, 1e5), Shape{}, Options{}), Costs{Margin: 1, Coef: fill(1000, 1)})
	testutil.AtMost(t, "pivots", float64(sol.Iterations), 5000)
}

// TestSmoothKernel: rows that are others' combinations but for 1e-6. Pivots there are known to 1e-3 at best, and
// without them the rows stayed violated by 0.05.
func TestSmoothKernel(t *testing.T) {
	x, y := standardised(t, testutil.Shared(t, "open/banana-1000.libsvm"), 1000)
	k := blocked.New(gram.Pack[float64](gram.RBF(0.05), x, 1000, 2), 1<<30, 1)
	solved(t, New(k, y, fill(1000, 1e5), Shape{}, Options{}), Costs{Margin: 1, Coef: fill(1000, 1), Bias: 1})
}

// TestTinyKernel: kernel values far below 1, whose multipliers' bounds are as small in the program's scale and
// were lost in its tolerance: the bias alone is worth having.
func TestTinyKernel(t *testing.T) {
	const n, price = 12, 1e-6
	tiny := gram.Custom(func(_, _ []float64) float64 { return 1e-43 })
	x, y := make([]float64, n), make([]float64, n)
	for i := range y {
		x[i], y[i] = float64(i), 1
		if i < 4 {
			y[i] = -1
		}
	}
	k := blocked.New(gram.Pack[float64](tiny, x, n, 1), 1<<20, 1)
	for name, shape := range map[string]Shape{"free": {}, "one-sided": {OneSided: true}} {
		sol := solved(t, New(k, y, fill(n, price), shape, Options{}), Costs{Margin: 1, Coef: fill(n, 1)})
		testutil.NearRel(t, name, sol.Objective, 2*4*price, 1e-9)
	}
}

// TestCeilingPrice: rows that are violated by less than the tolerance cost the ceiling each. At 1e5 the
// bound that is left is worthless, and that of smaller multipliers is not.
func TestCeilingPrice(t *testing.T) {
	const n, price = 400, 1e5
	x, y := standardised(t, testutil.Testdata(t, "diabetis.libsvm"), n)
	k := blocked.New(gram.Pack[float64](gram.RBF(10.0/8), x, n, 8), 1<<30, 1)
	s := New(k, y, fill(n, price), Shape{OneSided: true, Ceiling: price}, Options{})
	testutil.Near(t, "gap", solved(t, s, Costs{Margin: 1, Coef: fill(n, 1)}).Gap(), 0, 1e-8)
}

// TestLift: a model whose margins fall short by 1e-10, which costs a hinge cost of 1e8 more than its coefficients,
// is made larger, unless that would break its shape.
func TestLift(t *testing.T) {
	const n = 60
	k, y := small(n, 3)
	for name, shape := range shapes {
		if shape.Ceiling > 0 {
			shape.Ceiling = 1e4
		}
		p := Costs{Margin: 1, Coef: fill(n, 1)}
		s := New(k, y, fill(n, 2), shape, Options{})
		sol := solved(t, s, p)
		s.cap = fill(n, 1e8)
		for i, o := range sol.Output { // as if it had no errors
			if o*y[i] < 1 {
				sol.Output[i] = y[i]
			}
			sol.Output[i] *= 1 - 1e-10
		}
		s.values(sol, p)
		loss, bias := sol.Loss, sol.Bias
		testutil.AtMost(t, name+", loss to begin with", -loss, -1e-3)
		s.lift(sol, p)
		if shape.SumToOne {
			testutil.Near(t, name+", bias", sol.Bias, bias, 0)
			continue
		}
		testutil.Near(t, name+", loss", sol.Loss, 0, 0)
		testutil.NearRel(t, name+", bias", sol.Bias, bias*(1+4e-10), 1e-15)
		if shape.Ceiling > 0 {
			s.shape.Ceiling = 1e-3 // below the coefficients
			sol.Output = scaled(sol.Output, 1-1e-9)
			s.values(sol, p)
			s.lift(sol, p)
			testutil.NearRel(t, name+", bias again", sol.Bias, bias*(1+4e-10), 1e-15)
		}
	}
}

// TestSharedPasses holds the products of working rows against plain sums. The bits do not depend on the goroutines.
func TestSharedPasses(t *testing.T) {
	const rows, n = 2*apieceRows + 11, 3*apieceColumns + 77
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 1))
		normal := func(k int) []float64 {
			x := make([]float64, k)
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			return x
		}
		g := newGrown(n, true, nil)
		for r := 1; r < rows; r++ {
			g.append(normal(n), float64(1-2*(r%2)), 1)
		}
		x, y, list := normal(n+1), normal(rows), make([]int32, rows)
		price, product := make([]float64, n+1), make([]float64, rows)
		for r, row := range g.rows {
			list[r] = int32(r)
			for j, v := range append(slices.Clone(row), g.sign[r]) {
				price[j] += y[r] * v
				product[r] += x[j] * v
			}
		}
		var first []float64
		for g.threads = 1; g.threads <= 3; g.threads++ {
			got, sums := normal(n+1), make([]float64, rows)
			g.Price(got, list, y)
			g.MulAdd(sums, x)
			testutil.NearAll(t, "row of a pivot", got, price, 1e-11)
			testutil.NearAll(t, "activities", sums, product, 1e-11)
			if got = append(got, sums...); first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("other bits by %d goroutines", g.threads)
			}
		}
	})
}

// TestSampleRows holds the matrix of some samples against the rows of all, and counts its values.
func TestSampleRows(t *testing.T) {
	const n = 400
	p := trainable(n)
	rows, _, err := RowsOf("test", p, spaced(n, n), n, samples.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	idx, k := rows.among(spaced(n, 50))
	for r, i := range idx {
		want := rows.Rows([]int{i})[0]
		for c, v := range k.Rows([]int{r})[0] {
			testutil.Near(t, fmt.Sprintf("sample %d, column %d", i, idx[c]), v, want[idx[c]], 1e-14)
		}
	}
	if got := rows.KernelEvals(); got < 50*n+50*50 {
		t.Errorf("%d kernel values", got)
	}
	rows.Release()
}

// trainable is a problem of two classes.
func trainable(n int) *learn.Problem {
	set := dataset.PelegMeir(n, 0.2, 5)
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
	}
	return &learn.Problem{X: set.X, N: n, D: set.D, Y: y, Kernel: gram.RBF(0.5)}
}
