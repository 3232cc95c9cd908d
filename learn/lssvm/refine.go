package lssvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

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
	enough := 1e-3 * leastsq.OptimalResidual * k.Unit()
	var best []float64
	var bias float64
	var f []float64
	least := math.Inf(1)
	for range rounds {
		now, r, rest, err := k.doubled(ctx, a, b)
		if err != nil {
			return nil, 0, nil, err
		}
		residual := math.Max(math.Abs(rest), largest(r))
		done := !(residual < gain*least) || residual <= enough
		if best == nil || residual < least {
			best, bias, f, least = slices.Clone(a), b, now, residual
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
		d := leastsq.Doubled{Hi: b}
		var own float64
		for s, p := range kept {
			if p == i {
				own = a[s]
				continue
			}
			d.AddProduct(row[p], leastsq.Doubled{Hi: a[s]})
		}
		d.AddProduct(k.diag[i], leastsq.Doubled{Hi: own})
		f[i] = d.Value()
		d.Add(-k.Y[i])
		d.AddProduct(k.ridge[i], leastsq.Doubled{Hi: own})
		left[i] = -d.Value()
	})
	var total leastsq.Doubled
	for s, p := range kept {
		r[s] = left[p]
		total.Add(a[s])
	}
	return f, r, -total.Value(), ctx.Err()
}
