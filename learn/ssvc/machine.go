package ssvc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// penalty is the regulariser of one round, ½ αᵀMα, with the features that turn the
// round into a bias-free linear model: z_r = L⁻¹ k̄_r with M = LLᵀ, so that the dual (11)
// has the Hessian ZZᵀ and α = L⁻ᵀ u for the image u = Zᵀb of its solution.
type penalty interface {
	// factor returns the features of the live columns.
	factor() *smo.Factor
	// coefficients writes α for the image u.
	coefficients(alpha, u []float64)
	// residual returns how far column k is from the fixed point of the reweighting,
	// relative, given the image u and its coefficients.
	residual(alpha, u []float64, k int) float64
	// doomed reports whether column k goes to zero whatever the other coefficients do.
	doomed(a float64, k int) bool
	// reweight keeps the columns keep, with the coefficients alpha of these and their sizes as
	// the new |ᾱ|, and returns the image that has the coefficients alpha under the new
	// penalty, or nil. After an error, which may be that of ctx, there is no further round.
	reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error)
	// value is ½ αᵀMα of the columns keep, of whose image u and coefficients alpha these are all.
	value(keep []int, alpha, u []float64) float64
}

// model is a training in progress.
type machine struct {
	A
	*points
	progress func(learn.Event)
	live     []int     // columns whose coefficients are not zero yet
	alpha    []float64 // of the live columns
	image    []float64 // u of the live columns
	count    []int     // live columns entering each round
	report   learn.Report
	residual float64
	size     float64 // ½ αᵀMα of the model's own coefficients in its last round
	settled  bool    // no column died in the last round
	ceiling  float64 // a larger |ᾱ| counts as this in λ
	held     int     // coefficients beyond it
	still    int     // rounds at the lower ceiling without a smaller residual or a death
	nearest  float64 // the smallest residual of these
	leveled  bool    // the first round began again, from penalties in proportion to the columns
}

const (
	// roughGap is the relative gap of a round at the rounding limit from which the next may go on.
	roughGap = 1e-2
	// The gap of a round falls from firstGap by gapDecay a round to leastGap, until the fixed point's
	// residual is roughResidual.
	firstGap, gapDecay, leastGap = 2e-2, 0.85, 1e-5
	roughResidual                = 0.1
)

// run solves, reweights and prunes until the fixed point.
func (m *machine) run(ctx context.Context, z []float64) error {
	pen, err := m.penalty(ctx, z)
	if err != nil {
		return err
	}
	return m.rounds(ctx, pen)
}

// program solves a round's program.
func program(ctx context.Context, pen penalty, q *smo.Box, opt smo.Options) *smo.BoxResult {
	if z, ok := pen.(*sifted); ok {
		return z.solve(ctx, q, opt)
	}
	q.H = pen.factor()
	return q.Solve(ctx, opt)
}

// rounds are those of run with a penalty of all columns.
func (m *machine) rounds(ctx context.Context, pen penalty) (err error) {
	q := m.dual()
	m.ceiling = highCeiling
	m.live = all(m.columns())
	for m.report.Status == status.Unknown {
		forcing := m.forcing()
		var sol *smo.BoxResult
		labelled(ctx, &m.report, func(ctx context.Context) {
			sol = program(ctx, pen, q, smo.Options{Tolerance: m.Tolerance, Exact: m.settled, Gap: forcing,
				Threads: m.threads})
		})
		if ctx.Err() != nil {
			return m.unfinished(ctx, pen, q, sol)
		}
		rough := sol.Status == status.Numerical || sol.Status == status.IterationLimit
		if d, ok := pen.(*diagonal); ok && rough && len(m.report.Rounds) == 0 && !m.leveled {
			if m.leveled, err = true, d.level(ctx); err != nil {
				return m.stopped(ctx, err)
			}
			continue
		}
		if rough && m.ceiling == highCeiling && len(m.report.Rounds) > 0 { // again, with the lower one
			m.ceiling = lowCeiling
			if q.Image, err = pen.reweight(ctx, all(len(m.alpha)), m.alpha, m.sizes()); err != nil {
				return m.stopped(ctx, err)
			}
			continue
		}
		if sol.Status != status.Optimal && !(rough && sol.Gap <= roughGap*max(1, sol.Gap-sol.Objective)) {
			return m.unfinished(ctx, pen, q, sol)
		}
		keep, done := m.round(pen, sol, len(m.report.Rounds)+1 == m.MaxIter)
		done = done && (forcing == 0 || len(keep) == 0) || m.stalled()
		if m.ceiling == highCeiling && m.hidden() {
			m.ceiling, done = lowCeiling, false
		}
		switch {
		case done:
			m.report.Status = sol.Status
			if m.held > 0 {
				m.report.Status = status.Numerical
			}
		case len(m.report.Rounds) == m.MaxIter:
			m.report.Status = status.IterationLimit
		default:
			if q.Image, err = pen.reweight(ctx, keep, m.alpha, m.sizes()); err != nil {
				return m.stopped(ctx, err)
			}
			q.Start = slices.Clone(sol.B)
		}
	}
	return nil
}

