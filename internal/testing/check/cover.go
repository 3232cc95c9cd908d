package check

import (
	"cmp"
	"math"
	"slices"
)

// cover judges a machine f = g − ρ by the program of g, of margin 1 and without a bias, and ρ by what ν says of the
// values of g at the points.
func (m *machine) cover() {
	bias := m.e.Bias
	q := m.reweighted(math.Abs)
	q.short = func(_ int, f float64) float64 { return 1 - (f - bias) }
	q.bias = func(b float64) float64 {
		if b == bias {
			return 0
		}
		return math.Inf(1)
	}
	m.priced(float64(len(m.e.Coef)), q)
	rows := slices.SortedFunc(slices.Values(m.rows), func(a, b int) int { return cmp.Compare(m.F[a], m.F[b]) })
	var size, outside, inside, total float64 // the weight below 0, and that of the values next to it
	below, above, next := math.Inf(-1), math.Inf(1), math.Inf(1)
	for _, i := range rows {
		size = max(size, math.Abs(m.F[i]-bias))
	}
	for _, i := range rows {
		w, f := m.p.WeightOf(i), m.F[i]
		total += w
		switch {
		case f < 0:
			outside, below = outside+w, f
		case f <= next+1e-6*size:
			inside, next, above = inside+w, f, min(above, f)
		}
	}
	nu, all := m.params["nu"]*total, next >= m.F[rows[len(rows)-1]]
	if !(outside <= nu*(1+1e-9)) || !all && !(outside+inside >= nu) {
		m.outside("weight %v of %v below 0, %v next to it, ν = %v", outside, total, inside, m.params["nu"])
	}
	if math.IsInf(below, -1) { // then ρ is the least value but for rounding
		below = 0
	}
	if !(math.Abs(below+above) <= 1e-6*size) {
		m.outside("the values %v and %v next to 0, at a size of %v", below, above, size)
	}
}
