package lu

import "math"

// Factors are those of a matrix B of m rows.
type Factors struct {
	m     int
	lower bothWays // L, ones on its diagonal
	upper bothWays // U
	steps []int32  // rows as they were pivoted on: the order of L
	step  []int32  // row → its place in steps
	order []int32  // that of U: an exchange moves a row to the end and leaves −1
	rank  []int32  // row → its place in order

	exchanges []exchange
	eta       Entries // of all exchanges
	wear
	search      *search
	elimination *elimination
}

// wear is what exchanges have added to the factors since the factorisation.
type wear struct {
	filled   int // entries of U and L after the factorisation
	entries  int // entries of U now
	followed int // exchanges, including those without a row operation
	touched  int // entries of exchanges that solves have passed
	before   int // work when watch last compared it
	slow     bool
	unstable bool
}

// exchange is the row operation of one: element row loses eta times the others.
type exchange struct {
	row      int32
	from, to int // of eta
}

// New returns factors without a matrix.
func New(m int) *Factors { return &Factors{m: m, search: newSearch(m)} }

// Ftran solves B·z = x in place; the elements of z are by places. What L and the exchanges
// make of x goes to spike unless it is nil: Exchange wants it of the column that enters.
func (f *Factors) Ftran(x *Vector, spike *Entries) {
	f.lower.columns.solve(x, f.search, f.step, f.steps, false)
	f.touched += len(f.exchanges) + len(f.eta.Index)
	for _, e := range f.exchanges {
		var sum float64
		index, value := f.eta.Index[e.from:e.to], f.eta.Value[e.from:e.to]
		for k, i := range index {
			sum += value[k] * x.Value[i]
		}
		if sum != 0 {
			x.Add(e.row, -sum)
		}
	}
	if spike != nil {
		spike.take(x)
	}
	f.upper.columns.solve(x, f.search, f.rank, f.order, true)
}

// Btran solves Bᵀ·y = x in place; the elements of x are by places, those of y by rows.
// What U makes of x goes to row unless it is nil: Exchange wants it of the unit vector of the place that changes.
func (f *Factors) Btran(x *Vector, row *Entries) {
	f.upper.rows.solve(x, f.search, f.rank, f.order, false)
	if row != nil {
		row.take(x)
	}
	f.touched += len(f.exchanges)
	for k := len(f.exchanges) - 1; k >= 0; k-- {
		e := f.exchanges[k]
		v := x.Value[e.row]
		if v == 0 {
			continue
		}
		index, value := f.eta.Index[e.from:e.to], f.eta.Value[e.from:e.to]
		f.touched += len(index)
		for k, i := range index {
			x.Add(i, -value[k]*v)
		}
	}
	f.lower.rows.solve(x, f.search, f.step, f.steps, true)
}

// apart is how far the two values of a new pivot may be from each other.
const apart = 1e-6

// Exchange puts another column in the place p: spike is what Ftran gave of it, row what
// Btran gave of the unit vector of p, and alpha the element p of the solution that
// Ftran found. Afterwards Worn may say that the matrix should be factored afresh.
func (f *Factors) Exchange(p int32, spike, row *Entries, alpha float64) {
	columns, rows := &f.upper.columns, &f.upper.rows
	old := columns.pivot[p]
	from := len(f.eta.Index)
	for k, i := range row.Index {
		if i != p {
			f.eta.Push(i, -old*row.Value[k])
		}
	}
	if to := len(f.eta.Index); to > from {
		f.exchanges = append(f.exchanges, exchange{p, from, to})
	}
	f.entries += len(spike.Index) - int(rows.length[p]+columns.length[p])
	drop(rows, columns, p)
	drop(columns, rows, p)
	columns.reserve(p, int32(len(spike.Index)))
	for k, i := range spike.Index {
		if i != p {
			f.upper.push(i, p, spike.Value[k])
		}
	}
	// The row operation makes the new pivot alpha times the old one, whatever the spike's element is.
	pivot := alpha * old
	f.unstable = f.unstable || !(math.Abs(f.newPivot(p, spike, from)-pivot) <= apart*math.Abs(pivot))
	columns.pivot[p] = pivot
	f.order[f.rank[p]] = -1
	f.rank[p] = int32(len(f.order))
	f.order = append(f.order, p)
	f.followed++
	f.watch()
}

const (
	// look is after how many exchanges work is looked at.
	look = 16
	// fresh is what factors afresh cost for each row and entry, in touches of solves, with the values and duals that
	// their owner computes by them: 100 to 150 by profiles of programs with 10,000 rows, more for small ones.
	fresh = 200
)

// watch notes where the latest exchanges' solves have cost more than all since the factorisation and this on average:
// the average only grows from there.
func (f *Factors) watch() {
	if f.followed%look != 0 {
		return
	}
	work := f.work()
	average := (fresh*float64(f.m+f.filled) + float64(work)) / float64(f.followed)
	f.slow = f.slow || float64(work-f.before) > look*average
	f.before = work
}

// work returns the touches of all solves since the factorisation.
func (f *Factors) work() int { return f.touched + f.lower.touches() + f.upper.touches() }

// Worn reports whether factors afresh would be better: where two values of a pivot were apart, solves have become
// slow, or the exchanges have filled U and their own list.
func (f *Factors) Worn() bool {
	return f.unstable || f.slow || f.entries+len(f.eta.Index) > 2*f.filled+2*f.m
}

// newPivot returns element p of the spike less eta times the others.
func (f *Factors) newPivot(p int32, spike *Entries, from int) (v float64) {
	x := f.elimination.work
	for k, i := range spike.Index {
		x[i] = spike.Value[k]
	}
	v = x[p]
	for k, i := range f.eta.Index[from:] {
		v -= f.eta.Value[from+k] * x[i]
	}
	for _, i := range spike.Index {
		x[i] = 0
	}
	return v
}
