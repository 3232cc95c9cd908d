package scsvc

import (
	"context"
	"errors"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// solver is the primal-dual interior-point method of Mehrotra (1992) for both programs of the package comment, with
// α = p − q, slacks s, multipliers z, and ν = C − β:
//
//	K(α − θ) + λ − z_p = 0,   −K(α − θ) + λ − z_q = 0,   y f + ξ − s = 1,   Σ θ = 0,
//	p z_p = q z_q = β s = ν ξ = μ → 0.
//
// Few coefficients are non-zero at the optimum. The program therefore has only the coefficients of the first m samples;
// columns.go adds those with |Kη| > λ. The certificate is for the whole program.
//
// The kernel is divided by its largest diagonal value, the unit; coefficients and C are multiplied by it.
type solver struct {
	Trainer
	samples
	system
	products
	v     iterate
	best  certified
	steps int
	gap   float64 // between the model and the multipliers of the iterate
	// negative says that the gap is below 0 by more than rounding: the kernel is indefinite.
	negative bool
}

// samples are the problem's samples, those with coefficients first.
type samples struct {
	p       *learn.Problem
	rows    []int // of the problem, in the order of the solver
	n, m    int   // samples, samples with coefficients
	unit    float64
	y, cost []float64
	k       []float64 // kernel matrix, n×n
}

// system is the matrix of a Newton step.
type system struct {
	h       []float64 // m×m, then its Cholesky factor
	e, w    []float64 // the diagonals E and D⁻¹
	wSum    float64
	u       []float64 // means of the first m rows of K, weighted by w
	centred []float64 // scratch: some columns of these rows without their means
}

// products are products of the kernel matrix with the iterate's coefficients and multipliers.
type products struct {
	f       []float64 // K α
	kDiff   []float64 // K(α − θ)
	kEta    []float64 // K η for the balanced multipliers
	betaMin float64   // Σ β of the class where it is smaller
}

// iterate is an iterate, or a direction.
type iterate struct {
	p, q, zp, zq []float64
	beta, nu     []float64
	s, xi        []float64
	b            float64
}

// certified is the best model and the best multipliers so far, in the solver's units; vectors are in the problem's
// order.
type certified struct {
	alpha        []float64 // nil before the first model
	theta, eta   []float64 // dual multipliers
	b            float64
	primal, dual float64
	violation    float64
}

// parts lists the positive vectors in complementary pairs.
func (v *iterate) parts() [4][2][]float64 {
	return [4][2][]float64{{v.p, v.zp}, {v.q, v.zq}, {v.beta, v.s}, {v.nu, v.xi}}
}

// newIterate has m coefficients, with room for n, and the margins of n samples.
func newIterate(m, n int) iterate {
	all := make([]float64, 8*n)
	at := func(i, k int) []float64 { return all[i*n : i*n+k : (i+1)*n] }
	return iterate{p: at(0, m), q: at(1, m), zp: at(2, m), zq: at(3, m),
		beta: at(4, n), nu: at(5, n), s: at(6, n), xi: at(7, n)}
}

// newSolver evaluates the kernel and sets the first iterate. The error is the context's.
func newSolver(ctx context.Context, p *learn.Problem, rows []int, t Trainer) (*solver, error) {
	n := len(rows)
	s := &solver{Trainer: t, samples: samples{p: p, rows: rows, n: n, k: dense.New(ctx, n*n),
		y: make([]float64, n), cost: make([]float64, n)}}
	if s.k == nil {
		return nil, ctx.Err()
	}
	pts, err := gram.PackContext[float64](ctx, p.Kernel, p.Samples(rows), n, p.D)
	if err != nil {
		return nil, err
	}
	if err = learn.FullMatrix(ctx, pts, s.k, n, p.Threads); err != nil {
		return nil, err
	}
	for i := range n {
		s.unit = max(s.unit, s.k[i*n+i])
	}
	if s.unit == 0 {
		s.unit = 1
	}
	for i := range s.k {
		if s.k[i] /= s.unit; i%(1<<20) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for i, row := range rows {
		s.y[i], s.cost[i] = p.Y[row], t.C*p.WeightOf(row)*s.unit
	}
	s.f, s.kDiff, s.kEta = make([]float64, n), make([]float64, n), make([]float64, n)
	s.w = make([]float64, n)
	s.begin()
	return s, nil
}

// begin sets the first iterate: no coefficients, all products 1, multipliers near 1 whatever the costs.
func (s *solver) begin() {
	s.v = newIterate(0, s.n)
	v := &s.v
	for i, c := range s.cost {
		v.beta[i] = min(c/2, 1)
		v.nu[i] = c - v.beta[i]
		v.s[i], v.xi[i] = 1/v.beta[i], 1/v.nu[i]
	}
}

// start sets the iterate with all products equal to μ, the coefficients alpha of the first m samples, and bias b. Its
// margin equations hold; only Σ θ and the first two equations have residuals. s.f must be K α.
func (s *solver) start(alpha []float64, mu float64) {
	v := &s.v
	v.p, v.q, v.zp, v.zq = v.p[:0], v.q[:0], v.zp[:0], v.zq[:0]
	for _, a := range alpha {
		q := smaller(2*s.Lambda, a, mu)
		p := smaller(2*s.Lambda, -a, mu)
		v.add(p, q, mu/p, mu/q)
	}
	for i, c := range s.cost {
		r := 1 - s.y[i]*(s.f[i]+v.b)
		v.s[i], v.xi[i] = smaller(c, r, mu), smaller(c, -r, mu)
		v.beta[i], v.nu[i] = mu/v.s[i], mu/v.xi[i]
	}
}

// add appends a coefficient p − q.
func (v *iterate) add(p, q, zp, zq float64) {
	v.p = append(v.p, p)
	v.q = append(v.q, q)
	v.zp = append(v.zp, zp)
	v.zq = append(v.zq, zq)
}

// smaller is the x > 0 with x + r > 0 and μ/x + μ/(x + r) = total.
func smaller(total, r, mu float64) float64 {
	a := 2*mu - total*r
	root := math.Hypot(total*r, 2*mu)
	if a >= 0 {
		return (a + root) / (2 * total)
	}
	return 2 * mu * r / (root - a) // the same without cancellation
}

// product writes K x to dst for coefficients x of the first len(x) samples.
func (s *solver) product(x, dst []float64) {
	clear(dst)
	dense.AddRows(dst, x, s.k, s.n)
}

// errAbove can only happen if the kernel is not positive semidefinite.
var errAbove = errors.New("the dual's value is above the objective")

// run takes steps until the gap is closed or stagnates. The error is the context's or the factorisation's.
func (s *solver) run(ctx context.Context, limit int) (status.Status, error) {
	progress := s.p.Throttle()
	stuck, raised := 0, false
	for s.steps = 0; ; s.steps++ {
		gap, better, missing := s.certify(ctx)
		if st := status.FromContext(ctx); st != status.Unknown {
			return st, ctx.Err()
		}
		if stuck++; better {
			stuck = 0
		}
		if s.negative {
			return status.Numerical, errAbove
		}
		met := s.best.violation <= optimalGap
		if met && gap <= finest*max(1e-300, math.Abs(s.best.primal)) {
			return status.Optimal, nil
		}
		if stuck >= 30 || stuck >= 3 && met && gap <= optimalGap/10*math.Abs(s.best.primal) {
			return status.Optimal, nil // result certifies the model, and corrects the status if needed
		}
		if s.steps == limit {
			return status.IterationLimit, nil
		}
		switch {
		case missing && s.addColumns(ctx) >= s.m/4:
			stuck = 0
		case stuck >= 15 && !raised && // the products of 1 were too small a start
			gap > optimalGap*math.Abs(s.best.primal):
			s.start(s.coefficients(), lifted*s.mean())
			stuck, raised = 0, true
		}
		if err := s.step(ctx); err != nil {
			if ctx.Err() != nil {
				return status.FromContext(ctx), err
			}
			return status.Numerical, err
		}
		progress(func() learn.Event {
			return learn.Event{Phase: "interior", Done: -1, Step: s.steps + 1, Violation: gap / math.Abs(s.best.primal)}
		})
	}
}

// step is one predictor-corrector step. The error is the context's or the factorisation's.
func (s *solver) step(ctx context.Context) error {
	v := &s.v
	if err := s.factor(ctx); err != nil {
		return err
	}
	var comp [4][]float64 // minus the products of the pairs
	for k, pair := range v.parts() {
		comp[k] = make([]float64, len(pair[0]))
		for i, x := range pair[0] {
			comp[k][i] = -x * pair[1][i]
		}
	}
	affine := s.direction(comp)
	t := v.reach(&affine)
	mu, after := v.mu(), 0.0
	for k, pair := range v.parts() {
		move := affine.parts()[k]
		for i, x := range pair[0] {
			after += (x + t*move[0][i]) * (pair[1][i] + t*move[1][i]) / float64(2*(s.n+s.m))
		}
	}
	center := math.Pow(after/mu, 3) * mu
	for k := range comp {
		move := affine.parts()[k]
		for i := range comp[k] {
			comp[k][i] += center - move[0][i]*move[1][i]
		}
	}
	both := s.direction(comp)
	t = min(1, 0.995*v.reach(&both))
	for k, pair := range v.parts() {
		move := both.parts()[k]
		dense.Axpy(t, move[0], pair[0])
		dense.Axpy(t, move[1], pair[1])
	}
	v.b += t * both.b
	return ctx.Err()
}

// mean is the average product if the products add up to the gap.
func (s *solver) mean() float64 { return s.gap / float64(2*(s.n+s.m)) }

// mu is the mean of the products.
func (v *iterate) mu() float64 {
	sum, n := 0.0, 0
	for _, pair := range v.parts() {
		sum += dense.Dot(pair[0], pair[1])
		n += len(pair[0])
	}
	return sum / float64(n)
}

// reach is the largest step up to 1 that keeps all vectors non-negative.
func (v *iterate) reach(d *iterate) float64 {
	t := 1.0
	for k, pair := range v.parts() {
		move := d.parts()[k]
		for j := range 2 {
			for i, m := range move[j] {
				if m < 0 {
					t = min(t, -pair[j][i]/m)
				}
			}
		}
	}
	return t
}
