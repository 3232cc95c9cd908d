package simplex

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// netlib lists the files of shared/data/lp with their published optima (the
// folder's README); refinery's relaxation is infeasible.
var netlib = []struct {
	name string
	st   status.Status
	opt  float64
}{
	{"afiro", status.Optimal, -4.6475314286e+02},
	{"adlittle", status.Optimal, 2.2549496316e+05},
	{"israel", status.Optimal, -8.9664482186e+05},
	{"e226", status.Optimal, -1.1638929066e+01},
	{"etamacro", status.Optimal, -7.5571523375e+02},
	{"stair", status.Optimal, -2.5126695119e+02},
	{"standata", status.Optimal, 1.2576995000e+03},
	{"standmps", status.Optimal, 1.4060175000e+03},
	{"avgas", status.Optimal, -7.75},
	{"blending", status.Optimal, -3200},
	{"woodinfe", status.Infeasible, 0},
	{"bgetam", status.Infeasible, 0},
	{"box1", status.Infeasible, 0},
	{"galenet", status.Infeasible, 0},
	{"refinery", status.Infeasible, 0},
}

func TestNetlib(t *testing.T) {
	for _, c := range netlib {
		t.Run(c.name, func(t *testing.T) {
			lp := readProgram(t, testutil.Shared(t, "lp/"+c.name+".mps.gz"))
			for k, method := range []Method{Method(0), Primal, Dual, Method(0), Primal, Dual} {
				s, err := New(lp, Options{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				if k >= 3 {
					s.Presolve(t.Context())
				}
				r := s.Solve(context.Background())
				t.Logf("method %d: %v after %d iterations, objective %.10g, residuals %.2g %.2g, gap %.2g",
					method, r.Status, r.Iterations, r.Objective, r.PrimalResidual, r.DualResidual, r.Gap)
				if s.before > 0 && 10*(r.Iterations-s.before) > r.Iterations {
					t.Errorf("%d of %d iterations after the smaller program", r.Iterations-s.before, r.Iterations)
				}
				if r.Status != c.st {
					t.Fatalf("status %v, want %v", r.Status, c.st)
				}
				if err := Check(lp, r); err != nil {
					t.Error(err)
				}
				if got := r.Objective; c.st == status.Optimal && !testutil.Within(got, c.opt, 1e-7*(1+math.Abs(c.opt))) {
					t.Errorf("objective %.12g, published %.12g", got, c.opt)
				}
			}
		})
	}
}

// BenchmarkPresolve solves the published programs with and without it.
func BenchmarkPresolve(b *testing.B) {
	for _, c := range netlib {
		lp := readProgram(b, testutil.Shared(b, "lp/"+c.name+".mps.gz"))
		for _, presolve := range []bool{false, true} {
			b.Run(fmt.Sprintf("lp=%s/presolve=%v", c.name, presolve), func(b *testing.B) {
				pivots, before := 0, cpu.Seconds()
				for b.Loop() {
					s, err := New(lp, Options{})
					if err != nil {
						b.Fatal(err)
					}
					if presolve {
						s.Presolve(b.Context())
					}
					pivots = s.Solve(context.Background()).Iterations
				}
				b.ReportMetric(1e6*(cpu.Seconds()-before)/float64(b.N), "processor-µs/op")
				b.ReportMetric(float64(pivots), "pivots")
			})
		}
	}
}
