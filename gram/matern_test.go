package gram

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestSklearnKernels compares with values of scikit-learn, whose length scale ℓ is our γ = 1/(2ℓ²). It takes squares of
// differences, as we do.
func TestSklearnKernels(t *testing.T) {
	data, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		X     [][]float64
		Cases []struct {
			Kernel string
			Length float64   `json:"length_scale"`
			Wide   []float64 `json:"length_scales"`
			Alpha  float64
			Values [][]float64
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) == 0 {
		t.Fatal("no cases")
	}
	n, d := len(all.X), len(all.X[0])
	var x []float64
	for _, row := range all.X {
		x = append(x, row...)
	}
	testutil.EachLevel(t, func(t *testing.T) {
		for _, c := range all.Cases {
			kind, err := ParseKind(c.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			k := Kernel{Kind: kind, Gamma: 0.5, Alpha: c.Alpha}
			for _, l := range c.Wide {
				k.Weights = append(k.Weights, 1/(l*l))
			}
			if c.Wide == nil {
				k.Gamma = 1 / (2 * c.Length * c.Length)
			}
			double, single := make([]float64, n*n), make([]float32, n*n)
			Pack[float64](k, x, n, d).Full(double, n)
			Pack[float32](k, x, n, d).Full(single, n)
			for i := range n {
				for j, want := range c.Values[i] {
					testutil.Near(t, "Eval", k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d]), want, 1e-14)
					testutil.Near(t, "float64", double[i*n+j], want, 1e-14)
					testutil.Near(t, "float32", float64(single[i*n+j]), want, 4e-6)
				}
			}
		}
	})
}

// TestLengths pins what γ means: the σ of RBF, from which these kernels differ less and less.
func TestLengths(t *testing.T) {
	x, z := []float64{1, 2}, []float64{2, 0}
	for k, want := range map[Kind]float64{
		KindMatern12: math.Exp(-math.Sqrt(5) / 3),
		KindMatern32: (1 + math.Sqrt(15)/3) * math.Exp(-math.Sqrt(15)/3),
		KindMatern52: (1 + 5.0/3 + 25.0/27) * math.Exp(-5.0/3),
	} {
		testutil.Near(t, k.String(), Kernel{Kind: k, Gamma: RBFSigma(3).Gamma}.Eval(x, z), want, 1e-15)
	}
	k := RationalQuadratic(2, RBFSigma(3).Gamma)
	testutil.Near(t, "rational quadratic", k.Eval(x, z), math.Pow(1+5.0/36, -2), 1e-15)
	testutil.Near(t, "largest α", RationalQuadratic(MaxAlpha, 0.1).Eval(x, z), RBF(0.1).Eval(x, z), 1e-9)
}

// TestCurves holds values between 0 and 1, exactly 1 at equal samples and 0 far away, at every level.
func TestCurves(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testCurves[float64])
		t.Run("float32", testCurves[float32])
	})
}

func testCurves[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, k := range []Kernel{Matern12(0.7), Matern32(0.7), Matern52(0.7), RationalQuadratic(1.3, 0.7),
		Matern12(1e30), Matern52(1e-30)} {
		c := k.trait().curve
		for n := range 300 {
			src, intact := testutil.Guarded[T](t, n, rng.IntN(7))
			dst, untouched := testutil.Guarded[T](t, n, rng.IntN(7))
			for i := range src {
				src[i] = T(math.Exp(rng.NormFloat64() * 9))
				if rng.IntN(5) == 0 {
					src[i] = T([]float64{0, math.Inf(1), 1e38, 1e-38, math.NaN(), 1e-300}[rng.IntN(6)])
				}
			}
			bend(c, k, dst, src, 1)
			intact("sums")
			untouched("values")
			for i, s := range src {
				want, tol := c.of(k, float64(s)), 3e-15
				if lanes[T]() == lanes[float32]() {
					tol = 2e-6
				}
				if v := float64(dst[i]); s == s && !(v >= 0 && v <= 1 && math.Abs(v-want) <= tol) {
					t.Fatalf("%v of the sum %v, %d of %d: %v, want %v", k, s, i, n, v, want)
				}
				if s != s && dst[i] == dst[i] {
					t.Fatalf("%v of NaN is %v", k, dst[i])
				}
				if s == 0 && dst[i] != 1 {
					t.Fatalf("%v of 0 is %v", k, dst[i])
				}
			}
			bend(c, k, src, src, 1)
			for i, v := range src {
				if !testutil.Same(v, dst[i]) {
					t.Fatalf("%v in place: %v, want %v", k, v, dst[i])
				}
			}
		}
	}
}

