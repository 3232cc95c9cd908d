package simplex

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// BoundRates is what the bounds of a program gain by the parameter t; nil vectors are 0, and bounds that
// are infinite have the rate 0.
type BoundRates struct{ Lo, Up, RowLo, RowUp []float64 }

// BoundSegment is a stretch of a path along bounds on which one basis is optimal. It is valid until the
// visit returns.
type BoundSegment struct {
	From, To float64 // of the parameter t
	Value    float64 // the optimum at From, without the offset
	Slope    float64 // what it gains by t
	slide    *slide
}

// X writes the n columns at From to x, and how much they gain by t to rates.
func (g BoundSegment) X(x, rates []float64) {
	w := g.slide
	for j := range w.matrix.n {
		scale := w.matrix.scaleOfCol(j)
		x[j], rates[j] = w.values.x[j]*scale, w.rates.x[j]*scale
	}
}

// Duals writes the m duals, which are optimal at every t of the segment.
func (g BoundSegment) Duals(y []float64) {
	w, n := g.slide, g.slide.matrix.n
	for i, p := range w.values.position[n:] {
		if y[i] = 0; p != Basic {
			y[i] = w.costs.d[n+i] * w.matrix.scaleOfRow(i) / w.program.costScale
		}
	}
}

// ParametricBounds follows the optima of the programs whose bounds are the present ones + t·rates, from t = 0
// to until, by the parametric dual simplex method: the basis stays dual feasible, and the variable
// leaves that is the first to come to a bound of its own. visit gets every segment of positive length in the
// order of t, and stops the path by false.
//
// It starts from the present basis, after a solve where that is not optimal. The bounds of the last t then
// are the program's. Where pivots cannot be trusted or get nowhere, a solve takes over 1e-10·until further
// on, and so it does from t = 0 where equal bounds part: so much may lie between two segments.
//
// Rates of another number than the bounds or that are not finite, those of infinite bounds that are not 0, bounds
// that have crossed at until, and until outside (0, +Inf) are errors ([ErrInvalid]).
func (s *Solver) ParametricBounds(ctx context.Context, rates BoundRates, until float64,
	visit func(BoundSegment) bool) (*ParametricResult, error) {
	if !(until > 0) || math.IsInf(until, 1) {
		return nil, invalid("a parametric path until %v", until)
	}
	w, err := newSlide(s, rates, until)
	if err != nil {
		return nil, err
	}
	s.iterations = 0
	if w.parts() {
		w.result.Status = w.jump(ctx)
	} else {
		w.result.Status = w.solve(ctx)
	}
	if w.result.Status == status.Optimal {
		w.result.Status = w.follow(ctx, visit)
	}
	return w.finish(), nil
}

// slide is a path along bounds on its way. The values and bounds of the solver are those at t.
type slide struct {
	course
	given, by [4][]float64 // Lo, Up, RowLo and RowUp at t = 0 and their rates, as the caller has them
	rates     *values      // those of a program whose bounds are the rates
}

func newSlide(s *Solver, r BoundRates, until float64) (*slide, error) {
	m, n := s.matrix.m, s.matrix.n
	w := &slide{course: course{Solver: s, until: until}}
	w.turn, w.measure = w.setBounds, w.compute
	names := [4]string{"Lo", "Up", "RowLo", "RowUp"}
	for k, v := range [4][]float64{r.Lo, r.Up, r.RowLo, r.RowUp} {
		size := n
		if k >= 2 {
			size = m
		}
		if v = orFill(v, size, 0); len(v) != size {
			return nil, invalid("%d rates for %d bounds %s", len(v), size, names[k])
		}
		w.given[k], w.by[k] = slices.Clone(*w.bounds()[k]), v
		for i, rate := range v {
			if math.IsNaN(rate) || math.IsInf(rate, 0) || rate != 0 && math.IsInf(w.given[k][i], 0) {
				return nil, invalid("rate %v of %s[%d] = %v", rate, names[k], i, w.given[k][i])
			}
		}
	}
	for k := 0; k < 4; k += 2 {
		for i, lo := range w.given[k] {
			if lo += until * w.by[k][i]; lo > w.given[k+1][i]+until*w.by[k+1][i] {
				return nil, invalid("bounds %s[%d] and %s[%d] cross before %v", names[k], i, names[k+1], i, until)
			}
		}
	}
	moving := *s.program
	moving.lower, moving.upper = make([]float64, n+m), make([]float64, n+m)
	for j := range n {
		c := s.matrix.scaleOfCol(j)
		moving.lower[j], moving.upper[j] = w.by[0][j]/c, w.by[1][j]/c
	}
	for i := range m {
		c := s.matrix.scaleOfRow(i)
		moving.lower[n+i], moving.upper[n+i] = w.by[2][i]*c, w.by[3][i]*c
	}
	w.rates = newValues(&moving, s.basis, s.values.position)
	return w, nil
}

// bounds returns those of the program, as the caller has them.
func (w *slide) bounds() [4]*[]float64 {
	lp := &w.program.lp
	return [4]*[]float64{&lp.Lo, &lp.Up, &lp.RowLo, &lp.RowUp}
}

// setBounds makes the bounds of the present t the program's.
func (w *slide) setBounds() {
	for k, v := range w.bounds() {
		for i, at := range w.given[k] {
			(*v)[i] = at + w.t*w.by[k][i]
			if k%2 == 1 { // rounding does not make them cross
				(*v)[i] = max((*v)[i], (*w.bounds()[k-1])[i])
			}
		}
	}
	w.program.scaleBounds()
	w.program.restoreBounds()
	w.ranged = false
}

// parts reports whether bounds that are equal part.
func (w *slide) parts() bool {
	for k := 0; k < 4; k += 2 {
		for i, lo := range w.given[k] {
			if lo == w.given[k+1][i] && w.by[k][i] != w.by[k+1][i] {
				return true
			}
		}
	}
	return false
}

// compute is measure.
func (w *slide) compute() {
	w.values.placeAll()
	w.values.compute()
	w.rates.placeAll()
	w.rates.compute()
	w.rates.refine()
	w.value, w.slope = dense.Dot(w.program.cost, w.values.x), dense.Dot(w.program.cost, w.rates.x)
}
