package lssvm

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
	"github.com/sparsekm/sparsekm/status"
)

// Dual is the LS-SVM classifier of Suykens et al. (2000), section 2: every sample
// becomes a support vector. The same equations fit real values.
//
// The paper's RBF kernel is exp(−‖x−z‖²/σ²); with this module's σ, which means
// exp(−‖x−z‖²/(2σ²)), it is the paper's divided by √2.
type Dual struct {
	GammaReg float64 // the paper's γ: weight of the squared errors, ½w'w + (γ/2) Σ w_i e_i²; > 0, default 1
	// Grid, when not empty, are values from which γ is chosen by the leave-one-out
	// error (if equal, by the squared leave-one-out residuals). Each costs an inverse,
	// 2n³ operations; a value that makes no positive definite system is left out.
	Grid []float64
}

// DualFigures is the Report.Figures of [Dual].
type DualFigures struct {
	GammaReg     float64     `json:"gamma_reg"`     // γ of the model
	LOOError     float64     `json:"loo_error"`     // weighted leave-one-out error rate; of real values their RMSE
	LOOResiduals []float64   `json:"loo_residuals"` // y_i − f_i(x_i) of rows of positive weight, f_i trained without i
	Grid         []GridPoint `json:"grid,omitempty"`
}

func init() {
	learn.Register(learn.Method{
		About: "least-squares SVM, every sample a support vector; leave-one-out error for free",
		Paper: "Suykens et al. (2000), eq. (4)",
		Tasks: []learn.Task{learn.Classify, learn.Regress}, KernelOnly: true,
	}, (*Dual).declare)
}

func (t *Dual) declare(p *learn.Params) {
	gammaReg(p, &t.GammaReg)
	p.Floats("gamma_grid", &t.Grid, learn.Positive, "Values that gamma_reg is chosen from by the leave-one-out error.")
}

// gammaReg declares γ, which both methods have.
func gammaReg(p *learn.Params, at *float64) {
	p.Float("gamma_reg", at, 1, learn.Positive, "Weight of the squared errors of the dual LS-SVM.")
}

// Name implements [learn.Trainer].
func (Dual) Name() string { return "lssvm" }

// EstimateMemory implements [learn.Trainer].
func (Dual) EstimateMemory(n, d int) int64 { return leastsq.Bytes(n, d) + systemBytes(n, 2, 0) }

// Train implements [learn.Trainer]. Support are all rows of positive weight, the first of samples that are equal: their
// weights add up.
// Report.Objective is ½w'w + (γ/2) Σ w_i e_i²; Report.Figures is a [DualFigures].
func (t Dual) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	start := time.Now()
	merged, of := p.Merge()
	task, err := leastsq.New(t.Name(), merged)
	if err != nil {
		return nil, err
	}
	if err = task.Budget.Take(systemBytes(task.N, 2, task.Threads)); err != nil {
		return nil, err
	}
	r, err := t.solve(ctx, task, copiesOf(p, task, of))
	if err != nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	}
	if err != nil {
		return nil, err
	}
	r.Report.Seconds.Solve = time.Since(start).Seconds() - r.Report.Seconds.Gram
	return r, nil
}

func (t Dual) solve(ctx context.Context, task *leastsq.Task, copies []point) (*learn.Result, error) {
	k, err := newKKT(ctx, task)
	if err != nil {
		return nil, err
	}
	k.copies = copies
	found := DualFigures{GammaReg: t.GammaReg}
	var message string
	if len(t.Grid) > 0 {
		var refused error
		if found.Grid, refused, err = k.scan(ctx, t.Grid); err != nil {
			return nil, err
		}
		if refused != nil {
			message = "left out of the grid: " + refused.Error()
		}
		found.GammaReg = best(found.Grid)
	}
	bo, shifted, err := k.choose(ctx, found.GammaReg)
	if err != nil {
		return nil, err
	}
	c, b, f, err := k.solve(ctx, bo)
	if err != nil {
		return nil, err
	}
	found.LOOResiduals = k.leaveOneOut(c, bo)
	found.LOOError = k.errorRate(found.LOOResiduals)
	r := &learn.Result{Expansion: learn.Expansion{Support: task.Row, Coef: c, Bias: b}}
	r.Report = learn.Report{
		Status: status.Optimal, Message: join(message, shifted), Objective: k.objective(c, b, f),
		Iterations: 1, KernelEvals: int64(task.N) * int64(task.N+1) / 2, Figures: found,
		Seconds: learn.Seconds{Gram: k.gram.Seconds()},
	}
	if g, judged := judge(ctx, task, r, found.GammaReg); judged {
		r.Report.Duality = &learn.Duality{Objective: g.dual, KKT: g.violation,
			Gap: (g.objective - g.dual) / math.Max(1, math.Abs(g.objective))}
		r.Report.Settle(leastsq.OptimalResidual, leastsq.OptimalResidual*task.Unit())
	}
	r.Join(task.Problem.X, task.D)
	return r, nil
}

// choose is system, unless the system is that of γ already.
func (k *kkt) choose(ctx context.Context, gamma float64) (bo border, message string, err error) {
	if k.gamma == gamma {
		return k.border(), "", nil
	}
	return k.system(ctx, gamma)
}

// join puts two messages, either of them empty, into one.
func join(a, b string) string {
	if a != "" && b != "" {
		return a + "; " + b
	}
	return a + b
}

// objective is ½w'w + (γ/2) Σ w_i e_i², eq. (2), with e_i = y_i − f(x_i) and
// γ w_i the reciprocal of the system's ridge.
func (k *kkt) objective(a []float64, b float64, f []float64) (s float64) {
	for i, p := range k.inv.Kept() {
		e := k.Y[p] - f[p]
		s += a[i]*(f[p]-b) + e*e/k.ridge[p]
	}
	return s / 2
}

// point is one of the problem's, copies included.
type point struct {
	place  int     // of the sample of the task that it is
	weight float64 // its own
}

// copiesOf are the rows of positive weight, each at the row that of says, or at its own.
func copiesOf(p *learn.Problem, task *leastsq.Task, of []int) []point {
	present := p.Present()
	all, at := make([]point, len(present)), slices.Clone(present)
	if of != nil {
		for k, i := range present {
			at[k] = of[i]
		}
	}
	for k, place := range task.Place(at) {
		all[k] = point{place, p.WeightOf(present[k])}
	}
	return all
}

// errorRate is the weighted share of leave-one-out residuals r_i = y_i − f_i(x_i)
// that mean the wrong sign of f_i; f_i = 0 is wrong. Of real values it is the root of their mean square.
func (k *kkt) errorRate(r []float64) (rate float64) {
	if k.Problem.Task == learn.Regress {
		for i, c := range k.copies {
			rate += c.weight / k.Total * r[i] * r[i]
		}
		return math.Sqrt(rate)
	}
	for i, c := range k.copies {
		if y := k.Y[c.place]; y*(y-r[i]) <= 0 {
			rate += c.weight / k.Total
		}
	}
	return rate
}