// TestSlopes compares values and slopes with the formulas and their derivatives by the exponent, in place and not.
func TestSlopes(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for kind := range kinds {
			k := Kernel{Kind: Kind(kind), Gamma: 3, Alpha: 1.3}
			if !k.trait().sloped() {
				continue
			}
			exponents := []float64{0, -1e-300, -1e-12, -1e-3, -0.1, -0.5, -1, -2, -5, -20, -300, -1e5, math.Inf(-1)}
			values, slopes := make([]float64, len(exponents)), make([]float64, len(exponents))
			k.Slopes(values, slopes, exponents)
			for i, e := range exponents {
				s := -e
				want := slopes[i] // a kernel that is not written out below is held to the differences alone
				switch k.Kind {
				case KindRBF:
					want = math.Exp(-s)
				case KindMatern32:
					want = 3 * math.Exp(-math.Sqrt(6*s))
				case KindMatern52:
					t := math.Min(math.Sqrt(10*s), 1e4)
					want = 5.0 / 3 * (1 + t) * math.Exp(-t)
				case KindRationalQuadratic:
					want = math.Pow(1+s/1.3, -2.3)
				}
				testutil.Near(t, fmt.Sprintf("%v: slope at %v", k.Kind, e), slopes[i], want, 5e-15)
				testutil.Near(t, fmt.Sprintf("%v: value at %v", k.Kind, e), values[i], k.of(s/k.Gamma), 5e-15)
				if h := 1e-4 * s; s > 0 && s < 100 {
					lower := (k.of((s-h)/k.Gamma) - k.of((s+h)/k.Gamma)) / (2 * h)
					testutil.Near(t, fmt.Sprintf("%v: difference at %v", k.Kind, e), slopes[i], lower, 1e-6+1e-15/h)
				}
			}
			again := make([]float64, len(exponents))
			k.Slopes(exponents, again, exponents)
			for i, v := range exponents {
				if v != values[i] || again[i] != slopes[i] {
					t.Fatalf("%v in place: %v and %v, want %v and %v", k.Kind, v, again[i], values[i], slopes[i])
				}
			}
		}
	})
	numbered := RBF(1)
	numbered.Rows = new(csr.Matrix)
	for _, k := range []Kernel{Matern12(1), Laplacian(1), Linear(), Poly(2, 1, 1), Custom(nil), numbered, {Kind: 99}} {
		if k.ValidateSlopes() == nil {
			t.Errorf("%v has slopes", k.Kind)
		}
	}
}

// A function of the distance by a formula of its own has no slopes: [Kernel.Slopes] would give those of RBF.
func TestSlopesOfFormula(t *testing.T) {
	defer func(was kind) { kinds[KindRBF] = was }(kinds[KindRBF])
	kinds[KindRBF] = kind{name: "cauchy", gamma: true, distance: true, sum: squares, form: square,
		value: func(k Kernel, s float64) float64 { return 1 / (1 + k.Gamma*s) }}
	const want = "found the kernel cauchy, want matern32, matern52, rational-quadratic: "
	if err := RBF(1).ValidateSlopes(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s...", err, want)
	}
}

func TestRoots(t *testing.T) { eachOperands(t, testRoots[float64], testRoots[float32]) }

func testRoots[T Float](o *operands[T], special bool) {
	for n := range 101 {
		o.start("%d roots", n)
		dst, dstTwin := o.fill(n)
		src, srcTwin := o.fill(n)
		if special {
			o.special(src, srcTwin)
		}
		for i := range src {
			if src[i] < 0 {
				src[i], srcTwin[i] = -src[i], -srcTwin[i]
			}
		}
		roots(dst, src, 0.3)
		rootsGeneric(dstTwin, srcTwin, 0.3)
		o.same("root", dst, dstTwin, 0)
		o.same("sum", src, srcTwin, 0)
		roots(src, src, 0.3)
		o.same("root in place", src, dst, 0)
	}
}

func TestBends(t *testing.T) { eachOperands(t, testBends[float64], testBends[float32]) }

func testBends[T Float](o *operands[T], special bool) {
	for n := range 101 {
		o.start("%d values", n)
		dst, dstTwin := o.fill(n)
		src, srcTwin := o.fill(n)
		if special {
			o.special(src, srcTwin)
			o.special(dst, dstTwin)
		}
		bends(dst, src, 1, 1.0/3)
		bendsGeneric(dstTwin, srcTwin, 1, 1.0/3)
		o.same("value", dst, dstTwin, expTolerance[T]())
		o.same("root", src, srcTwin, 0)
	}
}

// TestLogs holds every level to the bits of log1p.
func TestLogs(t *testing.T) { eachOperands(t, testLogs[float64], testLogs[float32]) }

func testLogs[T Float](o *operands[T], special bool) {
	l := lanes[T]()
	for n := l; n < 12*l; n += l {
		o.start("%d logarithms", n)
		dst, dstTwin := o.fill(n)
		src, srcTwin := o.fill(n)
		if special {
			o.special(src, srcTwin)
		}
		for i := range src {
			src[i] = T(math.Abs(float64(src[i])) * math.Exp(float64(i%31-15)))
			srcTwin[i] = src[i]
		}
		logs(dst, src, 0.3, 1.7)
		for i, v := range srcTwin {
			dstTwin[i] = T(1.7 * log1p(float64(0.3*float64(v))))
		}
		o.same("logarithm", dst, dstTwin, 0)
		o.same("sum", src, srcTwin, 0)
		logs(src, src, 0.3, 1.7)
		o.same("logarithm in place", src, dst, 0)
	}
}

// TestLog1p compares with Go's function, which is within one unit in the last place.
func TestLog1p(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 20000 {
		x := math.Exp(rng.NormFloat64() * 12)
		got, near := log1p(x), math.Log1p(x)
		if !(math.Abs(got-near) <= 3*0x1p-53*2*near) {
			t.Fatalf("ln(1+%v) = %v, want %v", x, got, near)
		}
	}
	for x, want := range map[float64]float64{0: 0, 1: math.Ln2, 1e-300: 1e-300, 0x1p60: 60 * math.Ln2} {
		testutil.Near(t, "logarithm", log1p(x), want, 1e-16*want)
	}
	if v := log1p(math.NaN()); v == v {
		t.Errorf("ln(1+NaN) = %v", v)
	}
	if v := log1p(math.Inf(1)); !math.IsInf(v, 1) {
		t.Errorf("ln(1+Inf) = %v", v)
	}
}
