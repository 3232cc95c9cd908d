package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// path has every stage of a reduction: s vectors are the pool's vectors rank[:s].
type path struct {
	*pool
	lambda  float64
	threads int
	rank    []int     // the reversed order of removal
	l       []float64 // n×n Cholesky factor of K+λI in the order of rank
	u       []float64 // n×m: L⁻¹·t
}

// newPath orders the pool's vectors, by Algorithm 1 (first) or 2, and factors K+λI in that order. It needs 2n² values
// of memory.
func newPath(ctx context.Context, q *pool, lambda float64, first bool, threads int) (*path, error) {
	p := &path{pool: q, lambda: lambda, threads: threads}
	n := q.n
	k := make([]float64, n*n)
	if err := q.gram(ctx, k, threads); err != nil {
		return nil, err
	}
	t := make([]float64, n*q.m) // (K+λI)·α
	for i, c := range q.coef {
		t[i] = lambda * c
	}
	alpha := dense.Of(q.coef, n, q.m, q.m)
	if err := dense.Mul(ctx, threads, 1, dense.Of(k, n, n, n), alpha, dense.Of(t, n, q.m, q.m)); err != nil {
		return nil, err
	}
	p.l = make([]float64, n*n)
	removed, err := order(ctx, k, p.l, n, lambda, 0, first, threads)
	if err != nil {
		return nil, err
	}
	slices.Reverse(removed)
	p.rank = removed
	p.u = make([]float64, n*q.m)
	for i, a := range p.rank {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := k[a*n : (a+1)*n]
		for j, b := range p.rank[:i+1] {
			p.l[i*n+j] = row[b]
		}
		p.l[i*n+i] += lambda
		copy(p.u[i*q.m:(i+1)*q.m], t[a*q.m:])
	}
	if err := cholupdate.Cholesky(ctx, p.l, n, n, threads); err != nil {
		return nil, explain(err, lambda)
	}
	return p, dense.SolveLower(ctx, threads, p.factor(), dense.Of(p.u, n, q.m, q.m))
}

func (p *path) factor() dense.Mat { return dense.Of(p.l, p.n, p.n, p.n) }

// keep returns the pool indices of the last s vectors, ascending, and their coefficients for each submodel,
// len(keep)×m.
func (p *path) keep(ctx context.Context, s int) (idx []int, coef []float64, err error) {
	c := slices.Clone(p.u[:s*p.m])
	l := p.factor().Sub(0, s, 0, s)
	if err := dense.SolveUpper(ctx, p.threads, l.T(), dense.Of(c, s, p.m, p.m)); err != nil {
		return nil, nil, err
	}
	coef = make([]float64, 0, len(c))
	for _, r := range deal.Ascending(p.rank[:s]) {
		idx = append(idx, p.rank[r])
		coef = append(coef, c[r*p.m:(r+1)*p.m]...)
	}
	return idx, coef, nil
}

// Order returns the order in which Algorithm 2 of Kobayashi and Otsu (2009) removes the vectors with the symmetric n×n
// kernel matrix k (row-major, only read): the first steps of them, or all when steps is 0. It takes about
// n³·(1 + steps/n/3) operations and n² memory, on the given number of threads (0 means GOMAXPROCS).
//
// It is an error if K+λI is not positive definite, which λ > 0 prevents for positive definite kernels, or if the
// context ends.
func Order(ctx context.Context, k []float64, n int, lambda float64, steps, threads int) ([]int, error) {
	h := make([]float64, n*n)
	return order(ctx, k, h, n, lambda, steps, false, threads)
}

