package bayes

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// posterior is Laplace's approximation of the posterior of the coefficients for given precisions α. It is a Gaussian at
// the mode of ln p(t|w) − ½ Σ α w², whose covariance is the inverse of the Hessian H = Φ B Φᵀ + A (Tipping 2001, eq.
// 24-26, with basis functions as rows of Φ).
type posterior struct {
	likelihood
	noise      *normal   // the likelihood if its noise is to be estimated
	products   *products // of basis functions, in regression; nil if there is no memory
	n, threads int
	basis      []int     // active basis functions
	phi        []float64 // their values, len(basis)×n
	alpha, w   []float64 // precisions and, after fit, the mode
	mode

	fNext, scratch, g []float64
}

// mode is the result of fit.
type mode struct {
	f         []float64 // Φᵀw
	slope     []float64 // derivatives of the likelihood with respect to f
	curvature []float64 // B
	h         []float64 // Cholesky factor of H, lower, m×m
	gradient  float64   // largest component of Φ slope − α w
	evidence  float64   // ln p(t|α), eq. (25) of Tipping & Faul (2003) in the limit of the approximation
	steps     int       // Newton steps in all
}

// gradientLimit bounds the gradient at the mode, in units of the largest sample weight and of basis functions of size
// 1.
const gradientLimit = 1e-9

// newPosterior makes a posterior without basis functions, with room for limit at n samples. After the end of ctx it may
// have no matrix h, which nothing reads then.
func newPosterior(ctx context.Context, l likelihood, n, limit, threads int) *posterior {
	q := &posterior{likelihood: l, n: n, threads: parallel.Workers(threads)}
	q.noise, _ = l.(*normal)
	q.f, q.fNext, q.slope, q.curvature = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	q.h, q.scratch, q.g = dense.New(ctx, limit*limit), make([]float64, limit*strip), make([]float64, limit)
	return q
}

func (q *posterior) size() int { return len(q.basis) }

// value is the log posterior at w up to its constant; it sets f, slope and curvature.
func (q *posterior) value(w, f []float64) float64 {
	clear(f)
	dense.AddRows(f, w, q.phi, q.n)
	v := q.eval(f, q.slope, q.curvature)
	for s, a := range q.alpha {
		v -= a * w[s] * w[s] / 2
	}
	return v
}

// fit computes the mode from w by Newton's method with step halving, then the optimal noise precision, the factor and
// the evidence. The error is the context's, or says that no multiple of the diagonal makes H positive definite.
func (q *posterior) fit(ctx context.Context, unit float64) error {
	const maxSteps = 60
	v := q.value(q.w, q.f)
	for k := range maxSteps {
		q.slopes(q.g[:q.size()])
		if k == 0 || q.noise == nil { // under normal noise H is constant
			if err := q.factor(ctx); err != nil {
				return err
			}
		}
		if q.gradient = dense.Largest(q.g[:q.size()]); q.gradient <= gradientLimit*q.unitOf(unit) {
			break
		}
		next, ok := q.step(v)
		if q.steps++; !ok {
			break
		}
		v = next
	}
	q.evidence = q.settleNoise(v)
	for s, a := range q.alpha {
		q.evidence += math.Log(a)/2 - math.Log(q.h[s*q.size()+s])
	}
	return ctx.Err()
}

// slopes writes the gradient Φ slope − α w.
func (q *posterior) slopes(g []float64) {
	dense.MulVec(g, q.phi, q.n, q.slope)
	for s, a := range q.alpha {
		g[s] -= a * q.w[s]
	}
}

// step goes along H⁻¹g from value v to a better one and reports whether there is one. A change within rounding is
// accepted if the gradient is halved.
func (q *posterior) step(v float64) (next float64, ok bool) {
	const halvings = 40
	m := q.size()
	d, w := slices.Clone(q.g[:m]), make([]float64, m)
	q.solve(d)
	gain, before := dense.Dot(d, q.g[:m]), q.gradient
	old := slices.Clone(q.w)
	for t := 1.0; t > math.Pow(2, -halvings); t /= 2 {
		for s := range w {
			w[s] = old[s] + t*d[s]
		}
		next = q.value(w, q.fNext)
		copy(q.w, w)
		if next >= v+1e-4*t*gain && next > v {
			q.f, q.fNext = q.fNext, q.f
			return next, true
		}
		if math.Abs(next-v) <= 1e-12*math.Abs(v)+1e-300 {
			q.slopes(q.g[:m])
			if dense.Largest(q.g[:m]) < before/2 {
				q.f, q.fNext = q.fNext, q.f
				return next, true
			}
		}
	}
	copy(q.w, old)
	return q.value(q.w, q.f), false
}

