package svc

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// prove bounds the gap of the solution in exact arithmetic, if that is asked for. The kernel values are computed again,
// in double precision. Where the memory or the time does not suffice, the message says so. A ν variant
// is proved for the C or ε that it found.
func (m *program) prove(ctx context.Context, p *learn.Problem, rows []int, run *run, r *learn.Report) {
	if !learn.ProofAsked(ctx) || r.Duality == nil {
		return
	}
	n := len(rows)
	b := p.Budget(m.method, p.N, p.D)
	if err := b.Take(minMemory[float64](n, p.D, m.each) + smo.BoundBytes(m.each*n)); err != nil {
		r.AddMessage("not proved: " + err.Error())
		return
	}
	k, _, end, err := kernelMatrix[float64](ctx, p, rows, b.Left()+blocked.Bytes[float64](blocked.MinRows, n, 0, 0),
		math.Inf(1))
	if err == nil {
		q := m.pair(p, rows, k)
		if m.share != nil {
			q.P, q.Lo, q.Hi = run.q.P, run.q.Lo, run.q.Hi
		}
		var bound smo.Bound
		if bound, err = q.Bound(ctx, run.sol); err == nil {
			gap := math.Nextafter(bound.Gap/max(1, math.Abs(r.Objective)), math.Inf(1))
			r.Duality.Proved = &learn.Proved{Gap: gap, Shift: bound.Shift}
		}
		end()
	}
	if err != nil {
		r.AddMessage(fmt.Sprintf("not proved: %v", err))
	}
}
