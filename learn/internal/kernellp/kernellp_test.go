package kernellp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// shapes are those of the five methods.
var shapes = map[string]Shape{
	"free":     {},
	"onesided": {OneSided: true},
	"sum":      {OneSided: true, SumToOne: true},
	"ceiling":  {OneSided: true, Ceiling: 0.4},
}

// small is a noisy two-class problem with its kernel matrix.
func small(n int, seed uint64) (*full, []float64) {
	set := dataset.PelegMeir(n, 0.2, seed)
	y, err := set.Signs()
	if err != nil {
		panic(err)
	}
	k := &full{first: n, packed: gram.Pack[float64](gram.RBF(0.5), set.X, set.N, set.D)}
	k.stored = blocked.New(k.packed, 1<<30, 1)
	k.Kernel = k.stored
	return k, y
}

func fill(n int, v float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// TestAgainstWhole holds row generation, warm over changing costs, against cold solves of the whole programs.
func TestAgainstWhole(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4) {
				n := 30 + 40*int(seed)
				k, y := small(n, seed+1)
				rng := rand.New(rand.NewPCG(seed, 7))
				hinge := fill(n, 2)
				hinge[n/2] = 0.5
				s := New(k, y, hinge, shape, Options{Batch: 5})
				for round := range 5 {
					p := Costs{Margin: 1, Coef: fill(n, 1), Bias: float64(seed % 2)}
					if shape.SumToOne {
						p.Margin = 0.1 * float64(round+1)
					}
					for i := range p.Coef {
						if round > 0 {
							p.Coef[i] = math.Exp(rng.NormFloat64())
						}
						if round > 2 && rng.IntN(3) == 0 {
							p.Coef[i] = math.Inf(1)
						}
					}
					compare(t, fmt.Sprintf("seed %d round %d", seed, round), s, p)
				}
			}
		})
	}
}

func compare(t *testing.T, what string, s *Solver, p Costs) {
	t.Helper()
	sol, err := s.Solve(context.Background(), p)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	lp := s.Whole(p)
	cold, err := simplex.New(*lp, simplex.Options{})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	want := cold.Solve(context.Background())
	if sol.Status != status.Optimal || want.Status != status.Optimal {
		t.Fatalf("%s: status %v, of the whole program %v", what, sol.Status, want.Status)
	}
	testutil.NearRel(t, what+": dual objective against the whole program", sol.Dual, -want.Objective, 1e-9)
	if !(math.Abs(sol.Gap()) <= 1e-9) || !(sol.Violation <= 1e-9) {
		t.Errorf("%s: gap %g, violation %g", what, sol.Gap(), sol.Violation)
	}
	checkPrimal(t, what, s, p, sol)
}

// checkPrimal verifies the model's own constraints, which the duals never saw.
func checkPrimal(t *testing.T, what string, s *Solver, p Costs, sol *Solution) {
	t.Helper()
	var sum float64
	for i, a := range sol.A {
		if s.shape.OneSided && !(a*s.y[i] >= 0) {
			t.Errorf("%s: coefficient %d is %g for label %g", what, i, a, s.y[i])
		}
		if s.shape.Ceiling > 0 && !(math.Abs(a) <= s.shape.Ceiling*(1+1e-9)) {
			t.Errorf("%s: coefficient %d is %g, the ceiling %g", what, i, a, s.shape.Ceiling)
		}
		if a != 0 && math.IsInf(p.Coef[i], 1) {
			t.Errorf("%s: coefficient %d is %g, its cost infinite", what, i, a)
		}
		sum += a * s.y[i]
	}
	if s.shape.SumToOne && !testutil.Within(sum, 1, 1e-9) {
		t.Errorf("%s: coefficients sum to %g", what, sum)
	}
	for i, m := range sol.M {
		if v := m * s.y[i]; !(v >= -1e-12 && v <= s.cap[i]+1e-12) {
			t.Errorf("%s: multiplier %d is %g outside [0, %g]", what, i, v, s.cap[i])
		}
	}
}

