package svc

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// expansion collects the non-zero coefficients. A coefficient is the sum of the variables of its sample.
func expansion(rows []int, s *smo.Result) learn.Expansion {
	e := learn.Expansion{Bias: -s.Rho}
	for k, i := range rows {
		if a := coefficient(s.A, len(rows), k); a != 0 {
			e.Support = append(e.Support, i)
			e.Coef = append(e.Coef, a)
		}
	}
	return e
}

// coefficient is the sum of the variables of sample k of n.
func coefficient(a []float64, n, k int) float64 {
	sum := a[k]
	for v := k + n; v < len(a); v += n {
		sum += a[v]
	}
	return sum
}

// report converts the minimised dual to the maximised one of the papers.
func report(s *smo.Result) learn.Report {
	objective := s.Gap - s.Objective
	return learn.Report{
		Status:    s.Status,
		Objective: objective,
		Duality: &learn.Duality{
			Objective: -s.Objective,
			Gap:       s.Gap / math.Max(1, math.Abs(objective)),
			KKT:       s.KKT,
		},
		Iterations:      s.Rounds,
		InnerIterations: s.Iterations,
	}
}

// gap is the largest duality gap of an optimum, as a share of the objective: the tolerance within limits. Below the
// least, rounding decides; above the largest, the model is none that one would call optimal.
func (m *program) gap() float64 {
	const least, largest = 1e-6, 1e-2
	return min(max(m.tolerance, least), largest)
}

// smallGap is the gap that counts as none, where the objective is nearly 0: 1e-15 of what f = 0 costs, or, if f ≈ 0 is
// the optimum of a one-class SVM, the share gap of the objective's diagonal terms at equal multipliers, at most of 1.
func (m *program) smallGap(q *smo.Pair, known float64) float64 {
	if known > 0 {
		return known
	}
	const rounding = 1e-15
	idle, own := 0.0, 0.0
	for v, p := range q.P {
		idle += max(-q.Lo[v]*p, -q.Hi[v]*p)
	}
	if m.nu > 0 {
		diagonal := make([]float64, len(q.P))
		q.K.Diag(diagonal)
		for v, d := range diagonal {
			own += m.nu * q.Hi[v] * m.nu * q.Hi[v] * d / 2
		}
	}
	if small := rounding*idle + m.gap()*min(own, 1); !math.IsInf(small, 0) {
		return small
	}
	return 0
}

// doubtful reports whether the rounding of kernel values in single precision may hide a gap that is too large, or be a
// tenth of the largest allowed. It changes a decision by about 2⁻²⁴ ‖a‖, and the loss by C_i times that for the support
// vectors, about.
func (m *program) doubtful(r *learn.Report, run *run) bool {
	var square, cost float64
	for v, a := range run.sol.A {
		if a != 0 {
			square += a * a
			cost += run.q.Hi[v] - run.q.Lo[v]
		}
	}
	largest := m.gap() * math.Abs(r.Objective)
	gap, rounding := r.Objective-r.Duality.Objective, 0x1p-24*math.Sqrt(square)*cost
	return gap <= largest && rounding > min(largest/10, largest-gap)
}

// clear reports whether rounding of kernel values in single precision cannot matter, as where a margin keeps free
// variables from the side that costs: the solution is steady, and rounding changes the objective by a ten-millionth.
func (m *program) clear(r *learn.Report, run *run) bool {
	return m.steady(r, run) && 0x1p-25*dense.Dot(run.sol.A, run.sol.A) <= 1e-7*math.Abs(r.Objective)
}

// steady reports whether the gap stays small enough if rounding changes every decision by eight times what
// [program.doubtful] expects.
func (m *program) steady(r *learn.Report, run *run) bool {
	if m.share != nil || r.Status != status.Optimal {
		return false
	}
	off, gap := rounding(run.sol), r.Objective-r.Duality.Objective
	for v, a := range run.sol.A {
		d, up, down := run.sol.G[v]-run.sol.Rho, run.q.Hi[v]-a, a-run.q.Lo[v]
		switch {
		case d > off:
			gap += off * down
		case d < -off:
			gap += off * up
		default:
			gap += 2 * off * max(up, down)
		}
	}
	return gap <= m.gap()*math.Abs(r.Objective)
}

// rounding is eight times what rounding of kernel values in single precision is expected to change a decision by.
func rounding(s *smo.Result) float64 { return 8 * 0x1p-24 * math.Sqrt(dense.Dot(s.A, s.A)) }

// stretch multiplies the solution by a little more than 1, where no variable then is beyond its bounds: free variables
// get residuals on the side that costs little, as by the solver's margin, but without a step. It reports whether
// the solution is steady now; if it is not, nothing changes.
func (m *program) stretch(r *learn.Report, run *run) bool {
	const most, share = 0.3, 0.6 // of the tolerance, and of the gap: the limits of the solver's margin
	given, q := run.sol, run.q
	sum, size := sums(given.A)
	by := min(4*rounding(given), most*m.tolerance, share*m.gap()*math.Abs(r.Objective)/size)
	if math.Abs(sum) > 1e-12*size || !(by > 0) {
		return false
	}
	sol := *given
	sol.A, sol.G = make([]float64, len(given.A)), make([]float64, len(given.G))
	for v, a := range given.A {
		sol.A[v], sol.G[v] = (1+by)*a, q.P[v]+(1+by)*(given.G[v]-q.P[v])
		if sol.A[v] > q.Hi[v] || sol.A[v] < q.Lo[v] {
			return false
		}
	}
	sol.Added, sol.Moved = given.Added+2, given.Moved+by*size
	q.Certify(&sol)
	run.sol = &sol
	if stretched := report(&sol); !(sol.KKT <= m.tolerance) || !m.steady(&stretched, run) {
		run.sol = given
		return false
	}
	return true
}