// forcing is the gap, relative to ½‖u‖², that the next round may have. As in inexact Newton
// methods it is large far from the fixed point and 0, which asks for an optimum, near it:
// the fixed point is that of optima.
func (m *machine) forcing() float64 {
	k := len(m.count)
	if k+1 == m.MaxIter || m.ceiling == lowCeiling || k > 0 && m.residual <= roughResidual {
		return 0
	}
	return max(firstGap*math.Pow(gapDecay, float64(k)), leastGap)
}

// round takes over the solution of a round, and all of its columns in the last one.
func (m *machine) round(pen penalty, sol *smo.BoxResult, last bool) (keep []int, done bool) {
	m.count = append(m.count, len(m.live))
	alpha := make([]float64, len(m.live))
	pen.coefficients(alpha, sol.U)
	keep, done = m.prune(pen, alpha, sol.U, last)
	m.record(sol)
	return keep, done
}

func all(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// sizes is |α| below the ceiling.
func (m *machine) sizes() []float64 {
	s := make([]float64, len(m.alpha))
	for i, a := range m.alpha {
		s[i] = min(math.Abs(a), m.ceiling)
	}
	return s
}

func (m *machine) penalty(ctx context.Context, z []float64) (penalty, error) {
	if m.TwoNorm > 0 {
		return newCombined(ctx, z, m.points, m.TwoNorm)
	}
	return newDiagonal(ctx, z, m.points, m.Norm), nil
}

// dual states (11) in signed variables b = yβ, so that kernel rows need no labels.
func (m *machine) dual() *smo.Box {
	n := len(m.row)
	q := &smo.Box{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for r, y := range m.y {
		q.P[r] = -y * m.edge[r]
		if y > 0 {
			q.Hi[r] = m.cost[r]
		} else {
			q.Lo[r] = -m.cost[r]
		}
	}
	return q
}

// prune drops the columns that are doomed and reports whether the rest are at the fixed
// point. In the last round that is allowed none are, so that the report is of the model.
func (m *machine) prune(pen penalty, alpha, u []float64, last bool) (keep []int, done bool) {
	m.residual, m.held, m.image = 0, 0, nil
	live := m.live[:0]
	old := m.alpha
	m.alpha = make([]float64, 0, len(alpha))
	var change, largest float64
	for k, a := range alpha {
		if !last && pen.doomed(a, k) {
			continue
		}
		keep = append(keep, k)
		live = append(live, m.live[k])
		m.alpha, m.image = append(m.alpha, a), append(m.image, u[k])
		if math.Abs(a) > m.ceiling {
			m.held++
		} else {
			m.residual = max(m.residual, pen.residual(alpha, u, k))
		}
		if old != nil {
			change = max(change, math.Abs(a-old[k]))
		}
		largest = max(largest, math.Abs(a))
	}
	m.live, m.size = live, pen.value(keep, alpha, u)
	m.settled = len(keep) == len(alpha)
	done = m.settled && m.residual <= fixedPoint || len(keep) == 0
	if m.Norm > 0 && old != nil && m.settled && change <= fixedPoint*largest {
		done = true // p > 0 converges linearly at best, and coefficients may vanish ever more slowly
	}
	return keep, done
}

// record adds the round to the report.
func (m *machine) record(sol *smo.BoxResult) {
	r := &m.report
	var hinge float64
	for i, g := range sol.G {
		// y f − edge = y g is the margin's excess.
		hinge += m.cost[i] / m.C * max(0, -m.y[i]*g)
	}
	r.Objective = sol.Gap - sol.Objective
	r.Duality = &learn.Duality{Objective: -sol.Objective, Gap: sol.Gap / max(1, math.Abs(r.Objective)), KKT: sol.KKT}
	r.Iterations++
	steps := sol.Steps + sol.Newton
	r.InnerIterations += steps
	round := learn.Round{Objective: r.Objective, Hinge: hinge, Nonzeros: len(m.live),
		KKT: sol.KKT, Gap: r.Duality.Gap, InnerIterations: steps}
	r.Rounds = append(r.Rounds, round)
	if m.progress != nil {
		m.progress(learn.OfRound("round", r.Iterations, round))
	}
}

// result turns the live coefficients into an expansion.
func (m *machine) result() *learn.Result {
	res := &learn.Result{Report: m.report}
	var largest float64
	for _, a := range m.alpha {
		largest = max(largest, math.Abs(a))
	}
	for k, col := range m.live {
		a := m.alpha[k]
		switch {
		case col == len(m.first):
			res.Bias = a
		case m.Norm == 0 || math.Abs(a) > negligible*largest:
			res.Support = append(res.Support, m.first[col])
			res.Coef = append(res.Coef, a)
		}
	}
	m.residual += m.lengthen(res)
	r := &res.Report
	if len(m.live) == 0 { // f = 0 is optimal where there is no coefficient
		r.Objective = m.idle()
		r.Duality = &learn.Duality{Objective: r.Objective}
	}
	r.Figures = Figures{Certificate: m.residual, Live: m.count, Merged: m.merged}
	r.Message = m.message(len(m.live) == 0)
	if r.Status == status.Numerical {
		r.Message = m.rounding(r.Duality)
	}
	return res
}

// negligible is the size, relative to the largest, of a coefficient that is on its
// way to zero where Norm is not 0. With Norm 0 a small coefficient may be all that its column's
// large kernel values need.
const negligible = 1e-10
