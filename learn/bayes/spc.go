package bayes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// SPC is the method "spc" with its parameters: the sparse probit classifier of Figueiredo (2003), a comparison method
// of Huang et al. (2010), section 3.5.2. It maximises
//
//	Σ w_i ln Φ(y_i f(x_i)) − Σ ln |β_j|
//
// over the non-zero coefficients, by expectation maximisation from a ridge regression.
type SPC struct {
	learn.Named[SPC]
	NoBias  bool // the model has no bias
	MaxIter int  // limit on steps; 0 means 10000
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix, its square and the matrix of a step.
func (SPC) EstimateMemory(n, d int) int64 { return taskBytes(n, d, 2, 0) }

// SPCFigures are the figures of a report of the sparse probit classifier.
type SPCFigures struct {
	// Posterior is Σ w ln Φ(y f) − Σ ln |β_j| over the remaining coefficients, after each step. A step lowers it only
	// if it drops a coefficient, which removes a term of the second sum.
	Posterior []float64 `json:"log_posterior"`
	// FixedPoint is the largest |β_j ∂/∂β_j Σ w ln Φ(y f) − 1|, which is 0 at a fixed point.
	FixedPoint float64 `json:"fixed_point"`
	Merged     int     `json:"merged"` // samples that repeat another's features and share its coefficient
}

// Train implements [learn.Trainer]. The report's Objective is Σ ln |β_j| − Σ w ln Φ(y f), its Figures are an
// [SPCFigures]. Status is Optimal at a fixed point of the steps.
func (t SPC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	begin := time.Now()
	task, err := newTask(ctx, p, t.Name(), !t.NoBias, 2)
	if err != nil {
		return nil, err
	}
	e, err := newEM(ctx, task)
	if err != nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	} else if err != nil {
		return nil, fmt.Errorf("spc: initial ridge regression: %w", err)
	}
	st := e.run(ctx, t.MaxIter)
	r := new(learn.Result)
	r.Expansion, _, _ = task.expansion(e.at, e.beta, make([]float64, len(e.at)))
	figures := SPCFigures{Posterior: e.history, FixedPoint: e.fixedPoint(), Merged: task.merged}
	r.Report = learn.Report{Status: st, Iterations: len(e.history), KernelEvals: task.evals()}
	if n := len(e.history); n > 0 {
		r.Report.Objective = -e.history[n-1]
	}
	task.say(r)
	if st == status.Numerical {
		r.Report.AddMessage("rounding keeps the steps from a fixed point: weights or kernel values differ by too much")
	}
	if !r.Report.Unjudged(ctx) {
		e.judge(ctx, r, &figures)
	}
	r.Report.Figures = figures
	r.Report.Seconds = learn.Seconds{Gram: task.gram.Seconds(), Solve: (time.Since(begin) - task.gram).Seconds()}
	return r, nil
}

// judge recomputes objective and fixed point from the returned model, and fits the slope of its probabilities.
func (e *em) judge(ctx context.Context, r *learn.Result, figures *SPCFigures) {
	f := e.p.Decisions(ctx, &r.Expansion, e.first)
	value := e.eval(f, e.slope, e.curvature)
	figures.FixedPoint = 0
	for s, g := range e.p.Sums(ctx, e.first, r.Support, e.slope) {
		figures.FixedPoint = max(figures.FixedPoint, math.Abs(r.Coef[s]*g-1))
		value -= math.Log(math.Abs(r.Coef[s]))
	}
	if r.Bias != 0 {
		var sum float64
		for _, g := range e.slope {
			sum += g
		}
		figures.FixedPoint = max(figures.FixedPoint, math.Abs(r.Bias*sum-1))
		value -= math.Log(math.Abs(r.Bias))
	}
	if r.Report.Unjudged(ctx) {
		return
	}
	r.Report.Objective = -value
	p := make([]float64, e.n)
	for i, v := range f {
		p[i] = e.average(v, 0)
	}
	slope := e.slopeOf(f, p)
	r.Report.Slope = &slope
	if !(figures.FixedPoint <= fixed) && r.Report.Status == status.Optimal {
		r.Report.Status = status.Numerical
		r.Report.AddMessage(fmt.Sprintf("the model is %.2g from a fixed point; optimal means at most %v",
			figures.FixedPoint, fixed))
	}
}

// em is the state of the algorithm: the remaining coefficients, with their rows of HᵀWH.
type em struct {
	*task
	chances
	weight    []float64 // W, over both classes
	at        []int
	values    []float64 // values of the remaining basis functions, len(at)×n
	square    []float64 // their HᵀWH, with rows of length cols
	a         []float64 // scratch: I + UHᵀWHU and its factor, with rows of length len(at)
	scratch   []float64 // of [dense.MulWeighted]
	beta      []float64
	f         []float64 // decision values
	slope     []float64 // derivatives of the likelihood with respect to f
	curvature []float64
	gradient  []float64 // of the likelihood with respect to β
	history   []float64
}

