package gram

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestAccuracy holds values of kernels that decay by a vector loop against distances in 200-bit arithmetic, on data
// that breaks careless formulas: far from the origin, with outliers, with near duplicates. The bounds are the
// documented ones.
func TestAccuracy(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		name   string
		d      int
		change func(x []float64, d int)
	}{
		{"plain", 2, func([]float64, int) {}},
		{"plain", 60, func([]float64, int) {}},
		{"offset 1e6", 2, func(x []float64, d int) { shift(x, 1e6) }},
		{"offset 1e6", 60, func(x []float64, d int) { shift(x, 1e6) }},
		{"outlier", 60, func(x []float64, d int) { x[7] = 1e8 }},
		{"near duplicates", 60, func(x []float64, d int) {
			for k := range d {
				x[d+k] = x[k] + 1e-7*x[2*d+k]
			}
		}},
	} {
		x := points(n, c.d)
		c.change(x, c.d)
		for kind, own := range kinds {
			if !own.decay || own.form == pairs {
				continue
			}
			k := Kernel{Kind: Kind(kind), Gamma: 0.5 / float64(c.d)}
			want := exact(k, x, n, c.d)
			t.Run(c.name+"/"+k.Kind.String(), func(t *testing.T) {
				testutil.EachLevel(t, func(t *testing.T) {
					checkAccuracy[float64](t, k, x, n, c.d, want, 0x1p-53)
					checkAccuracy[float32](t, k, x, n, c.d, want, 0x1p-24)
				})
			})
		}
	}
}

func shift(x []float64, by float64) {
	for i := range x {
		x[i] += by
	}
}

func checkAccuracy[T Float](t *testing.T, kernel Kernel, x []float64, n, d int, want []float64, u float64) {
	t.Helper()
	p := Pack[T](kernel, x, n, d)
	bound := min(p.errorBound(x, u), p.ErrorBound())
	full := make([]T, n*n)
	p.Full(full, n)
	for i, k := range full {
		if k < 0 || k > 1 || i%(n+1) == 0 && k != 1 {
			t.Fatalf("value %d is %v", i, k)
		}
		if e := math.Abs(float64(k) - want[i]); !(e <= bound) {
			t.Fatalf("value %d is %v, want %v: error %.2g, bound %.2g", i, k, want[i], e, bound)
		}
	}
}

// errorBound is the written bound on |computed − exact| for unit roundoff u.
func (p *Samples[T]) errorBound(x []float64, u float64) float64 {
	d, in := float64(p.d), p.layout.(*inPanels[T])
	switch {
	case in.form == expanded:
		return (d + 8) * u * (4*p.kernel.Gamma*in.feat.maxNorm(x, p.n, p.d) + 1)
	case in.form == absolute && in.feat.centre != nil:
		var largest float64
		for i := range p.n {
			largest = max(largest, differences(p.kernel, x[i*p.d:(i+1)*p.d], in.feat.centre))
		}
		return (d+8)*u + 4*u*p.kernel.Gamma*largest
	case in.feat.centre != nil:
		// Rounding a centred feature costs u of its size, in a difference that is at most twice that.
		return (d+8)*u + 4*u*math.Sqrt(p.kernel.Gamma*in.feat.maxNorm(x, p.n, p.d))
	}
	return (d + 8) * u
}

// exact is the matrix of a kernel that decays.
func exact(kernel Kernel, x []float64, n, d int) []float64 {
	k := make([]float64, n*n)
	for i := range n {
		for j := range n {
			sum := new(big.Float).SetPrec(200)
			for f := range d {
				a := new(big.Float).SetPrec(200).SetFloat64(x[i*d+f])
				a.Sub(a, big.NewFloat(x[j*d+f]))
				if kernel.trait().form == square {
					a.Mul(a, a)
				}
				sum.Add(sum, a.Abs(a))
			}
			s, _ := sum.Float64()
			k[i*n+j] = math.Exp(-kernel.Gamma * s)
		}
	}
	return k
}

// FuzzRow compares rows at every level with the portable loops, bit for bit.
func FuzzRow(f *testing.F) {
	f.Add(uint8(9), uint8(2), uint8(1), 0.5, 1.0)
	f.Add(uint8(40), uint8(33), uint8(0), 1e-3, -1e6)
	f.Add(uint8(200), uint8(100), uint8(0), 1e-3, 0.0)
	f.Fuzz(func(t *testing.T, n, d, kind uint8, gamma, first float64) {
		k := Kernel{Kind: Kind(kind % uint8(len(kinds))), Gamma: math.Abs(gamma), Coef0: 1, Degree: 2}
		if !k.Vectorised() || n == 0 || d == 0 || k.Validate(int(d)) != nil || !(math.Abs(first) < 1e100) || k.Gamma > 1e100 {
			t.Skip()
		}
		x := points(int(n), int(d))
		x[0] = first
		p := Pack[float64](k, x, int(n), int(d))
		var want []float64
		for _, l := range cpu.Available() {
			restore := cpu.Use(l)
			row := make([]float64, n)
			p.Row(row, int(n)/2)
			restore()
			if l == cpu.Generic {
				want = row
			}
			for j := range row {
				if row[j] != want[j] && !(row[j] != row[j] && want[j] != want[j]) {
					t.Fatalf("level=%s: value %d is %v, the portable loops give %v", l, j, row[j], want[j])
				}
			}
		}
	})
}

// TestExpansionErrorBound compares sums with those of exact kernel values, for many samples and signs of coefficients.
func TestExpansionErrorBound(t *testing.T) {
	const n, d = 1500, 7
	x := points(n, d)
	k := RBF(0.5 / float64(d))
	coefs := [][]float64{make([]float64, n), make([]float64, n)}
	for j := range n {
		coefs[0][j], coefs[1][j] = math.Sin(float64(j)), 1e3
	}
	testutil.EachLevel(t, func(t *testing.T) {
		checkSums[float64](t, k, x, n, d, coefs)
		checkSums[float32](t, k, x, n, d, coefs)
	})
}

func checkSums[T Float](t *testing.T, k Kernel, x []float64, n, d int, coefs [][]float64) {
	t.Helper()
	p := Pack[T](k, x, n, d)
	e, each := p.Expand(coefs...), p.ErrorBound()
	got := make([]float64, 8*len(coefs))
	e.Eval(got, x, 8)
	for q := range 8 {
		for o, c := range coefs {
			want, size := 0.0, 0.0
			for j, v := range c {
				want += v * k.Eval(x[q*d:(q+1)*d], x[j*d:(j+1)*d])
				size += math.Abs(v)
			}
			bound := e.ErrorBound(each, o)
			testutil.Near(t, "sum", got[q*len(coefs)+o], want, bound+1e-12*size)
			testutil.AtMost(t, "bound, of Σ|c|", bound, 1e-4*size)
		}
	}
}

// The radius in the bound is the largest norm of the packed samples, whatever the number of them in the last panel.
func TestExtents(t *testing.T) {
	t.Run("float32", testExtents[float32])
	t.Run("float64", testExtents[float64])
}

func testExtents[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for n := 1; n <= 40; n++ {
		for _, d := range []int{1, 5, 30} {
			x := make([]float64, n*d)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			in := Pack[T](RBF(0.3), x, n, d).layout.(*inPanels[T])
			radius, _, _ := in.extents()
			want := 0.0
			for i := range n {
				sum := 0.0
				for k := range d {
					v := float64(in.point(i)[k*lanes[T]()])
					sum += v * v
				}
				want = max(want, math.Sqrt(sum))
			}
			testutil.Near(t, "radius", radius, want, 1e-12*want)
		}
	}
}