// byError is the order of Algorithm 1: the vector of least ε, eq. (5), goes. From (7), β = −h_(i)/h_ii, and the whole
// column h_i of H,
//
//	ε = 1/h_ii − λ − λ‖β‖² = 1/h_ii − λ‖h_i‖²/h_ii²
//
// The lower triangle of h is H, which is used up.
func byError(ctx context.Context, h []float64, n int, lambda float64, threads int) ([]int, error) {
	left, col, norm := make([]int, n), make([]float64, n), make([]float64, n)
	for i := range n {
		left[i] = i
		for j := range i {
			h[j*n+i] = h[i*n+j]
		}
	}
	pivot, order := 1.0, []int(nil) // the first downdate is by zeros
	for {
		m := len(left)
		parallel.Chunks(threads, m, 16, func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				row := h[r*n : r*n+m]
				dense.Axpy(-col[r]/pivot, col[:m], row) // eq. (8)
				norm[r] = dense.Dot(row, row)
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, least := -1, math.Inf(1)
		for r, i := range left {
			d := h[r*n+r]
			e := 1/d - lambda*norm[r]/(d*d)
			if !(e-e == 0) {
				return nil, errInverse(lambda)
			}
			if e < least || e == least && i < left[p] {
				p, least = r, e
			}
		}
		if order = append(order, left[p]); m == 1 {
			return order, nil
		}
		m--
		copy(col, h[p*n:p*n+m+1])
		copy(h[p*n:p*n+m+1], h[m*n:])
		pivot, col[p], left[p], left = col[p], col[m], left[m], left[:m]
		for r := range m {
			h[r*n+p] = h[r*n+m]
		}
	}
}

// order is Order, or with first Algorithm 1's, with h as memory for n×n values.
func order(
	ctx context.Context, k, h []float64, n int, lambda float64, steps int, first bool, threads int,
) ([]int, error) {
	threads = parallel.Workers(threads)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		copy(h[i*n:i*n+i+1], k[i*n:])
		h[i*n+i] += lambda
	}
	if err := cholupdate.Invert(ctx, h, n, n, threads); err != nil {
		return nil, explain(err, lambda)
	}
	if first {
		return byError(ctx, h, n, lambda, threads)
	}
	p, err := cholupdate.Pivot(ctx, h, n, n, cholupdate.PivotOptions{MaxSteps: steps, Threads: threads})
	if pivot := (*cholupdate.PivotError)(nil); errors.As(err, &pivot) {
		return nil, errInverse(lambda)
	}
	if err != nil {
		return nil, err
	}
	// Every pivot is at least 1/(‖K‖+λ). If rounding makes one smaller, the remaining vectors follow by index.
	if steps == 0 {
		steps = n
	}
	for i := 0; len(p.Order) < steps; i++ {
		if !slices.Contains(p.Order, i) {
			p.Order = append(p.Order, i)
		}
	}
	return p.Order, nil
}

func errInverse(lambda float64) error {
	return fmt.Errorf("reduce: the inverse of the kernel matrix + λI is not finite with λ = %g", lambda)
}

// explain makes an error about the kernel of a failed pivot.
func explain(err error, lambda float64) error {
	var p *cholupdate.PivotError
	if !errors.As(err, &p) {
		return err
	}
	if math.IsNaN(p.Pivot) || math.IsInf(p.Pivot, 0) {
		return fmt.Errorf("reduce: kernel values are not finite")
	}
	return fmt.Errorf("reduce: kernel matrix + λI is not positive definite with λ = %g (pivot %d is %g): "+
		"the kernel is indefinite, or λ is too small for its values", lambda, p.Index, p.Pivot)
}

// Coefs returns the coefficients of the vectors keep after the removal of all others, (K_SS+λI)⁻¹·t_S with
// t = (K+λI)·alpha. They do not depend on the order of removal. k is the symmetric n×n kernel matrix and alpha has the
// coefficients of all n vectors; neither changes.
func Coefs(
	ctx context.Context, k []float64, n int, lambda float64, alpha []float64, keep []int, threads int,
) ([]float64, error) {
	s := len(keep)
	a, t := make([]float64, s*s), make([]float64, s)
	for i, p := range keep {
		row := k[p*n : (p+1)*n]
		t[i] = lambda * alpha[p]
		t[i] += dense.Dot(row, alpha)
		for j, q := range keep[:i+1] {
			a[i*s+j] = row[q]
		}
		a[i*s+i] += lambda
	}
	threads = parallel.Workers(threads)
	if err := cholupdate.Cholesky(ctx, a, s, s, threads); err != nil {
		return nil, explain(err, lambda)
	}
	return t, centres.SolveFactored(ctx, a, t)
}
