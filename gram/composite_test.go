package gram

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// mixed is a composite kernel of every form of sum, with a constant.
func mixed(d int) Kernel { return testKernels(d)["composite"] }

// TestSklearnSums compares sums and products with those of scikit-learn's kernels, to 1e-12 of the largest value.
func TestSklearnSums(t *testing.T) {
	data, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		X    [][]float64
		Sums []struct {
			Name  string
			Terms []struct {
				Scale   float64
				Factors []struct {
					Kernel              string
					Gamma, Alpha, Coef0 float64
					Degree              int
					Weights             []float64
				}
			}
			Values [][]float64
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Sums) < 6 {
		t.Fatalf("%d sums", len(all.Sums))
	}
	n, d, x := len(all.X), len(all.X[0]), slices.Concat(all.X...)
	testutil.EachLevel(t, func(t *testing.T) {
		for _, c := range all.Sums {
			var k Kernel
			k.Kind = KindComposite
			for _, term := range c.Terms {
				of := Term{Scale: term.Scale}
				for _, f := range term.Factors {
					kind, err := ParseKind(f.Kernel)
					if err != nil {
						t.Fatal(err)
					}
					of.Factors = append(of.Factors, Kernel{Kind: kind, Gamma: f.Gamma, Alpha: f.Alpha, Coef0: f.Coef0,
						Degree: f.Degree, Weights: f.Weights})
				}
				k.Terms = append(k.Terms, of)
			}
			full, largest := make([]float64, n*n), 0.0
			Pack[float64](k, x, n, d).Full(full, n)
			for _, row := range c.Values {
				largest = max(largest, slices.Max(row), -slices.Min(row))
			}
			for i := range n {
				for j, want := range c.Values[i] {
					testutil.Near(t, c.Name+", Eval", k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d]), want, 1e-12*largest)
					testutil.Near(t, c.Name+", float64", full[i*n+j], want, 1e-12*largest)
				}
			}
		}
	})
}

// Rows of many samples go in pieces, over layouts that depend on the samples; sums and the diagonal have the same bits.
func TestCompositeLayouts(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testCompositeLayouts[float64](t, 1e-12) })
		t.Run("float32", func(t *testing.T) { testCompositeLayouts[float32](t, 2e-4) })
	})
}

func testCompositeLayouts[T Float](t *testing.T, tol float64) {
	few := points(300, 50)
	for i := range few {
		if i%11 != 0 {
			few[i] = 0
		}
	}
	g := 0.01
	unweighted := Composite(Term{2, []Kernel{RBF(g), Linear()}}, Term{0.5, []Kernel{Matern52(g)}}, Term{0.25, nil})
	for name, c := range map[string]struct {
		k    Kernel
		x    []float64
		n, d int
	}{
		"panels":     {mixed(3), points(2*termValues+77, 3), 2*termValues + 77, 3},
		"expanded":   {unweighted, points(200, 60), 200, 60},
		"non-zeros":  {unweighted, few, 300, 50},
		"bytes":      {unweighted, gridPoints(300, 40, 200, 0, 0.1), 300, 40},
		"no samples": {unweighted, nil, 0, 4},
	} {
		p := Pack[T](c.k, c.x, c.n, c.d)
		idx := []int{0, 7, c.n - 1, c.n / 2, 3, 4, 5, 6, 7, 8, c.n / 3}
		if c.n == 0 {
			idx = nil
		}
		rows, cross, diag := make([][]T, len(idx)), make([]T, len(idx)*c.n), make([]T, c.n)
		var x, coef []float64
		for r, i := range idx {
			rows[r] = make([]T, c.n)
			x = append(x, c.x[i*c.d:(i+1)*c.d]...)
		}
		for j := range c.n {
			coef = append(coef, math.Sin(float64(j)))
		}
		p.Rows(rows, idx)
		p.Cross(cross, c.n, x, len(idx))
		p.Diag(diag)
		got, sum := make([]float64, 2*len(idx)), make([]float64, 2)
		e := p.Expand(coef, slices.Repeat([]float64{1}, c.n))
		e.Eval(got, x, len(idx))
		padded := Aligned[T](Stride[T](c.n))
		for r, i := range idx {
			for j, v := range rows[r] {
				want := c.k.Eval(c.x[i*c.d:(i+1)*c.d], c.x[j*c.d:(j+1)*c.d])
				testutil.Near(t, fmt.Sprintf("%s, %d and %d", name, i, j), float64(v), want, tol*max(1, math.Abs(want)))
				if v != cross[r*c.n+j] {
					t.Fatalf("%s, %d and %d: %v in a row, %v across", name, i, j, v, cross[r*c.n+j])
				}
			}
			if diag[i] != rows[r][i] {
				t.Errorf("%s: diagonal %v, in its row %v", name, diag[i], rows[r][i])
			}
			copy(padded, rows[r])
			e.Sums(sum, padded)
			if sum[0] != got[2*r] || sum[1] != got[2*r+1] {
				t.Errorf("%s: sums %v, of values %v", name, got[2*r:2*r+2], sum)
			}
		}
	}
}

