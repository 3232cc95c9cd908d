// Package svc trains support vector machines: classification (C-SVC), the reference for the sparse methods of this
// module, regression (ε-SVR), their ν variants (ν-SVC, ν-SVR), and the one-class SVM.
//
// The primal of C-SVC is min ½‖w‖² + Σ C_i ξ_i subject to y_i (wᵀφ(x_i) + b) ≥ 1 − ξ_i, ξ ≥ 0 (Vapnik 1995), with C_i =
// C times the sample weight. Its dual is solved by [smo.Pair] in signed variables a_i = y_i α_i. The other methods
// differ only in the dual.
//
// C-SVC merges samples with equal features and label into one, whose cost is the sum of their costs. If a place has
// samples of both labels, its coefficient is the sum of both variables. Objectives and decision values belong to the
// samples as given.
package svc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method "svc" with its parameters.
type Trainer struct {
	learn.Named[Trainer]
	stop
	C float64 // cost of a unit of slack; 0 means 1
	// Tolerance is the largest violation m(a) − M(a), as in LIBSVM's rule, and the largest duality gap of an optimum as a
	// share of the objective, but at least 1e-6 and at most 1e-2; 0 means 1e-3.
	Tolerance float64
	MaxIter   int // limit of two-variable steps; 0 means max(10⁷, 100 N)
}

// Figures are the figures of a report that only the methods of this package have.
type Figures struct {
	BoundedSV    int     `json:"bounded_sv"`     // support vectors whose multiplier is at its bound C_i
	WorkingSets  int     `json:"working_sets"`   // subproblems solved
	RowsComputed int64   `json:"rows_computed"`  // kernel rows evaluated
	RowHits      int64   `json:"row_hits"`       // kernel rows found in the cache
	Cost         float64 `json:"cost,omitempty"` // the C of the equal C-SVC for nu-svc, the ε of the equal ε-SVR for nu-svr
	KernelBits   int     `json:"kernel_bits"`    // 32 where single precision is exact enough for the tolerance, else 64
}

// AtCost returns Cost. It lets callers read the cost through an interface.
func (f Figures) AtCost() float64 { return f.Cost }

// Train implements [learn.Trainer]. The report's Objective is the primal value
// ½‖w‖² + Σ C_i ξ_i, its dual objective is Σ α − ½ αᵀQα, and its Figures are a [Figures].
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return t.train(ctx, p, nil)
}

// TrainHeldOut implements [learn.HoldingOut].
func (t Trainer) TrainHeldOut(ctx context.Context, p *learn.Problem, fold []int) (*learn.Result, []float64, error) {
	h := &heldOut{fold: fold}
	r, err := t.train(ctx, p, h)
	return r, h.values, err
}

func (t Trainer) train(ctx context.Context, p *learn.Problem, h *heldOut) (*learn.Result, error) {
	p, err := validated(p, &t, learn.Classify)
	if err != nil {
		return nil, err
	}
	given := p
	p, merged := p.Merge() // first, since the costs of repeated samples add up
	m := t.program()
	if h != nil {
		h.given, h.merged, m.heldOut = given, merged, h
	}
	r, err := m.train(ctx, p)
	if err != nil {
		return nil, err
	}
	_, apart := sums(r.Coef)
	if !p.AllDifferent() {
		r.MergeDuplicates(p.X, p.D)
	}
	off := t.level(p, r)
	sum, size := sums(r.Coef)
	lost := !(math.Abs(sum) <= 1e-9*size)
	if apart > 0 && size <= 1e-15*apart { // all that is left is rounding
		if lost = !t.constant(p, r.Bias, r.Report.Objective); !lost {
			r.Support, r.Coef = nil, nil
		}
	}
	if lost && r.Report.Status == status.Optimal {
		r.Report.Status = status.Numerical
		r.Report.AddMessage("equal samples of both labels cancel up to rounding of their costs")
	}
	if known := r.Decisions; known != nil {
		if merged != nil {
			for _, i := range given.Present() {
				known.Values[i] = known.Values[merged[i]]
			}
		}
		r.Decided(known.Values, known.Error+off)
	}
	return r, nil
}

// DecideAll implements [learn.Deciding].
func (t Trainer) DecideAll(ctx context.Context, p *learn.Problem, rows, of []int, alone bool) *learn.Decided {
	wrong := learn.Complete(&t)
	return t.program().decide(ctx, t, wrong, p, rows, of, alone)
}

// level takes what rounding has left in Σ a of samples of both labels at one place, whose multipliers may be 1e9 times
// their difference, from the coefficient with the most room. It returns what that may change in a decision. Nothing
// changes where that is more than a hundredth of the tolerance, or a hundredth of the gap allowed.
func (t Trainer) level(p *learn.Problem, r *learn.Result) (change float64) {
	sum, size := sums(r.Coef)
	if math.Abs(sum) <= 1e-9*size {
		return 0
	}
	if change = math.Abs(sum) * diagonal(p, &r.Expansion); !(change <= t.Tolerance/100) {
		return 0
	}
	_, place := learn.Distinct(p.X, p.N, p.D)
	lo, hi := make([]float64, p.N), make([]float64, p.N) // by place
	var cost float64
	for _, i := range p.Present() {
		c := t.C * p.WeightOf(i)
		if cost += c; p.Y[i] > 0 {
			hi[place[i]] += c
		} else {
			lo[place[i]] -= c
		}
	}
	if !(change*cost <= t.program().gap()/100*math.Abs(r.Report.Objective)) {
		return 0
	}
	widest, room := -1, math.Abs(sum)
	for s, i := range r.Support {
		if left := min(r.Coef[s]-lo[place[i]], hi[place[i]]-r.Coef[s]); left > room && math.Abs(r.Coef[s]) > math.Abs(sum) {
			widest, room = s, left
		}
	}
	if widest < 0 {
		return 0
	}
	r.Coef[widest] -= sum
	return change
}

