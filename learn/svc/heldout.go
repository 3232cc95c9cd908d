package svc

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// heldOut is the part of a training that finds decision values of samples by trainings without their fold.
//
// They have the kernel matrix of all samples and start from the solution for all (alpha seeding, DeCoste & Wagstaff
// 2000). Samples of the fold have bounds 0, and stay in the gradient: at the end it has their decision values. These
// trainings end by LIBSVM's rule, since the gap of a training that nobody keeps needs no certificate.
type heldOut struct {
	given  *learn.Problem
	fold   []int     // of each sample of given, −1 for none
	merged []int     // row that has the weight of a sample, see [learn.Problem.Merge]; nil for its own
	values []float64 // of each sample of given; nil where the trainings must be separate
}

// solve finds the decision values after the training on all samples, whose rows are given.
func (h *heldOut) solve(ctx context.Context, m *program, p *learn.Problem, rows []int, r *run) {
	place := make([]int, p.N)
	for k, i := range rows {
		place[i] = k
	}
	at := make([]int, h.given.N) // place of each sample, −1 if it is absent
	folds := 0
	for i := range at {
		row := i
		if at[i] = -1; h.given.WeightOf(i) == 0 {
			continue
		}
		if h.merged != nil {
			row = h.merged[i]
		}
		at[i], folds = place[row], max(folds, h.fold[i]+1)
	}
	values := make([]float64, h.given.N)
	for fold := -1; fold < folds; fold++ {
		s := r.sol
		if fold >= 0 {
			if s = h.without(ctx, m, p, rows, fold, at, r); s == nil {
				return
			}
		}
		for i, k := range at {
			if k >= 0 && h.fold[i] == fold {
				values[i] = s.G[k] - r.q.P[k] - s.Rho
			}
		}
	}
	h.values = values
}

// without solves the dual without a fold; nil if that needs a training of its own.
func (h *heldOut) without(ctx context.Context, m *program, p *learn.Problem, rows []int, fold int, place []int,
	r *run) *smo.Result {
	left := *p
	left.Weight = make([]float64, p.N)
	for i, k := range place {
		if k >= 0 && h.fold[i] != fold {
			left.Weight[rows[k]] += h.given.WeightOf(i)
		}
	}
	q := m.pairOn(&left, rows, r.q.K)
	if q.Most, q.Together = r.q.Most, r.q.Together; !bothSides(q) || !startWithout(ctx, q, r.sol) {
		return nil
	}
	s := smo.Solve(ctx, q, smo.Options{Tolerance: m.tolerance, MaxIter: m.maxIter, InPlace: true})
	if s.Status != status.Optimal || math.IsNaN(s.Rho) {
		return nil
	}
	return s
}
