package bayes

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

const (
	// endedSize limits n k², the work of a Newton step with k basis functions, after the end of a context.
	endedSize = 2e7
	// endedSteps is the number of Newton steps after which no more precisions are estimated.
	endedSteps = 40
)

// ended returns the climber of some basis functions, evenly spaced among those of q, after ctx has ended in the first
// fit of q. There are so few that a fit takes some 10 ms. It is nil if they have no fit either.
func (t *task) ended(ctx context.Context, q *posterior) (*climber, status.Status) {
	on, m := context.WithoutCancel(ctx), q.size()
	k := min(m, max(8, int(math.Sqrt(endedSize/float64(t.n)))))
	some := newPosterior(on, t.likelihoodOf(), t.n, k, t.Threads)
	for s := range k {
		from := m - 1 - s*m/k // the last one is the bias, if there is one
		some.add(q.basis[from], t.firstRate(), 0, q.phi[from*t.n:(from+1)*t.n])
	}
	c := newClimber(some, t.heaviest(), t.Resources, k)
	if some.fit(on, c.unit) != nil {
		return nil, status.Unknown
	}
	for c.steps < endedSteps && c.climb(on, len(c.history)+1) == status.IterationLimit {
	}
	return c, status.FromContext(ctx)
}
