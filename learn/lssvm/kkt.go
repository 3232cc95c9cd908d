package lssvm

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// kkt is the system of Suykens et al. (2000), eq. (4), in signed coefficients
// a_i = y_i α_i and with sample weights,
//
//	| 0  1' | |b|   |0|
//	| 1  A  | |a| = |y|,   A = K + diag(1/(γ w_i)),
//
// on the points that are left, with the inverse of A.
type kkt struct {
	*task
	a     []float64 // A, n×n, both halves
	ridge []float64 // 1/(γ w_i)
	inv   *cholupdate.Inverse
	gram  time.Duration // spent on kernel values
}

// kktBytes is A, its inverse and the buffer of a removal or of an eigendecomposition.
func kktBytes(n, d int) int64 { return 8 * int64(n) * (3*int64(n) + int64(d) + 16) }

func newKKT(ctx context.Context, t *task, gamma float64) (*kkt, error) {
	k, err := t.matrix()
	if err != nil {
		return nil, err
	}
	for i, w := range t.w {
		k.ridge[i] = 1 / (gamma * w)
		k.a[i*t.n+i] += k.ridge[i]
	}
	k.inv, err = cholupdate.NewInverse(ctx, k.a, t.n, t.n, 0, parallel.Workers(t.Threads))
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("lssvm: the kernel matrix is not positive definite with gamma-reg %v; a smaller gamma-reg regularises more: %w", gamma, err)
	}
	return k, err
}

// matrix computes the kernel matrix.
func (t *task) matrix() (*kkt, error) {
	if need := kktBytes(t.n, t.D); need > t.budget() {
		return nil, fmt.Errorf("lssvm: %d points need %d bytes, the budget is %d: lssvm-lda and lssvm-chol need less", t.n, need, t.budget())
	}
	start := time.Now()
	k := &kkt{task: t, a: make([]float64, t.n*t.n), ridge: make([]float64, t.n)}
	parallel.For(t.Threads, t.points.FullBlocks(), func(_, b int) { t.points.FullBlock(k.a, t.n, b) })
	k.gram = time.Since(start)
	return k, nil
}

// border is A⁻¹1 and what the bordered system's inverse has of it.
type border struct {
	eta []float64 // A⁻¹1
	sum float64   // 1'A⁻¹1
}

func (k *kkt) border() border {
	n := k.inv.Len()
	one, eta := make([]float64, n), make([]float64, n)
	for i := range one {
		one[i] = 1
	}
	k.inv.MulVec(eta, one)
	return border{eta, sum(eta)}
}

// solve returns the coefficients of the points that are left, the bias, and the
// decision values f at all points, left or not. One step of iterative refinement
// makes up for the rounding errors of the inverse.
func (k *kkt) solve(bo border) (a []float64, b float64, f []float64) {
	kept := k.inv.Kept()
	r, d := make([]float64, len(kept)), make([]float64, len(kept))
	a = make([]float64, len(kept))
	for i, p := range kept {
		r[i] = k.y[p]
	}
	var rest float64 // what is left of 0 = 1'a
	for range 2 {
		k.inv.MulVec(d, r)
		db := (sum(d) - rest) / bo.sum
		b += db
		for i := range a {
			a[i] += d[i] - db*bo.eta[i]
		}
		rest = -sum(a)
		f = k.decide(a, b)
		for i, p := range kept {
			r[i] = k.y[p] - f[p] - k.ridge[p]*a[i]
		}
	}
	return a, b, f
}

// decide returns Σ_s a_s k(x_i, x_s) + b at every point.
func (k *kkt) decide(a []float64, b float64) []float64 {
	x, f := make([]float64, k.n), make([]float64, k.n)
	for i, p := range k.inv.Kept() {
		x[p] = a[i]
	}
	const rows = 256
	parallel.For(k.Threads, (k.n+rows-1)/rows, func(_, c int) {
		lo := c * rows
		dense.MulVec(f[lo:min(lo+rows, k.n)], k.a[lo*k.n:], k.n, x)
	})
	for i := range f {
		f[i] += b - k.ridge[i]*x[i]
	}
	return f
}

// violation is the largest residual of the system, in units of the decision function.
func (k *kkt) violation(a []float64, f []float64) float64 {
	worst := math.Abs(sum(a))
	for i, p := range k.inv.Kept() {
		worst = math.Max(worst, math.Abs(k.y[p]-f[p]-k.ridge[p]*a[i]))
	}
	return worst
}

// leaveOneOut returns the residuals y_i − f_i(x_i) of the machines f_i trained
// without point i: a_i/B_ii, with B the inverse of the bordered matrix, whose
// diagonal is that of A⁻¹ − ηη'/1'η.
func (k *kkt) leaveOneOut(a []float64, bo border) []float64 {
	r := make([]float64, len(a))
	k.inv.Diag(r)
	for i, h := range r {
		r[i] = a[i] / (h - bo.eta[i]*bo.eta[i]/bo.sum)
	}
	return r
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
