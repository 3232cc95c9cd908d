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

// stopped ends a training between two rounds, with the model of the last one but for what was dying.
func (m *machine) stopped(ctx context.Context, err error) error {
	if m.report.Status = status.FromContext(ctx); m.report.Status != status.Unknown {
		m.bury()
		return nil
	}
	return err
}

// unfinished ends a training in the middle of a round, in rounds of its own: the model of the round before
// loses the coefficients that were on their way to zero, and the rest is solved for once more,
// with a certificate, until none is on its way or time is up. When ctx ends in the first round, its best
// iterate is the model, unless that is no better than f = 0.
func (m *machine) unfinished(ctx context.Context, pen penalty, q *smo.Box, sol *smo.BoxResult) error {
	m.report.Status = sol.Status
	if ctx.Err() != nil {
		m.report.Status = status.FromContext(ctx)
	}
	if len(m.report.Rounds) == 0 {
		if ctx.Err() == nil {
			return fmt.Errorf("%s: the first quadratic program ended with %v; scale the features, or lower C",
				m.method, sol.Status)
		}
		if len(sol.U) == 0 || !(sol.Gap-sol.Objective < m.idle()) {
			return learn.Nothing(ctx, m.method)
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
		sol := program(brief, pen, q, smo.Options{Tolerance: m.Tolerance, Threads: m.threads})
		if sol.Status != status.Optimal && sol.Status != status.Numerical {
			return nil
		}
		m.count, m.image = append(m.count, len(keep)), sol.U
		pen.coefficients(m.alpha, sol.U)
		m.record(sol)
		q.Start = sol.B
	}
}

// bury gives up the coefficients that are dying and returns the places that the others had.
func (m *machine) bury() (keep []int) {
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

// refit is how long the last rounds of an unfinished training may take.
const refit = 300 * time.Millisecond
