package simplex

import "math"

// primalRatio is Harris's ratio test (1973) in two passes.
type primalRatio struct {
	program *program
	basis   *basis
	values  *values
	list    []blocking // scratch
}

// blocking is a basic variable that has a bound ahead.
type blocking struct {
	v          int32
	size, room float64 // |entry| of the direction; way to the bound, ≥ 0
}

// choose returns which basic variable leaves and after what step, when the basic
// values go along −sign·direction: of those that leave their bounds by no more than
// the tolerance, the one with the largest entry. Without any, step is infinite.
func (t *primalRatio) choose(direction basicVector, sign float64) (leaving int32, step float64) {
	limit := math.Inf(1)
	t.list = t.list[:0]
	t.basis.each(direction, t.program.pivotZero, func(v int32, e float64) {
		room, size := max(t.room(v, e*sign), 0), math.Abs(e)
		if room > limit*size { // as it is when the limit is the least
			return
		}
		if most := (room + t.program.primalTolerance) / size; most < math.Inf(1) {
			limit = min(limit, most)
			t.list = append(t.list, blocking{v, size, room})
		}
	})
	leaving, step = -1, math.Inf(1)
	var most float64
	for _, b := range t.list {
		if b.room <= limit*b.size && b.size > most {
			most, leaving, step = b.size, b.v, b.room/b.size
		}
	}
	return leaving, step
}

// room returns how far basic variable v can go when it falls (rate > 0) or rises (rate < 0).
func (t *primalRatio) room(v int32, rate float64) float64 {
	if rate > 0 {
		return t.values.x[v] - t.program.lower[v]
	}
	return t.program.upper[v] - t.values.x[v]
}
