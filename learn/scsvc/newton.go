package scsvc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

const (
	refinements = 4    // at most, for one solution
	refinedTo   = 1e-9 // residual of the first equation relative to λ, of the third relative to betaMin
)

// Factor implements [ipm.Newton]: it prepares the system of [solver.solve]. H is the kernel matrix of the first m
// samples, F has their kernel values with all samples, w = D⁻¹, and u = F w/Σw are means. It factors
//
//	H + E + (F − u1ᵀ) diag(w) (F − u1ᵀ)ᵀ.
//
// If rounding makes it indefinite, the diagonal grows by the factor 1 + 1e-15, then 1 + 1e-14, and so on. The error is
// the context's or the factorisation's.
func (s *solver) Factor(ctx context.Context) (err error) {
	n, m := s.n, s.m
	s.e, s.wSum = s.e[:0], 0
	for i := range m {
		s.e = append(s.e, s.alpha.Share(i))
	}
	for i := range s.w {
		s.w[i] = s.beta.Share(i)
		s.wSum += s.w[i]
	}
	s.u = slices.Grow(s.u[:0], m)[:m]
	dense.MulVec(s.u, s.k, n, s.w)
	for j := range s.u {
		s.u[j] /= s.wSum
	}
	if cap(s.h) < m*m {
		s.h, s.centred = nil, nil // free the old ones first
		s.h, s.centred = dense.New(ctx, m*m), make([]float64, m*dense.Strip)
		if s.h == nil {
			return ctx.Err()
		}
	}
	s.h = s.h[:m*m]
	for jitter := 0.0; jitter < 1e-6; jitter = max(1e-15, 10*jitter) {
		if err = s.fill(ctx); err != nil {
			return err
		}
		for i, e := range s.e {
			s.h[i*m+i] = (s.h[i*m+i] + e) * (1 + jitter)
		}
		if err = cholupdate.Cholesky(ctx, s.h, m, m, parallel.Workers(s.p.Threads)); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// fill sets s.h to the matrix of Factor without E. The error is the context's.
func (s *solver) fill(ctx context.Context) error {
	n, m := s.n, s.m
	for i := range m {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		copy(s.h[i*m:i*m+i+1], s.k[i*n:])
	}
	root := make([]float64, n)
	for i, w := range s.w {
		root[i] = math.Sqrt(w)
	}
	for lo := 0; lo < n; lo += dense.Strip {
		part := root[lo:min(lo+dense.Strip, n)]
		k := len(part)
		for j, mean := range s.u {
			to, row := s.centred[j*k:(j+1)*k], s.k[j*n+lo:]
			for i, r := range part {
				to[i] = (row[i] - mean) * r
			}
		}
		x := dense.Of(s.centred, m, k, k)
		if err := dense.MulLower(ctx, parallel.Workers(s.p.Threads), 1, x, x.T(), dense.Of(s.h, m, m, m)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// solve overwrites ra with Δα and rm with Δθ of
//
//	(H + E) Δα − F Δθ = r_α,   Fᵀ Δα + Δb + D Δθ = r_m,   Σ Δθ = −rest,
//
// and returns Δb. The second equation eliminates Δθ, the third Δb. What remains is the matrix of Factor, in which
// everything that w multiplies is centred.
func (s *solver) solve(ra, rm []float64, rest float64) (b float64) {
	part := make([]float64, s.n)
	mean := dense.Dot(s.w, rm) / s.wSum
	for i, w := range s.w {
		rm[i] -= mean
		part[i] = w * rm[i]
	}
	dense.AddMulVec(ra, s.k, s.n, part)
	dense.Axpy(-rest, s.u, ra)
	cholupdate.Solve(s.h, s.m, s.m, ra)
	s.product(ra, part)
	level := dense.Dot(s.u, ra)
	for i, w := range s.w {
		rm[i] = w * (rm[i] - (part[i] - level) - rest/s.wSum)
	}
	return mean + rest/s.wSum - level
}

// refined is solve with iterative refinement of the first and the third equation. D is near 0 for margins that hold
// with equality, and Δθ is then a quotient of two small numbers.
func (s *solver) refined(ra, rm []float64, rest float64) (b float64) {
	alpha, theta := slices.Clone(ra), rm
	b = s.solve(alpha, theta, rest)
	residual, f, correction := make([]float64, s.m), make([]float64, s.m), make([]float64, s.n)
	for range refinements {
		dense.MulVec(f, s.k, s.n, theta)
		largest := 0.0
		for j, a := range alpha {
			residual[j] = ra[j] + f[j] - s.e[j]*a - dense.Dot(s.k[j*s.n:j*s.n+s.m], alpha)
			largest = max(largest, math.Abs(residual[j]))
		}
		sums := rest + dense.Sum(theta)
		if largest <= refinedTo*s.Lambda && math.Abs(sums) <= refinedTo*s.betaMin {
			break
		}
		clear(correction)
		b += s.solve(residual, correction, sums)
		dense.Axpy(1, correction, theta)
		dense.Axpy(1, residual, alpha)
	}
	copy(ra, alpha)
	return b
}

// Direction implements [ipm.Newton]. All but Δα, Δθ and Δb is eliminated.
func (s *solver) Direction(bool) {
	alpha, theta := make([]float64, s.m), make([]float64, s.n)
	for i, e := range s.e {
		alpha[i] = s.alpha.Value(i, -s.Lambda, s.Lambda) - s.kDiff[i] + e*s.alpha.Pull(i)
	}
	var total float64
	for i, y := range s.y {
		theta[i] = y * (1 - y*(s.f[i]+s.b) + s.beta.Low.Z[i] - s.beta.High.Z[i] + s.beta.Pull(i))
		total += y * s.beta.Low.X[i]
	}
	s.db = s.refined(alpha, theta, total)
	for i, e := range s.e {
		s.alpha.Move(i, e*(s.alpha.Pull(i)-alpha[i]))
	}
	for i, y := range s.y {
		s.beta.Move(i, y*theta[i])
	}
}

// Move implements [ipm.Newton].
func (s *solver) Move(t, _ float64) { s.b += t * s.db }
