package ssvc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// penalty is the regulariser of one round, ½ αᵀMα. Its features turn the round into a linear model without a bias: z_r
// = L⁻¹ k̄_r with M = LLᵀ. So the dual (11) has the Hessian ZZᵀ, and α = L⁻ᵀ u for the image u = Zᵀb of its solution.
type penalty interface {
	// solve solves the program of the round over the features of the live columns.
	solve(ctx context.Context, q *boxqp.Problem, opt boxqp.Options) *boxqp.Result
	// level makes a first round at its rounding limit begin again with other penalties, if possible. Its error is
	// ctx's.
	level(ctx context.Context) (again bool, err error)
	// coefficients writes α for the image u.
	coefficients(alpha, u []float64)
	// residual returns the relative distance of column k from the fixed point of the reweighting, for the image u and
	// its coefficients.
	residual(alpha, u []float64, k int) float64
	// doomed reports whether column k goes to zero whatever the other coefficients do, or most likely: u² is below rough.
	doomed(a float64, k int, rough float64) bool
	// reweight keeps the columns keep. alpha are their coefficients, and size becomes the new |ᾱ|. It returns the
	// image of alpha under the new penalty, or nil. After an error, which may be ctx's, no further round is possible.
	reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error)
	// features returns the features of all rows with their stride, nil if they are not stored.
	features() (z []float64, ld int)
	// value returns ½ αᵀMα over the columns keep; u and alpha are the image and the coefficients of all columns.
	value(keep []int, alpha, u []float64) float64
}

// quadratic is the state of a training by quadratic programs.
type quadratic struct {
	A
	*samples.Merged
	outer
	live     []int     // columns whose coefficients are not zero yet
	alpha    []float64 // of the live columns
	image    []float64 // u of the live columns
	count    []int     // number of live columns of each round
	report   learn.Report
	residual float64
	size     float64 // ½ αᵀMα of the model's own coefficients in its last round
	settled  bool    // no column died in the last round
	ceiling  float64 // a larger |ᾱ| counts as this in λ
	capped   int     // number of coefficients beyond the ceiling
	stall
	leveled bool // the first round began again, from penalties in proportion to the columns
}

// outer is what a training has of its caller, and for it.
type outer struct {
	progress    func(learn.Event)
	done        float64   // that the last event of a round told
	noProof     error     // why there is no memory for a proof, if there is none
	first       bool      // the caller goes on from the first rounds,
	multipliers []float64 // with those of the last of them
}

// stall counts rounds without progress at the lower ceiling.
type stall struct {
	still   int     // rounds without a smaller residual and without a dropped column
	nearest float64 // the smallest residual of these rounds
}

const (
	// roughGap is the largest relative gap of a round at the rounding limit after which the training continues.
	roughGap = 1e-2
	// The gap of the rounds falls from firstGap to minGap, by the factor gapDecay a round, until the residual of
	// the fixed point is roughResidual.
	firstGap, gapDecay, minGap = 2e-2, 0.97, 1e-3
	roughResidual              = 0.1
)

