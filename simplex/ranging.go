package simplex

import (
	"cmp"
	"context"
	"math"
)

// Range is an interval; its ends may be infinite.
type Range struct{ Lo, Up float64 }

// Ranging says how far one number of a program can move, with all others fixed, until another basis is
// optimal. Within the range of a cost, X stays optimal and the objective changes by x_j times the change. Within the
// range of a bound, Y stays optimal and the objective changes by y_i times the change. A degenerate optimum has several
// bases; the ranges are those of the basis that was found.
type Ranging struct {
	Cost  []Range // n
	RowLo []Range // m: lower bounds of Ax
	RowUp []Range // m: upper bounds of Ax; both bounds of an equation move together
}

// Ranging returns the ranges of the last Solve, which must have ended optimal, without changes since; otherwise the
// error is an [ErrInvalid]. It costs a solve with the basis for every basic column and every row on a bound. If ctx
// ends before, the error is that of ctx.
func (s *Solver) Ranging(ctx context.Context) (*Ranging, error) {
	if !s.ranged {
		return nil, invalid("ranging without an optimal basis: solve first")
	}
	if !s.loaded { // the optimum is that of a tableau
		if s.begin(ctx); s.basis.broken {
			return nil, cmp.Or(ctx.Err(), invalid("ranging with a basis that is singular to rounding"))
		}
	}
	n, m := s.matrix.n, s.matrix.m
	r := &Ranging{Cost: make([]Range, n), RowLo: make([]Range, m), RowUp: make([]Range, m)}
	direction := s.basis.newVector()
	for v := range n + m {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if v < n {
			r.Cost[v] = s.costRange(v)
		} else {
			r.RowLo[v-n], r.RowUp[v-n] = s.rowRanges(v-n, direction)
		}
	}
	return r, nil
}

// costRange returns that of column j.
func (s *Solver) costRange(j int) Range {
	c, unit := s.program.lp.C[j], s.program.costScale*s.matrix.scaleOfCol(j)
	d := s.costs.d[j] / unit
	switch {
	case s.values.position[j] == Basic:
		down, up := s.costSteps(int32(j))
		return Range{c + down/unit, c + up/unit}
	case s.program.trueLower[j] == s.program.trueUpper[j]:
		return Range{-inf, inf}
	case s.values.position[j] == AtLower:
		return Range{c - max(d, 0), inf}
	case s.values.position[j] == AtUpper:
		return Range{-inf, c - min(d, 0)}
	}
	return Range{c, c}
}

// costSteps returns how far the cost of basic variable v, scaled, may fall and rise until the reduced cost of a
// nonbasic one has the wrong sign: d_k − t·α_k, α the row of B⁻¹N that belongs to v.
func (s *Solver) costSteps(v int32) (down, up float64) {
	down, up = -inf, inf
	s.row.compute(v)
	see := func(k int) {
		a, rest := s.row.entry[k], s.values.position[k]
		if rest == Basic || math.Abs(a) <= pivotZero || s.program.trueLower[k] == s.program.trueUpper[k] {
			return
		}
		t := s.costs.d[k] / a
		if rest == AtZero || (a > 0) == (rest == AtLower) {
			up = min(up, max(t, 0))
		}
		if rest == AtZero || (a > 0) != (rest == AtLower) {
			down = max(down, min(t, 0))
		}
	}
	if !s.matrix.sparse() {
		for k := range s.matrix.n {
			see(k)
		}
	}
	for _, k := range s.row.listed {
		see(int(k))
	}
	return down, up
}

// rowRanges returns those of the bounds of row i. A bound that the row does not rest on may move up to the
// row's activity.
func (s *Solver) rowRanges(i int, direction basicVector) (lo, up Range) {
	v, scale := s.matrix.n+i, s.matrix.scaleOfRow(i)
	lower, upper := s.program.lp.RowLo[i], s.program.lp.RowUp[i]
	rest := s.values.position[v]
	if rest == Basic && lower == upper { // of an equation that others imply
		return Range{lower, lower}, Range{lower, lower}
	}
	if rest == Basic || rest == AtZero {
		x := s.values.x[v] / scale
		return Range{-inf, x}, Range{x, inf}
	}
	down, rise := s.rowSteps(i, direction)
	down, rise = down/scale, rise/scale
	switch {
	case lower == upper:
		lo = Range{lower + down, lower + rise}
		return lo, lo
	case rest == AtLower:
		return Range{lower + down, min(lower+rise, upper)}, Range{lower, inf}
	}
	return Range{-inf, upper}, Range{max(upper+down, lower), upper + rise}
}

// rowSteps returns how far the activity of row i, scaled, may fall and rise until a basic variable leaves its
// bounds: x_B + t·B⁻¹e_i.
func (s *Solver) rowSteps(i int, direction basicVector) (down, up float64) {
	down, up = -inf, inf
	direction.clear()
	direction.covered[i] = 1
	direction.written()
	s.basis.ftran(direction)
	s.basis.each(direction, pivotZero, func(v int32, e float64) {
		toLower := min(s.program.trueLower[v]-s.values.x[v], 0) / e
		toUpper := max(s.program.trueUpper[v]-s.values.x[v], 0) / e
		down, up = max(down, min(toLower, toUpper)), min(up, max(toLower, toUpper))
	})
	return down, up
}