// constant reports whether the constant f = b is optimal: it costs no more than the objective, and every sample within
// the margin, whose multiplier is C_i, may lose it because its place has samples of both labels.
func (t Trainer) constant(p *learn.Problem, b, objective float64) bool {
	_, place := learn.Distinct(p.X, p.N, p.D)
	type labelled struct {
		place int
		label float64
	}
	seen, rows := make(map[labelled]bool), p.Present()
	for _, i := range rows {
		seen[labelled{place[i], p.Y[i]}] = true
	}
	var loss float64
	for _, i := range rows {
		short := max(0, 1-p.Y[i]*b)
		if short > t.Tolerance && !seen[labelled{place[i], -p.Y[i]}] {
			return false
		}
		loss += t.C * p.WeightOf(i) * short
	}
	return loss <= objective*(1+1e-6)
}

// sums are Σ a and Σ |a|.
func sums(a []float64) (sum, size float64) {
	for _, v := range a {
		sum, size = sum+v, size+math.Abs(v)
	}
	return sum, size
}

// EstimateMemory implements [learn.Trainer]: the packed samples, the solver's vectors and the smallest row cache. More
// memory goes to systems of free variables and to kernel rows.
func (t Trainer) EstimateMemory(n, d int) int64 { return minMemory[float64](n, d, 1) }

func (t Trainer) program() *program {
	return &program{method: t.Name(), c: t.C, tolerance: t.Tolerance, libsvm: t.libsvm, maxIter: t.MaxIter, each: 1, dual: t.dual}
}

// dual states the dual of C-SVC in signed variables.
func (t Trainer) dual(p *learn.Problem, rows []int, q *smo.Pair) {
	for r, i := range rows {
		c := t.C * p.WeightOf(i)
		q.P[r] = -p.Y[i]
		if p.Y[i] > 0 {
			q.Hi[r] = c
		} else {
			q.Lo[r] = -c
		}
	}
}

// ErrShare is wrapped by the error for a ν that is infeasible for the classes.
var ErrShare = errors.New("no model has this nu")

// NuSVC is the method "nu-svc": C-SVC with the C for which Σα = ν C Σw, where w are the sample weights. Then at most a
// share ν of the samples has margin errors, and at least that share are support vectors (Schölkopf et al. 2000).
type NuSVC struct {
	learn.Named[NuSVC]
	stop
	Nu        float64 // 0 means 0.5
	Tolerance float64 // as in [Trainer]
	MaxIter   int     // limit of two-variable steps, over all solves together; 0 means max(10⁷, 100 N) for each
}

// EstimateMemory implements [learn.Trainer].
func (t NuSVC) EstimateMemory(n, d int) int64 { return minMemory[float64](n, d, 1) + searchMemory(n) }

// Train implements [learn.Trainer]. The report is as for [Trainer] with C = Figures.Cost. The error wraps [ErrShare] if
// a class is too small to hold half of Σα, or if the classes overlap so much that no margin is left.
func (t NuSVC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	p, err := validated(p, &t, learn.Classify)
	if err != nil {
		return nil, err
	}
	return t.program().train(ctx, p)
}

// DecideAll implements [learn.Deciding].
func (t NuSVC) DecideAll(ctx context.Context, p *learn.Problem, rows, of []int, alone bool) *learn.Decided {
	wrong := learn.Complete(&t)
	return t.program().decide(ctx, t, wrong, p, rows, of, alone)
}

// refuse says why a problem has no model.
func (t NuSVC) refuse(p *learn.Problem) error {
	var pos, neg float64
	for i := range p.N {
		if w := p.WeightOf(i); p.Y[i] > 0 {
			pos += w
		} else {
			neg += w
		}
	}
	if largest := 2 * min(pos, neg) / (pos + neg); t.Nu > largest {
		return fmt.Errorf("%s: %w: found %v, want at most %.6g, twice the share of the smaller class",
			t.Name(), ErrShare, t.Nu, largest)
	}
	return nil
}

func (t NuSVC) program() *program {
	m := &program{method: t.Name(), c: 1, tolerance: t.Tolerance, libsvm: t.libsvm, maxIter: t.MaxIter, each: 1, unit: true,
		refuse: t.refuse}
	m.dual = func(p *learn.Problem, rows []int, q *smo.Pair) {
		Trainer{C: 1}.dual(p, rows, q)
		clear(q.P)
	}
	m.share = func(p *learn.Problem, rows []int) (u []float64, want float64) {
		for _, i := range rows {
			u, want = append(u, -p.Y[i]), want-t.Nu*p.WeightOf(i)
		}
		return u, want
	}
	return m
}
