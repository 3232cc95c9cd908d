package gram

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// everyKind returns a kernel of each kind, with parameters that do for testutil.SerialPoints.
func everyKind(t *testing.T) []Kernel {
	t.Helper()
	ks := []Kernel{Custom(func(x, z []float64) float64 { return math.Abs(x[0] * z[1] * z[0] * x[1]) }),
		Composite(Term{Scale: 0.5}, Term{Scale: 2, Factors: []Kernel{Matern32(0.01), Poly(2, 0.01, 0.5)}})}
	for _, name := range Names() {
		kind, err := ParseKind(name)
		if err != nil {
			t.Fatal(err)
		}
		ks = append(ks, Kernel{Kind: kind, Gamma: 0.01, Coef0: 0.5, Degree: 2, Alpha: 1.5})
	}
	if len(ks) != len(kinds) {
		t.Fatalf("%d kernels, want one of each of %d kinds", len(ks), len(kinds))
	}
	return ks
}

// Every way to evaluate every kind of kernel gives what Eval gives: a kind that
// nothing is planned for must not become another formula.
func TestEveryKind(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, k := range everyKind(t) {
			t.Run("kernel="+k.Kind.String(), func(t *testing.T) {
				testEveryPath[float64](t, k, 1e-13)
				testEveryPath[float32](t, k, 1e-5)
			})
		}
	})
}

func testEveryPath[T Float](t *testing.T, k Kernel, tol float64) {
	t.Helper()
	for _, n := range []int{5, 40, 100} {
		x, d := testutil.SerialPoints(n)
		p := Pack[T](k, x, n, d)
		valueOf := func(i int) []float64 { return x[i*d : (i+1)*d] }
		row := func(what string, got []T, i int, cols []int) {
			t.Helper()
			for c, j := range cols {
				testutil.NearRel(t, what, float64(got[c]), k.Eval(valueOf(i), valueOf(j)), tol)
			}
		}
		all, some := make([]int, n), []int{n - 1, 0, 3}
		for i := range all {
			all[i] = i
		}
		full, cross, diag := make([]T, n*n), make([]T, n*n), make([]T, n)
		p.Full(full, n)
		p.Cross(cross, n, x, n)
		p.Diag(diag)
		one, rows := make([]T, n), make([][]T, n)
		for i := range rows {
			rows[i] = make([]T, n)
		}
		p.Rows(rows, all)
		sub := p.Subset(some)
		part := make([]T, len(some))
		for i := range n {
			p.Row(one, i)
			row("Row", one, i, all)
			row("Rows", rows[i], i, all)
			row("Full", full[i*n:], i, all)
			row("Cross", cross[i*n:], i, all)
			row("Diag", diag[i:], i, all[i:i+1])
		}
		for r, i := range some {
			sub.Row(part, r)
			row("Subset", part, i, some)
		}
		p.Tile(one, 2, []int{2, n - 2}, 1, 3)
		row("Tile", one, 2, []int{1, 2})
		row("Tile", one[2:], n-2, []int{1, 2})
		testEveryExpansion(t, p, k, x, tol)
	}
}

func testEveryExpansion[T Float](t *testing.T, p *Samples[T], k Kernel, x []float64, tol float64) {
	t.Helper()
	n, d := p.n, p.d
	coef, got := make([]float64, n), make([]float64, n)
	for j := range coef {
		coef[j] = float64(j%5) - 2
	}
	e := p.Expand(coef)
	for _, m := range []int{1, n} {
		e.Eval(got, x, m)
		for i := range m {
			want, size := 0.0, 0.0
			for j, c := range coef {
				v := c * k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
				want, size = want+v, size+math.Abs(v)
			}
			testutil.Near(t, "Expansion", got[i], want, tol*max(1, size))
		}
	}
}

// The traits are true of the values.
func TestTraits(t *testing.T) {
	x, d := testutil.SerialPoints(30)
	for _, k := range everyKind(t) {
		for i := range 30 {
			for j := range 30 {
				v := k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
				switch {
				case k.Bounded() && !(v >= 0 && v <= 1),
					i == j && k.trait().distance && v != 1:
					t.Errorf("%v: k(%d, %d) = %v", k.Kind, i, j, v)
				}
			}
		}
		if k.Gaussian() != (k.Kind == KindRBF) {
			t.Errorf("%v: Gaussian is %v", k.Kind, k.Gaussian())
		}
		if back, ok := ParseLIBSVM(k.LIBSVM()); ok && back != k.Kind || ok != (k.LIBSVM() != "") {
			t.Errorf("%v: LIBSVM's name %q is that of %v", k.Kind, k.LIBSVM(), back)
		}
	}
	k := Kernel{Kind: Kind(len(kinds))}
	if k.HasGamma() || k.Bounded() || k.Vectorised() || k.Additive() || k.Gaussian() {
		t.Error("an unknown kind claims something")
	}
}

func TestValidateRefuses(t *testing.T) {
	for want, k := range map[string]Kernel{
		"unknown kernel kind 200, of a later version":       {Kind: 200},
		"rbf kernel needs gamma > 0 and finite, got 0":      {},
		"poly kernel needs finite gamma and coef0, got NaN": Poly(2, math.NaN(), 0),
		"sigmoid kernel needs finite gamma and coef0":       Sigmoid(1, math.Inf(1)),
		"polynomial degree 0, want at least 1":              Poly(0, 1, 0),
		"custom kernel without a function":                  Custom(nil),
		"2 kernel weights for 3 features":                   WeightedRBF(1, []float64{1, 2}),
		"kernel weight of feature 2 is -1":                  WeightedRBF(1, []float64{1, -1, 1}),
		"but the linear kernel has none":                    {Kind: KindLinear, Weights: []float64{1, 1, 1}},
	} {
		if err := k.Validate(3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want ... %s ...", err, want)
		}
	}
	if _, err := ParseKind("custom"); err == nil {
		t.Error("a name chooses the kernel of Go code")
	}
}
