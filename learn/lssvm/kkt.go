package lssvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// kkt is the system of Suykens et al. (2000), eq. (4), in signed coefficients a_i = y_i α_i and with sample weights,
//
//	| 0  1' | |b|   |0|
//	| 1  A  | |a| = |y|,   A = K + diag(1/(γ w_i)),
//
// on the remaining samples, with the inverse of A.
type kkt struct {
	*samples.LeastSquares
	a     []float64 // A, N×N, both halves
	diag  []float64 // K's diagonal
	gamma float64   // γ of A and its inverse
	ridge []float64 // 1/(γ w_i)
	shift float64   // A's diagonal is multiplied by 1 + shift, see system
	inv   *cholupdate.Inverse
	gram  time.Duration // spent on kernel values
	// copies are the samples before merging, which leave-one-out leaves out one by one. Nil for pruning.
	copies []sampleCopy
}

// systemBytes is the memory of `matrices` n×n matrices (A and its inverse among them), of vectors, and of the packing
// of matrix products.
func systemBytes(n, matrices, threads int) int64 {
	return 8 * (int64(n)*(int64(matrices)*int64(n)+17) + dense.Packed(n, parallel.Workers(threads)))
}

// newKKT computes the kernel matrix; invert sets γ.
func newKKT(ctx context.Context, t *samples.LeastSquares) (*kkt, error) {
	k := &kkt{LeastSquares: t, a: dense.New(ctx, t.N*t.N), diag: make([]float64, t.N), ridge: make([]float64, t.N)}
	if k.a == nil {
		return nil, ctx.Err()
	}
	start := time.Now()
	if err := learn.FullMatrix(ctx, t.Packed, k.a, t.N, t.Threads); err != nil {
		return nil, err
	}
	k.gram = time.Since(start)
	for i := range k.diag {
		k.diag[i] = k.a[i*t.N+i]
	}
	return k, nil
}

// invert sets γ and computes the inverse, on all samples. The error is the context's or has a
// *cholupdate.PivotError in its chain.
func (k *kkt) invert(ctx context.Context, gamma float64) (err error) {
	k.gamma = gamma
	for i, w := range k.W {
		if k.ridge[i] = 1 / (gamma * w); !(k.ridge[i] > 0 && k.ridge[i] <= 1e150) {
			return fmt.Errorf("lssvm: gamma-reg %v times the weight %v of sample %d is %v, want 1e-150 to 1e308",
				gamma, w, k.Row[i], gamma*w)
		}
		k.a[i*k.N+i] = (k.diag[i] + k.ridge[i]) * (1 + k.shift)
	}
	if k.inv == nil {
		k.inv, err = cholupdate.NewInverse(ctx, k.a, k.N, k.N, 0, parallel.Workers(k.Threads))
	} else {
		err = k.inv.Renew(ctx, parallel.Workers(k.Threads))
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("lssvm: the kernel matrix is not positive definite with gamma-reg %v and "+
			"weights up to %v; a smaller gamma-reg regularises more: %w", gamma, slices.Max(k.W), err)
	}
	return err
}

// border is what the bordered system's inverse needs in addition to A⁻¹.
type border struct {
	eta []float64 // A⁻¹1
	sum float64   // 1'A⁻¹1
}

func (k *kkt) border() border {
	n := k.inv.Len()
	eta := make([]float64, n)
	k.inv.MulVec(eta, slices.Repeat([]float64{1}, n))
	return border{eta, dense.Sum(eta)}
}

// solve returns the coefficients of the remaining samples, the bias, and the decision values f at all samples. One step
// of iterative refinement corrects rounding errors of the inverse; if the residual is still large, refine continues.
// The error is the context's.
func (k *kkt) solve(ctx context.Context, bo border) (a []float64, b float64, f []float64, err error) {
	kept := k.inv.Kept()
	r, a := deal.Pick(k.Y, kept), make([]float64, len(kept))
	var rest float64 // residual of 0 = 1'a
	for range 2 {
		if err = ctx.Err(); err != nil {
			return nil, 0, nil, err
		}
		b += k.correct(bo, a, r, rest)
		rest = -dense.Sum(a)
		if f, err = k.decide(ctx, a, b); err != nil {
			return nil, 0, nil, err
		}
		for i, p := range kept {
			r[i] = k.Y[p] - f[p] - k.ridge[p]*a[i]
		}
	}
	if worst := math.Max(math.Abs(rest), dense.Largest(r)); !(worst <= samples.OptimalResidual/10*k.Unit()) {
		return k.refine(ctx, bo, a, b)
	}
	return a, b, f, nil
}

// correct adds the solution of the system with right-hand side (rest, r) to a, and returns the change of b.
func (k *kkt) correct(bo border, a, r []float64, rest float64) (db float64) {
	d := make([]float64, len(a))
	k.inv.MulVec(d, r)
	db = (dense.Sum(d) - rest) / bo.sum
	for i := range a {
		a[i] += d[i] - db*bo.eta[i]
	}
	return db
}

