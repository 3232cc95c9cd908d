package reduce

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
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

// newPath orders the pool's vectors and factors K+λI in that order. It needs 2n² values of memory.
func newPath(ctx context.Context, q *pool, lambda float64, threads int) (*path, error) {
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
	removed, err := order(ctx, k, p.l, n, lambda, 0, threads)
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
	place := make([]int, s) // positions in rank, by pool index
	for i := range place {
		place[i] = i
	}
	slices.SortFunc(place, func(a, b int) int { return p.rank[a] - p.rank[b] })
	coef = make([]float64, 0, len(c))
	for _, r := range place {
		idx = append(idx, p.rank[r])
		coef = append(coef, c[r*p.m:(r+1)*p.m]...)
	}
	return idx, coef, nil
}
