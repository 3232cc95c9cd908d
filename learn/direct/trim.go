package direct

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// trim leaves out coded features whose values say no more than chance: those of the smallest values, as many as
// increase the objective, after the convex program, by no more than its mean per sample for each value that is free.
// (Values that mean nothing lower a sum of squares by as much, Mallows, "Some comments on C_p", Technometrics 15,
// 1973.) The others are trained further.
func (f *fit) trim(ctx context.Context, steps int) {
	l := f.q.Levels
	if l == nil || f.m.Units() == 0 || ctx.Err() != nil {
		return
	}
	if f.job.budget.Take(centres.Bytes(f.q, f.m.Units())) != nil {
		return // no memory to compare
	}
	order := deal.Ascending(f.fitter.LevelLengths(f.m))
	var best *fit
	for lo, hi := 0, len(order); lo < hi && ctx.Err() == nil; {
		n, free := (lo+hi+1)/2, 0.0
		for _, c := range order[:n] {
			free += float64(l.Counts[c] - 1)
		}
		part, value, err := f.without(ctx, order[:n])
		if err != nil {
			break // the context has ended
		}
		if value <= f.result.Objective*(1+free/float64(f.q.N)) {
			lo, best = n, part
			best.left = n
		} else {
			hi = n - 1
		}
	}
	if best != nil {
		best.search(ctx, steps, pause, 0)
		*f = *best
	}
}

// without is the fit without some coded features, with the coefficients of the convex program, and its objective. The
// features have the weight 0 in the kernel, and the value 0.
func (f *fit) without(ctx context.Context, coded []int) (*fit, float64, error) {
	part, q, l, m := *f, *f.q, *f.q.Levels, f.m.Clone()
	given, own := weightsOf(q.Kernel, q.D), weightsOf(m.Kernel, q.D)
	first, place := 0, make([]int, len(l.Features))
	for c, n := range l.Counts {
		place[c], first = first, first+n
	}
	for _, c := range coded {
		k := l.Features[c]
		clear(m.Values[place[c] : place[c]+l.Counts[c]])
		given[k], own[k] = 0, 0
		for i := k; i < len(m.Vectors); i += q.D {
			m.Vectors[i] = 0
		}
		for i := k; i < len(m.Steps); i += q.D + 1 {
			m.Steps[i] = 0
		}
		for i := k; i < len(m.Plane); i += q.D {
			m.Plane[i] = 0
		}
	}
	q.Kernel.Weights, m.Kernel.Weights = given, own
	l.Start, q.Levels = m.Values, &l
	part.q, part.m = &q, m
	var err error
	if part.fitter, err = centres.NewFitter(ctx, &q); err != nil {
		return nil, 0, fmt.Errorf("direct: %w", err)
	}
	certs, err := centres.Refit(ctx, &q, m)
	if err != nil {
		return nil, 0, learn.Nothing(ctx, f.job.Name())
	}
	value := part.fitter.Penalty(m)
	for _, c := range certs {
		value += c.Objective
	}
	return &part, value, nil
}

// weightsOf are the weights of a kernel, 1 where it has none.
func weightsOf(k gram.Kernel, d int) []float64 {
	if k.Weights == nil {
		return slices.Repeat([]float64{1}, d)
	}
	return slices.Clone(k.Weights)
}
