package simplex

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// Segment is a stretch of a parametric path on which one basis is optimal. It is valid until the
// visit returns.
type Segment struct {
	From, To float64 // of the parameter t
	Value    float64 // the optimum at From, without the offset
	Slope    float64 // what it gains by t
	walk     *walk
}

// X writes the n columns, which are optimal at every t of the segment.
func (g Segment) X(dst []float64) {
	w := g.walk
	for j := range w.values.position[:w.matrix.n] {
		dst[j] = g.At(j)
	}
}

// At is column j, which is optimal at every t of the segment.
func (g Segment) At(j int) float64 {
	w := g.walk
	if w.values.position[j] != Basic {
		return w.originalRest(j)
	}
	return max(w.program.lp.Lo[j], min(w.program.lp.Up[j], w.values.x[j]*w.matrix.scaleOfCol(j)))
}

// Duals writes the m duals at From to y, and how much they gain by t to rates.
func (g Segment) Duals(y, rates []float64) {
	w := g.walk
	n := w.matrix.n
	for i, p := range w.values.position[n:] {
		if y[i], rates[i] = 0, 0; p == Basic {
			continue
		}
		by := w.matrix.scaleOfRow(i) / w.program.costScale
		y[i], rates[i] = w.costs.d[n+i]*by, w.rates.d[n+i]*by
	}
}

// Basis is [Solver.Basis] of the segment, in the vectors of dst where they are long enough.
func (g Segment) Basis(dst Basis) Basis {
	w, n := g.walk, g.walk.matrix.n
	return Basis{Cols: append(dst.Cols[:0], w.values.position[:n]...), Rows: append(dst.Rows[:0], w.values.position[n:]...)}
}

// ParametricResult is where a path ended.
type ParametricResult struct {
	// Status is Optimal where t reached the end or the visit stopped it, Unbounded or Infeasible where the
	// programs are from T on, Numerical where no pivot could be trusted, or the limit that stopped it.
	Status     status.Status
	T          float64 // the last t that was reached
	Iterations int     // pivots and bound flips, those of solves on the way among them
	Solves     int     // how often a solve took over, the one at t = 0 among them if there was one
}

// Parametric follows the optima of the programs of cost c + t·direction, c being the present cost, from
// t = 0 to until, by the parametric simplex method (Gass and Saaty, 1955): the basis stays primal feasible,
// and the variable enters whose reduced cost is the first to change its sign. visit gets
// every segment of positive length in the order of t, and stops the path by false.
//
// It starts from the present basis, after a solve where that is not optimal. The cost of the last t then
// is the program's. Where pivots cannot be trusted or get nowhere, a solve takes over 1e-10·until further
// on: so much may lie between two segments.
//
// A direction that has not n finite elements, or until outside (0, +Inf), is an error ([ErrInvalid]).
func (s *Solver) Parametric(ctx context.Context, direction []float64, until float64,
	visit func(Segment) bool) (*ParametricResult, error) {
	if err := checkCosts(direction, s.matrix.n); err != nil {
		return nil, err
	}
	if !(until > 0) || math.IsInf(until, 1) {
		return nil, invalid("a parametric path until %v", until)
	}
	s.iterations = 0
	w := newWalk(s, direction, until)
	w.result.Status = w.solve(ctx)
	if w.result.Status == status.Optimal {
		w.result.Status = w.follow(ctx, visit)
	}
	return w.finish(), nil
}

// walk is a path on its way. The reduced costs of the solver are those at t.
type walk struct {
	course
	given, direction []float64     // costs at t = 0 and their rates, as the caller has them
	from             []float64     // costs at t = 0, scaled, by variable
	rates            *reducedCosts // those of a program whose cost is the direction
	sign             []float64     // 1 where a falling reduced cost ends the segment, −1 where a rising one does, else 0
	free             []int         // nonbasic variables without bounds
}

func newWalk(s *Solver, direction []float64, until float64) *walk {
	turned := *s.program
	turned.cost = make([]float64, s.program.variables())
	for j, v := range direction {
		turned.cost[j] = v * s.matrix.scaleOfCol(j) * s.program.costScale
	}
	w := &walk{course: course{Solver: s, until: until}, given: slices.Clone(s.program.lp.C), direction: direction,
		from: slices.Clone(s.program.trueCost), rates: newReducedCosts(&turned, s.basis, s.values)}
	w.turn, w.measure = w.setCost, w.compute
	return w
}

// setCost makes the cost of the present t the program's.
func (w *walk) setCost() {
	for j, v := range w.direction {
		w.program.lp.C[j] = w.given[j] + w.t*v
	}
	for v, c := range w.rates.program.cost {
		w.program.trueCost[v] = w.from[v] + w.t*c
	}
	w.program.restoreCosts()
}

// compute is measure.
func (w *walk) compute() {
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
		w.resign(v)
		if w.values.position[v] == AtZero {
			w.free = append(w.free, v)
		}
	}
}

// resign sets the sign of v.
func (w *walk) resign(v int) {
	w.sign[v] = 0
	switch p := w.values.position[v]; {
	case w.program.lower[v] == w.program.upper[v]:
	case p == AtLower, p == AtZero && w.rates.d[v] < 0:
		w.sign[v] = 1
	case p == AtUpper, p == AtZero:
		w.sign[v] = -1
	}
}

// follow walks from an optimum at t to the end.
func (w *walk) follow(ctx context.Context, visit func(Segment) bool) status.Status {
	for {
		if why, ok := w.ready(ctx); !ok {
			return why
		}
		entering, way := w.breakpoint()
		if way > 0 {
			w.still = 0
			to := w.t + way
			if entering < 0 {
				to = w.until
			}
			goesOn := visit(Segment{w.t, to, w.value / w.program.costScale, w.slope / w.program.costScale, w})
			w.t = to
			w.value += way * w.slope
			dense.Axpy(way, w.rates.d, w.costs.d)
			if !goesOn {
				return status.Optimal
			}
		}
		if entering < 0 {
			return status.Optimal
		}
		switch w.step(ctx, entering) {
		case endless:
			return status.Unbounded
		case stuck:
			if st := w.jump(ctx); st != status.Optimal || w.t >= w.until {
				return st
			}
		}
	}
}

// breakpoint returns the nonbasic variable whose reduced cost is the first to change its sign and how far
// from t, or −1 and the rest of the way. Of several within rounding it is the one of the largest rate.
func (w *walk) breakpoint() (entering int32, way float64) {
	d, rates := w.costs.d[:len(w.sign)], w.rates.d[:len(w.sign)]
	for _, v := range w.free {
		w.resign(v)
	}
	near, least := rounding*w.until, w.program.dualTolerance
	entering, way = -1, w.until-w.t
	var most float64
	for v, sign := range w.sign {
		rate := sign * rates[v]
		if sign*d[v]+(way+near)*rate >= 0 || -rate <= least {
			continue
		}
		at := max(0, sign*d[v]) / -rate
		if at < way-near || -rate > most {
			entering, most = int32(v), -rate
			way = min(way, at)
		}
	}
	if entering >= 0 && way <= near {
		way = 0
	}
	return entering, way
}