// rounds solves, reweights and prunes until the fixed point, beginning with a penalty over all columns.
func (m *quadratic) rounds(ctx context.Context, pen penalty) (err error) {
	q := m.dual()
	m.ceiling = highCeiling
	m.live = deal.All(m.Columns())
	if m.leveled = m.start > 0; m.leveled {
		if _, err = pen.reweight(ctx, m.live, make([]float64, len(m.live)), m.drawn()); err != nil {
			return learn.Nothing(ctx, m.Method)
		}
	}
	for m.report.Status == status.Unknown {
		forcing := m.forcing()
		var sol *boxqp.Result
		label := pprof.Labels("round", strconv.Itoa(len(m.report.Rounds)+1))
		pprof.Do(ctx, label, func(ctx context.Context) {
			sol = pen.solve(ctx, q, m.options(forcing))
		})
		if ctx.Err() != nil {
			return m.unfinished(ctx, pen, q, sol)
		}
		rough := sol.Status == status.Numerical || sol.Status == status.IterationLimit
		if rough && len(m.report.Rounds) == 0 && !m.leveled {
			if m.leveled, err = pen.level(ctx); err != nil {
				return m.stopped(ctx, err)
			}
			if m.leveled {
				continue
			}
		}
		if rough && m.ceiling == highCeiling && len(m.report.Rounds) > 0 { // repeat with the lower ceiling
			m.ceiling = lowCeiling
			if q.Image, err = pen.reweight(ctx, deal.All(len(m.alpha)), m.alpha, m.sizes()); err != nil {
				return m.stopped(ctx, err)
			}
			continue
		}
		if sol.Status != status.Optimal && !(rough && sol.Gap <= roughGap*max(1, sol.Gap-sol.Objective)) {
			return m.unfinished(ctx, pen, q, sol)
		}
		keep, done := m.round(pen, sol, len(m.report.Rounds)+1 == m.MaxIter && !m.first)
		if m.first && m.enough(q, sol.B) {
			return nil
		}
		done = done && (forcing == 0 || len(keep) == 0) || m.stalled()
		if m.ceiling == highCeiling && m.hidden() {
			m.ceiling, done = lowCeiling, false
		}
		switch {
		case done:
			m.prove(ctx, pen, q, sol)
			m.report.Status = sol.Status
			if m.capped > 0 {
				m.report.Status = status.Numerical
			}
		case len(m.report.Rounds) == m.MaxIter:
			m.report.Status = status.IterationLimit
			m.unproved(ctx, "the rounds were limited")
		default:
			if q.Image, err = pen.reweight(ctx, keep, m.alpha, m.sizes()); err != nil {
				return m.stopped(ctx, err)
			}
			q.Start = slices.Clone(sol.B)
		}
	}
	return nil
}

// options are those of a round's program, which tell of its progress if somebody looks.
func (m *quadratic) options(gap float64) boxqp.Options {
	o := boxqp.Options{Tolerance: m.Tolerance, Exact: m.settled, Gap: gap, Threads: m.Threads}
	if m.progress == nil {
		return o
	}
	show, program := learn.Resources{Progress: m.progress}.Throttle(), len(m.report.Rounds)+1
	o.Progress = func(_ int, violation float64) {
		show(func() learn.Event {
			return learn.Event{Phase: "program", Done: m.done, Step: program, Violation: violation}
		})
	}
	return o
}

// drawn returns the sizes |ᾱ| of the first round of a start after the paper's: every second time around 10, where the
// losses count more and fewer models collapse, else around 1.
func (m *quadratic) drawn() []float64 {
	rng := rand.New(rand.NewPCG(m.Subset.Seed, uint64(m.start)))
	size, unit := make([]float64, len(m.live)), 1.0
	if m.start%2 == 1 {
		unit = 10
	}
	for i := range size {
		size[i] = unit * math.Exp(rng.NormFloat64())
	}
	return size
}

// forcing returns the gap that the next round may have, relative to ½‖u‖². As in inexact Newton methods it is large far
// from the fixed point. Near it, it is 0, which requires an optimum, because the fixed point is defined by optima.
func (m *quadratic) forcing() float64 {
	k := len(m.count)
	near := k > 0 && m.residual <= roughResidual
	if m.ExactRounds || m.Norm == 2 || k+1 == m.MaxIter && !m.first || m.ceiling == lowCeiling || near {
		return 0
	}
	if m.first {
		return wideGap
	}
	return max(firstGap*math.Pow(gapDecay, float64(k)), minGap)
}

// round takes over the solution of a round. In the last round it keeps all columns.
func (m *quadratic) round(pen penalty, sol *boxqp.Result, last bool) (keep []int, done bool) {
	m.count = append(m.count, len(m.live))
	alpha := make([]float64, len(m.live))
	pen.coefficients(alpha, sol.U)
	keep, done = m.prune(pen, alpha, sol.U, last)
	m.record(sol)
	return keep, done
}

