package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// outcome is what came of a step of a walk.
type outcome uint8

const (
	stepped outcome = iota
	stuck           // the pivot cannot be trusted, or steps get nowhere
	endless         // nothing stops the entering variable
)

// step lets a variable in whose reduced cost has come to 0: it goes to its other bound, or a
// basic variable leaves.
func (w *walk) step(ctx context.Context, entering int32) outcome {
	if w.still++; w.still > manyStill {
		return stuck
	}
	sign := 1.0
	if w.rates.d[entering] > 0 {
		sign = -1
	}
	rate := w.rates.d[entering]
	e := w.enter(entering)
	leaving, length := w.primalRatio.choose(e.direction, sign)
	if own := w.program.upper[entering] - w.program.lower[entering]; own <= length {
		w.matrix.release(e.column)
		if math.IsInf(own, 1) {
			return w.again(ctx, endless)
		}
		w.iterations++
		w.values.position[entering] = w.values.position[entering].opposite()
		w.values.place(int(entering))
		w.values.move(sign*own, e.direction)
		w.slope += rate * sign * own
		w.resign(int(entering))
		return stepped
	}
	e.leaving, e.pivot = leaving, w.basis.element(e.direction, leaving)
	w.row.compute(leaving)
	if !w.trusts(e, 1e-7*w.basis.largest(e.direction)) {
		w.matrix.release(e.column)
		return w.again(ctx, stuck)
	}
	w.iterations++
	w.rates.update(w.row, entering, leaving, rate/e.pivot)
	w.costs.d[entering], w.costs.d[leaving] = 0, 0
	to := AtUpper
	if sign*e.pivot > 0 {
		to = AtLower
	}
	w.pivot(e, sign*length, to)
	w.slope += rate * sign * length
	w.resign(int(entering))
	w.resign(int(leaving))
	return stepped
}

// again makes another choice possible by a fresh inverse; with one, or where that is not optimal, it is otherwise.
func (w *walk) again(ctx context.Context, otherwise outcome) outcome {
	switch {
	case w.basis.updates == 0:
		return otherwise
	case w.refresh(ctx):
		return stepped
	}
	return stuck
}

// refresh computes everything afresh, and reports whether the basis is still optimal at t.
func (w *walk) refresh(ctx context.Context) bool {
	w.setCost()
	if w.refactor(ctx); w.basis.broken {
		return false
	}
	w.measure()
	return w.values.feasible() && w.costs.feasible()
}

// jump passes over a t where steps get no further: a solve finds an optimum a little further on.
func (w *walk) jump(ctx context.Context) status.Status {
	w.still = 0
	if w.repairs++; w.repairs > maxRepairs {
		return status.Numerical
	}
	repairs := w.repairs
	w.t = min(w.until, w.t+1e-10*w.until)
	st := w.solve(ctx)
	w.repairs += repairs
	return st
}
