package simplex

import "math"

// primalRatio is Harris's ratio test (1973) in two passes.
type primalRatio struct {
	program *program
	basis   *basis
	values  *values
}

// choose returns which basic variable leaves and after what step, when the basic
// values go along −sign·direction: of those that leave their bounds by no more than
// the tolerance, the one with the largest entry. Without any, step is infinite.
func (t *primalRatio) choose(direction basicVector, sign float64) (leaving int32, step float64) {
	limit := math.Inf(1)
	t.basis.each(direction, t.program.pivotZero, func(v int32, e float64) {
		if room := t.room(v, e*sign); room < math.Inf(1) {
			limit = min(limit, (max(room, 0)+t.program.primalTolerance)/math.Abs(e))
		}
	})
	leaving, step = -1, math.Inf(1)
	if math.IsInf(limit, 1) {
		return leaving, step
	}
	var most float64
	t.basis.each(direction, t.program.pivotZero, func(v int32, e float64) {
		size := math.Abs(e)
		if room := t.room(v, e*sign); room <= limit*size && size > most {
			most, leaving, step = size, v, max(room, 0)/size
		}
	})
	return leaving, step
}

// room returns how far basic variable v can go when it falls (rate > 0) or rises (rate < 0).
func (t *primalRatio) room(v int32, rate float64) float64 {
	if rate > 0 {
		return t.values.x[v] - t.program.lower[v]
	}
	return t.program.upper[v] - t.values.x[v]
}
