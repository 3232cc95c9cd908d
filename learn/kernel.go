package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// FullMatrix writes the kernel matrix, both halves, with rows ld elements apart, on up to threads goroutines; 0 means
// GOMAXPROCS. The error is the context's; the matrix is then incomplete.
func FullMatrix[T gram.Float](ctx context.Context, x *gram.Samples[T], dst []T, ld, threads int) error {
	parallel.For(threads, x.FullBlocks(), func(_, b int) {
		if ctx.Err() == nil {
			x.FullBlock(dst, ld, b)
		}
	})
	return ctx.Err()
}

// Mahalanobis is the diagonal Mahalanobis kernel
// exp(−(δ/d) Σ_k (x_k−z_k)²/s_k²) with the variances s_k² (divisor M, weighted)
// of p's samples; Abe (2008), section 4. A constant feature takes no part. For
// several classes make one from each pair's own samples
// ([github.com/sparsekm/sparsekm/learn/multiclass.Problem.KernelOf]): with one
// vector of variances for all, Abe's satimage counts do not come out.
func Mahalanobis(p *Problem, delta float64) (gram.Kernel, error) {
	if !(delta > 0) || math.IsInf(delta, 1) {
		return gram.Kernel{}, fmt.Errorf("learn: delta of a Mahalanobis kernel is %v, want a finite number > 0", delta)
	}
	if p.N < 1 || len(p.X) < p.N*p.D {
		return gram.Kernel{}, fmt.Errorf("learn: %d values for %d samples of dimension %d", len(p.X), p.N, p.D)
	}
	inverse := make([]float64, p.D)
	for k := range inverse {
		var total, mean, variance float64
		for i := range p.N {
			total += p.WeightOf(i)
			mean += p.WeightOf(i) * p.X[i*p.D+k]
		}
		mean /= total
		for i := range p.N {
			d := p.X[i*p.D+k] - mean
			variance += p.WeightOf(i) * d * d
		}
		if variance > 0 {
			inverse[k] = total / variance
		}
	}
	return gram.WeightedRBF(delta/float64(max(p.D, 1)), inverse), nil
}
