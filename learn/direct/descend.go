package direct

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
)

const (
	kept       = 0.75 // of the vectors, in a step down
	candidates = 4    // vectors of the smallest coefficients that are compared before one is dropped
	compared   = 32   // vectors at most; of more the smallest coefficient's is dropped unseen
)

// descend tries fewer vectors than the chosen ones, from above: a quarter is dropped and the others move on, for as
// long as fewer are chosen. They end better than as many that come from below, put beside those before them.
func (c *choice) descend(ctx context.Context) {
	for len(c.tried) > 0 && ctx.Err() == nil {
		t := pick(c.tried)
		k := int(kept * float64(t.k))
		if k < c.least(c.classes) {
			return
		}
		b := &branch{setting: t.setting, last: make([]*centres.Model, c.used)}
		for i, o := range t.folds {
			if o.fit != nil {
				b.last[i] = o.fit.m
			}
		}
		c.branches = []*branch{b}
		if _, err := c.level(ctx, k); err != nil {
			return // there is no room for its losses
		}
		if pick(c.tried).k >= t.k {
			return
		}
	}
}

// pruned drops vectors until k are left, each time the one that the coefficients of the others make up for best.
func pruned(ctx context.Context, q *centres.Problem, m *centres.Model, k int) *centres.Model {
	for m.K > k && ctx.Err() == nil {
		size := make([]float64, m.K)
		all := make([]int, m.K)
		for j := range all {
			all[j] = j
			for o := range m.Bias {
				size[j] += math.Abs(m.Coef[o*m.K+j])
			}
		}
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
		if m.K > compared {
			all = all[:1]
		}
		best, least := m.Without(all[0]), math.Inf(1)
		for _, j := range all[:min(candidates, len(all))] {
			without := m.Without(j)
			certs, err := centres.Refit(ctx, q, without)
			if err != nil {
				return best
			}
			var sum float64
			for i := range certs {
				sum += certs[i].Objective
			}
			if sum < least {
				best, least = without, sum
			}
		}
		m = best
	}
	return m
}
