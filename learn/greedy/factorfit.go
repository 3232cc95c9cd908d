package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// conditioned is the largest condition number of the covariance of L's columns for which the covariance is factored.
// The fit then still solves its normal equations to rounding error, since R'R and R'u agree with K_c'K_c and K_c'y. But
// Q'Q differs from I by about this number times 2⁻⁵³, and J by as much.
const conditioned = 1e8

// columns is the least squares of the selected kernel columns K_S = L L_SS'. The columns of L span the same space with
// about the square root of the condition number. So L, scaled and centred, is factored as Q M', and R of K_S = Q R is
// M'L_SS'.
type columns struct {
	*factor
	basis *basis    // the labels and the bias; y becomes the residual
	mean  []float64 // of each column of L
	m     []float64 // M, lower triangle, k×k
	u     []float64 // Q'y
	rank  int       // columns of L that may be independent when centred: fewer than there are samples
}

// fit computes R, Q'y and the residual for the selection; only the context's end is an error.
func (f *factor) fit(ctx context.Context) (*Selection, error) {
	k := len(f.chosen)
	c := &columns{factor: f, mean: make([]float64, k), u: make([]float64, k), rank: min(k, f.N-1)}
	s := &Selection{criterion: criterion{bias: true}, threads: f.Threads, r: make([][]float64, k), mean: make([]float64, k)}
	c.basis, s.ybar = newBasis(f.LeastSquares, true, 0)
	energy := dense.Dot(c.basis.y, c.basis.y)
	for j, i := range f.chosen {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.r[j] = make([]float64, j+1)
		for t := range s.r[j] {
			s.r[j][t] = f.vector(t)[i]
		}
	}
	parallel.For(f.Threads, k, func(_, t int) {
		if ctx.Err() != nil {
			return
		}
		l := f.vector(t)
		dense.Scale(l, f.Root)
		c.mean[t] = dense.Dot(c.basis.one, l) / math.Sqrt(f.Total)
	})
	for j, l := range s.r {
		s.mean[j] = dense.Dot(l, c.mean)
	}
	c.m = make([]float64, k*k)
	good, err := c.normal(ctx)
	if err != nil {
		return nil, err
	}
	if good {
		err = c.project(ctx)
	} else {
		err = c.orthogonalize(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.Support, s.KernelEvals, s.u = f.Rows(f.chosen), f.evals, c.u
	s.objectives(f.LeastSquares, s.u, energy)
	f.block = nil // no longer needed, and most of the memory
	return s, c.product(ctx, s.r)
}

// normal factors the centred covariance of L's columns as M M'. It reports whether they are independent enough for
// that.
func (c *columns) normal(ctx context.Context) (bool, error) {
	k := len(c.chosen)
	if err := c.covariance(ctx); err != nil {
		return false, err
	}
	for i, m := range c.mean {
		dense.Axpy(-c.Total*m, c.mean[:i+1], c.m[i*k:i*k+i+1])
	}
	if cholupdate.Cholesky(ctx, c.m, c.rank, k, c.Threads) != nil {
		return false, ctx.Err()
	}
	if c.rank < k {
		last := c.m[c.rank*k : k*k]
		lower(c.m, k, last[:c.rank])
		last[c.rank] = 0
	}
	for i := range k { // blocks on the diagonal of the covariance have something above it
		clear(c.m[i*k+i+1 : (i+1)*k])
	}
	worst, err := c.condition(ctx)
	return worst <= conditioned, err
}

// condition estimates the condition number of M M' from below, by power iterations with it and with its inverse.
// The error is the context's.
func (c *columns) condition(ctx context.Context) (float64, error) {
	k := len(c.chosen)
	x, y := make([]float64, c.rank), make([]float64, c.rank)
	norm := func(by func()) (r float64) {
		for i := range x {
			x[i] = 1 + math.Sin(float64(i*i))
		}
		for range 3 {
			if ctx.Err() != nil {
				return 0
			}
			r = 1 / math.Sqrt(dense.Dot(x, x))
			for i := range x {
				x[i] *= r
			}
			by()
			r = math.Sqrt(dense.Dot(x, x))
		}
		return r
	}
	largest := norm(func() {
		clear(y)
		dense.AddRows(y, x, c.m, k)
		dense.MulVec(x, c.m, k, y)
	})
	return largest * norm(func() { lower(c.m, k, x); lowerTransposed(c.m, k, x) }), ctx.Err()
}

// covariance writes the lower triangle of L'L, a pair of blocks at a time.
func (c *columns) covariance(ctx context.Context) error {
	k := len(c.chosen)
	m := dense.Of(c.m, k, k, k)
	parallel.Chunks(c.Threads, k, factorVectors, func(_, lo, hi int) {
		from := min(c.chosen[lo], c.whole) // the columns have zeros ahead
		own := dense.Of(c.block[lo/factorVectors], hi-lo, c.N, c.N).Sub(0, hi-lo, from, c.N)
		_ = c.eachBlock(hi, from, func(lo2, hi2 int, l dense.Mat) error {
			return dense.Mul(ctx, 1, 1, own, l.T(), m.Sub(lo, hi, lo2, hi2))
		})
	})
	return ctx.Err()
}

// project computes u = M⁻¹L_c'y and the residual, and repeats it on the residual against rounding. The error is the
// context's.
func (c *columns) project(ctx context.Context) error {
	e, one, d := c.basis.y, c.basis.one, make([]float64, c.rank)
	for range 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		dense.Axpy(-dense.Dot(one, e), one, e)
		c.dot(d, e)
		lower(c.m, len(c.chosen), d)
		dense.Axpy(1, d, c.u)
		lowerTransposed(c.m, len(c.chosen), d)
		dense.Axpy(math.Sqrt(c.Total)*dense.Dot(d, c.mean), one, e)
		for i := range d {
			d[i] = -d[i]
		}
		c.axpy(e, d)
	}
	return nil
}

// orthogonalize computes M and u by Gram-Schmidt, two passes per column; L becomes Q.
func (c *columns) orthogonalize(ctx context.Context) error {
	k := len(c.chosen)
	clear(c.m)
	d := make([]float64, k)
	for s := range k {
		if err := ctx.Err(); err != nil {
			return err
		}
		q, row := c.vector(s), c.m[s*k:s*k+s+1]
		for range 2 {
			dense.Axpy(-dense.Dot(c.basis.one, q), c.basis.one, q)
			c.dot(d[:s], q)
			for t, v := range d[:s] {
				row[t] += v
				d[t] = -v
			}
			c.axpy(q, d[:s])
		}
		row[s] = math.Sqrt(dense.Dot(q, q))
		if row[s] > 0 { // a dependent column stays zero: its row of M is still right
			for i := range q {
				q[i] /= row[s]
			}
		}
		c.u[s] = dense.Dot(q, c.basis.y)
		dense.Axpy(-c.u[s], q, c.basis.y)
	}
	return nil
}

// product overwrites the rows of L_SS in r by those of L_SS M, the columns of R.
func (c *columns) product(ctx context.Context, r [][]float64) error {
	k := len(r)
	m := dense.Of(c.m, k, k, k)
	width := make([]float64, 2*factorVectors*k)
	for lo := 0; lo < k; lo += factorVectors {
		hi := min(lo+factorVectors, k)
		rows := dense.Of(width, hi-lo, hi, hi)
		out := dense.Of(width[factorVectors*k:], hi-lo, hi, hi)
		clear(width)
		for j := lo; j < hi; j++ {
			copy(width[(j-lo)*hi:(j-lo)*hi+j+1], r[j])
		}
		for begin := 0; begin < hi; begin += factorVectors { // M has nothing above its diagonal
			end := min(begin+factorVectors, hi)
			part := rows.Sub(0, hi-lo, begin, end)
			if err := dense.Mul(ctx, c.Threads, 1, part, m.Sub(begin, end, 0, end), out.Sub(0, hi-lo, 0, end)); err != nil {
				return err
			}
		}
		for j := lo; j < hi; j++ {
			copy(r[j], out.Data[(j-lo)*hi:(j-lo)*hi+j+1])
		}
	}
	return nil
}