// sizes returns |α|, bounded by the ceiling.
func (m *quadratic) sizes() []float64 {
	s := make([]float64, len(m.alpha))
	for i, a := range m.alpha {
		s[i] = min(math.Abs(a), m.ceiling)
	}
	return s
}

// dual builds (11) in signed variables b = yβ, so that kernel rows need no labels.
func (m *quadratic) dual() *boxqp.Problem {
	q := &boxqp.Problem{P: make([]float64, len(m.Row))}
	q.Lo, q.Hi = samples.Bounds(m.Y, m.Cost)
	for r, y := range m.Y {
		q.P[r] = -y * m.Edge[r]
	}
	return q
}

// prune drops the doomed columns and reports whether the others are at the fixed point. In the last allowed round it
// drops none, so that the report describes the model.
func (m *quadratic) prune(pen penalty, alpha, u []float64, last bool) (keep []int, done bool) {
	m.residual, m.capped = 0, 0
	old := m.alpha
	var change, largest float64
	rough := m.rough(u)
	for k, a := range alpha {
		if !last && pen.doomed(a, k, rough) {
			continue
		}
		keep = append(keep, k)
		if math.Abs(a) > m.ceiling {
			m.capped++
		} else {
			m.residual = max(m.residual, pen.residual(alpha, u, k))
		}
		if old != nil {
			change = max(change, math.Abs(a-old[k]))
		}
		largest = max(largest, math.Abs(a))
	}
	m.live, m.alpha, m.image = deal.Pick(m.live, keep), deal.Pick(alpha, keep), deal.Pick(u, keep)
	m.size = pen.value(keep, alpha, u)
	m.settled = len(keep) == len(alpha)
	done = m.settled && m.residual <= samples.FixedPoint || len(keep) == 0 || m.Norm == 2
	if m.Norm > 0 && old != nil && m.settled && change <= samples.FixedPoint*largest {
		done = true // p > 0 converges linearly at best, and coefficients may vanish ever more slowly
	}
	return keep, done
}

// rough is the u_i² below which a column is dropped, 0 if only those are that must.
func (m *quadratic) rough(u []float64) float64 {
	begun := len(m.count) > 1
	switch {
	case !m.Classes || m.ExactRounds || !begun && !m.first:
		return 0
	case !begun:
		return leaving * min(1, dense.Dot(u, u)/float64(len(u)))
	}
	return leaving
}

// record adds the round to the report.
func (m *quadratic) record(sol *boxqp.Result) {
	r := &m.report
	var hinge float64
	for i, g := range sol.G {
		// y f − edge = y g is the margin's excess.
		hinge += m.Cost[i] / m.C * max(0, -m.Y[i]*g)
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
		e := learn.OfRound("round", r.Iterations, m.Columns(), round)
		m.done = e.Done
		m.progress(e)
	}
}

// result converts the live coefficients to an expansion.
func (m *quadratic) result() *learn.Result {
	res := &learn.Result{Report: m.report}
	largest := dense.Largest(m.alpha)
	for k, col := range m.live {
		a := m.alpha[k]
		switch {
		case col == len(m.First):
			res.Bias = a
		case m.Norm == 0 || math.Abs(a) > negligible*largest:
			res.Support = append(res.Support, m.First[col])
			res.Coef = append(res.Coef, a)
		}
	}
	m.residual += m.lengthen(res)
	r := &res.Report
	if len(m.live) == 0 { // without coefficients f = 0 is optimal
		r.Objective = m.Idle()
		r.Duality = &learn.Duality{Objective: r.Objective}
	}
	r.Figures = Figures{Certificate: m.residual, Live: m.count, Merged: m.Repeats}
	unproved := r.Message
	r.Message = m.Message(len(m.live) == 0)
	if r.Status == status.Numerical {
		r.Message = m.rounding(r.Duality)
	}
	r.AddMessage(unproved)
	return res
}

// negligible is the relative size of a coefficient that goes to zero if Norm is not 0. With Norm 0, a small
// coefficient may belong to a column of large kernel values.
const negligible = 1e-10

