package lssvm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// byTurns labels n samples by turns.
func byTurns(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
	}
	return y
}

// far is samples moved far from 0, where a polynomial's values have rounding errors above any ridge.
func far(n int, by float64) *learn.Problem {
	p := ref.Clouds(62, n, 2)
	for i := range p.X {
		p.X[i] += by
	}
	p.Kernel = gram.Poly(3, 1, 1)
	return p
}

// A kernel matrix that rounding makes indefinite gives a model of finite numbers that says what was
// done and what is left of its equations.
func TestIndefiniteByRounding(t *testing.T) {
	equal := &learn.Problem{N: 12, D: 1, X: make([]float64, 12), Y: byTurns(12), Kernel: gram.Poly(3, 1e8, 1)}
	repeated := &learn.Problem{N: 8, D: 1, X: make([]float64, 8), Y: byTurns(8), Kernel: gram.Poly(3, 1e8, 1)}
	for i := range equal.X {
		equal.X[i] = 1.3
	}
	for i := range repeated.X {
		repeated.X[i] = float64(i%3) + 0.7
	}
	for name, p := range map[string]*learn.Problem{
		"equal": equal, "repeated": repeated, "far": far(10, 1e6), "further": far(40, 3e7),
	} {
		for _, tr := range []learn.Trainer{Dual{GammaReg: 0.2}, Prune{GammaReg: 0.2}} {
			r, err := tr.Train(context.Background(), p)
			if err != nil {
				t.Errorf("%s, %s: %v", name, tr.Name(), err)
				continue
			}
			if m := r.Report.Message; !strings.Contains(m, "of its diagonal added") &&
				!(r.Report.Status != status.Optimal && strings.Contains(m, "relative residual")) {
				t.Errorf("%s, %s: message %q", name, tr.Name(), r.Report.Message)
			}
			testutil.AtMost(t, name+" bias", math.Abs(r.Bias), 1e150)
			for _, a := range r.Coef {
				testutil.AtMost(t, name+" coefficient", math.Abs(a), 1e150)
			}
			if r.Report.Status == status.Optimal {
				testutil.AtMost(t, name+" residual", *r.Report.Residual, samples.OptimalResidual)
			}
		}
	}
}

// What is indefinite by more than rounding is refused as before.
func TestIndefiniteIsRefused(t *testing.T) {
	p := ref.Clouds(63, 20, 2)
	p.Kernel = gram.Sigmoid(3, -1)
	var pivot *cholupdate.PivotError
	for _, tr := range []learn.Trainer{Dual{GammaReg: 100}, Prune{GammaReg: 100}} {
		if _, err := tr.Train(context.Background(), p); !errors.As(err, &pivot) {
			t.Errorf("%s: error %v, want a PivotError in its chain", tr.Name(), err)
		}
	}
}

// At a large γ refinement in float64 leaves a violation above what an optimum may have, and
// refinement in doubled precision does not.
func TestMendedResidual(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			scale, gamma float64
			kernel       gram.Kernel
		}{{1, 1e9, gram.Linear()}, {100, 1e5, gram.Linear()}, {1e-3, 1e9, gram.RBF(1)}} {
			p := ref.Clouds(64, 20, 2)
			for i := range p.X {
				p.X[i] *= c.scale
			}
			p.Y, p.Kernel = byTurns(p.N), c.kernel
			r, err := Dual{GammaReg: c.gamma}.Train(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Report.Status != status.Optimal {
				t.Errorf("%+v: %v: %s", c, r.Report.Status, r.Report.Message)
			}
		}
	})
}

// From any start refine comes to the solution of the system, and the figures of both precisions agree there.
func TestMend(t *testing.T) {
	p := ref.Clouds(65, 50, 3)
	p.Weight = ref.Ones(p.N)
	p.Weight[3], p.Weight[4] = 0, 2.5
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	k, err := newKKT(ctx, task)
	if err != nil {
		t.Fatal(err)
	}
	bo, message, err := k.system(ctx, 10)
	if err != nil || message != "" {
		t.Fatalf("message %q, error %v", message, err)
	}
	want, wantBias, _, err := k.solve(ctx, bo)
	if err != nil {
		t.Fatal(err)
	}
	start := make([]float64, task.N)
	for i := range start {
		start[i] = float64(i % 7)
	}
	a, b, f, err := k.refine(ctx, bo, start, 4)
	if err != nil {
		t.Fatal(err)
	}
	testutil.NearAll(t, "coefficients", a, want, 1e-9)
	testutil.Near(t, "bias", b, wantBias, 1e-9)
	e := &learn.Expansion{Support: task.Row, Coef: a, Bias: b}
	testutil.NearAll(t, "decisions", f, p.Decisions(ctx, e, task.Row), 1e-12)
	plain, doubled := inFloat64(ctx, task, e, 10), inDoubled(ctx, task, e, 10)
	testutil.NearRel(t, "objective", doubled.objective, plain.objective, 1e-10)
	testutil.NearRel(t, "dual objective", doubled.dual, plain.dual, 1e-10)
	testutil.AtMost(t, "residual", max(plain.residual, doubled.residual, plain.violation, doubled.violation), 1e-10)
	a[5] += 0.01
	plain, doubled = inFloat64(ctx, task, e, 10), inDoubled(ctx, task, e, 10)
	testutil.NearRel(t, "residual of another model", doubled.residual, plain.residual, 1e-9)
	testutil.NearRel(t, "violation of another model", doubled.violation, plain.violation, 1e-9)
}

// Coefficients whose sum is 0 in float64 and is not are no solution: 2e-5 is lost next to 1e12.
func TestSumOfCoefficients(t *testing.T) {
	p := ref.Clouds(66, 4, 2)
	p.Y = []float64{1, 1, 1, -1}
	p.Kernel = gram.Custom(func(x, z []float64) float64 { return 0 })
	p.Weight = []float64{1e12, 1e-5, 1e-5, 1e12}
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	e := &learn.Expansion{Support: task.Row, Coef: []float64{1e12, 1e-5, 1e-5, -1e12}}
	for _, g := range []figures{
		inFloat64(context.Background(), task, e, 1), inDoubled(context.Background(), task, e, 1),
	} {
		testutil.NearRel(t, "violation", g.violation, 2e-5, 1e-9)
		testutil.NearRel(t, "residual", g.residual, 1e-5, 1e-9)
	}
}

// Targets in other units give the same model in those, bit by bit where a unit is a power of 2, also where the
// equations have to be refined.
func TestUnitsOfTargets(t *testing.T) {
	p := ref.Clouds(62, 40, 2)
	p.Task, p.Kernel = learn.Regress, gram.RBF(1e-4)
	train := func(unit float64) *learn.Result {
		q := *p
		q.Y = make([]float64, p.N)
		for i := range q.Y {
			q.Y[i] = unit * (p.X[2*i] + math.Sin(3*p.X[2*i+1]))
		}
		r, err := Dual{GammaReg: 1e8}.Train(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := train(1)
	if want.Report.Status != status.Optimal {
		t.Fatalf("%v: %s", want.Report.Status, want.Report.Message)
	}
	for _, unit := range []float64{0x1p-40, 0x1p40} {
		got := train(unit)
		if got.Report.Status != status.Optimal || got.Bias != unit*want.Bias {
			t.Errorf("targets times %v: %v, bias %v, want %v", unit, got.Report.Status, got.Bias/unit, want.Bias)
		}
		for s, a := range got.Coef {
			if a != unit*want.Coef[s] {
				t.Fatalf("targets times %v: coefficient %v, want %v", unit, a/unit, want.Coef[s])
			}
		}
	}
}
