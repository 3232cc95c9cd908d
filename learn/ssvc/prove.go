package ssvc

import (
	"context"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// proofMemory sets the bytes of a proof aside, if one is asked for: before anything is computed, since what caches may
// use is what is left. Its error says that they are not there.
func proofMemory(ctx context.Context, b *learn.Budget, s *samples.Merged) error {
	if !learn.ProofAsked(ctx) {
		return nil
	}
	return b.Take(boxqp.BoundBytes(len(s.Row), s.Columns()))
}

// prove bounds the gap of the last round's solution in exact arithmetic, if that is asked for: over the features as
// they are in double precision. The bound is absolute until relative divides it. Where there is none, the message says
// why.
func (m *quadratic) prove(ctx context.Context, pen penalty, q *boxqp.Problem, sol *boxqp.Result) {
	d := m.report.Duality
	if !learn.ProofAsked(ctx) || d == nil {
		return
	}
	if z, _ := pen.features(); z == nil {
		m.unproved(ctx, "the kernel values are not kept")
		return
	}
	if m.noProof != nil {
		m.unproved(ctx, m.noProof.Error())
		return
	}
	bound, err := q.Bound(ctx, sol)
	if err != nil {
		m.unproved(ctx, err.Error())
		return
	}
	d.Proved = &learn.Proved{Gap: bound.Gap, Shift: bound.Shift}
}

// unproved says why there is no bound, if one is asked for.
func (m *quadratic) unproved(ctx context.Context, why string) {
	if learn.ProofAsked(ctx) {
		m.report.AddMessage("not proved: " + why)
	}
}

// relative divides the proved gap by the objective that the report has in the end. It says where there is none.
func relative(ctx context.Context, r *learn.Report) {
	if d := r.Duality; d != nil && d.Proved != nil {
		d.Proved.Gap = math.Nextafter(d.Proved.Gap/max(1, math.Abs(r.Objective)), math.Inf(1))
	} else if learn.ProofAsked(ctx) && !strings.Contains(r.Message, "not proved") {
		r.AddMessage("not proved: no last quadratic program was solved")
	}
}
