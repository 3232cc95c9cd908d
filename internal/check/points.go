package check

import (
	"math"
	"slices"
)

// point is one of the distinct points, with what it weighs under each label and its coefficient: of
// points with the same features a machine may have one vector, or one for each label.
type point struct {
	at       int // its first row
	neg, pos float64
	coef     float64
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
		q := &all[k]
		q.coef += own[i]
		if m.p.Y[i] > 0 {
			q.pos += m.p.WeightOf(i)
		} else {
			q.neg += m.p.WeightOf(i)
		}
	}
	return all
}

// split are the variables α of the two labels whose difference is a, as large as the bounds U and L allow.
func split(a, u, l float64) (pos, neg float64) {
	pos, neg = l+a, l
	if a >= u-l {
		pos, neg = u, u-a
	}
	snap := func(v, bound float64) float64 { // U − (U − L) is L but for rounding
		switch tiny := 1e-12 * (u + l); {
		case math.Abs(v) <= tiny:
			return 0
		case math.Abs(v-bound) <= tiny:
			return bound
		}
		return v
	}
	return snap(pos, u), snap(neg, l)
}

// equation is f(x_s) + a/(γ w) = y of a point that a least-squares machine has kept; spread is Σ w_i (y_i − y)² of
// its copies.
type equation struct {
	at                  int
	a, y, ridge, spread float64
}

// kept are the equations of a pruned machine: those of its vectors alone.
func (m *machine) kept(gamma float64) (all []equation) {
	for s, i := range m.e.Support {
		all = append(all, equation{at: i, a: m.e.Coef[s], y: m.p.Y[i], ridge: 1 / (gamma * m.p.WeightOf(i))})
	}
	return all
}

// whole are those of all points; copies have one, with their weights' sum and their labels' mean.
func (m *machine) whole(gamma float64) (all []equation) {
	for _, q := range m.points() {
		w := q.pos + q.neg
		all = append(all, equation{at: q.at, a: q.coef, y: (q.pos - q.neg) / w, ridge: 1 / (gamma * w),
			spread: 4 * q.pos / w * q.neg})
	}
	return all
}
