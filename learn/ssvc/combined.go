package ssvc

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// combined is the penalty ½ αᵀKα + C₁ αᵀ diag(λ) α of the remarks in section 3.3.2, with λ = 1/ᾱ². The first term is
// the squared norm of the expansion in the kernel's feature space, so it does not include the bias. Written as ½ αᵀMα
// with D = diag(|ᾱ|),
//
//	M = K + 2C₁ D⁻² = D⁻¹ A D⁻¹,   A = D K D + 2C₁ I = LLᵀ
//
// (the paper has no ½ before C₁). The features are z_r = L⁻¹ D k̄_r, and the coefficients α = D L⁻ᵀ u.
type combined struct {
	*samples.Merged
	k     []float64 // rows × all columns
	c1    float64
	cols  []int     // live columns
	d     []float64 // |ᾱ| of the live columns
	l     []float64
	z     []float64
	reach []float64 // bound of |(K̄β − Kα)_i| / 2C₁
}

func newCombined(ctx context.Context, k []float64, s *samples.Merged, c1 float64) (*combined, error) {
	c := &combined{Merged: s, k: k, c1: c1}
	n := s.Columns()
	c.cols, c.d = deal.All(n), slices.Repeat([]float64{1}, n)
	// ½ αᵀKα is at most the objective at α = 0, so |(Kα)_i|² ≤ k_ii αᵀKα ≤ 2 k_ii Σ C.
	total := s.Idle()
	c.reach = reachOf(ctx, s, k)
	for i := range c.reach {
		if i < len(s.First) {
			c.reach[i] += math.Sqrt(2 * total * k[i*n+i])
		}
		c.reach[i] /= 2 * c1
	}
	return c, c.factor(ctx)
}

var errIndefinite = errors.New(
	"ssvc-a: the combined objective needs a positive semidefinite kernel; this one is not on these samples")

// factor factors A and solves for the features Z. The error is the context's, or says that A is indefinite.
func (c *combined) factor(ctx context.Context) error {
	n, ld := len(c.cols), c.Columns()
	if c.l == nil {
		c.l, c.z = dense.New(ctx, n*n), dense.New(ctx, len(c.Row)*n)
		if c.l == nil || c.z == nil {
			return ctx.Err()
		}
	}
	c.l, c.z = c.l[:n*n], c.z[:len(c.Row)*n] // later rounds have fewer columns
	for r, i := range c.cols {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		clear(c.l[r*n : (r+1)*n])
		if i < len(c.First) {
			for s, j := range c.cols[:r+1] {
				if j < len(c.First) {
					c.l[r*n+s] = c.d[r] * c.k[i*ld+j] * c.d[s]
				}
			}
		}
		c.l[r*n+r] += 2 * c.c1
		row := c.l[r*n : r*n+r+1]
		dense.Forward(c.l, n, row[:r])
		pivot := row[r] - dense.Dot(row[:r], row[:r])
		if !(pivot > 0) {
			return errIndefinite
		}
		row[r] = math.Sqrt(pivot)
	}
	for r := range c.Row {
		if r%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for s, j := range c.cols {
			c.z[r*n+s] = c.d[s] * c.k[r*ld+j]
		}
	}
	z := dense.Of(c.z, len(c.Row), n, n)
	return dense.SolveLower(ctx, parallel.Workers(c.Threads), dense.Of(c.l, n, n, n), z.T())
}

func (c *combined) solve(ctx context.Context, q *boxqp.Problem, opt boxqp.Options) *boxqp.Result {
	q.H = boxqp.NewFactor(c.z, len(c.Row), len(c.cols), len(c.cols))
	return boxqp.Solve(ctx, q, opt)
}

func (c *combined) features() (z []float64, ld int) { return c.z, len(c.cols) }

// level does nothing, because C₁ bounds the penalty from below.
func (c *combined) level(context.Context) (again bool, err error) { return false, nil }

func (c *combined) coefficients(alpha, u []float64) {
	copy(alpha, u)
	dense.Backward(c.l, len(c.cols), alpha)
	dense.Scale(alpha, c.d)
}

// residual is |α_i (K̄β − Kα)_i / 2C₁ − 1|. Since Mα = K̄β, the middle factor is 2C₁ α_i/ᾱ_i².
func (c *combined) residual(alpha, _ []float64, i int) float64 {
	r := alpha[i] / c.d[i]
	return math.Abs(r*r - 1)
}

// doomed uses the bound of diagonal, with the kernel term added.
func (c *combined) doomed(a float64, i int, _ float64) bool { return math.Abs(a)*c.reach[i] < 1 }

func (c *combined) value(keep []int, alpha, _ []float64) (half float64) {
	ld := c.Columns()
	for _, r := range keep {
		half += c.c1 * alpha[r] / c.d[r] * alpha[r] / c.d[r]
		for _, s := range keep {
			if i, j := c.cols[r], c.cols[s]; max(i, j) < len(c.First) {
				half += alpha[r] * c.k[i*ld+j] * alpha[s] / 2
			}
		}
	}
	return half
}

func (c *combined) reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error) {
	for j, i := range keep {
		c.cols[j], c.d[j], c.reach[j] = c.cols[i], size[j], c.reach[i]
	}
	n := len(keep)
	c.cols, c.d, c.reach = c.cols[:n], c.d[:n], c.reach[:n]
	if err := c.factor(ctx); err != nil {
		return nil, err
	}
	image := make([]float64, n) // u = Lᵀ D⁻¹ α
	for r := range n {
		dense.Axpy(alpha[r]/c.d[r], c.l[r*n:r*n+r+1], image)
	}
	return image, nil
}
