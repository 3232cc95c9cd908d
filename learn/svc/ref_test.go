package svc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// TestKindsAgainstReference holds every model against its dual as the papers print it, solved in plain loops.
func TestKindsAgainstReference(t *testing.T) {
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 77))
		n := 6 + rnd.IntN(10)
		p := &learn.Problem{X: make([]float64, 2*n), N: n, D: 2, Y: make([]float64, n), Kernel: gram.RBF(0.7)}
		if seed%3 == 0 {
			p.Weight = make([]float64, n)
		}
		sign, w, k := make([]float64, n), make([]float64, n), make([][]float64, n)
		for i := range n {
			p.X[2*i], p.X[2*i+1] = rnd.NormFloat64(), rnd.NormFloat64()
			p.Y[i] = math.Sin(p.X[2*i]) + 0.3*rnd.NormFloat64()
			if sign[i], w[i] = float64(1-2*(i%2)), 1; p.Weight != nil {
				w[i] = 0.5 + rnd.Float64()
				p.Weight[i] = w[i]
			}
		}
		for i := range n {
			for j := range n {
				k[i] = append(k[i], p.Kernel.Eval(p.X[2*i:2*i+2], p.X[2*j:2*j+2]))
			}
		}
		c, epsilon, nu := math.Exp(2*rnd.NormFloat64()), 0.3*rnd.Float64(), 0.1+0.6*rnd.Float64()
		costs := make([]float64, n)
		for i := range costs {
			costs[i] = c * w[i]
		}
		const tol = 1e-9
		values, points, classes := *p, *p, *p
		values.Task, points.Task, points.Y, classes.Y = learn.Regress, learn.OneClass, nil, sign
		against(t, "svr", SVR{C: c, Epsilon: epsilon, Tolerance: tol}, &values, ref.SVCRegression(k, p.Y, costs, epsilon), 1)
		r := against(t, "nu-svr", NuSVR{C: c, Nu: nu, Tolerance: tol}, &values, ref.SVCNuRegression(k, p.Y, costs, nu), 1)
		at := SVR{C: c, Epsilon: figures(r).Cost, Tolerance: tol}
		if at.Epsilon == 0 { // which would be the default
			at.Epsilon = -1
		}
		against(t, "svr at the ε of nu-svr", at, &values, ref.SVCRegression(k, p.Y, costs, figures(r).Cost), 1)
		against(t, "one-class", OneClass{Nu: nu, Tolerance: tol}, &points, ref.SVCSingle(k, w, nu), 1)
		if r, err := (NuSVC{Nu: nu, Tolerance: tol}).Train(t.Context(), &classes); err == nil {
			against(t, "nu-svc", NuSVC{Nu: nu, Tolerance: tol}, &classes, ref.SVCNuClasses(k, sign, w, nu), figures(r).Cost)
		}
	}
}

func figures(r *learn.Result) Figures { return r.Report.Figures.(Figures) }

// against compares coefficients, in units of the reference, by the reference's objective.
func against(t *testing.T, what string, tr learn.Trainer, p *learn.Problem, ref *ref.SVCProgram,
	unit float64) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if r.Report.Status != status.Optimal {
		t.Errorf("%s: %v %s", what, r.Report.Status, r.Report.Message)
	}
	alpha := make([]float64, len(ref.P))
	for s, i := range r.Support {
		a := r.Coef[s] / unit
		switch {
		case len(alpha) == p.N:
			alpha[i] = math.Abs(a)
		case a > 0:
			alpha[i] = a
		default:
			alpha[p.N+i] = -a
		}
	}
	got, want := ref.Objective(alpha), ref.Objective(ref.Solve())
	testutil.Near(t, what+": objective", got, want, 1e-7*(1+math.Abs(want)))
	return r
}