// TestLimit checks that an early stop returns a model and says so.
func TestLimit(t *testing.T) {
	k, y := small(200, 3)
	s := New(k, y, fill(200, 10), Shape{}, Options{Batch: 1, MaxSolves: 2})
	sol, err := s.Solve(context.Background(), Costs{Margin: 1, Coef: fill(200, 0.01), Bias: 1})
	if err != nil {
		t.Fatal(err)
	}
	if sol.Status != status.IterationLimit || sol.Solves != 2 || len(sol.A) != 200 {
		t.Errorf("status %v after %d solves with %d coefficients", sol.Status, sol.Solves, len(sol.A))
	}
	// No model at all has the objective 2000. Rows that are missing are violated, and so the multipliers
	// have become smaller until none is.
	best := optimum(t, k, y, fill(200, 10), Shape{}, Costs{Margin: 1, Coef: fill(200, 0.01), Bias: 1})
	if !(sol.Objective > best && sol.Objective < 2000 && sol.Dual > 0 && sol.Dual < best && sol.Violation == 0) {
		t.Errorf("objective %g, dual %g, violation %g; the optimum is %g", sol.Objective, sol.Dual, sol.Violation, best)
	}
	checkFeasible(t, k, sol, Costs{Margin: 1, Coef: fill(200, 0.01), Bias: 1})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if sol, err = s.Solve(ctx, Costs{Margin: 1, Coef: fill(200, 0.01), Bias: 1}); err != nil || sol.Status != status.Cancelled {
		t.Errorf("after a cancellation: status %v, error %v", sol.Status, err)
	}
}

// checkFeasible holds the multipliers against the rows of their program.
func checkFeasible(t *testing.T, k Kernel, sol *Solution, p Costs) {
	t.Helper()
	idx, g := make([]int, k.Len()), make([]float64, k.Len())
	var sum float64
	for i := range idx {
		idx[i] = i
		sum += sol.M[i]
	}
	if err := k.AddRows(context.Background(), g, idx, sol.M); err != nil {
		t.Fatal(err)
	}
	testutil.AtMost(t, "|Σ m|", math.Abs(sum), p.Bias*(1+1e-9))
	for i, v := range g {
		testutil.AtMost(t, "|(Km)_i|", math.Abs(v), p.Coef[i]*(1+1e-9))
	}
}

// TestLimitOfSums: a program whose coefficients sum to 1, stopped anywhere, has a bound below its optimum.
func TestLimitOfSums(t *testing.T) {
	k, y := small(120, 3)
	p := Costs{Margin: 0.1, Coef: fill(120, 0.01)}
	shape := Shape{OneSided: true, SumToOne: true}
	best := optimum(t, k, y, fill(120, 1), shape, p)
	for solves := 1; solves < 8; solves++ {
		sol, err := New(k, y, fill(120, 1), shape, Options{Batch: 1, MaxSolves: solves}).Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		testutil.AtMost(t, "dual", sol.Dual, best*(1+1e-9))
		testutil.AtMost(t, "violation", sol.Violation, OptimalViolation)
	}
}

// BenchmarkFirst times the first program of SSVC-B, matrix given, by working rows and whole.
func BenchmarkFirst(b *testing.B) {
	for _, c := range []struct {
		name     string
		file     string
		c, sigma float64
	}{
		{"diabetis", testutil.Testdata(b, "diabetis.libsvm"), 1, 3},
		{"german", "", 10, 12}, {"ringnorm-1000", "", 1, 4.5}, {"banana-1000", "", 1, 0.7},
	} {
		if c.file == "" {
			c.file = testutil.Shared(b, "open/"+c.name+".libsvm")
		}
		set, err := dataset.ReadFile(c.file, dataset.Options{})
		if err != nil {
			b.Fatal(err)
		}
		scale, err := dataset.FitZ(set)
		if err != nil {
			b.Fatal(err)
		}
		set = scale.Apply(set)
		y, err := set.Signs()
		if err != nil {
			b.Fatal(err)
		}
		n := set.N
		k := blocked.New(gram.Pack[float64](gram.RBFSigma(c.sigma), set.X, n, set.D), 1<<30, 1)
		p := Costs{Margin: 1, Coef: fill(n, 1), Bias: 1}
		lp := New(k, y, fill(n, c.c), Shape{}, Options{}).Whole(p) // fills the row cache, too
		b.Run("set="+c.name+"/form=rows", func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				sol, err := New(k, y, fill(n, c.c), Shape{}, Options{}).Solve(b.Context(), p)
				if err != nil || sol.Status != status.Optimal {
					b.Fatal(err, sol.Status)
				}
				b.ReportMetric(float64(sol.Iterations), "pivots")
				b.ReportMetric(float64(sol.Rows), "rows")
			}
		})
		b.Run("set="+c.name+"/form=whole", func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				s, err := simplex.New(*lp, simplex.Options{NoScaling: true})
				if err != nil {
					b.Fatal(err)
				}
				if r := s.Solve(b.Context()); r.Status != status.Optimal {
					b.Fatal(r.Status)
				}
			}
		})
	}
}