// settle decides whether the status may be Optimal: no pair violates the conditions by more than the tolerance, which
// is LIBSVM's rule, and the duality gap is small as well. If only the rule holds, the status is GapOpen. If the kernel
// gives ‖w‖² < 0, there is no dual, and the solution is stationary but not optimal.
func (m *program) settle(r *learn.Report, run *run, diagonal func() float64) {
	s, p := run.sol, run.q.P
	if r.Status == status.GapOpen {
		r.Status = status.Optimal // by the solver's kernel values; those of the certificate decide
	}
	r.Settle(math.MaxFloat64, m.tolerance*1.01) // 1 % for the rounding of the sums in recompute
	found, small := r.RelativeGap(), math.Abs(r.Objective-r.Duality.Objective) <= run.small
	if r.Status == status.Optimal && !small && !(found <= m.gap()) {
		r.Status = status.GapOpen
		r.Message = fmt.Sprintf("LIBSVM's rule holds, a violation of at most %.3g, but the duality gap is %.2g of the "+
			"objective; optimal means at most %.2g", m.tolerance, found, m.gap())
	}
	var square, size float64 // ‖w‖² = Σ a (g − p), and Σ |p a|, the size of its terms
	for v, a := range s.A {
		square += a * (s.G[v] - p[v])
		size += math.Abs(a * p[v])
	}
	if r.Status == status.Optimal && square < -1e-6*size && square < -1e-12*dense.Dot(s.A, s.A)*diagonal() {
		r.Status = status.Numerical
		r.Message = fmt.Sprintf("the kernel is indefinite on these samples, ‖w‖² = %.3g: "+
			"the model is stationary, not optimal", square)
	}
}

// diagonal is the largest |k(x, x)| over the support vectors.
func diagonal(p *learn.Problem, e *learn.Expansion) (largest float64) {
	for _, i := range e.Support {
		x := p.X[i*p.D : (i+1)*p.D]
		largest = max(largest, math.Abs(p.Kernel.Eval(x, x)))
	}
	return largest
}

// bounded counts the non-zero variables at a bound.
func bounded(q *smo.Pair, a []float64) (count int) {
	for k, v := range a {
		if v != 0 && (v == q.Lo[k] || v == q.Hi[k]) {
			count++
		}
	}
	return count
}

// progress turns the solver's steps into events. The violation falls about geometrically, so the fraction done is
// measured on its logarithm.
func progress(r learn.Resources, tol float64) func(int, float64) {
	if r.Progress == nil {
		return nil
	}
	throttled := r.Throttle()
	var first, done float64
	return func(iterations int, violation float64) {
		if first == 0 {
			first = violation
		}
		throttled(func() learn.Event {
			if violation > tol && first > tol {
				done = max(done, math.Log(first/violation)/math.Log(first/tol))
			}
			return learn.Event{Phase: "smo", Done: done, Step: iterations, Violation: violation}
		})
	}
}

// recompute computes the report's objectives and violation for the returned model, from kernel values in double
// precision. It is needed in two cases. With an unbounded kernel, a step of size C can be 1e17 in units of f, and the
// solver's sums lose all digits. With rows in single precision and a large C, C times the rounding of f is a large part
// of the objective, as ½ aᵀδKa is of the dual objective.
//
// Only samples that may change the result are evaluated; see [decisions]. It returns false and changes nothing if the
// context has ended.
//
// The loss of variables u in [lo, hi] with cost p is max u (ρ − p − wᵀφ), which is C ξ of the primal.
func recompute(ctx context.Context, p *learn.Problem, rows []int, run *run, r *learn.Result) (done bool) {
	q, f := run.q, decisions(ctx, p, rows, run, r)
	if r.Report.Unjudged(ctx) {
		return false
	}
	coef := make([]float64, p.N)
	for s, i := range r.Support {
		coef[i] = r.Coef[s]
	}
	var square, loss, cost float64 // ‖w‖², Σ C_i ξ_i, pᵀa
	up, low := math.Inf(-1), math.Inf(1)
	n := len(rows)
	for k, i := range rows {
		w, left := f[k]-r.Bias, coef[i]
		square += coef[i] * w
		for v := k; v < len(q.P); v += n {
			a := min(max(left, q.Lo[v]), q.Hi[v]) // one of the two variables has the coefficient
			left -= a
			d := f[k] + q.P[v]
			cost += q.P[v] * a
			loss += max(-q.Lo[v]*d, -q.Hi[v]*d)
			if g := -w - q.P[v]; a < q.Hi[v] {
				up = max(up, g)
			}
			if g := -w - q.P[v]; a > q.Lo[v] {
				low = min(low, g)
			}
		}
	}
	loss += r.Bias * balance(q.Start) // the bias is −ρ; the primal has ρ times the sum of the coefficients
	rep := &r.Report
	rep.Objective = square/2 + loss
	rep.Duality = &learn.Duality{Objective: -cost - square/2, KKT: max(0, up-low)}
	rep.Duality.Gap = (rep.Objective - rep.Duality.Objective) / max(1, math.Abs(rep.Objective))
	return true
}

// balance is Σ a, and 0 where it is rounding: a large bias would multiply that.
func balance(a []float64) float64 {
	sum, size := sums(a)
	if math.Abs(sum) <= 1e-12*size {
		return 0
	}
	return sum
}
