package lssvm

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Dual is the LS-SVM of Suykens et al. (2000), section 2: every sample becomes a support vector. The same equations
// serve regression.
//
// The paper's RBF kernel is exp(−‖x−z‖²/σ²), this module's exp(−‖x−z‖²/(2σ²)): its σ is the paper's divided by √2.
type Dual struct {
	learn.Named[Dual]
	GammaReg float64 // the paper's γ: weight of the squared errors, ½w'w + (γ/2) Σ w_i e_i²; > 0, default 1
	// Grid, if not empty, holds the values from which γ is chosen by the leave-one-out error (on ties, by the squared
	// leave-one-out residuals). Each costs an inverse, 2n³ operations. Values without a positive definite system are
	// skipped.
	Grid []float64
	// Solver is "inverse", which has the leave-one-out error, or "conjugate": conjugate gradients, as the paper's
	// reference for large sets, with as much of the kernel matrix in memory as the budget has room for. "" means inverse.
	Solver  string
	MaxIter int // limit on the steps of conjugate gradients for each of two systems; 0 means 10000
}

// DualFigures is the Report.Figures of [Dual].
type DualFigures struct {
	GammaReg     float64     `json:"gamma_reg"`     // γ of the model
	LOOError     float64     `json:"loo_error"`     // weighted leave-one-out error rate; in regression the RMSE
	LOOResiduals []float64   `json:"loo_residuals"` // y_i − f_i(x_i) of rows of positive weight, f_i trained without i
	Grid         []GridPoint `json:"grid,omitempty"`
}

// EstimateMemory implements [learn.Trainer].
func (t Dual) EstimateMemory(n, d int) int64 {
	if t.Solver == byConjugate {
		return samples.LeastSquaresBytes(n, d) + blocked.Bytes[float64](n, n, 0, 0) + 8*8*int64(n)
	}
	return samples.LeastSquaresBytes(n, d) + systemBytes(n, 2, 0)
}

// Train implements [learn.Trainer]. Support are all rows of positive weight; of equal samples, whose weights add up,
// only the first. Report.Objective is ½w'w + (γ/2) Σ w_i e_i²; Report.Figures is a [DualFigures].
func (t Dual) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	start := time.Now()
	p = p.Scanned()
	if err := samples.Validate(t.Name(), p); err != nil {
		return nil, err
	}
	merged, first := p.Merge()
	task, err := samples.NewLeastSquares(t.Name(), merged)
	if err != nil {
		return nil, err
	}
	r, err := t.model(ctx, p, task, first)
	if err != nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	}
	if err != nil {
		return nil, err
	}
	r.Report.Seconds.Solve = time.Since(start).Seconds() - r.Report.Seconds.Gram
	return r, nil
}

// model solves the system and certifies the result.
func (t Dual) model(ctx context.Context, p *learn.Problem, task *samples.LeastSquares,
	first []int) (*learn.Result, error) {
	var r *learn.Result
	var err error
	gamma := t.GammaReg
	if t.Solver == byConjugate {
		if len(t.Grid) > 0 {
			return nil, errors.New("lssvm: gamma_grid needs solver inverse, whose leave-one-out errors choose")
		}
		r, err = t.solveConjugate(ctx, task)
	} else if err = task.Budget.Take(systemBytes(task.N, 2, task.Threads)); err == nil {
		r, gamma, err = t.solve(ctx, task, copiesOf(p, task, first))
	}
	if err != nil {
		return nil, err
	}
	if g, done := recompute(ctx, task, r, gamma); done {
		r.Report.Duality = &learn.Duality{Objective: g.dual, KKT: g.violation,
			Gap: (g.objective - g.dual) / math.Max(1, math.Abs(g.objective))}
		r.Report.Settle(samples.OptimalResidual, samples.OptimalResidual*task.Unit())
	}
	r.MergeDuplicates(task.Problem.X, task.D)
	return r, nil
}

