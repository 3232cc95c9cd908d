package cholupdate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Inverse is H = (A+λI)⁻¹ restricted to the indices of A that are left.
// Removing indices costs far less than inverting what is left, and the rounding
// errors that it leaves behind can be measured ([Inverse.Drift]) and cleared
// ([Inverse.Refresh]). Its methods are not safe for concurrent use, except those that only read.
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
// keeps a, of which it reads the lower triangle, for Drift and Refresh: a must
// not change while the Inverse is in use, unless [Inverse.Renew] follows. It runs on up to threads goroutines.
// λ may be 0 when A is positive definite by itself.
//
// The error is a *PivotError or the context's.
func NewInverse(ctx context.Context, a []float64, n, ld int, lambda float64, threads int) (*Inverse, error) {
	checkSquare(a, n, ld)
	v := &Inverse{a: a, lda: ld, lambda: lambda, kept: make([]int, n)}
	for i := range n {
		v.kept[i] = i
	}
	if err := v.Refresh(ctx, threads); err != nil {
		return nil, err
	}
	return v, nil
}

// Refresh computes H anew from A, λ and the indices that are left. The error is
// a *PivotError or the context's; the receiver is then unchanged.
func (v *Inverse) Refresh(ctx context.Context, threads int) error {
	n := len(v.kept)
	h := make([]float64, n*n)
	if err := v.fill(ctx, h); err != nil {
		return err
	}
	if err := Invert(ctx, h, n, n, threads); err != nil {
		return err
	}
	v.h, v.ld = h, n
	return nil
}

// Renew computes H anew like Refresh, but in the memory that it has: for a caller who has
// changed A. The error is a *PivotError or the context's; H is then spoilt until a Renew succeeds.
func (v *Inverse) Renew(ctx context.Context, threads int) error {
	n := len(v.kept)
	v.ld = n
	if err := v.fill(ctx, v.h); err != nil {
		return err
	}
	return Invert(ctx, v.h[:n*n], n, n, threads)
}

// lookRows is the number of copied rows between two looks at the context.
const lookRows = 64

// fill writes the lower triangle of A+λI on the indices that are left, rows as many apart. The error is
// the context's.
func (v *Inverse) fill(ctx context.Context, h []float64) error {
	n := len(v.kept)
	for i := range n {
		if i%lookRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v.regularised(h[i*n:i*n+i+1], i)
	}
	return nil
}

// regularised writes the first len(dst) elements of row i of A+λI on the indices that are left.
func (v *Inverse) regularised(dst []float64, i int) {
	p := v.kept[i]
	for j, q := range v.kept[:len(dst)] {
		dst[j] = v.a[max(p, q)*v.lda+min(p, q)]
	}
	if i < len(dst) {
		dst[i] += v.lambda
	}
}

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

// Remove drops index i; later indices move down by one. By Kobayashi and Otsu
// (2009), eq. (8),
//
//	H' = H_(i) − h_(i)·h_(i)ᵀ / h_ii
//
// where h is H's column i and (i) says that row or element i is left out. It
// costs n² operations. If h_ii is not positive, which only rounding can cause, the error is a
// *PivotError and the receiver is unchanged.
func (v *Inverse) Remove(i int) error {
	v.check(i)
	n := v.Len()
	v.col = slices.Grow(v.col[:0], n)[:n]
	h := v.col
	v.Column(h, i)
	pivot := h[i]
	if !(pivot > 0) {
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
// as one matrix product: the same as Remove for each, and faster from a few
// indices on. The error is a *PivotError, whose index is that in remove, or the
// context's; the receiver is then unchanged.
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
	v.spare = slices.Grow(v.spare[:0], k*k)[:k*k]
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

// Drift returns ‖(A+λI)·H − I‖∞ on the indices that are left, the largest sum of
// magnitudes in a row: what rounding has done to H since it was computed. It
// costs 2n³ operations and n² memory. The error is the context's.
func (v *Inverse) Drift(ctx context.Context, threads int) (float64, error) {
	const rows = 256
	n := v.Len()
	h := make([]float64, n*n)
	for i := range n {
		v.Column(h[i*n:(i+1)*n], i)
	}
	full := dense.Of(h, n, n, n)
	a, p := make([]float64, rows*n), make([]float64, rows*n)
	var worst float64
	for i0 := 0; i0 < n; i0 += rows {
		m := min(rows, n-i0)
		clear(p)
		for i := range m {
			v.regularised(a[i*n:(i+1)*n], i0+i)
			p[i*n+i0+i] = -1
		}
		if err := dense.Mul(ctx, threads, 1, dense.Of(a, m, n, n), full, dense.Of(p, m, n, n)); err != nil {
			return 0, err
		}
		for i := range m {
			var sum float64
			for _, x := range p[i*n : (i+1)*n] {
				sum += math.Abs(x)
			}
			worst = math.Max(worst, sum)
		}
	}
	return worst, nil
}
