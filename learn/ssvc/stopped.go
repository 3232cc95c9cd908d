package ssvc

import (
	"context"
	"fmt"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// dying is the u_i² below which a stopped training drops a coefficient. The next coefficient is u_i² α_i, and u_i² is 1
// at a fixed point.
const dying = 0.1

// stopped ends a training between two rounds, with the last model without the coefficients that were going to 0.
func (m *quadratic) stopped(ctx context.Context, err error) error {
	if m.report.Status = status.FromContext(ctx); m.report.Status != status.Unknown {
		m.bury()
		return nil
	}
	return err
}

// unfinished ends a training in the middle of a round. The last round's model loses the coefficients that were going to
// 0. The rest is solved again, with a certificate, until no coefficient is going to 0 or the time is up. If ctx ends in
// the first round, its best iterate is the model, unless it is no better than f = 0.
func (m *quadratic) unfinished(ctx context.Context, pen penalty, q *smo.Box, sol *smo.BoxResult) error {
	m.report.Status = sol.Status
	if ctx.Err() != nil {
		m.report.Status = status.FromContext(ctx)
	}
	if len(m.report.Rounds) == 0 {
		if ctx.Err() == nil {
			return fmt.Errorf("%s: the first quadratic program ended with %v; scale the features, or lower C",
				m.Method, sol.Status)
		}
		if len(sol.U) == 0 || !(sol.Gap-sol.Objective < m.Idle()) {
			return learn.Nothing(ctx, m.Method)
		}
		m.round(pen, sol, true)
		return nil
	}
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), refit)
	defer cancel()
	for first := true; ; first = false {
		before := len(m.live)
		keep := m.bury()
		if len(keep) == 0 || len(keep) == before && !first {
			return nil
		}
		var err error
		if q.Image, err = pen.reweight(brief, keep, m.alpha, m.sizes()); brief.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
		sol := pen.solve(brief, q, smo.Options{Tolerance: m.Tolerance, Threads: m.Threads})
		if sol.Status != status.Optimal && sol.Status != status.Numerical {
			return nil
		}
		m.count, m.image = append(m.count, len(keep)), sol.U
		pen.coefficients(m.alpha, sol.U)
		m.record(sol)
		q.Start = sol.B
	}
}

// bury drops the coefficients that are going to 0 and returns the places that the others had.
func (m *quadratic) bury() (keep []int) {
	for i, u := range m.image {
		if u*u >= dying {
			j := len(keep)
			m.live[j], m.alpha[j], m.image[j] = m.live[i], m.alpha[i], u
			keep = append(keep, i)
		}
	}
	n := len(keep)
	m.live, m.alpha, m.image = m.live[:n], m.alpha[:n], m.image[:n]
	return keep
}

// refit limits the time of the last rounds of a stopped training.
const refit = 300 * time.Millisecond
