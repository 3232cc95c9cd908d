// Package direct trains classifiers whose few vectors are free to move, and with them, if wanted, a width for each
// feature: Wu, Schölkopf and Bakır, "A direct method for building sparse kernel learning algorithms"
// (JMLR 7, 2006), with the squared hinge loss. For K vectors c_j it minimises
//
//	½ aᵀ(K_cc + 10⁻⁹ I)a + C Σ_i v_i max(0, 1 − y_i f(x_i))² + ½ η ‖log w‖²,
//	f(x) = Σ_j a_j exp(−γ Σ_k w_k² (x_k − c_jk)²) + b
//
// over a, b, c and w (w = 1 without FeatureWidths), with v the points' weights.
//
// # What is optimal
//
// In a and b the problem is convex, in c and w it is not. A training starts at k-means++ centres of each class in
// the classes' proportions, solves the convex part, moves everything by L-BFGS for at most
// MaxIter steps, and solves the convex part once more. The report's objective, dual objective and gap are of that
// last program, recomputed from the machine, and so is the word "optimal": the coefficients are, for
// the vectors returned. The vectors are at best a local optimum; the message says how far their search
// went, and [Figures] has the norm of its gradient.
//
// # How many vectors
//
// With MaxSV there are that many (fewer if there are fewer different points). Without it there are 2, 4, 8 and so on,
// each number begun at the vectors of the last and new ones where its loss is, for as long as the loss
// on held-out points falls: those of Problem.Validation, else a fifth of each class. The smallest number
// whose held-out loss is within one standard error of the least is then trained on all points.
package direct

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sparsekm/sparsekm/internal/moving"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method's parameters.
type Trainer struct {
	C             float64 // weight of the errors; > 0, default 1
	MaxSV         int     // number of vectors; 0, the default, chooses it
	FeatureWidths bool    // learn a width for each feature
	WidthPenalty  float64 // η; > 0, default 0.01
	Tolerance     float64 // norm of the gradient, of the objective or 1, at which the search ends; default 1e-5
	MaxIter       int     // most steps of a search; default 200
	Seed          uint64  // of centres and held-out points; default 1
}

// Figures is Report.Figures of this package.
type Figures struct {
	// GradientNorm is ‖∂J‖ over all that moves where the last search ended, in units in which γ is 1.
	GradientNorm float64   `json:"gradient_norm"`
	Steps        int       `json:"steps"`                   // of the last search
	Evaluations  int       `json:"evaluations"`             // of objective and gradient
	HeldOut      []HeldOut `json:"held_out,omitempty"`      // one for each number of vectors tried
	Weights      []float64 `json:"width_squares,omitempty"` // w_k², with FeatureWidths
}

// HeldOut is what the held-out points say of a number of vectors.
type HeldOut struct {
	SV    int     `json:"sv"`
	Error float64 `json:"error"` // fraction
	Loss  float64 `json:"loss"`  // mean squared hinge
}

const (
	optimalGap       = 1e-8 // of the objective
	optimalViolation = 1e-6
)

func init() {
	learn.Register(learn.Method{
		Name:       "direct",
		About:      "few vectors that move, and a width for each feature if wanted",
		Paper:      "Wu, Schölkopf & Bakır (2006)",
		Validation: true,
	}, (*Trainer).declare)
}

func (t *Trainer) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.MaxSV(&t.MaxSV)
	p.Bool("feature_widths", &t.FeatureWidths, "Learn a width for each feature with the vectors.")
	p.Float("width_penalty", &t.WidthPenalty, 0.01, learn.Positive, "Weight of the squared logarithms of learnt widths.")
	p.Tolerance(&t.Tolerance, 1e-5)
	p.MaxIter(&t.MaxIter, 200)
	p.Seed(&t.Seed)
}

// Name implements [learn.Trainer].
func (Trainer) Name() string { return "direct" }

// EstimateMemory implements [learn.Trainer].
func (t Trainer) EstimateMemory(n, d int) int64 {
	if learn.Complete(t.Name(), t.declare) != nil {
		return 0 // Train says what is wrong
	}
	p := &moving.Problem{N: n, D: d, Outputs: 1, Widths: t.widths(), Threads: 1}
	return 16*int64(n) + moving.Bytes(p, t.least())
}