// Nothing is allocated for rows and sums, after the first.
func TestCompositeAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets pools forget")
	}
	const n, d = 50, 3
	p := Pack[float64](mixed(d), points(n, d), n, d)
	e := p.Expand(points(n, 1))
	var dst [n]float64
	if allocs := testing.AllocsPerRun(100, func() {
		x := [d]float64{1, 2, 3}
		e.Eval(dst[:1], x[:], 1)
		p.Cross(dst[:], n, x[:], 1)
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// What is no sum of products of formulas is refused, with the place.
func TestBadComposite(t *testing.T) {
	rbf := []Kernel{RBF(1)}
	for want, k := range map[string]Kernel{
		"0 terms":                 Composite(),
		"65 terms":                Composite(slices.Repeat([]Term{{1, nil}}, 65)...),
		"1 terms of 65 factors":   Composite(Term{1, slices.Repeat(rbf, 65)}),
		"scale of term 2":         Composite(Term{1, rbf}, Term{0, rbf}),
		"is NaN":                  Composite(Term{math.NaN(), rbf}),
		"is +Inf":                 Composite(Term{math.Inf(1), rbf}),
		"composite kernel in":     Composite(Term{1, []Kernel{Composite(Term{1, rbf})}}),
		"custom kernel in term 1": Composite(Term{1, []Kernel{Custom(func(_, _ []float64) float64 { return 1 })}}),
		"precomputed kernel":      Composite(Term{1, []Kernel{Precomputed()}}),
		"rbf kernel in term 1":    Composite(Term{1, []Kernel{RBF(1).On(&csr.Matrix{})}}),
		"gamma > 0 and finite, got -1, in term 2": Composite(Term{1, nil}, Term{1, []Kernel{RBF(-1)}}),
		"3 kernel weights for 2 features":         Composite(Term{1, []Kernel{WeightedRBF(1, []float64{1, 1, 1})}}),
		"of its own":                              {Kind: KindComposite, Terms: []Term{{1, rbf}}, Weights: []float64{1, 1}},
		"want none":                               {Kind: KindRBF, Gamma: 1, Terms: []Term{{1, rbf}}},
	} {
		if err := k.Validate(2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if k, err := ParseKind("composite"); err == nil || slices.Contains(Names(), "composite") {
		t.Errorf("a name alone is %v", k)
	}
	if err := mixed(2).ValidateSlopes(); err == nil || mixed(2).Sparse() || mixed(2).Bounded() || mixed(2).Additive() {
		t.Error("a composite kernel has a property that some factors lack")
	}
}

// A clone shares nothing that a caller may change.
func TestKernelClone(t *testing.T) {
	k := mixed(3)
	text, before := k.String(), jsonOf(t, k)
	c := k.Clone()
	c.Terms[0].Scale, c.Terms[0].Factors[0].Gamma, c.Terms[0].Factors[1].Weights[0] = 9, 9, 9
	if now := jsonOf(t, k); now != before {
		t.Errorf("%s after a change of its clone, was %s", now, before)
	}
	if text != "composite of 4 terms" || k.Packs() != 6 || RBF(1).Packs() != 1 {
		t.Errorf("%s of %d factors", text, k.Packs())
	}
}

func jsonOf(t *testing.T, k Kernel) string {
	t.Helper()
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
