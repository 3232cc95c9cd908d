package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// smallRatio is the bound-flipping ratio test of small programs.
type smallRatio struct {
	candidates []smallCandidate // buffer
	flips      []int32          // columns that the step passes
	groups     groups
	tied       []int32 // those whose reduced costs reach 0 with that of the entering one, itself included
}

// smallCandidate is a column whose reduced cost the dual step drives towards 0.
type smallCandidate struct {
	q    int32
	a, d float64 // |element of the pivot row|, distance of the reduced cost from 0
}

// dual is the dual method with steepest-edge pricing. It ends Infeasible with the row that may prove it. The weights
// begin anew, because cancellation takes their digits within some hundred pivots.
func (k *small) dual(ctx context.Context) (st status.Status, row int) {
	k.weigh()
	for {
		r, beyond := k.chooseLeaving()
		if r < 0 {
			return status.Optimal, -1
		}
		if k.out(ctx) {
			return status.Unknown, -1
		}
		q, largest := k.chooseEntering(k.row(r), beyond)
		if q < 0 {
			return status.Infeasible, r
		}
		k.load(q)
		p := k.column[r]
		if !(math.Abs(p) > max(minPivot*k.size(), 1e-7*largest)) {
			return status.Unknown, -1
		}
		if len(k.flips) > 0 {
			k.flip()
		}
		bound, to := k.lower[r], AtLower
		if beyond > 0 {
			bound, to = k.upper[r], AtUpper
		}
		k.pivot(r, q, (k.x[r]-bound)/p, to)
		k.settleCosts()
	}
}

// chooseLeaving returns the row whose variable is farthest beyond a bound by the measure of its weight, and by how
// much: positive above the upper one. The row is −1 if there is none. The loop has no branch that a processor could not
// predict.
func (k *small) chooseLeaving() (row int, beyond float64) {
	row = -1
	best, tolerance := 0.0, k.tolerance
	lower, upper, squares := k.lower[:len(k.x)], k.upper[:len(k.x)], k.squares[:len(k.x)]
	for r, x := range k.x {
		e := max(x-upper[r], lower[r]-x, tolerance) - tolerance
		if e *= e; e > best*(1+squares[r]) {
			row, best = r, e/(1+squares[r])
		}
	}
	if row < 0 {
		return -1, 0
	}
	if beyond = k.x[row] - k.upper[row]; beyond > 0 {
		return row, beyond
	}
	return row, k.x[row] - k.lower[row]
}

// chooseEntering returns the column to enter for a pivot row whose variable is beyond its bound, and the largest
// element among those that could. Columns that the step passes go to flips. It is −1 when no step is long enough. As in
// [dualRatio], columns are passed in groups of equal ratios, and an earlier group is taken where the last one has small
// elements only.
func (k *small) chooseEntering(row []float64, beyond float64) (entering int, largest float64) {
	list := k.collect(row, beyond)
	k.flips, k.groups = k.flips[:0], k.groups[:0]
	slope := math.Abs(beyond)
	for len(list) > 0 {
		limit := inf
		for i := range list {
			if c := &list[i]; c.d+k.dualTolerance < limit*c.a {
				limit = (c.d + k.dualTolerance) / c.a
			}
		}
		g, left := group{entering: -1, from: len(k.flips)}, 0
		for _, c := range list {
			if !(c.d <= limit*c.a) {
				list[left] = c
				left++
				continue
			}
			k.flips = append(k.flips, c.q)
			slope -= c.a * k.width(k.nonbasic[c.q])
			if c.a > g.size {
				g.entering, g.size = c.q, c.a
			}
		}
		g.to = len(k.flips)
		k.groups = append(k.groups, g)
		largest = max(largest, g.size)
		if !(slope > k.tolerance) {
			break
		}
		if left == len(list) { // NaNs
			return -1, largest
		}
		if list = list[:left]; left == 0 {
			return -1, largest
		}
	}
	g, ok := k.groups.lastSafe(largest)
	if !ok {
		return -1, largest
	}
	k.flips, k.tied = k.flips[:g.from], k.flips[g.from:g.to]
	return int(g.entering), largest
}

// collect lists the candidates of a row. About half of the columns are, in no order that a processor could predict:
// each is written, and counted or overwritten.
func (k *small) collect(row []float64, beyond float64) []smallCandidate {
	sign := 1.0
	if beyond < 0 {
		sign = -1
	}
	count := 0
	list, way, free, d := k.candidates[:len(row)], k.towards[:len(row)], k.free[:len(row)], k.row(k.m)[:len(row)]
	for q, e := range row {
		a := e*sign*way[q] + math.Abs(e)*free[q]
		c := &list[count]
		c.q, c.a, c.d = int32(q), a, max(d[q]*way[q], 0)
		if a > minPivot {
			count++
		}
	}
	return list[:count]
}

// flip moves the columns of flips to their other bounds, and the basic variables with them.
func (k *small) flip() {
	for _, q := range k.flips {
		v := k.nonbasic[q]
		width := k.width(v)
		if k.where[q] == AtUpper {
			width = -width
		}
		k.where[q] = k.where[q].opposite()
		k.setRest(int(q), v)
		pos := int(q)
		for r := range k.x {
			k.x[r] -= width * k.t[pos]
			pos += k.stride
		}
	}
}

// settleCosts keeps the reduced costs of tied columns at their side of 0, which the tolerance of the ratio test may
// have let them pass.
func (k *small) settleCosts() {
	d := k.row(k.m)
	for _, q := range k.tied {
		if k.wrong(int(q)) > 0 {
			d[q], k.priced = 0, false
		}
	}
}
