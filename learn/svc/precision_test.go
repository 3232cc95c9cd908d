package svc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// TestPrecisionRule pins when kernel values are in single precision: C √n at most a
// quarter of the tolerance in units of 2⁻²⁴, C with the largest weight, and RBF only.
func TestPrecisionRule(t *testing.T) {
	const n, tol = 25, 1e-2
	limit := 0.25 * tol * (1 << 24) / math.Sqrt(n)
	cloud := func(k gram.Kernel, weight float64) *learn.Problem {
		p := clouds(rand.New(rand.NewPCG(1, 1)), n, 2, k)
		p.Weight = make([]float64, n)
		for i := range p.Weight {
			p.Weight[i] = 1
		}
		p.Weight[3] = weight
		return p
	}
	far, near, nearer := cloud(gram.RBF(1), 1), cloud(gram.RBF(1e11), 1), cloud(gram.Laplacian(1e6), 1)
	far.X[7] = 1e200
	for _, c := range []struct {
		what string
		p    *learn.Problem
		c    float64
		bits int
	}{
		{"at the limit", cloud(gram.RBF(1), 1), limit, 32},
		{"above it", cloud(gram.RBF(1), 1), limit * 1.001, 64},
		{"above it by a weight", cloud(gram.RBF(1), 1.001), limit, 64},
		{"linear", cloud(gram.Linear(), 1), 1e-3, 64},
		{"a feature that single precision does not hold", far, 1e-3, 64},
		{"an RBF kernel narrower than their rounding", near, 1e-3, 64},
		{"such a Laplacian", nearer, 1e-3, 64},
		{"a narrow one", cloud(gram.Laplacian(5), 1), 1e-3, 32},
	} {
		r := mustTrain(t, Trainer{C: c.c, Tolerance: tol, MaxIter: 1000}, c.p)
		if got := kernelBits(&r.Report); got != c.bits {
			t.Errorf("%s: %d bits, want %d", c.what, got, c.bits)
		}
		if r.Bias-r.Bias != 0 {
			t.Errorf("%s: bias %v", c.what, r.Bias)
		}
	}
}

// Single-precision kernel values, the default at this tolerance, keep the exact optimality
// conditions: the violation recomputed in double precision exceeds the tolerance by less than half.
func TestSinglePrecision(t *testing.T) {
	z := func(name string, gamma float64) func(testing.TB) *learn.Problem {
		return func(tb testing.TB) *learn.Problem {
			return load(tb, testutil.Testdata(tb, name), true, gram.RBF(gamma))
		}
	}
	for name, read := range map[string]func(testing.TB) *learn.Problem{
		"diabetis":   z("diabetis.libsvm", 0.125),
		"ionosphere": z("ionosphere.libsvm", 0.03),
		"ringnorm": func(tb testing.TB) *learn.Problem {
			return head(read(tb, "open/ringnorm.libsvm.gz", gram.RBF(0.05)), 1000)
		},
		"digits": func(tb testing.TB) *learn.Problem { return digits(tb, 600) },
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t)
			r := mustTrain(t, Trainer{C: 10}, p)
			if bits := kernelBits(&r.Report); bits != 32 {
				t.Fatalf("%d bits", bits)
			}
			testutil.AtMost(t, "violation", check(p, 10, r).KKT, 1.5e-3)
		})
	}
}