// decide returns Σ_s a_s k(x_i, x_s) + b at every sample. The error is the context's.
func (k *kkt) decide(ctx context.Context, a []float64, b float64) ([]float64, error) {
	x, f := make([]float64, k.N), make([]float64, k.N)
	for i, p := range k.inv.Kept() {
		x[p] = a[i]
	}
	const rows = 256
	parallel.Chunks(k.Threads, k.N, rows, func(_, lo, hi int) {
		if ctx.Err() == nil {
			dense.MulVec(f[lo:hi], k.a[lo*k.N:], k.N, x)
		}
	})
	for i := range f {
		f[i] += b + (k.diag[i]-k.a[i*k.N+i])*x[i]
	}
	return f, ctx.Err()
}

// leaveOneOut returns the residuals y_i − f_i(x_i) of the models f_i trained without sample i. They are a_i/B_ii, where
// B is the inverse of the bordered matrix, whose diagonal is that of A⁻¹ − ηη'/1'η. If copies have total weight W, one
// copy of weight w takes w/W of the effect of the sample's label on f, which is 1 − B_ii/(γ W); a_i/(γ W) is y_i − f.
func (k *kkt) leaveOneOut(a []float64, bo border) []float64 {
	h, r := make([]float64, len(a)), make([]float64, len(k.copies))
	k.inv.Diag(h)
	for i, c := range k.copies {
		g := c.place
		b := h[g] - bo.eta[g]*bo.eta[g]/bo.sum
		if c.weight == k.W[g] {
			r[i] = a[g] / b
		} else {
			r[i] = a[g] * k.ridge[g] / (1 - c.weight/k.W[g]*(1-k.ridge[g]*b))
		}
	}
	return r
}

// system sets γ and computes the inverse, on all samples, like invert. If A is indefinite only by rounding (kernel
// values of 1e20, which absorb a ridge of 1), the inverse is of A with a slightly larger diagonal: by the rounding
// errors of one kernel value, up to those of n of them (Demmel 1989, LAPACK Working Note 14). The refinement in solve
// is for A itself. The message tells the change. The error is the context's, or says that the kernel is not positive
// definite.
func (k *kkt) system(ctx context.Context, gamma float64) (bo border, message string, err error) {
	unit := float64(k.N+2*k.D+16) * 0x1p-52
	var first error
	for _, shift := range []float64{0, unit, 16 * unit, unit * float64(16*k.N)} {
		k.shift = shift
		var pivot *cholupdate.PivotError
		err = k.invert(ctx, gamma)
		if err != nil && !errors.As(err, &pivot) {
			return bo, "", err
		}
		if err == nil {
			// 1'A⁻¹1 is positive unless it is only rounding.
			if bo = k.border(); bo.sum > 0 && bo.sum <= math.MaxFloat64 {
				break
			}
			err = fmt.Errorf("lssvm: the kernel matrix is not positive definite with gamma-reg %v: "+
				"the sum of its inverse is %v", gamma, bo.sum)
		}
		if first == nil {
			first = err
		}
	}
	switch {
	case err != nil:
		return bo, "", first
	case k.shift > 0:
		message = fmt.Sprintf("rounding makes the kernel matrix indefinite: solved with %.1e of its diagonal added", k.shift)
	}
	return bo, message, nil
}

// refine continues the iterative refinement of (a, b) with residuals in doubled precision, as long as they decrease.
// The error is the context's.
func (k *kkt) refine(ctx context.Context, bo border, a []float64, b float64) ([]float64, float64, []float64, error) {
	const rounds, gain = 30, 0.9
	enough := 1e-3 * samples.OptimalResidual * k.Unit()
	var best []float64
	var bias float64
	var f []float64
	smallest := math.Inf(1)
	for range rounds {
		now, r, rest, err := k.doubled(ctx, a, b)
		if err != nil {
			return nil, 0, nil, err
		}
		residual := math.Max(math.Abs(rest), dense.Largest(r))
		done := !(residual < gain*smallest) || residual <= enough
		if best == nil || residual < smallest {
			best, bias, f, smallest = slices.Clone(a), b, now, residual
		}
		if done {
			break
		}
		b += k.correct(bo, a, r, rest)
	}
	return best, bias, f, nil
}

// doubled returns f at all samples, the residuals of the system at the remaining samples, and that of 0 = 1'a, all from
// sums in doubled precision. The error is the context's.
func (k *kkt) doubled(ctx context.Context, a []float64, b float64) (f, r []float64, rest float64, err error) {
	kept := k.inv.Kept()
	f, r = make([]float64, k.N), make([]float64, len(kept))
	left := make([]float64, k.N)
	parallel.For(k.Threads, k.N, func(_, i int) {
		if ctx.Err() != nil {
			return
		}
		row := k.a[i*k.N : (i+1)*k.N]
		d := dense.Doubled{Hi: b}
		var own float64
		for s, p := range kept {
			if p == i {
				own = a[s]
				continue
			}
			d.AddProduct(row[p], dense.Doubled{Hi: a[s]})
		}
		d.AddProduct(k.diag[i], dense.Doubled{Hi: own})
		f[i] = d.Value()
		d.Add(-k.Y[i])
		d.AddProduct(k.ridge[i], dense.Doubled{Hi: own})
		left[i] = -d.Value()
	})
	var total dense.Doubled
	for s, p := range kept {
		r[s] = left[p]
		total.Add(a[s])
	}
	return f, r, -total.Value(), ctx.Err()
}
