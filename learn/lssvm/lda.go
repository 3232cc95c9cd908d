package lssvm

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// LDA is Abe's sparse LS-SVM (L): support vectors are chosen one by one for the
// best separation of the classes by linear discriminant analysis in the
// empirical feature space, and the LS-SVM in their span is fitted to all points.
// Abe (2008), sections 2 and 3.4.
type LDA struct {
	C     float64 // weight of the squared errors against ½‖v‖²; > 0
	Eta   float64 // η_L: stop when a point adds less than this part of J, eq. (19); > 0, default 1e-4
	MaxSV int     // stop at this many support vectors; 0 means no limit
	// Candidates, when positive, scores that many random points a step instead
	// of all, for data whose kernel matrix is too large: 59 find one of the best
	// 5 % with probability 0.95 (Smola and Bartlett, 2001).
	Candidates int
	Seed       uint64 // of the random candidates
}

// Name implements [learn.Trainer].
func (LDA) Name() string { return "lssvm-lda" }

// EstimateMemory implements [learn.Trainer]: panels beyond the budget are
// computed again for each step, so that the least is the vectors' own.
func (t LDA) EstimateMemory(n, d int) int64 { return forwardBytes(n, d, min(n, usualSV)) }

// Train implements [learn.Trainer]. Support lists the points in the order of
// selection; Report.Extra has the J after each.
func (t LDA) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := positive("C", t.C); err != nil {
		return nil, err
	}
	s, err := t.Select(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.result(t.C), nil
}

// Select chooses the points without fitting: with an Eta as small as any of
// interest, [Selection.Prefix] and [Selection.Solve] then serve a grid over (η, C).
func (t LDA) Select(ctx context.Context, p *learn.Problem) (*Selection, error) {
	return selectForward(ctx, p, criterion{bias: true}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed})
}

// trainForward selects, and fits without a penalty on ‖v‖².
func trainForward(ctx context.Context, p *learn.Problem, cr criterion, lim limits) (*learn.Result, error) {
	s, err := selectForward(ctx, p, cr, lim)
	if err != nil {
		return nil, err
	}
	return s.result(math.Inf(1)), nil
}

// selectForward checks the limits and runs one forward selection.
func selectForward(ctx context.Context, p *learn.Problem, cr criterion, lim limits) (*Selection, error) {
	start := time.Now()
	if lim.eta == 0 {
		lim.eta = 1e-4
	}
	if err := positive("eta", lim.eta); err != nil {
		return nil, err
	}
	if lim.maxSV < 0 || lim.candidates < 0 {
		return nil, fmt.Errorf("lssvm: negative limit (support vectors %d, candidates %d)", lim.maxSV, lim.candidates)
	}
	t, err := newTask(p)
	if err != nil {
		return nil, err
	}
	if need := forwardBytes(t.n, t.D, min(t.n, usualSV)); need > t.budget() {
		return nil, fmt.Errorf("lssvm: selection from %d points needs %d bytes, the budget is %d", t.n, need, t.budget())
	}
	f := newForward(t, cr, lim)
	s := f.selection(f.run(ctx))
	s.Seconds = time.Since(start).Seconds()
	return s, nil
}

// positive is the check of a parameter that must be a positive number; +Inf passes.
func positive(name string, v float64) error {
	if !(v > 0) {
		return fmt.Errorf("lssvm: %s is %v, want a number > 0", name, v)
	}
	return nil
}

// result fits the whole selection at c.
func (s *Selection) result(c float64) *learn.Result {
	start := time.Now()
	r := &learn.Result{Expansion: s.Solve(len(s.Support), c)}
	r.Report = learn.Report{
		Status: s.Status, Iterations: len(s.Support), KernelEvals: s.KernelEvals,
		Extra: map[string]any{"j": s.J},
	}
	if len(s.Support) == 0 && s.Status == status.Optimal {
		r.Report.Message = "no kernel column varies over the points: the machine is its bias alone"
	}
	r.Report.Objective = s.objective(r.Coef, c)
	r.Report.Seconds.Solve = s.Seconds + time.Since(start).Seconds()
	return r
}
