package simplex

import (
	"context"
	"math"
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
