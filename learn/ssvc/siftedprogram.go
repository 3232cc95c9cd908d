package ssvc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// inner solves the program of the rows inside.
func (s *sieve) inner(ctx context.Context, opt smo.Options) *smo.BoxResult {
	n, ld := len(s.inside), s.stream.width()
	z, idx := make([]float64, (n+1)*ld), make([]int, n)
	q := &smo.Box{P: make([]float64, n+1), Lo: make([]float64, n+1), Hi: make([]float64, n+1),
		Start: make([]float64, n+1), Image: slices.Clone(s.u)}
	for t, i := range s.inside {
		idx[t] = s.rows[i]
		q.P[t], q.Lo[t], q.Hi[t], q.Start[t] = s.q.P[i], s.q.Lo[i], s.q.Hi[i], s.b[i]
	}
	s.stream.rows(ctx, z, idx, s.scale)
	p, times := s.outside(ctx, z[n*ld:]), 1.0
	// The longest row bounds the solver's steps, so this row is made no longer than the others.
	if own, longest := dense.Dot(z[n*ld:], z[n*ld:]), longest(z[:n*ld], ld); own > longest && longest > 0 {
		times = math.Sqrt(own / longest)
		for c := range ld {
			z[n*ld+c] /= times
		}
	}
	q.P[n], q.Lo[n], q.Hi[n], q.Start[n] = p/times, times, times, times
	if ctx.Err() != nil {
		return &smo.BoxResult{Status: status.FromContext(ctx)}
	}
	q.H = smo.NewFactor(z, n+1, ld, ld)
	opt.Gap /= 2 // the rest is for rows outside
	return q.Solve(ctx, opt)
}

// longest returns the largest squared norm of a row.
func longest(z []float64, ld int) (square float64) {
	for ; len(z) > 0; z = z[ld:] {
		square = max(square, dense.Dot(z[:ld], z[:ld]))
	}
	return square
}

// outside writes the sum of the rows outside times their multipliers, and returns that of their linear terms. If ctx
// ends it is of no use.
func (s *sieve) outside(ctx context.Context, row []float64) (p float64) {
	var idx []int
	coef := make(map[int]float64)
	s.eachOutside(func(i int) {
		if b := s.b[i]; b != 0 {
			idx, coef[s.rows[i]] = append(idx, s.rows[i]), b
			p += b * s.q.P[i]
		}
	})
	sum := s.stream.each(ctx, idx, len(row), func(sum, row []float64, r int) { dense.Axpy(coef[r], row, sum) })
	for c, v := range s.scale {
		row[c] = v * sum[c]
	}
	return p
}

// eachOutside calls f for the rows outside, ascending.
func (s *sieve) eachOutside(f func(i int)) {
	next := 0
	for i := range s.b {
		if next < len(s.inside) && s.inside[next] == i {
			next++
			continue
		}
		f(i)
	}
}

// judge computes the result for all rows from that of the rows inside, and the gradient g.
func (s *sieve) judge(sol *smo.BoxResult, g []float64) {
	r := &s.result
	r.KKT, r.Gap, r.Objective = sol.KKT, sol.Gap, sol.Objective
	for t, i := range s.inside {
		s.b[i] = sol.B[t]
		g[i] = sol.G[t]
	}
	s.eachOutside(func(i int) {
		b := s.b[i]
		switch v := g[i]; {
		case v > 0 && b > s.q.Lo[i]:
			r.KKT, r.Gap = max(r.KKT, v), r.Gap+v*(b-s.q.Lo[i])
		case v < 0 && b < s.q.Hi[i]:
			r.KKT, r.Gap = max(r.KKT, -v), r.Gap-v*(s.q.Hi[i]-b)
		}
	})
	r.B, r.G, r.U = s.b, g, sol.U
}

// done reports whether the result is what opt asks for.
func (s *sieve) done(opt smo.Options) bool {
	r := &s.result
	if opt.Gap > 0 && r.Gap <= opt.Gap*dense.Dot(r.U, r.U)/2 {
		return true
	}
	tol := opt.Tolerance
	if tol <= 0 {
		tol = 1e-6
	}
	return r.KKT <= tol && r.Gap <= merged.OptimalGap/2*max(1, r.Gap-r.Objective)
}
