package bayes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
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
// [SPCFigures]. Status is FixedPoint at one of the steps. There is no model if ctx ends before the initial ridge
// regression of all samples.
func (t SPC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
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
	r.Expansion, _, _ = task.expansion(e.basis, e.w, e.alpha)
	figures := SPCFigures{Posterior: e.history, FixedPoint: e.fixedPoint(), Merged: task.merged}
	r.Report = learn.Report{Status: st, Iterations: len(e.history), KernelEvals: task.evals()}
	if n := len(e.history); n > 0 {
		r.Report.Objective = -e.history[n-1]
	}
	task.addMessages(r)
	if st == status.Numerical {
		r.Report.AddMessage("rounding keeps the steps from a fixed point: weights or kernel values differ by too much")
	}
	if !r.Report.Unjudged(ctx) {
		e.recompute(ctx, r, &figures)
		r.Report.EndAt(status.FixedPoint)
	}
	r.Report.Figures = figures
	r.Report.Seconds = task.seconds()
	return r, nil
}

// recompute computes objective and fixed point from the returned model, and fits the slope of its probabilities.
func (e *em) recompute(ctx context.Context, r *learn.Result, figures *SPCFigures) {
	f := e.p.Decisions(ctx, &r.Expansion, e.first)
	value := e.eval(f, e.slope, e.curvature)
	figures.FixedPoint = 0
	for s, g := range e.p.Sums(ctx, e.first, r.Support, e.slope) {
		figures.FixedPoint = max(figures.FixedPoint, math.Abs(r.Coef[s]*g-1))
		value -= math.Log(math.Abs(r.Coef[s]))
	}
	if r.Bias != 0 {
		figures.FixedPoint = max(figures.FixedPoint, math.Abs(r.Bias*dense.Sum(e.slope)-1))
		value -= math.Log(math.Abs(r.Bias))
	}
	if r.Report.Unjudged(ctx) {
		return
	}
	r.Report.Objective = -value
	p := make([]float64, len(f))
	for i, v := range f {
		p[i] = probit{}.average(v, 0)
	}
	r.Report.Slope = new(e.slopeOf(f, p))
	if !(figures.FixedPoint <= fixed) && r.Report.Status == status.Optimal {
		r.Report.Status = status.Numerical
		r.Report.AddMessage(fmt.Sprintf("the model is %.2g from a fixed point; optimal means at most %v",
			figures.FixedPoint, fixed))
	}
}

// em is the state of the algorithm. The posterior has the remaining coefficients β as w, without a prior, and the
// gradient of the likelihood as g; its h is scratch.
type em struct {
	*task
	*posterior
	weight  []float64 // W, over both classes
	square  []float64 // HᵀWH of the remaining basis functions, with rows of length cols
	history []float64
}

const (
	ridge   = 1e-6 // of the first regression
	settled = 1e-7 // residual of the fixed point at which the steps end
	fixed   = 1e-6 // residual up to which the model is a fixed point
	fading  = 1e-4 // bound of |β|·|gradient| below which a coefficient converges to 0 quadratically
	stalled = 100  // steps without a smaller residual after which rounding is to blame
	literal = 30   // steps as in the paper, before the hidden variable is integrated out
)

// newEM starts from the coefficients (ridge·I + HᵀWH)⁻¹ Hᵀ(W y), Figueiredo's ridge regression. The error is the
// context's or the factorisation's.
func newEM(ctx context.Context, t *task) (*em, error) {
	n, m := t.n, t.cols
	e := &em{task: t, posterior: newPosterior(ctx, probit{t.pos, t.neg}, n, m, t.Threads), weight: make([]float64, n)}
	if e.square = dense.New(ctx, m*m); e.square == nil || e.h == nil {
		return nil, ctx.Err()
	}
	e.basis, e.posterior.phi, e.alpha, e.w = deal.All(m), t.phi, make([]float64, m), make([]float64, m)
	y := make([]float64, n)
	for i := range n {
		e.weight[i], y[i] = t.pos[i]+t.neg[i], t.pos[i]-t.neg[i]
	}
	if err := dense.MulWeighted(ctx, e.threads, e.square, t.phi, m, n, e.weight, e.scratch); err != nil {
		return nil, err
	}
	if err := mirror(ctx, e.square, m); err != nil {
		return nil, err
	}
	dense.MulVec(e.w, t.phi, n, y)
	if err := e.regress(ctx); err != nil {
		return nil, err
	}
	e.solve(e.w)
	e.keep(func(s int) bool { return e.w[s] != 0 })
	e.evaluate()
	return e, ctx.Err()
}

