package smo

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Factor is the [Matrix] H = Z Zᵀ, given by the n rows z_i of Z and never formed. A
// vector b is seen through its image u = Zᵀb in r dimensions, so one product costs n·r.
type Factor struct {
	z        []float64
	n, r, ld int
	u        []float64 // scratch image of AddRows
	w        []float64 // the selected rows, gathered
	selected int
	rows     [][]float64 // scratch of addImage
	stiff    bool        // an earlier solve found H too ill-conditioned for proximal stages
	kept     *proximal   // scratch of solves
}

// NewFactor wraps z, which is n×r, row-major with row stride ld, and keeps a reference to it.
// A Factor serves one solve at a time.
func NewFactor(z []float64, n, r, ld int) *Factor {
	if n < 0 || r < 0 || ld < r || n > 0 && len(z) < (n-1)*ld+r {
		panic(fmt.Sprintf("smo: %d values for a %d×%d factor with stride %d", len(z), n, r, ld))
	}
	return &Factor{z: z, n: n, r: r, ld: ld, u: make([]float64, r)}
}

// Narrow makes f the factor with r columns and row stride ld that the caller has left in
// its memory, with fewer columns than before. It spares new scratch.
func (f *Factor) Narrow(r, ld int) {
	if r < 0 || r > f.r || ld < r || ld > f.ld {
		panic(fmt.Sprintf("smo: %d columns with stride %d out of %d with stride %d", r, ld, f.r, f.ld))
	}
	f.r, f.ld, f.u = r, ld, f.u[:r]
}

func (f *Factor) row(i int) []float64 { return f.z[i*f.ld : i*f.ld+f.r] }

// Len implements [Matrix].
func (f *Factor) Len() int { return f.n }

// Diag implements [Matrix].
func (f *Factor) Diag(dst []float64) { f.diagonal(context.Background(), dst) }

// diagonal is Diag; when ctx ends, only a part of it.
func (f *Factor) diagonal(ctx context.Context, dst []float64) {
	for i := range f.n {
		if i%512 == 0 && ctx.Err() != nil {
			return
		}
		dst[i] = dense.Dot(f.row(i), f.row(i))
	}
}

// Select implements [Matrix].
func (f *Factor) Select(idx []int) {
	f.selected = len(idx)
	if need := len(idx) * f.r; cap(f.w) < need {
		f.w = nil // not both at a time
		f.w = make([]float64, min(need+need/4, f.n*f.r))
	}
	f.w = f.w[:len(idx)*f.r]
	for r, i := range idx {
		copy(f.w[r*f.r:(r+1)*f.r], f.row(i))
	}
}

// SubRow implements [Matrix].
func (f *Factor) SubRow(dst []float64, r int) {
	dense.MulVec(dst[:f.selected], f.w, f.r, f.w[r*f.r:(r+1)*f.r])
}

// sub selects idx and writes the lower triangle of its block, dst[r*ld+c] = H[idx[r], idx[c]], c ≤ r;
// when ctx ends, only a part of it.
func (f *Factor) sub(ctx context.Context, dst []float64, ld int, idx []int) {
	f.Select(idx)
	m := len(idx)
	for r := range m {
		clear(dst[r*ld : r*ld+r+1])
	}
	w := dense.Of(f.w, m, f.r, f.r)
	_ = dense.MulLower(ctx, 1, 1, w, w.T(), dense.Of(dst, m, m, ld))
}

// AddRows implements [Matrix].
func (f *Factor) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	clear(f.u)
	f.addImage(f.u, idx, coef)
	f.addProduct(g, f.u)
	return ctx.Err()
}

// addAll does u += Σ_k coef[k]·z_idx[k] for many rows; when ctx ends, only a part of it.
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
	dense.AddGathered(u, coef[:len(idx)], f.rows)
}

// product writes Zu; when ctx ends, only a part of it.
func (f *Factor) product(ctx context.Context, dst, u []float64) {
	const work = 1 << 23 // elements between looks at ctx: some milliseconds
	step := max(1, work/max(1, f.r))
	for i := 0; i < f.n && ctx.Err() == nil; i += step {
		m := min(step, f.n-i)
		dense.MulVec(dst[i:i+m], f.z[i*f.ld:], f.ld, u)
	}
}

// addProduct adds Zu to g.
func (f *Factor) addProduct(g, u []float64) { dense.AddMulVec(g[:f.n], f.z, f.ld, u) }
