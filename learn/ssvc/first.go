package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

func init() { samples.FirstRounds = firstRounds }

// Linear programs that are reweighted lower the same sum as quadratic ones, Σ log|α_i| + Σ C_i ξ_i. They are few, but
// the first of them may take longer than all quadratic ones, because many coefficients are not 0 there. Then its rounds
// go on from the first quadratic rounds, which leave fewer columns.

const (
	// mostFirst limits the first rounds. They end sooner, when there are at most columnsPerFree times as many columns as
	// free rows.
	mostFirst      = 12
	columnsPerFree = 1.2
	wideGap        = 0.1 // the relative gap of first rounds
)

// firstRounds returns what the first rounds at the cost c leave. It is nil if they drop fewer than half of the columns
// or all of them, if ctx ends, or if they need more than half of the bytes: the linear programs may begin before their
// memory is free again.
func firstRounds(ctx context.Context, p *learn.Problem, s *samples.Merged, c float64, bytes int64) *samples.Start {
	t := A{C: c, MaxIter: mostFirst}
	if learn.Complete(&t) != nil || 2*t.estimate(int64(len(s.Row)), int64(len(s.First)), int64(p.D)) > bytes {
		return nil
	}
	m := &quadratic{A: t, Merged: s, outer: outer{first: true}}
	if err := m.run(ctx, p); err != nil || ctx.Err() != nil {
		return nil
	}
	if live := len(m.live); live == 0 || 2*live > s.Columns() {
		return nil
	}
	return &samples.Start{Columns: m.live, Coef: m.alpha, Image: m.image, M: m.multipliers}
}

// run does the first rounds.
func (m *quadratic) run(ctx context.Context, p *learn.Problem) error {
	if m.sifts(ctx, m.Merged, p) {
		z, err := newSifted(ctx, m, p)
		if err != nil {
			return err
		}
		defer z.release()
		return m.rounds(ctx, z)
	}
	z, err := matrix(ctx, m.Merged, p, 0)
	if err != nil {
		return err
	}
	defer cpu.Release(z)
	return m.rounds(ctx, newDiagonal(ctx, z, m.Merged, m.Norm))
}

// enough takes over the multipliers of a first round and reports whether it is the last.
func (m *quadratic) enough(q *boxqp.Problem, b []float64) bool {
	m.multipliers = b
	free := 0
	for i, v := range b {
		if v > q.Lo[i] && v < q.Hi[i] {
			free++
		}
	}
	return len(m.report.Rounds) == m.MaxIter || float64(len(m.live)) <= columnsPerFree*float64(free)
}
