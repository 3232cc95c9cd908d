package simplex

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// X implements [Optimum].
func (w *costPath) X(x, rates []float64) {
	for j := range w.matrix.n {
		x[j] = w.At(j)
	}
	clear(rates)
}

// At implements [Optimum].
func (w *costPath) At(j int) float64 {
	if w.values.position[j] != Basic {
		return w.originalRest(j)
	}
	return max(w.program.lp.Lo[j], min(w.program.lp.Up[j], w.values.x[j]*w.matrix.scaleOfCol(j)))
}

// Duals implements [Optimum].
func (w *costPath) Duals(y, rates []float64) {
	n := w.matrix.n
	for i, p := range w.values.position[n:] {
		if y[i], rates[i] = 0, 0; p == Basic {
			continue
		}
		by := w.matrix.scaleOfRow(i) / w.program.costScale
		y[i], rates[i] = w.costs.d[n+i]*by, w.rates.d[n+i]*by
	}
}

// costPath is a path of programs with cost c + t·direction. The reduced costs of the solver belong to the present t.
type costPath struct {
	path
	given, direction []float64     // costs at t = 0 and their rates, as the caller has them
	from             []float64     // costs at t = 0, scaled, by variable
	rates            *reducedCosts // derivatives of the reduced costs
	sign             []float64     // 1 where a falling reduced cost ends the segment, −1 where a rising one does, else 0
	free             []int         // nonbasic variables without bounds
}

func newCostPath(s *Solver, direction []float64, until float64) (*costPath, error) {
	if err := cmp.Or(checkCosts(direction, s.matrix.n), checkEnd(until)); err != nil {
		return nil, err
	}
	for j, v := range direction {
		if c := s.program.lp.C[j] + until*v; math.IsInf(c, 0) {
			return nil, invalid("cost of column %d is %v at %v", j, c, until)
		}
	}
	s.program.settleScales()
	turned := *s.program
	turned.cost = make([]float64, s.program.variables())
	for j, v := range direction {
		turned.cost[j] = v * s.matrix.scaleOfCol(j) * s.program.costScale
	}
	w := &costPath{path: path{Solver: s, until: until}, given: slices.Clone(s.program.lp.C), direction: direction,
		from: slices.Clone(s.program.trueCost), rates: &reducedCosts{program: &turned, basis: s.basis, values: s.values}}
	w.motion = w
	w.rates.resize()
	return w, nil
}

func (w *costPath) apply() {
	for j, v := range w.direction {
		w.program.lp.C[j] = w.given[j] + w.t*v
	}
	for v, c := range w.rates.program.cost {
		w.program.trueCost[v] = w.from[v] + w.t*c
	}
	w.program.restoreCosts()
}

func (w *costPath) unpivoted() status.Status { return status.Unbounded }

func (w *costPath) advance(length float64) { dense.Axpy(length, w.rates.d, w.costs.d) }

func (w *costPath) measure() {
	w.rates.compute()
	w.value, w.slope = 0, 0
	for v, x := range w.values.x {
		if x != 0 {
			w.value += w.program.cost[v] * x
			w.slope += w.rates.program.cost[v] * x
		}
	}
	w.sign = grow(w.sign, len(w.values.x))
	w.free = w.free[:0]
	for v := range w.sign {
		w.setSign(v)
		if w.values.position[v] == AtZero {
			w.free = append(w.free, v)
		}
	}
}

// setSign sets the sign of v.
func (w *costPath) setSign(v int) {
	w.sign[v] = 0
	switch p := w.values.position[v]; {
	case w.program.lower[v] == w.program.upper[v]:
	case p == AtLower, p == AtZero && w.rates.d[v] < 0:
		w.sign[v] = 1
	case p == AtUpper, p == AtZero:
		w.sign[v] = -1
	}
}

// breakpoint finds the nonbasic variable whose reduced cost is the first to change its sign, and the direction in which
// it enters. Among several within rounding it takes the one with the largest rate.
func (w *costPath) breakpoint() (entering int32, side, way float64) {
	d, rates := w.costs.d[:len(w.sign)], w.rates.d[:len(w.sign)]
	for _, v := range w.free {
		w.setSign(v)
	}
	near, smallest := rounding*w.until, w.program.dualTolerance
	entering, way = -1, w.until-w.t
	var largest float64
	for v, sign := range w.sign {
		rate := sign * rates[v]
		if sign*d[v]+(way+near)*rate >= 0 || -rate <= smallest {
			continue
		}
		value := max(0, sign*d[v]) / -rate
		if value < way-near || -rate > largest {
			entering, side, largest = int32(v), sign, -rate
			way = min(way, value)
		}
	}
	if entering >= 0 && way <= near {
		way = 0
	}
	return entering, side, way
}

// step enters a variable whose reduced cost is 0 at t: it goes to its other bound, or a basic variable leaves.
func (w *costPath) step(ctx context.Context, entering int32, sign float64) outcome {
	rate := w.rates.d[entering]
	e, length, pos := w.approach(entering, sign)
	switch pos {
	case atNothing:
		return w.retry(ctx, noPivot)
	case atDoubt:
		return w.retry(ctx, stuck)
	case atBasic:
		w.rates.update(w.row, entering, e.leaving, rate/e.pivot)
		w.costs.d[entering], w.costs.d[e.leaving] = 0, 0
		w.pivot(e, sign*length, e.leavesTo(sign))
		w.setSign(int(e.leaving))
	}
	w.slope += rate * sign * length
	w.setSign(int(entering))
	return stepped
}
