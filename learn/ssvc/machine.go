package ssvc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// penalty is the regulariser of one round, ½ αᵀMα, with the features that turn the
// round into a bias-free linear machine: z_r = L⁻¹ k̄_r with M = LLᵀ, so that the dual (11)
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

// machine is a training in progress.
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
	size     float64 // ½ αᵀMα of the machine's own coefficients in its last round
	settled  bool    // no column died in the last round
	ceiling  float64 // a larger |ᾱ| counts as this in λ
	held     int     // coefficients beyond it
}

const (
	// With coefficients α a decision value is known to 2⁻⁵³ Σ|α_i|, whatever solves for
	// it: nearly singular kernels at a large C ask for more than the tolerance leaves. Above
	// the ceiling a coefficient is penalised by ½ (α/ceiling)², which continues the
	// zero norm's majorant; the lower one takes over when a round has met rounding errors.
	highCeiling, lowCeiling = 1e10, 1e7
	// roughGap is the relative gap of a round at the rounding limit from which the next may go on.
	roughGap = 1e-2
	// dying is the u_i² below which an unfinished training gives up a coefficient: α_i' = u_i² α_i
	// at the present β, and at a fixed point u_i² is 1.
	dying = 0.1
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
	q := m.dual()
	m.ceiling = highCeiling
	m.live = all(m.columns())
	for m.report.Status == status.Unknown {
		q.H = pen.factor()
		forcing := m.forcing()
		sol := q.Solve(ctx, smo.Options{Tolerance: m.Tolerance, Exact: m.settled, Gap: forcing})
		if ctx.Err() != nil {
			return m.unfinished(ctx, pen, q, sol.Status)
		}
		rough := sol.Status == status.Numerical || sol.Status == status.IterationLimit
		if rough && m.ceiling == highCeiling && len(m.report.Rounds) > 0 { // again, with the lower one
			m.ceiling = lowCeiling
			if q.Image, err = pen.reweight(ctx, all(len(m.alpha)), m.alpha, m.sizes()); err != nil {
				return m.stopped(ctx, err)
			}
			continue
		}
		if sol.Status != status.Optimal && !(rough && sol.Gap <= roughGap*max(1, sol.Gap-sol.Objective)) {
			return m.unfinished(ctx, pen, q, sol.Status)
		}
		keep, done := m.round(pen, sol)
		done = done && (forcing == 0 || len(keep) == 0)
		if done && m.ceiling == highCeiling && m.hidden() {
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

// stopped ends a training between two rounds, with the machine of the last one.
func (m *machine) stopped(ctx context.Context, err error) error {
	if m.report.Status = status.FromContext(ctx); m.report.Status != status.Unknown {
		return nil
	}
	return err
}

// forcing is the gap, relative to ½‖u‖², that the next round may have. As in inexact Newton
// methods it is large far from the fixed point and 0, which asks for an optimum, near it:
// the fixed point is that of optima.
func (m *machine) forcing() float64 {
	k := len(m.count)
	if k+1 == m.MaxIter || k > 0 && m.residual <= roughResidual {
		return 0
	}
	return max(firstGap*math.Pow(gapDecay, float64(k)), leastGap)
}

// round takes over the solution of a round.
func (m *machine) round(pen penalty, sol *smo.BoxResult) (keep []int, done bool) {
	m.count = append(m.count, len(m.live))
	alpha := make([]float64, len(m.live))
	pen.coefficients(alpha, sol.U)
	keep, done = m.prune(pen, alpha, sol.U, len(m.report.Rounds)+1 == m.MaxIter)
	m.record(sol, len(alpha))
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
		q.P[r] = -y
		if y > 0 {
			q.Hi[r] = m.cost[r]
		} else {
			q.Lo[r] = -m.cost[r]
		}
	}
	return q
}

// prune drops the columns that are doomed and reports whether the rest are at the fixed
// point. In the last round that is allowed none are, so that the report is of the machine.
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
func (m *machine) record(sol *smo.BoxResult, entered int) {
	r := &m.report
	var hinge float64
	for i, g := range sol.G {
		// y f − 1 = y g is the margin's excess.
		hinge += m.cost[i] / m.C * max(0, -m.y[i]*g)
	}
	r.Objective = sol.Gap - sol.Objective
	r.Duality = &learn.Duality{Objective: -sol.Objective, Gap: sol.Gap / max(1, math.Abs(r.Objective)), KKT: sol.KKT}
	r.Iterations++
	steps := sol.Steps + sol.Newton
	r.InnerIterations += steps
	r.Rounds = append(r.Rounds, learn.Round{Objective: r.Objective, Hinge: hinge, Nonzeros: len(m.live),
		KKT: sol.KKT, Gap: r.Duality.Gap, InnerIterations: steps})
	if m.progress != nil {
		text := fmt.Sprintf("round %d: %d of %d coefficients left", r.Iterations, len(m.live), entered)
		m.progress(learn.Event{Phase: "round", Done: -1, Text: text})
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
		case math.Abs(a) > negligible*largest:
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

// lengthen multiplies the machine by 1 + η, with η the rounding error that its decision values
// may have, where the hinge losses of margins that miss 1 by η would count: beyond 1 they
// cost nothing. It returns η.
func (m *machine) lengthen(res *learn.Result) float64 {
	eta := m.noise()
	if d := m.report.Duality; d == nil || !(eta*m.idle() > countsFrom*d.Objective && eta <= fixedPoint) {
		return 0
	}
	for k := range res.Coef {
		res.Coef[k] *= 1 + eta
	}
	res.Bias *= 1 + eta
	m.size *= (1 + eta) * (1 + eta)
	m.report.Duality.KKT += eta
	return eta
}

// noise is the rounding error that a decision value of the live coefficients may have.
func (m *machine) noise() (eta float64) {
	for _, a := range m.alpha {
		eta += 0x1p-52 * math.Abs(a)
	}
	return eta
}

// hidden reports whether rounding errors of the decision values hide the optimum, and are too
// large to be lengthened away.
func (m *machine) hidden() bool {
	eta, widest := m.noise(), slices.Max(m.cost)
	return eta > fixedPoint && eta*widest*float64(len(m.live)) > optimalGap*m.report.Duality.Objective
}

// countsFrom is what rounding errors may add to the objective, relative, without being looked at.
const countsFrom = 1e-8

// rounding says what a training at the rounding limit has reached.
func (m *machine) rounding(d *learn.Duality) string {
	s := fmt.Sprintf("rounding limit: gap %.0e, violation %.0e, fixed point to %.0e", d.Gap, d.KKT, m.residual)
	if m.held > 0 {
		s += fmt.Sprintf("; %d coefficients above %.0e are penalised as of that size", m.held, m.ceiling)
	}
	return s
}

// negligible is the size, relative to the largest, of a coefficient that is on its
// way to zero. With Norm 0 none is left that small.
const negligible = 1e-10
