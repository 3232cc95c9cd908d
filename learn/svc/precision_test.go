package svc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// Single precision is given up for double where the coefficients outgrow it, not where C does.
func TestPrecisionRule(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	cloud := func(k gram.Kernel, n int) *learn.Problem {
		if k.Gamma != 2 {
			return clouds(rng, n, 2, k)
		}
		p := clouds(rng, n, 8, k) // all free, with coefficients near 1
		for i := range p.X {
			p.X[i] = rng.NormFloat64()
		}
		return p
	}
	for _, c := range []struct {
		what string
		k    gram.Kernel
		c    float64
		bits int
	}{
		{"small C", gram.RBF(1), 1, 32},
		{"large C, small coefficients", gram.RBF(2), 1e4, 32},
		{"large coefficients", gram.RBF(1), 1e5, 64},
		{"larger C, a small gap", gram.RBF(2), 1e6, 32},
		{"linear", gram.Linear(), 1e-3, 64},
	} {
		for _, n := range []int{400, 1100} { // in one piece, and by rows
			p := cloud(c.k, n)
			r := mustTrain(t, Trainer{C: c.c}, p)
			if got := kernelBits(&r.Report); got != c.bits {
				t.Errorf("%s, n = %d: %d bits, want %d", c.what, n, got, c.bits)
			}
			if r.Report.Status != status.Optimal {
				t.Errorf("%s, n = %d: %v", c.what, n, r.Report.Status)
			}
			if c.bits == 32 && c.c > 1 {
				testutil.NearRel(t, "dual objective", r.Report.Duality.Objective, check(p, c.c, r).Dual, 1e-8)
			}
		}
	}
}

// Samples that single precision does not hold are in double.
func TestPrecisionOfPoints(t *testing.T) {
	cloud := func(k gram.Kernel) *learn.Problem { return clouds(rand.New(rand.NewPCG(1, 1)), 25, 2, k) }
	far := cloud(gram.RBF(1))
	far.X[7] = 1e200
	for _, c := range []struct {
		what string
		p    *learn.Problem
		bits int
	}{
		{"a feature that single precision does not hold", far, 64},
		{"an RBF kernel narrower than their rounding", cloud(gram.RBF(1e11)), 64},
		{"such a Laplacian", cloud(gram.Laplacian(1e6)), 64},
		{"a narrow one", cloud(gram.Laplacian(5)), 32},
	} {
		r := mustTrain(t, Trainer{C: 1e-3, Tolerance: 1e-2, MaxIter: 1000}, c.p)
		if got := kernelBits(&r.Report); got != c.bits {
			t.Errorf("%s: %d bits, want %d", c.what, got, c.bits)
		}
		if r.Bias-r.Bias != 0 {
			t.Errorf("%s: bias %v", c.what, r.Bias)
		}
	}
}