// regress factors ridge·I + HᵀWH, with the ridge in the kernel's own unit. If rounding makes it indefinite, the
// diagonal grows by the factor 1 + 1e-15, then 1 + 1e-14, and so on.
func (e *em) regress(ctx context.Context) (err error) {
	m := e.cols
	for jitter := 0.0; jitter < 1; jitter = max(1e-15, 10*jitter) {
		for j := range m {
			if j%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			row, size := e.h[j*m:(j+1)*m], max(e.scale[j], 1e-70)
			copy(row, e.square[j*m:])
			row[j] = row[j]*(1+jitter) + ridge/size/size
		}
		if err = cholupdate.Cholesky(ctx, e.h, m, m, e.threads); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// mirror copies the lower triangle of an m×m matrix to the upper one. The error is the context's.
func mirror(ctx context.Context, a []float64, m int) error {
	const side = 64 // of squares, whose rows stay in the caches
	for top := 0; top < m; top += side {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for left := 0; left <= top; left += side {
			for i := top; i < min(top+side, m); i++ {
				for j := left; j < min(left+side, i); j++ {
					a[j*m+i] = a[i*m+j]
				}
			}
		}
	}
	return ctx.Err()
}

// evaluate updates decision values, slopes and gradient, and returns the log likelihood.
func (e *em) evaluate() float64 {
	v := e.value(e.w, e.f)
	e.g = e.g[:e.size()]
	e.slopes(e.g)
	return v
}

// fixedPoint is the largest |β_j g_j − 1|.
func (e *em) fixedPoint() (largest float64) {
	for s, b := range e.w {
		largest = max(largest, math.Abs(b*e.g[s]-1))
	}
	return largest
}

// run takes steps until a fixed point.
func (e *em) run(ctx context.Context, limit int) status.Status {
	progress := e.Throttle()
	smallest, since, left := math.Inf(1), 0, e.size()
	for range limit {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		residual := e.fixedPoint()
		if residual <= settled {
			return status.Optimal
		}
		if residual < 0.99*smallest || e.size() < left {
			smallest, since, left = residual, 0, e.size()
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
			copy(e.w, next)
			e.drop()
		}
		e.history = append(e.history, e.evaluate()-e.sizes())
		progress(func() learn.Event {
			return learn.Event{Phase: "round", Done: -1, Step: len(e.history), Vectors: e.size(), Violation: residual}
		})
	}
	if e.fixedPoint() <= settled {
		return status.Optimal
	}
	return status.IterationLimit
}

// sizes is Σ ln |β_j|, minus the logarithm of the prior.
func (e *em) sizes() (sum float64) {
	for _, b := range e.w {
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
	m := e.size()
	a, x := e.h[:m*m], make([]float64, m)
	for s, b := range e.w {
		row := e.square[s*e.cols : s*e.cols+m]
		for r, c := range e.w[:s+1] {
			a[s*m+r] = math.Abs(b) * math.Abs(c) * row[r]
		}
		a[s*m+s]++
		x[s] = math.Abs(b) * (dense.Dot(row, e.w) + e.g[s])
	}
	if err := cholupdate.Cholesky(ctx, a, m, m, e.threads); err != nil {
		return nil, err
	}
	e.solve(x)
	for s, b := range e.w {
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
	q := *e.posterior // drop needs the slopes at the present w
	q.w, q.alpha, q.g = slices.Clone(e.w), make([]float64, e.size()), make([]float64, e.size())
	q.f, q.fNext = make([]float64, q.n), make([]float64, q.n)
	q.slope, q.curvature = make([]float64, q.n), make([]float64, q.n)
	for s, b := range e.w {
		q.alpha[s] = 1 / (b * b)
	}
	return q.w, q.fit(ctx, e.heaviest())
}

// newton goes to the stationary point of the quadratic model of the objective. It reports whether it has: the model
// must have a maximum, every coefficient must keep its sign, and the residual must be halved.
func (e *em) newton(residual float64) bool {
	q, m := e.posterior, e.size()
	a, d := q.h[:m*m], make([]float64, m)
	if dense.MulWeighted(context.Background(), 1, a, q.phi, m, q.n, q.curvature, q.scratch) != nil {
		return false
	}
	for s, b := range q.w {
		a[s*m+s] -= 1 / (b * b)
		d[s] = q.g[s] - 1/b
	}
	if cholupdate.Cholesky(context.Background(), a, m, m, 1) != nil {
		return false
	}
	q.solve(d)
	old := slices.Clone(q.w)
	before := e.evaluate() - e.sizes()
	for s := range d {
		q.w[s] += d[s]
		if !(q.w[s]*old[s] > 0) {
			copy(q.w, old)
			return false
		}
	}
	after := e.evaluate() - e.sizes()
	if e.fixedPoint() <= residual/2 && after >= before-1e-12*math.Abs(before) {
		return true
	}
	copy(q.w, old)
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
	rest = math.Sqrt(rest + float64(e.size()))
	e.keep(func(s int) bool {
		reach := math.Abs(e.w[s]) * rest * math.Sqrt(e.square[s*e.cols+s])
		return reach > fading && math.Abs(e.w[s]) > 1e-150
	})
}

// keep removes the coefficients for which stays is false.
func (e *em) keep(stays func(s int) bool) {
	var left []int
	for s := range e.basis {
		if stays(s) {
			left = append(left, s)
		}
	}
	if len(left) == e.size() {
		return
	}
	for k, s := range left {
		from, to := e.square[s*e.cols:(s+1)*e.cols], e.square[k*e.cols:(k+1)*e.cols]
		for l, r := range left {
			to[l] = from[r]
		}
	}
	e.posterior.keep(func(s int) bool { return slices.Contains(left, s) })
}