const (
	// A decision value with coefficients α has a rounding error of 2⁻⁵³ Σ|α_i|. A nearly singular kernel at a large C
	// asks for coefficients whose error exceeds the tolerance. A coefficient above the ceiling has the penalty
	// ½ (α/ceiling)², which continues the majorant of the zero norm. After a round with rounding errors, the lower
	// ceiling holds.
	highCeiling, lowCeiling = 1e10, 1e7
)

// lengthen multiplies the model by 1 + η if the hinge losses of margins that miss 1 by η would count. η is the rounding
// error of its decision values; margins beyond 1 cost nothing. It returns η. For regression it does nothing.
func (m *quadratic) lengthen(res *learn.Result) float64 {
	if !m.Classes {
		return 0
	}
	eta, d := m.noise(), m.report.Duality
	if d == nil || !(eta*m.Idle() > countsFrom*d.Objective && m.residual+eta <= samples.FixedPoint) {
		return 0
	}
	for k := range res.Coef {
		res.Coef[k] *= 1 + eta
	}
	res.Bias *= 1 + eta
	m.size *= (1 + eta) * (1 + eta)
	d.KKT += eta
	return eta
}

// noise is a bound of the rounding error of decision values.
func (m *quadratic) noise() (eta float64) {
	for _, a := range m.alpha {
		eta += 0x1p-52 * math.Abs(a)
	}
	return eta
}

// hidden reports whether rounding errors of the decision values hide the optimum, and are too large for lengthen.
func (m *quadratic) hidden() bool {
	eta, widest := m.noise(), slices.Max(m.Cost)
	return eta > samples.FixedPoint && eta*widest*float64(len(m.live)) > samples.OptimalGap*m.report.Duality.Objective
}

// stalled reports whether only rounding errors still move coefficients above the ceiling: for some rounds no column was
// dropped, and none of the rounds was closer to the fixed point.
func (m *quadratic) stalled() bool {
	if m.ceiling == highCeiling || m.capped == 0 {
		return false
	}
	if m.still++; !m.settled || m.still == 1 || m.residual < m.nearest {
		m.still, m.nearest = 1, m.residual
	}
	return m.still > stallRounds
}

const stallRounds = 5

// countsFrom is the relative error of the objective from which rounding errors count.
const countsFrom = 1e-8

// rounding is the message of a training at the rounding limit.
func (m *quadratic) rounding(d *learn.Duality) string {
	s := fmt.Sprintf("rounding limit: gap %.0e, violation %.0e, fixed point to %.0e", d.Gap, d.KKT, m.residual)
	if m.capped > 0 {
		s += fmt.Sprintf("; %d coefficients above %.0e are penalised as of that size", m.capped, m.ceiling)
	}
	return s
}

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
// the first round, firstModel is the model.
func (m *quadratic) unfinished(ctx context.Context, pen penalty, q *boxqp.Problem, sol *boxqp.Result) error {
	if m.first && ctx.Err() != nil { // nobody wants the model
		return ctx.Err()
	}
	m.report.Status = sol.Status
	if ctx.Err() != nil {
		m.report.Status = status.FromContext(ctx)
	}
	if len(m.report.Rounds) == 0 {
		if ctx.Err() == nil {
			return fmt.Errorf("%s: the first quadratic program ended with %v; scale the features, or lower C",
				m.Method, sol.Status)
		}
		first := m.firstModel(pen, q, sol)
		if first == nil {
			return learn.Nothing(ctx, m.Method)
		}
		m.round(pen, first, true)
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
		sol := pen.solve(brief, q, boxqp.Options{Tolerance: m.Tolerance, Threads: m.Threads})
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
			keep = append(keep, i)
		}
	}
	m.live, m.alpha, m.image = deal.Pick(m.live, keep), deal.Pick(m.alpha, keep), deal.Pick(m.image, keep)
	return keep
}

// refit limits the time of the last rounds of a stopped training. Tests have more.
var refit = 150 * time.Millisecond