// A feature far wider than the others does not count for them; weights count for their own features, and the place of
// the samples for nothing.
func TestHeldByFeature(t *testing.T) {
	points := func(at float64, ranges ...float64) *learn.Problem {
		d := len(ranges)
		p := &learn.Problem{X: make([]float64, 2*d), N: 2, D: d, Y: []float64{-1, 1}}
		for k, r := range ranges {
			p.X[k], p.X[d+k] = at, at+r
		}
		return p
	}
	// Of half the ranges, γ times the sum and √(2γ Σ squares) may be 256.
	for _, c := range []struct {
		what string
		p    *learn.Problem
		k    gram.Kernel
		want bool
	}{
		{"all alike, narrow enough", points(0, 255, 255), gram.Laplacian(1), true},
		{"all alike, too wide", points(0, 257, 257), gram.Laplacian(1), false},
		{"all alike, below 0", points(-1000, 257, 257), gram.Laplacian(1), false},
		{"one wide, narrow enough", points(0, 360, 2), gram.Laplacian(1), true},
		{"one wide, too wide", points(0, 512, 2), gram.Laplacian(1), false},
		{"squares narrow enough", points(0, 510, 2), gram.RBF(0.5), true},
		{"squares too wide", points(0, 514, 2), gram.RBF(0.5), false},
		{"weighed, narrow enough", points(0, 508, 0), gram.WeightedRBF(0.5, []float64{1, 100}), true},
		{"weighed, too wide", points(0, 0, 60), gram.WeightedRBF(0.5, []float64{1, 100}), false},
		{"too far", points(2e18, 0, 0), gram.RBF(0.5), false},
		{"too far below", points(-2e18, 0, 0), gram.RBF(0.5), false},
	} {
		c.p.Kernel = c.k
		if got := singleSuffices(c.p); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
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

// Where rounding is said not to matter, of the solution or of a multiple of it, objectives and gap in double precision
// are those of the report, and the multiple loses next to nothing.
func TestClear(t *testing.T) {
	passed, stretched := 0, 0
	for _, n := range []int{300, 1100} {
		for _, cost := range []float64{3, 10, 20, 40, 100, 300, 1e5} {
			for _, gamma := range []float64{0.05, 0.5, 2, 8} {
				rng := rand.New(rand.NewPCG(uint64(n), 3))
				p := clouds(rng, n, 8, gram.RBF(gamma))
				for i := range p.X { // no sample twice
					p.X[i] += rng.NormFloat64()
				}
				m, rows := (Trainer{C: cost, Tolerance: 1e-3}).program(), p.Present()
				var r run
				if err := solve[float32](t.Context(), m, p, rows, m.single(p, n), &r); err != nil {
					t.Fatal(err)
				}
				made := report(r.sol)
				switch before := made.Duality.Objective; {
				case r.sol.Status != status.Optimal:
					continue
				case m.clear(&made, &r):
					passed++
				case m.stretch(&made, &r):
					stretched++
					made = report(r.sol)
					testutil.NearRel(t, "dual objective of the multiple", made.Duality.Objective, before, 1e-7)
					testutil.AtMost(t, "its violation", made.Duality.KKT, m.tolerance)
				default:
					continue
				}
				of := &learn.Result{Expansion: expansion(rows, r.sol), Report: made}
				exact := check(p, cost, of)
				name := fmt.Sprintf("n = %d, C = %v, γ = %v", n, cost, gamma)
				testutil.NearRel(t, name+": dual objective", made.Duality.Objective, exact.Dual, 1e-7)
				testutil.NearRel(t, name+": objective", made.Objective, exact.Primal, 1e-5)
				testutil.AtMost(t, name+": gap", (exact.Primal-exact.Dual)/exact.Primal, m.gap())
			}
		}
	}
	if passed < 6 || stretched < 3 {
		t.Errorf("%d cases, and %d of multiples", passed, stretched)
	}
}

// Rows of working sets in single precision lead to the optimum in double precision.
func TestMixedRows(t *testing.T) {
	for _, gamma := range []float64{0.01, 0.5, 4} {
		p := clouds(rand.New(rand.NewPCG(21, 22)), smo.WholeSet+300, 6, gram.RBF(gamma))
		m, rows := (Trainer{C: mixedCost, Tolerance: 1e-8}).program(), p.Present()
		var objectives []float64
		for _, largest := range []float64{m.cost(p), math.Inf(1)} {
			k, _, end, err := kernelMatrix[float64](t.Context(), p, rows, 1<<26, largest)
			if err != nil {
				t.Fatal(err)
			}
			if _, mixed := k.(*mixedMatrix); mixed != (largest == mixedCost) {
				t.Errorf("C of %v at most: %T", largest, k)
			}
			r := smo.Solve(t.Context(), m.pair(p, rows, k), smo.Options{Tolerance: m.tolerance, Gap: 1e-6})
			end()
			if r.Status != status.Optimal || !(r.KKT <= m.tolerance) {
				t.Errorf("γ = %v: %v, violation %v", gamma, r.Status, r.KKT)
			}
			objectives = append(objectives, r.Objective)
		}
		testutil.NearRel(t, "objective", objectives[0], objectives[1], 1e-8)
	}
}

// Merged samples, whose costs add up, leave rows of working sets in single precision. The matrix as a whole has steps
// in single precision and sums in double precision, if the budget has room for both.
func TestMixedWhole(t *testing.T) {
	p := clouds(rand.New(rand.NewPCG(23, 24)), smo.WholeSet+300, 6, gram.RBF(0.5))
	for i := 1; i < 50; i++ {
		copy(p.X[i*p.D:(i+1)*p.D], p.X[:p.D])
		p.Y[i] = p.Y[0]
	}
	p, _ = p.Merge()
	m, rows := (Trainer{C: mixedCost / 2, Tolerance: 1e-3}).program(), p.Present()
	if usual := m.usual(p, rows); !(usual < mixedCost && m.cost(p) > 10*mixedCost) {
		t.Fatalf("the mean cost is %v, the largest %v", usual, m.cost(p))
	}
	n := len(rows)
	for budget, whole := range map[int64]bool{1 << 26: true, wholeBytes[float64](n): false} {
		k, _, end, err := kernelMatrix[float64](t.Context(), p, rows, budget, m.usual(p, rows))
		if err != nil {
			t.Fatal(err)
		}
		w := k.(*mixedMatrix).Whole(t.Context())
		if (w != nil) != whole {
			t.Errorf("%d bytes: %T", budget, w)
		}
		if whole {
			sum, rounded := make([]float64, n), make([]float64, n)
			idx, coef := []int{3, 60}, []float64{1, 1e6}
			steps := w.(mixedWhole).Steps()
			if w.AddRows(t.Context(), sum, idx, coef) != nil || steps.AddRows(t.Context(), rounded, idx, coef) != nil {
				t.Fatal("rows are not added")
			}
			for i, v := range sum {
				x := func(k int) []float64 { return p.X[rows[k]*p.D : (rows[k]+1)*p.D] }
				testutil.NearRel(t, "sum", v, p.Kernel.Eval(x(3), x(i))+1e6*p.Kernel.Eval(x(60), x(i)), 1e-11)
				testutil.Near(t, "rounded sum", rounded[i], v, 1)
			}
			if slices.Equal(sum, rounded) {
				t.Error("steps read rows in double precision")
			}
		}
		end()
	}
}
