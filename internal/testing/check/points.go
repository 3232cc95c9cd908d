package check

import (
	"slices"
)

// point is one of the distinct points, with what it weighs under each label and its coefficient: of
// points with the same features a machine may have one vector, or one for each label.
type point struct {
	at       int // its first row
	neg, pos float64
	coef     float64
	rows     float64 // how many there are
	// The mean of its targets, and Σ w_i (y_i − mean)².
	mean, spread float64
}

func (m *machine) points() []point {
	var all []point
	d, own := m.p.D, m.own()
	for _, i := range m.rows {
		k := slices.IndexFunc(all, func(q point) bool {
			return slices.Equal(m.p.X[i*d:(i+1)*d], m.p.X[q.at*d:(q.at+1)*d])
		})
		if k < 0 {
			k, all = len(all), append(all, point{at: i})
		}
		q, w, off := &all[k], m.p.WeightOf(i), m.p.Y[i]-all[k].mean
		before := q.neg + q.pos
		q.mean += off * (w / (before + w))
		q.spread += off * off * before * (w / (before + w))
		q.coef += own[i]
		q.rows++
		if m.p.Y[i] > 0 {
			q.pos += w
		} else {
			q.neg += w
		}
	}
	return all
}

// split are the variables α of the two labels whose difference is a, as large as the bounds U and L allow. What is
// within tiny of a bound is at it, U − (U − L) is L but for rounding; a bound below tiny says nothing.
func split(a, u, l float64) (pos, neg, tiny float64) {
	tiny = 1e-12 * (u + l)
	if a >= u-l {
		return u, max(0, u-a), tiny
	}
	return max(0, l+a), l, tiny
}

// equation is f(x_s) + a/(γ w) = y of a point that a least-squares machine has kept; spread is Σ w_i (y_i − y)² of
// its copies, of which there are so many rows.
type equation struct {
	at                        int
	a, y, ridge, spread, rows float64
}

// kept are the equations of a pruned machine: those of its vectors alone.
func (m *machine) kept(gamma float64) (all []equation) {
	for s, i := range m.e.Support {
		all = append(all, equation{at: i, a: m.e.Coef[s], y: m.p.Y[i], ridge: 1 / (gamma * m.p.WeightOf(i)), rows: 1})
	}
	return all
}

// whole are those of all points; copies have one, with their weights' sum and their targets' mean.
func (m *machine) whole(gamma float64) (all []equation) {
	for _, q := range m.points() {
		w := q.pos + q.neg
		all = append(all, equation{at: q.at, a: q.coef, y: q.mean, ridge: 1 / (gamma * w), spread: q.spread,
			rows: q.rows})
	}
	return all
}
