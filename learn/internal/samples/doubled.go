package samples

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

const (
	doubledSamples = 128 // samples of a tile of kernel values
	doubledVectors = 16  // vectors of a tile
)

// Expand returns Σ_s coef_s k(x_s, x_i) at every sample i, over samples s. The error is the context's.
func (t *LeastSquares) Expand(ctx context.Context, samples []int, coef []float64) ([]dense.Doubled, error) {
	f := make([]dense.Doubled, t.N)
	t.tiles((t.N+doubledSamples-1)/doubledSamples, func(chunk int, k []float64) {
		lo, hi := chunk*doubledSamples, min((chunk+1)*doubledSamples, t.N)
		for s := 0; s < len(samples) && ctx.Err() == nil; s += doubledVectors {
			own := samples[s:min(s+doubledVectors, len(samples))]
			t.Packed.Tile(k, hi-lo, own, lo, hi)
			for c := range own {
				a := dense.Doubled{Hi: coef[s+c]}
				for i, v := range k[c*(hi-lo) : (c+1)*(hi-lo)] {
					f[lo+i].AddProduct(v, a)
				}
			}
		}
	})
	return f, ctx.Err()
}

// Products returns Σ_i k(x_s, x_i) x_i for each sample s in samples, over all samples i. The error is the context's.
func (t *LeastSquares) Products(ctx context.Context, samples []int, x []dense.Doubled) ([]dense.Doubled, error) {
	sums := make([]dense.Doubled, len(samples))
	t.tiles((len(samples)+doubledVectors-1)/doubledVectors, func(chunk int, k []float64) {
		first := chunk * doubledVectors
		own := samples[first:min(first+doubledVectors, len(samples))]
		for lo := 0; lo < t.N && ctx.Err() == nil; lo += doubledSamples {
			hi := min(lo+doubledSamples, t.N)
			t.Packed.Tile(k, hi-lo, own, lo, hi)
			for c := range own {
				for i, v := range k[c*(hi-lo) : (c+1)*(hi-lo)] {
					sums[first+c].AddProduct(v, x[lo+i])
				}
			}
		}
	})
	return sums, ctx.Err()
}

// tiles calls do for each chunk, in parallel, with memory for a tile of kernel values.
func (t *LeastSquares) tiles(chunks int, do func(chunk int, k []float64)) {
	room := make([][]float64, parallel.Workers(t.Threads))
	parallel.For(t.Threads, chunks, func(w, chunk int) {
		if room[w] == nil {
			room[w] = make([]float64, doubledSamples*doubledVectors)
		}
		do(chunk, room[w])
	})
}
