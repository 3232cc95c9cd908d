package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// follow walks from an optimum at t to the end.
func (w *slide) follow(ctx context.Context, visit func(BoundSegment) bool) status.Status {
	for {
		if why, ok := w.ready(ctx); !ok {
			return why
		}
		leaving, side, way := w.breakpoint()
		if way > 0 {
			w.still = 0
			to := w.t + way
			if leaving < 0 || to >= w.until*(1-rounding) {
				to, leaving = w.until, -1
			}
			goesOn := visit(BoundSegment{w.t, to, w.value / w.program.costScale, w.slope / w.program.costScale, w})
			w.t = to
			w.value += way * w.slope
			dense.Axpy(way, w.rates.x, w.values.x)
			dense.Axpy(way, w.rates.program.lower, w.program.lower)
			dense.Axpy(way, w.rates.program.upper, w.program.upper)
			if !goesOn {
				return status.Optimal
			}
		}
		if leaving < 0 {
			return status.Optimal
		}
		switch w.step(ctx, leaving, side) {
		case endless:
			return status.Infeasible
		case stuck:
			if st := w.jump(ctx); st != status.Optimal || w.t >= w.until {
				return st
			}
		}
	}
}

// breakpoint returns the basic variable that is the first to come to a bound, 1 for the upper and −1 for the lower
// one, and how far from t; or −1 and the rest of the way. Of several within rounding it is the one that
// the bound comes closer to fastest.
func (w *slide) breakpoint() (leaving int32, side, way float64) {
	near, least := rounding*w.until, w.program.primalTolerance/max(1, w.until)
	leaving, way = -1, w.until-w.t
	var most float64
	try := func(v int, distance, rate, to float64) {
		if !(rate > least) || distance >= (way+near)*rate {
			return
		}
		at := max(0, distance) / rate
		if at < way-near || rate > most {
			leaving, side, most = int32(v), to, rate
			way = min(way, at)
		}
	}
	moving := w.rates.program
	for v, p := range w.values.position {
		if p == Basic {
			x, rate := w.values.x[v], w.rates.x[v]
			try(v, w.program.upper[v]-x, rate-moving.upper[v], 1)
			try(v, x-w.program.lower[v], moving.lower[v]-rate, -1)
		}
	}
	if leaving >= 0 && way <= near {
		way = 0
	}
	return leaving, side, way
}

// step lets a basic variable out that has come to its bound on that side. It is not beyond it, so that the
// ratio test passes no other variable.
func (w *slide) step(ctx context.Context, leaving int32, side float64) outcome {
	if w.still++; w.still > manyStill {
		return stuck
	}
	w.row.compute(leaving)
	entering := w.dualRatio.choose(math.Copysign(math.SmallestNonzeroFloat64, side))
	if entering < 0 {
		return w.again(ctx, endless)
	}
	e := w.enter(entering)
	e.leaving, e.pivot = leaving, w.basis.element(e.direction, leaving)
	if !w.trusts(e, 1e-7*w.basis.largest(e.direction)) {
		w.matrix.release(e.column)
		return w.again(ctx, stuck)
	}
	w.iterations++
	to, bound, rate := AtLower, w.program.lower[leaving], w.rates.program.lower[leaving]
	if side > 0 {
		to, bound, rate = AtUpper, w.program.upper[leaving], w.rates.program.upper[leaving]
	}
	gain := (w.rates.x[leaving] - rate) / e.pivot
	w.slope += w.costs.d[entering] * gain
	w.costs.update(w.row, entering, leaving, w.costs.d[entering]/e.pivot)
	w.rates.move(gain, e.direction)
	w.rates.x[entering] += gain
	w.pivot(e, (w.values.x[leaving]-bound)/e.pivot, to)
	w.rates.place(int(leaving))
	return stepped
}
