package simplex

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// X implements [Optimum].
func (w *boundPath) X(x, rates []float64) {
	for j := range w.matrix.n {
		x[j], rates[j] = w.At(j), w.rates.x[j]*w.matrix.scaleOfCol(j)
	}
}

// At implements [Optimum].
func (w *boundPath) At(j int) float64 { return w.values.x[j] * w.matrix.scaleOfCol(j) }

// Duals implements [Optimum].
func (w *boundPath) Duals(y, rates []float64) {
	n := w.matrix.n
	for i, p := range w.values.position[n:] {
		if y[i] = 0; p != Basic {
			y[i] = w.costs.d[n+i] * w.matrix.scaleOfRow(i) / w.program.costScale
		}
	}
	clear(rates)
}

// boundPath is a path of programs whose bounds change. The values and bounds of the solver belong to the present t.
type boundPath struct {
	path
	given, by [4][]float64 // Lo, Up, RowLo and RowUp at t = 0 and their rates, as the caller has them
	rates     *values      // derivatives of the values, with the rates as bounds
}

func newBoundPath(s *Solver, r Rates, until float64) (*boundPath, error) {
	if err := checkEnd(until); err != nil {
		return nil, err
	}
	w := &boundPath{path: path{Solver: s, until: until}}
	w.motion = w
	names := [4]string{"Lo", "Up", "RowLo", "RowUp"}
	for k, v := range [4][]float64{r.Lo, r.Up, r.RowLo, r.RowUp} {
		w.given[k] = slices.Clone(*w.bounds()[k])
		size := len(w.given[k])
		if v = orFill(v, size, 0); len(v) != size {
			return nil, invalid("%d rates for %d bounds %s", len(v), size, names[k])
		}
		w.by[k] = v
		for i, rate := range v {
			if math.IsNaN(rate) || math.IsInf(rate, 0) || rate != 0 && math.IsInf(w.given[k][i]+until*rate, 0) {
				return nil, invalid("rate %v of %s[%d] = %v", rate, names[k], i, w.given[k][i])
			}
		}
	}
	for k := 0; k < 4; k += 2 {
		for i, lo := range w.given[k] {
			up := w.given[k+1][i]
			if lo > up || lo+until*w.by[k][i] > up+until*w.by[k+1][i] {
				return nil, invalid("bounds %s[%d] and %s[%d] cross before %v", names[k], i, names[k+1], i, until)
			}
		}
	}
	moving := *s.program
	all, by := moving.variables(), &LP{Lo: w.by[0], Up: w.by[1], RowLo: w.by[2], RowUp: w.by[3]}
	moving.lower, moving.upper = make([]float64, all), make([]float64, all)
	for v := range all {
		moving.lower[v], moving.upper[v] = s.matrix.scaledBounds(by, v)
	}
	w.rates = &values{program: &moving, basis: s.basis}
	w.rates.resize(s.values.position)
	return w, nil
}

// bounds returns those of the program, as the caller has them.
func (w *boundPath) bounds() [4]*[]float64 {
	all := w.program.lp.vectors()
	return [4]*[]float64(all[1:])
}

func (w *boundPath) unpivoted() status.Status { return status.Infeasible }

func (w *boundPath) apply() {
	for k, v := range w.bounds() {
		for i, value := range w.given[k] {
			(*v)[i] = value + w.t*w.by[k][i]
			if k%2 == 1 { // rounding does not make them cross
				(*v)[i] = max((*v)[i], (*w.bounds()[k-1])[i])
			}
		}
	}
	w.program.scaleBounds(0, w.program.variables())
	w.program.restoreBounds()
	w.ranged = false
}

// separates reports whether two equal bounds become different.
func (w *boundPath) separates() bool {
	for k := 0; k < 4; k += 2 {
		for i, lo := range w.given[k] {
			if lo == w.given[k+1][i] && w.by[k][i] != w.by[k+1][i] {
				return true
			}
		}
	}
	return false
}

func (w *boundPath) measure() {
	w.values.placeAll()
	w.values.compute()
	w.rates.placeAll()
	w.rates.compute()
	w.rates.refine()
	w.value, w.slope = dense.Dot(w.program.cost, w.values.x), dense.Dot(w.program.cost, w.rates.x)
}

func (w *boundPath) advance(length float64) {
	dense.Axpy(length, w.rates.x, w.values.x)
	dense.Axpy(length, w.rates.program.lower, w.program.lower)
	dense.Axpy(length, w.rates.program.upper, w.program.upper)
}

// breakpoint finds the basic variable that is the first to reach a bound, side 1 for the upper and −1 for the lower
// one. Among several within rounding it takes the one that approaches its bound fastest.
func (w *boundPath) breakpoint() (leaving int32, side, way float64) {
	near, smallest := rounding*w.until, w.program.primalTolerance/max(1, w.until)
	leaving, way = -1, w.until-w.t
	var most float64
	try := func(v int, distance, rate, to float64) {
		if !(rate > smallest) || distance >= (way+near)*rate {
			return
		}
		value := max(0, distance) / rate
		if value < way-near || rate > most {
			leaving, side, most = int32(v), to, rate
			way = min(way, value)
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
	switch {
	case leaving >= 0 && way <= near:
		way = 0
	case way > 0 && w.t+way >= w.until*(1-rounding):
		leaving = -1
	}
	return leaving, side, way
}

// step removes a basic variable that has reached its bound on that side. It is not beyond the bound, so the
// ratio test flips no other variable.
func (w *boundPath) step(ctx context.Context, leaving int32, side float64) outcome {
	w.row.compute(leaving)
	entering := w.dualRatio.choose(math.Copysign(math.SmallestNonzeroFloat64, side))
	if entering < 0 {
		return w.retry(ctx, noPivot)
	}
	e := w.enter(entering)
	e.leaving, e.pivot = leaving, w.basis.element(e.direction, leaving)
	if !w.trusts(e, 1e-7*w.basis.largest(e.direction)) {
		w.matrix.release(e.column)
		return w.retry(ctx, stuck)
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