const (
	ridge   = 1e-6 // of the first regression
	settled = 1e-7 // residual of the fixed point at which the steps end
	fixed   = 1e-6 // residual up to which the status may be Optimal
	fading  = 1e-4 // bound of |β|·|gradient| below which a coefficient converges to 0 quadratically
	stalled = 100  // steps without a smaller residual after which rounding is to blame
	literal = 30   // steps as in the paper, before the hidden variable is integrated out
)

// newEM starts from the coefficients (ridge·I + HᵀWH)⁻¹ Hᵀ(W y), Figueiredo's ridge regression. The error is the
// context's or the factorisation's.
func newEM(ctx context.Context, t *task) (*em, error) {
	n, m := t.n, t.cols
	e := &em{task: t, chances: probit{t.pos, t.neg}, values: t.phi, square: make([]float64, m*m), a: make([]float64, m*m),
		scratch: make([]float64, m*strip)}
	e.weight, e.f, e.slope, e.curvature = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	y := make([]float64, n)
	for i := range n {
		e.weight[i], y[i] = t.pos[i]+t.neg[i], t.pos[i]-t.neg[i]
	}
	for j := range m {
		e.at = append(e.at, j)
	}
	if err := dense.MulWeighted(ctx, t.threads(), e.square, t.phi, m, n, e.weight, e.scratch); err != nil {
		return nil, err
	}
	mirror(e.square, m)
	e.beta, e.gradient = make([]float64, m), make([]float64, m)
	dense.MulVec(e.beta, t.phi, n, y)
	if err := e.regress(ctx); err != nil {
		return nil, err
	}
	cholupdate.Solve(e.a, m, m, e.beta)
	e.keep(func(s int) bool { return e.beta[s] != 0 })
	e.evaluate()
	return e, ctx.Err()
}