// solve solves the system by the inverse. It returns the γ of the model too.
func (t Dual) solve(ctx context.Context, task *samples.LeastSquares,
	copies []sampleCopy) (*learn.Result, float64, error) {
	k, err := newKKT(ctx, task)
	if err != nil {
		return nil, 0, err
	}
	k.copies = copies
	figures := DualFigures{GammaReg: t.GammaReg}
	var message string
	if len(t.Grid) > 0 {
		var refused error
		if figures.Grid, refused, err = k.scan(ctx, t.Grid); err != nil {
			return nil, 0, err
		}
		if refused != nil {
			message = "left out of the grid: " + refused.Error()
		}
		figures.GammaReg = best(figures.Grid)
	}
	var bo border
	var shifted string
	if k.gamma == figures.GammaReg {
		bo = k.border()
	} else if bo, shifted, err = k.system(ctx, figures.GammaReg); err != nil {
		return nil, 0, err
	}
	c, b, f, err := k.solve(ctx, bo)
	if err != nil {
		return nil, 0, err
	}
	figures.LOOResiduals = k.leaveOneOut(c, bo)
	figures.LOOError = k.errorRate(figures.LOOResiduals)
	r := &learn.Result{Expansion: learn.Expansion{Support: task.Row, Coef: c, Bias: b}}
	r.Report = learn.Report{
		Status: status.Optimal, Message: message, Objective: k.objective(c, b, f),
		Iterations: 1, KernelEvals: int64(task.N) * int64(task.N+1) / 2, Figures: figures,
		Seconds: learn.Seconds{Gram: k.gram.Seconds()},
	}
	r.Report.AddMessage(shifted)
	return r, figures.GammaReg, nil
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

// sampleCopy is a sample of the problem; several equal ones are one sample of the task.
type sampleCopy struct {
	place  int     // of the sample of the task
	weight float64 // of this copy
}

// copiesOf lists the rows of positive weight. first maps each row to the first equal one; nil means that none are
// equal.
func copiesOf(p *learn.Problem, task *samples.LeastSquares, first []int) []sampleCopy {
	present := p.Present()
	all, rows := make([]sampleCopy, len(present)), slices.Clone(present)
	if first != nil {
		rows = deal.Pick(first, present)
	}
	for k, place := range task.Place(rows) {
		all[k] = sampleCopy{place, p.WeightOf(present[k])}
	}
	return all
}

// errorRate is the weighted leave-one-out error rate, from the residuals r_i = y_i − f_i(x_i); f_i = 0 is an error. In
// regression it is the root mean square of the residuals.
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

// GridPoint is one γ of [Dual.Grid] and its leave-one-out figures.
type GridPoint struct {
	GammaReg float64 `json:"gamma_reg"`
	Error    float64 `json:"loo_error"`   // weighted error rate
	Squared  float64 `json:"loo_squared"` // weighted mean of the squared residuals
}

// best is the γ with the smallest error; on ties, with the smallest squared residuals; then the first.
func best(grid []GridPoint) float64 {
	top := grid[0]
	for _, g := range grid[1:] {
		if g.Error < top.Error || g.Error == top.Error && g.Squared < top.Squared {
			top = g
		}
	}
	return top.GammaReg
}

// scan computes the leave-one-out residuals for every γ, each from its own inverse. An inverse costs 2n³ operations in
// large products, which stop within milliseconds of the context, and no more memory than the training for one γ. One
// eigendecomposition for all γ took as long as 100 inverses (gonum's, 1200 samples) and could not be stopped. A γ whose
// matrix is not positive definite is skipped; refused is the last such error.
func (k *kkt) scan(ctx context.Context, gammas []float64) (grid []GridPoint, refused, err error) {
	for _, gamma := range gammas {
		var pivot *cholupdate.PivotError
		err = k.invert(ctx, gamma)
		if errors.As(err, &pivot) {
			refused = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		bo := k.border()
		c, _, _, ended := k.solve(ctx, bo)
		if ended != nil {
			return nil, nil, ended
		}
		r := k.leaveOneOut(c, bo)
		point := GridPoint{GammaReg: gamma, Error: k.errorRate(r)}
		for i, v := range r {
			point.Squared += k.copies[i].weight / k.Total * v * v
		}
		grid = append(grid, point)
	}
	if len(grid) == 0 {
		return nil, nil, refused
	}
	return grid, refused, nil
}
