package lssvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// runSampled is run with a few random candidates a step (Smola and Bartlett,
// 2001, section 4.3): their columns alone are computed, and each is made
// orthogonal to the selection explicitly. No kernel value is kept.
func (f *forward) runSampled(ctx context.Context) status.Status {
	rng := rand.New(rand.NewPCG(f.seed, 0))
	pool := f.cand
	buffer := make([][]float64, parallel.Workers(f.Threads))
	for w := range buffer {
		buffer[w] = make([]float64, f.n)
	}
	for len(pool) > 0 {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		if len(f.kept) == f.maxSV {
			return status.IterationLimit
		}
		k := min(f.candidates, len(pool))
		for i := range k {
			r := i + rng.IntN(len(pool)-i)
			pool[i], pool[r] = pool[r], pool[i]
		}
		f.cand = slices.Sorted(slices.Values(pool[:k]))
		parallel.For(f.Threads, k, func(w, i int) {
			if ctx.Err() == nil {
				f.scoreAlone(buffer[w], f.cand[i])
			}
		})
		f.evals += int64(k+1) * int64(f.n)
		if ctx.Err() != nil {
			continue
		}
		j, gain := f.best()
		if j < 0 {
			pool = f.independent(pool)
			continue
		}
		if gain < f.eta*(f.gained+gain) {
			break
		}
		c := f.column(nil, j)
		f.basis.orthogonalize(c)
		f.accept(j, c)
		pool = f.independent(pool)
		if f.Progress != nil {
			f.Progress(learn.Event{Phase: "select", Done: -1})
		}
	}
	return status.Optimal
}

// scoreAlone computes n_j and p_j of one candidate from its column.
func (f *forward) scoreAlone(buffer []float64, j int) {
	c := f.column(buffer, j)
	if f.bias {
		f.mean[j] = dense.Dot(f.basis.one, c.a) / math.Sqrt(f.total)
		dense.Axpy(-f.mean[j]*math.Sqrt(f.total), f.basis.one, c.a)
	}
	f.norm0[j] = dense.Dot(c.a, c.a)
	if f.ridge > 0 {
		f.norm0[j] += f.ridge * c.ks[len(f.kept)]
	}
	f.basis.orthogonalize(c)
	f.norm[j], f.match[j] = c.norm, dense.Dot(c.a, f.basis.y)
}

// independent drops the candidates of the last draw that depend on the
// selection, the chosen one among them: f.norm is only known for those.
func (f *forward) independent(pool []int) []int {
	return slices.DeleteFunc(pool, func(j int) bool {
		_, drawn := slices.BinarySearch(f.cand, j)
		return drawn && f.norm[j]/f.total <= singular
	})
}