// factor makes h the Cholesky factor of Φ B Φᵀ + A. Where rounding has left it without one, the diagonal
// grows by 1e-12 of itself, and by ten times more until there is one.
func (q *posterior) factor(ctx context.Context) (err error) {
	m := q.size()
	if q.h == nil && m > 0 { // the context had ended before there was memory
		return ctx.Err()
	}
	for jitter := 0.0; jitter < 1; jitter = max(1e-12, 10*jitter) {
		h := q.h[:m*m]
		if err = q.hessian(ctx, h); err != nil {
			return err
		}
		for s := range m {
			h[s*m+s] *= 1 + jitter
		}
		if err = cholupdate.Cholesky(ctx, h, m, m, q.threads); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// hessian writes the lower triangle of H. The error is the context's.
func (q *posterior) hessian(ctx context.Context, h []float64) error {
	m := q.size()
	if q.products != nil {
		err := q.products.update(ctx, q)
		if err == nil {
			err = q.products.hessian(ctx, h, q)
		}
		return err
	}
	if err := dense.MulWeighted(ctx, q.threads, h, q.phi, m, q.n, q.curvature, q.scratch); err != nil {
		return err
	}
	for s, a := range q.alpha {
		h[s*m+s] += a
	}
	return nil
}

// solve overwrites x with H⁻¹x.
func (q *posterior) solve(x []float64) { cholupdate.Solve(q.h, q.size(), q.size(), x) }

// invert writes H⁻¹ to rows of length ld, one column after the other. A product of inverse factors would be less
// accurate for basis functions that are nearly dependent. The error is the context's.
func (q *posterior) invert(ctx context.Context, dst []float64, ld int) error {
	m := q.size()
	for s := range m {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e := dst[s*ld : s*ld+m]
		clear(e)
		e[s] = 1
		q.solve(e)
	}
	return nil
}

// variances writes the diagonal of H⁻¹, the squared lengths of the columns of L⁻¹. The error is the context's.
func (q *posterior) variances(ctx context.Context, dst []float64) error {
	m := q.size()
	for lo := 0; lo < m; lo += strip {
		k := min(strip, m-lo)
		x := q.scratch[:(m-lo)*k]
		clear(x)
		for j := range k {
			x[j*k+j] = 1
		}
		if err := q.lengths(ctx, dst[lo:lo+k], lo, x); err != nil {
			return err
		}
	}
	return nil
}

// spread writes the variance φ_iᵀ H⁻¹ φ_i of each sample's f. The error is the context's.
func (q *posterior) spread(ctx context.Context, dst []float64) error {
	m := q.size()
	for lo := 0; lo < q.n; lo += strip {
		hi := min(lo+strip, q.n)
		k := hi - lo
		x := q.scratch[:m*k]
		for s := range m {
			copy(x[s*k:(s+1)*k], q.phi[s*q.n+lo:s*q.n+hi])
		}
		if err := q.lengths(ctx, dst[lo:hi], 0, x); err != nil {
			return err
		}
	}
	return nil
}

// lengths overwrites x, len(dst) columns without their first zeros, with L⁻¹x and writes the squared lengths of its
// columns. The error is the context's.
func (q *posterior) lengths(ctx context.Context, dst []float64, zeros int, x []float64) error {
	m, k := q.size(), len(dst)
	l := dense.Of(q.h, m, m, m).Sub(zeros, m, zeros, m)
	if err := dense.SolveLower(ctx, q.threads, l, dense.Of(x, m-zeros, k, k)); err != nil {
		return err
	}
	clear(dst)
	for i := range m - zeros {
		for j, v := range x[i*k : (i+1)*k] {
			dst[j] += v * v
		}
	}
	return nil
}

// drift computes what MacKay's re-estimation neglects, the change of the mode: c = H⁻¹Φ(b′ ∘ v) with the variances v of
// f, so that ∂ ln p(t|α)/∂ ln α_j = ½ (γ_j − α_j w_j (w_j − c_j)). It writes c to dst and b′ ∘ v to v. The error is the
// context's.
func (q *posterior) drift(ctx context.Context, dst, v []float64) error {
	l, ok := q.likelihood.(bending)
	if !ok {
		clear(dst)
		clear(v)
		return nil
	}
	bent := make([]float64, q.n)
	if err := q.spread(ctx, v); err != nil {
		return err
	}
	l.bend(q.f, bent)
	for i := range v {
		v[i] *= bent[i]
	}
	dense.MulVec(dst, q.phi, q.n, v)
	q.solve(dst)
	return nil
}

// add adds a basis function with its values.
func (q *posterior) add(j int, alpha, w float64, values []float64) {
	q.basis = append(q.basis, j)
	q.alpha = append(q.alpha, alpha)
	q.w = append(q.w, w)
	q.phi = append(q.phi, values...)
}

// keep removes the basis functions for which stays is false.
func (q *posterior) keep(stays func(s int) bool) {
	k := 0
	for s := range q.basis {
		if !stays(s) {
			continue
		}
		if k < s {
			copy(q.phi[k*q.n:(k+1)*q.n], q.phi[s*q.n:(s+1)*q.n])
			q.basis[k], q.alpha[k], q.w[k] = q.basis[s], q.alpha[s], q.w[s]
		}
		k++
	}
	q.basis, q.alpha, q.w, q.phi = q.basis[:k], q.alpha[:k], q.w[:k], q.phi[:k*q.n]
}
