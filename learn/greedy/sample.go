package greedy

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

// runSampled is run with a few random candidates per step (Smola and Bartlett, 2001, section 4.3). Only their columns
// are computed, and each is made orthogonal to the selection explicitly. No kernel values are stored.
func (f *forward) runSampled(ctx context.Context) status.Status {
	rng := rand.New(rand.NewPCG(f.seed, 0))
	pool := f.cand
	scratch := make([]candidate, min(parallel.Workers(f.Threads), panelRows))
	for w := range scratch {
		scratch[w].a = make([]float64, f.N)
	}
	progress := f.Throttle()
	for len(pool) > 0 {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		if len(f.kept) == f.maxSV {
			return status.SizeReached
		}
		if !f.makeRoom() {
			return status.IterationLimit
		}
		k := min(f.candidates, len(pool))
		for i := range k {
			r := i + rng.IntN(len(pool)-i)
			pool[i], pool[r] = pool[r], pool[i]
		}
		f.cand = slices.Sorted(slices.Values(pool[:k]))
		parallel.For(len(scratch), k, func(w, i int) {
			if ctx.Err() == nil {
				f.scoreAlone(&scratch[w], f.cand[i])
			}
		})
		f.evals += int64(k+1) * int64(f.N)
		if ctx.Err() != nil {
			continue
		}
		j, gain := f.best()
		if j < 0 {
			pool = pool[k:] // all drawn candidates depend on the selection, or have no finite score
			continue
		}
		if f.invalid(gain) {
			return status.Numerical
		}
		if gain < f.eta*(f.gained+gain) {
			break
		}
		f.column(&f.chosen, j)
		f.basis.orthogonalize(&f.chosen)
		if f.chosen.norm/f.Total > f.singular {
			f.accept(j, &f.chosen)
		} else { // only rounding made it look independent
			f.norm[j] = 0
		}
		pool = slices.DeleteFunc(pool, func(j int) bool { // f.norm is valid for the drawn candidates only
			_, drawn := slices.BinarySearch(f.cand, j)
			return drawn && f.norm[j]/f.Total <= f.singular
		})
		progress(func() learn.Event { return learn.Event{Phase: "select", Done: -1, Vectors: len(f.kept)} })
	}
	return status.Optimal
}

// scoreAlone computes n_j and p_j of one candidate from its column.
func (f *forward) scoreAlone(c *candidate, j int) {
	f.column(c, j)
	if f.bias {
		f.mean[j] = dense.Dot(f.basis.one, c.a) / math.Sqrt(f.Total)
		dense.Axpy(-f.mean[j]*math.Sqrt(f.Total), f.basis.one, c.a)
	}
	f.norm0[j] = dense.Dot(c.a, c.a)
	if f.ridge > 0 {
		f.norm0[j] += f.ridge * c.ks[len(f.kept)]
	}
	f.basis.orthogonalize(c)
	f.norm[j], f.match[j] = c.norm, dense.Dot(c.a, f.basis.y)
}
