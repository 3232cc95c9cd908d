package ssvc

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	// reweight keeps the columns keep, with the coefficients alpha of these as the new ᾱ, and
	// returns the image that has the coefficients alpha under the new penalty, or nil.
	reweight(keep []int, alpha []float64) ([]float64, error)
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
	count    []int     // live columns entering each round
	report   learn.Report
	residual float64
	size     float64 // ½ αᵀMα of the machine's own coefficients in its last round
}

// run solves, reweights and prunes until the fixed point.
func (m *machine) run(ctx context.Context, z []float64) error {
	pen, err := m.penalty(z)
	if err != nil {
		return err
	}
	q := m.dual()
	m.live = make([]int, m.columns())
	for i := range m.live {
		m.live[i] = i
	}
	for m.report.Status == status.Unknown {
		m.count = append(m.count, len(m.live))
		f := pen.factor()
		q.H = f
		sol := q.Solve(ctx, smo.Options{Tolerance: m.Tolerance})
		alpha := make([]float64, len(m.live))
		pen.coefficients(alpha, sol.U)
		if sol.Status != status.Optimal {
			m.report.Status = sol.Status
			if len(m.report.Rounds) > 0 { // keep the last finished round
				break
			}
			if ctx.Err() != nil && sol.Gap-sol.Objective >= m.idle() {
				return learn.Nothing(ctx, m.Name())
			}
		}
		keep, done := m.prune(pen, alpha, sol.U)
		m.record(sol, alpha)
		switch {
		case m.report.Status != status.Unknown:
		case done:
			m.report.Status = status.Optimal
		case len(m.report.Rounds) == m.MaxIter:
			m.report.Status = status.IterationLimit
		default:
			if q.Image, err = pen.reweight(keep, m.alpha); err != nil {
				return err
			}
			q.Start = slices.Clone(sol.B)
		}
	}
	return nil
}

func (m *machine) penalty(z []float64) (penalty, error) {
	if m.TwoNorm > 0 {
		return newCombined(z, m.points, m.TwoNorm)
	}
	return newDiagonal(z, m.points, m.Norm), nil
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

// prune drops the columns that are doomed and reports whether the rest are at the fixed point.
func (m *machine) prune(pen penalty, alpha, u []float64) (keep []int, done bool) {
	m.residual = 0
	live := m.live[:0]
	old := m.alpha
	m.alpha = make([]float64, 0, len(alpha))
	var change, largest float64
	for k, a := range alpha {
		if pen.doomed(a, k) {
			continue
		}
		keep = append(keep, k)
		live = append(live, m.live[k])
		m.alpha = append(m.alpha, a)
		m.residual = max(m.residual, pen.residual(alpha, u, k))
		if old != nil {
			change = max(change, math.Abs(a-old[k]))
		}
		largest = max(largest, math.Abs(a))
	}
	m.live, m.size = live, pen.value(keep, alpha, u)
	done = len(keep) == len(alpha) && m.residual <= fixedPoint || len(keep) == 0
	if m.Norm > 0 && old != nil && len(keep) == len(alpha) && change <= fixedPoint*largest {
		done = true // p > 0 converges linearly at best, and coefficients may vanish ever more slowly
	}
	return keep, done
}

// record adds the round to the report.
func (m *machine) record(sol *smo.BoxResult, alpha []float64) {
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
		text := fmt.Sprintf("round %d: %d of %d coefficients left", r.Iterations, len(m.live), len(alpha))
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
	r := &res.Report
	r.Figures = Figures{Certificate: m.residual, Live: m.count, Merged: m.merged}
	r.Message = m.message(len(m.live) == 0)
	return res
}

// negligible is the size, relative to the largest, of a coefficient that is on its
// way to zero. With Norm 0 none is left that small.
const negligible = 1e-10
