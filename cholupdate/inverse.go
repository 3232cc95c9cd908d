package cholupdate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Inverse is H = (A+λI)⁻¹ restricted to the indices of A that are left. Removing indices costs far less than
// inverting what is left; [Inverse.Renew] clears the rounding errors that it leaves behind. Its methods are not safe
// for concurrent use, except those that only read.
type Inverse struct {
	a      []float64 // the caller's A, lower triangle
	lda    int
	lambda float64
	kept   []int     // rows of A that are left, in ascending order
	h      []float64 // row-major lower triangle of order len(kept), rows ld apart
	ld     int
	spare  []float64 // the other buffer of RemoveBlock
	col    []float64
}

// NewInverse inverts A+λI, where A has order n with rows ld elements apart. It
// keeps a, of which it reads the lower triangle, for [Inverse.Renew]. It runs on up to threads goroutines.
// λ may be 0 when A is positive definite by itself.
//
// The error is a *PivotError or the context's.
func NewInverse(ctx context.Context, a []float64, n, ld int, lambda float64, threads int) (*Inverse, error) {
	checkSquare(a, n, ld)
	v := &Inverse{a: a, lda: ld, lambda: lambda, kept: make([]int, n), h: dense.New(ctx, n*n)}
	if v.h == nil {
		return nil, ctx.Err()
	}
	for i := range n {
		v.kept[i] = i
	}
	if err := v.Renew(ctx, threads); err != nil {
		return nil, err
	}
	return v, nil
}

// Renew computes H anew from A, λ and the indices that are left: after a change of A, or to clear the rounding errors
// of removals. The error is a *PivotError or the context's; H is then spoilt until a Renew succeeds.
func (v *Inverse) Renew(ctx context.Context, threads int) error {
	n := len(v.kept)
	v.ld = n
	for i := range n {
		if i%lookRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := v.h[i*n : i*n+i+1]
		for j, q := range v.kept[:i+1] {
			row[j] = v.a[v.kept[i]*v.lda+q]
		}
		row[i] += v.lambda
	}
	return Invert(ctx, v.h[:n*n], n, n, threads)
}

// lookRows is the number of copied rows between two looks at the context.
const lookRows = 64

// Len returns the number of indices that are left.
func (v *Inverse) Len() int { return len(v.kept) }

// Kept returns the rows of A that are left, ascending. The slice is the
// receiver's own: it is valid until the next removal and not to be written.
func (v *Inverse) Kept() []int { return v.kept }

// At returns H's element (i, j); indices count what is left.
func (v *Inverse) At(i, j int) float64 {
	v.check(i)
	v.check(j)
	return v.h[max(i, j)*v.ld+min(i, j)]
}

func (v *Inverse) check(i int) {
	if uint(i) >= uint(len(v.kept)) {
		panic(fmt.Sprintf("cholupdate: index %d of an inverse of order %d", i, len(v.kept)))
	}
}

// Diag writes H's diagonal to dst, of length Len.
func (v *Inverse) Diag(dst []float64) {
	checkLen("diagonal", dst, v.Len())
	for i := range dst {
		dst[i] = v.h[i*v.ld+i]
	}
}

// Column writes H's column i to dst, of length Len.
func (v *Inverse) Column(dst []float64, i int) {
	checkLen("column", dst, v.Len())
	v.check(i)
	copy(dst, v.h[i*v.ld:i*v.ld+i+1])
	for j := i + 1; j < len(dst); j++ {
		dst[j] = v.h[j*v.ld+i]
	}
}

// MulVec writes H·x to dst; both have length Len and must not overlap.
func (v *Inverse) MulVec(dst, x []float64) {
	checkLen("result", dst, v.Len())
	checkLen("vector", x, v.Len())
	for i := range dst {
		r := v.h[i*v.ld : i*v.ld+i+1]
		dst[i] = dense.Dot(r, x[:i+1])
		dense.Axpy(x[i], r[:i], dst[:i])
	}
}

// Remove drops index i; later indices move down by one. By Kobayashi and Otsu (2009), eq. (8),
//
//	H' = H_(i) − h_(i)·h_(i)ᵀ / h_ii
//
// where h is H's column i and (i) says that row or element i is left out. It costs n² operations. If h_ii is not
// positive, which only rounding can cause, the error is a *PivotError and the receiver is unchanged.
func (v *Inverse) Remove(i int) error {
	v.check(i)
	n := v.Len()
	v.col = slices.Grow(v.col[:0], n)[:n]
	h := v.col
	v.Column(h, i)
	pivot := h[i]
	if !(pivot > 0) || math.IsInf(pivot, 1) {
		return &PivotError{Index: i, Pivot: pivot}
	}
	h = slices.Delete(h, i, i+1)
	for r := range n - 1 {
		to := v.h[r*v.ld : r*v.ld+r+1]
		if r >= i {
			from := v.h[(r+1)*v.ld:]
			copy(to, from[:i])
			copy(to[i:], from[i+1:r+2])
		}
		dense.Axpy(-h[r]/pivot, h[:r+1], to)
	}
	v.kept = slices.Delete(v.kept, i, i+1)
	return nil
}

// RemoveBlock drops the indices in remove, in any order and without repetition;
// the others close up. With R what is dropped and K what is left,
//
//	H' = H_KK − H_KR·H_RR⁻¹·H_RK
//
// as one matrix product: the same as Remove for each, and faster from a few indices on. The error is a *PivotError,
// whose index is that in remove, or the context's; the receiver is then unchanged.
func (v *Inverse) RemoveBlock(ctx context.Context, remove []int, threads int) error {
	n, m := v.Len(), len(remove)
	drop := make([]bool, n)
	for _, i := range remove {
		v.check(i)
		if drop[i] {
			panic(fmt.Sprintf("cholupdate: index %d removed twice", i))
		}
		drop[i] = true
	}
	keep := make([]int, 0, n-m)
	for i, d := range drop {
		if !d {
			keep = append(keep, i)
		}
	}
	rr := make([]float64, m*m)
	for a, i := range remove {
		for b, j := range remove[:a+1] {
			rr[a*m+b] = v.At(i, j)
		}
	}
	if err := factorize(ctx, threads, dense.Of(rr, m, m, m)); err != nil {
		return err
	}
	k := n - m
	rk := make([]float64, m*k) // H_RK, then L⁻¹·H_RK with L·Lᵀ = H_RR
	if cap(v.spare) < k*k {
		if v.spare = dense.New(ctx, k*k); v.spare == nil {
			return ctx.Err()
		}
	}
	v.spare = v.spare[:k*k]
	for b, j := range keep {
		if b%lookRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for a, i := range remove {
			rk[a*k+b] = v.At(i, j)
		}
		for c, i := range keep[:b+1] {
			v.spare[b*k+c] = v.h[j*v.ld+i]
		}
	}
	w := dense.Of(rk, m, k, k)
	if err := dense.SolveLower(ctx, threads, dense.Of(rr, m, m, m), w); err != nil {
		return err
	}
	if err := dense.MulLower(ctx, threads, -1, w.T(), w, dense.Of(v.spare, k, k, k)); err != nil {
		return err
	}
	v.h, v.spare, v.ld = v.spare, v.h, k
	for b, j := range keep {
		keep[b] = v.kept[j]
	}
	v.kept = keep
	return nil
}