// regress factors ridge·I + HᵀWH, with the ridge in the kernel's own unit. If rounding makes it indefinite, the
// diagonal grows by the factor 1 + 1e-15, then 1 + 1e-14, and so on.
func (e *em) regress(ctx context.Context) (err error) {
	m := e.cols
	for jitter := 0.0; jitter < 1; jitter = max(1e-15, 10*jitter) {
		copy(e.a, e.square)
		for j := range m {
			size := max(e.scale[j], 1e-70)
			e.a[j*m+j] = e.a[j*m+j]*(1+jitter) + ridge/size/size
		}
		if err = cholupdate.Cholesky(ctx, e.a, m, m, e.threads()); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (t *task) threads() int { return parallel.Workers(t.Threads) }

// mirror copies the lower triangle of an m×m matrix to the upper one.
func mirror(a []float64, m int) {
	for i := range m {
		for j := range i {
			a[j*m+i] = a[i*m+j]
		}
	}
}

// evaluate updates decision values, slopes and gradient, and returns the log likelihood.
func (e *em) evaluate() float64 {
	clear(e.f)
	dense.AddRows(e.f, e.beta, e.values, e.n)
	v := e.eval(e.f, e.slope, e.curvature)
	e.gradient = e.gradient[:len(e.beta)]
	dense.MulVec(e.gradient, e.values, e.n, e.slope)
	return v
}

// fixedPoint is the largest |β_j g_j − 1|.
func (e *em) fixedPoint() (most float64) {
	for s, b := range e.beta {
		most = max(most, math.Abs(b*e.gradient[s]-1))
	}
	return most
}

// run takes steps until a fixed point.
func (e *em) run(ctx context.Context, most int) status.Status {
	progress := e.Throttle()
	least, since, left := math.Inf(1), 0, len(e.beta)
	for range most {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		residual := e.fixedPoint()
		if residual <= settled {
			return status.Optimal
		}
		if residual < 0.99*least || len(e.beta) < left {
			least, since, left = residual, 0, len(e.beta)
		} else if since++; since > stalled {
			if residual <= fixed {
				return status.Optimal
			}
			return status.Numerical
		}
		if residual > 0.5 || len(e.history) < literal || !e.newton(residual) {
			next, err := e.next(ctx)
			switch {
			case ctx.Err() != nil:
				return status.FromContext(ctx)
			case err != nil:
				return status.Numerical
			}
			copy(e.beta, next)
			e.drop()
		}
		e.history = append(e.history, e.evaluate()-e.sizes())
		progress(func() learn.Event {
			return learn.Event{Phase: "round", Done: -1, Step: len(e.history), Vectors: len(e.at), Violation: residual}
		})
	}
	if e.fixedPoint() <= settled {
		return status.Optimal
	}
	return status.IterationLimit
}

// sizes is Σ ln |β_j|, minus the logarithm of the prior.
func (e *em) sizes() (sum float64) {
	for _, b := range e.beta {
		sum += math.Log(math.Abs(b))
	}
	return sum
}

// step is one EM step, Figueiredo (2003), eq. (16)-(18), and (17) of Huang et al. (2010) with
// z_i = f_i + y_i φ(f_i)/Φ(y_i f_i), the mean of the hidden variable, and Λ = diag(1/β²): with U = diag(|β|),
//
//	β ← U (I + U HᵀWH U)⁻¹ U HᵀWz,
//
// where W z = W f + slope. The error is the context's.
func (e *em) step(ctx context.Context) ([]float64, error) {
	m := len(e.beta)
	a, x := e.a[:m*m], make([]float64, m)
	for s, b := range e.beta {
		row := e.square[s*e.cols : s*e.cols+m]
		for r, c := range e.beta[:s+1] {
			a[s*m+r] = math.Abs(b) * math.Abs(c) * row[r]
		}
		a[s*m+s]++
		x[s] = math.Abs(b) * (dense.Dot(row, e.beta) + e.gradient[s])
	}
	if err := cholupdate.Cholesky(ctx, a, m, m, e.threads()); err != nil {
		return nil, err
	}
	cholupdate.Solve(a, m, m, x)
	for s, b := range e.beta {
		x[s] *= math.Abs(b)
	}
	return x, ctx.Err()
}

// next is a step. At first it is that of the paper. Later only the variances of the coefficients are hidden variables:
//
//	β ← arg max Σ w ln Φ(y f) − ½ Σ β_j²/β̄_j².
//
// This ascends the same function to the same fixed points, and does not slow down if samples are far from the boundary.
func (e *em) next(ctx context.Context) ([]float64, error) {
	if len(e.history) < literal {
		return e.step(ctx)
	}
	m := len(e.beta)
	q := &posterior{likelihood: e.chances, n: e.n, threads: e.threads(), at: e.at, phi: e.values[:m*e.n],
		w: slices.Clone(e.beta), alpha: make([]float64, m), g: make([]float64, m), scratch: e.scratch,
		fNext: make([]float64, e.n)}
	q.mode = mode{f: make([]float64, e.n), slope: make([]float64, e.n), curvature: make([]float64, e.n), h: e.a}
	for s, b := range e.beta {
		q.alpha[s] = 1 / (b * b)
	}
	return q.w, q.fit(ctx, e.heaviest())
}

// newton goes to the stationary point of the quadratic model of the objective. It reports whether it has: the model
// must have a maximum, every coefficient must keep its sign, and the residual must be halved.
func (e *em) newton(residual float64) bool {
	m := len(e.beta)
	a, d := e.a[:m*m], make([]float64, m)
	clear(a)
	if dense.MulWeighted(context.Background(), 1, a, e.values, m, e.n, e.curvature, e.scratch) != nil {
		return false
	}
	for s, b := range e.beta {
		a[s*m+s] -= 1 / (b * b)
		d[s] = e.gradient[s] - 1/b
	}
	if cholupdate.Cholesky(context.Background(), a, m, m, 1) != nil {
		return false
	}
	cholupdate.Solve(a, m, m, d)
	old := slices.Clone(e.beta)
	before := e.evaluate() - e.sizes()
	for s := range d {
		e.beta[s] += d[s]
		if !(e.beta[s]*old[s] > 0) {
			copy(e.beta, old)
			return false
		}
	}
	after := e.evaluate() - e.sizes()
	if e.fixedPoint() <= residual/2 && after >= before-1e-12*math.Abs(before) {
		return true
	}
	copy(e.beta, old)
	e.evaluate()
	return false
}

// drop removes the coefficients that converge to 0. A step turns a small β_j into about β_j² times the product of the
// residual with its column, and so do the steps after it.
func (e *em) drop() {
	var rest float64 // ‖W^½(z − f)‖²; a step raises it by at most the term of the prior
	for i, w := range e.weight {
		if w > 0 {
			rest += e.slope[i] * e.slope[i] / w
		}
	}
	rest = math.Sqrt(rest + float64(len(e.beta)))
	e.keep(func(s int) bool {
		reach := math.Abs(e.beta[s]) * rest * math.Sqrt(e.square[s*e.cols+s])
		return reach > fading && math.Abs(e.beta[s]) > 1e-150
	})
}

// keep removes the coefficients for which stays is false.
func (e *em) keep(stays func(s int) bool) {
	var left []int
	for s := range e.at {
		if stays(s) {
			left = append(left, s)
		}
	}
	if len(left) == len(e.at) {
		return
	}
	for k, s := range left {
		copy(e.values[k*e.n:(k+1)*e.n], e.values[s*e.n:(s+1)*e.n])
		e.at[k], e.beta[k] = e.at[s], e.beta[s]
		from, to := e.square[s*e.cols:(s+1)*e.cols], e.square[k*e.cols:(k+1)*e.cols]
		for l, r := range left {
			to[l] = from[r]
		}
	}
	e.at, e.beta = e.at[:len(left)], e.beta[:len(left)]
}
