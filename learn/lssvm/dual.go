package lssvm

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Dual is the LS-SVM classifier of Suykens et al. (2000), section 2: every point
// becomes a support vector.
//
// The paper's RBF kernel is exp(−‖x−z‖²/σ²); with this module's σ, which means
// exp(−‖x−z‖²/(2σ²)), it is the paper's divided by √2.
type Dual struct {
	Gamma float64 // γ: weight of the squared errors, ½w'w + (γ/2) Σ w_i e_i²; > 0, default 1
	// Grid, when not empty, are values from which γ is chosen by the leave-one-out
	// error (if equal, by the squared leave-one-out residuals). One
	// eigendecomposition of the kernel matrix serves them all; each costs n² operations.
	Grid []float64
}

// Name implements [learn.Trainer].
func (Dual) Name() string { return "lssvm" }

// EstimateMemory implements [learn.Trainer].
func (Dual) EstimateMemory(n, d int) int64 { return kktBytes(n, d) }

// Train implements [learn.Trainer]. Support are all rows of positive weight.
// Report.Objective is ½w'w + (γ/2) Σ w_i e_i²; Report.Extra holds "gamma_reg",
// "loo_error" (the leave-one-out error rate, weighted), "loo_residuals" (of
// the support's rows) and, with a Grid, "grid" ([]GridPoint).
func (t Dual) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if t.Gamma == 0 {
		t.Gamma = 1
	}
	for _, g := range append([]float64{t.Gamma}, t.Grid...) {
		if err := regularisation(g); err != nil {
			return nil, err
		}
	}
	task, err := newTask(p)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	extra := map[string]any{}
	if len(t.Grid) > 0 {
		grid, err := task.scan(t.Grid)
		if err != nil {
			return nil, err
		}
		t.Gamma = best(grid)
		extra["grid"] = grid
	}
	k, err := newKKT(ctx, task, t.Gamma)
	if err != nil {
		return stopped(ctx, err)
	}
	bo := k.border()
	a, b, f := k.solve(bo)
	loo := k.leaveOneOut(a, bo)
	extra["gamma_reg"], extra["loo_error"], extra["loo_residuals"] = t.Gamma, errorRate(task, loo), loo
	r := &learn.Result{Expansion: learn.Expansion{Support: task.row, Coef: a, Bias: b}}
	r.Report = learn.Report{
		Status: status.Optimal, Objective: k.objective(a, b, f), KKT: k.violation(a, f),
		Iterations: 1, KernelEvals: int64(task.n) * int64(task.n+1) / 2, Extra: extra,
	}
	r.Report.DualObjective = k.dualObjective(a, b, f)
	r.Report.Gap = (r.Report.Objective - r.Report.DualObjective) / math.Max(1, math.Abs(r.Report.Objective))
	r.Report.Seconds = learn.Seconds{Gram: k.gram.Seconds(), Solve: (time.Since(start) - k.gram).Seconds()}
	return r, nil
}

// regularisation is the check of a γ.
func regularisation(gamma float64) error {
	if math.IsInf(gamma, 1) {
		return errors.New("lssvm: gamma-reg is infinite")
	}
	return positive("gamma-reg", gamma)
}

// stopped turns a context's error into a result without support vectors.
func stopped(ctx context.Context, err error) (*learn.Result, error) {
	if st := status.FromContext(ctx); st != status.Unknown {
		return &learn.Result{Report: learn.Report{Status: st}}, nil
	}
	return nil, err
}

// objective is ½w'w + (γ/2) Σ w_i e_i², eq. (2), with e_i = y_i − f(x_i) and
// γ w_i the reciprocal of the system's ridge.
func (k *kkt) objective(a []float64, b float64, f []float64) (s float64) {
	for i, p := range k.inv.Kept() {
		e := k.y[p] - f[p]
		s += a[i]*(f[p]-b) + e*e/k.ridge[p]
	}
	return s / 2
}

// dualObjective is the dual's value a'y − ½ a'Aa.
func (k *kkt) dualObjective(a []float64, b float64, f []float64) (s float64) {
	for i, p := range k.inv.Kept() {
		s += a[i] * (k.y[p] - (f[p]-b+k.ridge[p]*a[i])/2)
	}
	return s
}

// errorRate is the weighted share of leave-one-out residuals r_i = y_i − f_i(x_i)
// that mean the wrong sign of f_i; f_i = 0 is wrong.
func errorRate(t *task, r []float64) (rate float64) {
	for i, y := range t.y {
		if y*(y-r[i]) <= 0 {
			rate += t.w[i] / t.total
		}
	}
	return rate
}
