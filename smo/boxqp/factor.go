package boxqp

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Factor is the matrix H = Z Zᵀ, given by the n rows z_i of Z and never formed. A
// vector b acts through its image u = Zᵀb in r dimensions, so one product costs n·r.
type Factor struct {
	z        []float64
	n, r, ld int
	most     int         // largest order of the systems of steps
	w        []float64   // scratch of sub: the rows
	threads  int         // goroutines of products; 0 means one
	rows     [][]float64 // scratch of addImage
	stiff    bool        // an earlier solve found H too ill-conditioned for proximal stages
	kept     *proximal   // scratch of solves
}

// NewFactor wraps z, which is n×r, row-major with row stride ld, and keeps a reference to it.
// It panics when z is too short. A Factor serves one solve at a time.
func NewFactor(z []float64, n, r, ld int) *Factor {
	if n < 0 || r < 0 || ld < r || n > 0 && len(z) < (n-1)*ld+r {
		panic(fmt.Sprintf("boxqp: %d values for a %d×%d factor with stride %d", len(z), n, r, ld))
	}
	return &Factor{z: z, n: n, r: r, ld: ld, most: largest(r)}
}

// Narrow makes f the factor of the first r columns with row stride ld, after the caller has rearranged z.
// Both may only fall. The scratch memory of earlier solves stays in use.
func (f *Factor) Narrow(r, ld int) {
	if r < 0 || r > f.r || ld < r || ld > f.ld {
		panic(fmt.Sprintf("boxqp: %d columns with stride %d out of %d with stride %d", r, ld, f.r, f.ld))
	}
	f.r, f.ld = r, ld
}

func (f *Factor) row(i int) []float64 { return f.z[i*f.ld : i*f.ld+f.r] }

// diagonal writes the diagonal elements; when ctx ends, only a part of it.
func (f *Factor) diagonal(ctx context.Context, dst []float64) {
	f.eachRows(ctx, f.n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = dense.Dot(f.row(i), f.row(i))
		}
	})
}

// taskWork is the number of elements that a task of a parallel loop passes over: a fraction of a millisecond, so that a
// context is looked at often, and many times what it takes to hand a task over.
const taskWork = 1 << 19

// eachRows calls do for parts of rows [0, n) of r elements each, on several goroutines where there is more than one
// part; when ctx ends, only for some of them.
func (f *Factor) eachRows(ctx context.Context, n int, do func(lo, hi int)) {
	step := max(8, taskWork/max(1, f.r)&^7)
	parallel.For(max(1, f.threads), (n+step-1)/step, func(_, t int) {
		if ctx.Err() == nil {
			do(t*step, min((t+1)*step, n))
		}
	})
}

// sub gathers the rows idx in w and writes the lower triangle of their block, dst[r*ld+c] = H[idx[r], idx[c]], c ≤ r;
// when ctx ends, only a part of it.
func (f *Factor) sub(ctx context.Context, dst []float64, ld int, idx []int) {
	m := len(idx)
	if need := m * f.r; cap(f.w) < need {
		f.w = nil // not both at a time
		f.w = make([]float64, min(need+need/4, f.n*f.r))
	}
	f.w = f.w[:m*f.r]
	for r, i := range idx {
		copy(f.w[r*f.r:(r+1)*f.r], f.row(i))
		clear(dst[r*ld : r*ld+r+1])
	}
	w := dense.Of(f.w, m, f.r, f.r)
	_ = dense.MulLower(ctx, f.threads, 1, w, w.T(), dense.Of(dst, m, m, ld))
}

// addAll does u += Σ_k coef[k]·z_idx[k] for many rows; when ctx ends, only a part of it. Each goroutine has columns of
// its own, so that the result does not depend on their number.
func (f *Factor) addAll(ctx context.Context, u []float64, idx []int, coef []float64) {
	const chunk = 512
	for len(idx) > 0 && ctx.Err() == nil {
		m := min(chunk, len(idx))
		f.addImage(u, idx[:m], coef[:m])
		idx, coef = idx[m:], coef[m:]
	}
}

// addImage does u += Σ_k coef[k]·z_idx[k].
func (f *Factor) addImage(u []float64, idx []int, coef []float64) {
	f.rows = f.rows[:0]
	for _, i := range idx {
		f.rows = append(f.rows, f.row(i))
	}
	coef = coef[:len(idx)]
	width := f.r
	if f.threads > 1 && len(idx)*f.r > taskWork {
		width = max(512, taskWork/len(idx)&^63)
	}
	if width >= f.r {
		dense.AddGathered(u, coef, f.rows)
		return
	}
	parallel.For(f.threads, (f.r+width-1)/width, func(_, t int) {
		lo, hi := t*width, min((t+1)*width, f.r)
		rows := make([][]float64, len(f.rows))
		for k, row := range f.rows {
			rows[k] = row[lo:hi]
		}
		dense.AddGathered(u[lo:hi], coef, rows)
	})
}

// product writes Zu; when ctx ends, only a part of it.
func (f *Factor) product(ctx context.Context, dst, u []float64) {
	f.eachRows(ctx, f.n, func(lo, hi int) { dense.MulVec(dst[lo:hi], f.z[lo*f.ld:], f.ld, u) })
}
