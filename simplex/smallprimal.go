package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// primal is the primal method with Devex pricing, from a primal feasible basis. It ends Unbounded
// with the column that may prove it, which is loaded.
func (k *small) primal(ctx context.Context) (st status.Status, column int) {
	for q := range k.devex {
		k.devex[q] = 1
	}
	for {
		q := k.chooseAttractive()
		if q < 0 {
			return status.Optimal, -1
		}
		if k.out(ctx) {
			return status.Unknown, -1
		}
		k.load(q)
		sign := 1.0
		if k.t[k.m*k.stride+q] > 0 {
			sign = -1
		}
		r, step, to := k.chooseBlocking(sign)
		if width := k.width(k.nonbasic[q]); width <= step && width < inf {
			k.flips = append(k.flips[:0], int32(q))
			k.flip()
			continue
		}
		if r < 0 {
			return status.Unbounded, q
		}
		k.updateDevex(r, q)
		k.pivot(r, q, sign*step, to)
	}
}

// chooseAttractive returns the column of largest reduced cost of the wrong sign by its weight, −1 if there is none.
func (k *small) chooseAttractive() (column int) {
	column = -1
	best := 0.0
	for q := range k.nonbasic {
		if e := k.wrong(q); e > k.dualTolerance && e*e > best*k.devex[q] {
			column, best = q, e*e/k.devex[q]
		}
	}
	return column
}

// chooseBlocking returns the row whose variable stops the entering one, that of the loaded column, on its way up (sign
// 1) or down; the length of that way and the bound that it meets. The row is −1 if there is none.
func (k *small) chooseBlocking(sign float64) (row int, step float64, to Position) {
	limit, smallest := inf, minPivot*k.size()
	for r, a := range k.column[:k.m] {
		if a *= sign; a > smallest {
			limit = min(limit, (k.x[r]-k.lower[r]+k.tolerance)/a)
		} else if a < -smallest {
			limit = min(limit, (k.upper[r]-k.x[r]+k.tolerance)/-a)
		}
	}
	row, step = -1, inf
	if math.IsInf(limit, 1) {
		return row, step, to
	}
	size := 0.0
	for r, a := range k.column[:k.m] {
		if a *= sign; math.Abs(a) <= max(smallest, size) {
			continue
		}
		room, bound := k.x[r]-k.lower[r], AtLower
		if a < 0 {
			room, bound = k.upper[r]-k.x[r], AtUpper
		}
		if length := room / math.Abs(a); length <= limit {
			row, step, to, size = r, max(length, 0), bound, math.Abs(a)
		}
	}
	return row, step, to
}

// updateDevex gives the weights after the exchange of row r and column q, which is loaded.
func (k *small) updateDevex(r, q int) {
	row, own := k.row(r), k.devex[q]
	p := k.column[r]
	for c, a := range row[:k.n] {
		a /= p
		k.devex[c] = max(k.devex[c], a*a*own)
	}
	k.devex[q] = max(own/(p*p), 1)
}
