package direct

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
)

const (
	kept       = 0.75 // share of the support vectors that remain after a step down
	candidates = 4    // vectors with the smallest coefficients that are compared to drop one
	compared   = 32   // vectors up to which they are compared; of more, that of the smallest coefficient is dropped
)

// descend tries fewer vectors than chosen, starting from above: a quarter is dropped and the others are trained, as
// long as the smaller number is chosen. The results are better than with the same number grown from below.
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
			return // no memory for its losses
		}
		if pick(c.tried).k >= t.k {
			return
		}
	}
}

// pruned drops vectors until k are left, each time the one whose loss increases the refitted objective least.
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
