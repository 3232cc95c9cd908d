package ssvc

import (
	"context"
	"fmt"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// dying is the u_i² below which an unfinished training gives up a coefficient: α_i' = u_i² α_i
// at the present β, and at a fixed point u_i² is 1.
const dying = 0.1

// stopped ends a training between two rounds, with the machine of the last one.
func (m *machine) stopped(ctx context.Context, err error) error {
	if m.report.Status = status.FromContext(ctx); m.report.Status != status.Unknown {
		return nil
	}
	return err
}

// unfinished ends a training in the middle of a round: the machine of the round before
// loses the coefficients that were on their way to zero, and the rest is solved for once
// more, with a certificate of its own. Before the first round there is no machine.
func (m *machine) unfinished(ctx context.Context, pen penalty, q *smo.Box, st status.Status) error {
	m.report.Status = st
	if len(m.report.Rounds) == 0 {
		if ctx.Err() != nil {
			return learn.Nothing(ctx, m.Name())
		}
		return fmt.Errorf("ssvc-a: the first quadratic program ended with %v; scale the features, or lower C", st)
	}
	var keep []int
	for i, u := range m.image {
		if u*u >= dying {
			keep = append(keep, i)
		}
	}
	live, alpha := make([]int, len(keep)), make([]float64, len(keep))
	for j, i := range keep {
		live[j], alpha[j] = m.live[i], m.alpha[i]
	}
	m.live, m.alpha = live, alpha
	var err error
	if q.Image, err = pen.reweight(context.WithoutCancel(ctx), keep, alpha, m.sizes()); err != nil {
		return err
	}
	if len(keep) == 0 {
		return nil
	}
	q.H = pen.factor()
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), refit)
	defer cancel()
	sol := q.Solve(brief, smo.Options{Tolerance: m.Tolerance})
	if sol.Status == status.Optimal || sol.Status == status.Numerical {
		m.count = append(m.count, len(keep))
		pen.coefficients(m.alpha, sol.U)
		m.record(sol, len(keep))
	}
	return nil
}

// refit is how long the last solve of an unfinished training may take.
const refit = 300 * time.Millisecond