func (t *Trainer) widths() moving.Widths {
	if t.FeatureWidths {
		return moving.Each
	}
	return moving.Fixed
}

// least is the smallest number of vectors that a training has.
func (t *Trainer) least() int {
	if t.MaxSV > 0 {
		return t.MaxSV
	}
	return first
}

// Train implements [learn.Trainer]; Report.Figures is a [Figures].
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !p.Kernel.Gaussian() {
		return nil, fmt.Errorf("direct: found the kernel %v, want rbf: vectors move by the gradient of Gaussians",
			p.Kernel.Kind)
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	j := &job{Trainer: t, problem: p, budget: p.Budget(t.Name(), p.N, p.D), progress: p.Throttle()}
	return j.train(ctx)
}

// job is one training under way.
type job struct {
	Trainer
	problem  *learn.Problem
	budget   *learn.Budget
	progress func(func() learn.Event)
	held     []HeldOut
	evals    int // of objective and gradient
	inner    int // Newton steps
}

// task states the problem of the given rows.
func (j *job) task(rows []int) (*moving.Problem, error) {
	p := j.problem
	bytes := 16 * int64(len(rows))
	if len(rows) < p.N {
		bytes += 8 * int64(len(rows)) * int64(p.D)
	}
	if err := j.budget.Take(bytes); err != nil {
		return nil, err
	}
	q := &moving.Problem{X: p.Points(rows), N: len(rows), D: p.D, Kernel: p.Kernel, Outputs: 1, Loss: moving.SquaredHinge,
		Norm: 1, Widths: j.widths(), Penalty: j.WidthPenalty, Threads: p.Threads}
	q.Target, q.Weight = make([]float64, len(rows)), make([]float64, len(rows))
	for k, i := range rows {
		q.Target[k], q.Weight[k] = p.Y[i], j.C*p.WeightOf(i)
	}
	return q, nil
}

func (j *job) train(ctx context.Context) (*learn.Result, error) {
	start := time.Now()
	rows := j.problem.Present()
	q, err := j.task(rows)
	if err != nil {
		return nil, err
	}
	if err = j.budget.Take(moving.Bytes(q, j.least())); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(j.Seed, 0))
	var f *fit
	if j.MaxSV > 0 {
		f, err = j.fixed(ctx, q, j.MaxSV, rng)
	} else {
		f, err = j.grow(ctx, q, rng)
	}
	if err != nil {
		return nil, err
	}
	if f == nil || f.m == nil {
		return nil, learn.Nothing(ctx, j.Name())
	}
	r := j.result(ctx, f)
	r.Report.Seconds.Solve = time.Since(start).Seconds()
	return r, nil
}

// result solves for the coefficients and reports.
func (j *job) result(ctx context.Context, f *fit) *learn.Result {
	m := f.m
	cert, err := moving.Refit(ctx, f.q, m)
	r := &learn.Result{}
	r.Vectors, r.Coef, r.Bias = m.Vectors, m.Coef, m.Bias[0]
	figures := Figures{GradientNorm: f.found.Gradient, Steps: f.found.Steps, Evaluations: j.evals, HeldOut: j.held}
	if j.FeatureWidths {
		k := m.Kernel
		r.Kernel, figures.Weights = &k, k.Weights
	}
	r.Report = learn.Report{Status: status.FromContext(ctx), Objective: f.found.Objective, Iterations: f.found.Steps,
		InnerIterations: j.inner, KernelEvals: int64(j.evals) * int64(f.q.N) * int64(m.K), Figures: figures, Message: f.message()}
	if err != nil {
		return r
	}
	widths := f.fitter.WidthPenalty(m)
	r.Report.Status, r.Report.Objective = cert.Status, cert.Objective+widths
	r.Report.InnerIterations += cert.Steps
	r.Report.KernelEvals += cert.Evals
	r.Report.Duality = &learn.Duality{Objective: cert.Dual + widths, KKT: cert.Gradient,
		Gap: (cert.Objective - cert.Dual) / max(1, r.Report.Objective)}
	r.Report.Settle(optimalGap, optimalViolation)
	if r.Report.Status == status.Optimal {
		r.Report.Message = fmt.Sprintf("the coefficients are optimal for the %d vectors; %s", m.K, r.Report.Message)
	}
	return r
}
