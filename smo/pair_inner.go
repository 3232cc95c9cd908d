package smo

import (
	"context"
	"sync"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
	"github.com/sparsekm/sparsekm/status"
)

const (
	// innerTolerance is how far a subproblem is solved, relative to the violation of the whole problem.
	innerTolerance = 0.1
	// completeTolerance is the same where the working set has every variable that violates the conditions.
	completeTolerance = 0.03
	// tau stands in for a curvature that is not positive, as in LIBSVM.
	tau = 1e-12
	// shrinkEvery is the number of steps between two attempts to shrink the subproblem,
	// which are also looks at the context: well below a millisecond. Near a solution, where a solve with a
	// start is, fewer steps tell which variables stay at their bounds.
	shrinkEvery     = 1024
	shrinkEveryNear = 256
)

// subproblem is the program of one working set: vectors of the active variables, padded to a
// multiple of lanes with variables that may not move.
type subproblem struct {
	active  int   // variables not shrunk away
	pos     []int // pos[t]: place of active variable t in the working set
	d, a, g []float64
	lo, hi  []float64
	up, low []float64 // 0 where a_t may rise (fall), +Inf where it may not
	final   []float64 // a of the whole working set, up to date after solve
	single  single

	beyond     func(a []float64) bool
	every      int // steps between two attempts to shrink
	iterations int
	moved      moved
}

// moved are the variables of a working set that moved, and by how much.
type moved struct {
	idx  []int
	coef []float64
}

// inner is a subproblem with its rows, in the precision of the matrix.
type inner[T dense.Float] struct {
	subproblem
	rows    [][]T                // rows of the matrix that steps have asked for so far, active columns only
	there   *inMemory[T]         // where the rows are when they need no copy, until the set shrinks
	compact bool                 // it has shrunk
	fill    func(dst []T, r int) // writes a row of the working set
	memory  rowMemory[T]
	whole   []T // a row of the whole working set
	newton  newton[T]
	spare   *sync.Pool
}

// working is an inner of either precision.
type working interface {
	load(s *pairState, w []int)
	solve(ctx context.Context, eps float64, maxIter int) status.Status
	problem() *subproblem
	shrunk() bool
	release()
}

func (q *subproblem) problem() *subproblem { return q }

// newWorking returns what suits the values of k. All says that there is one working set, of all variables.
func newWorking(k Matrix, all bool) working {
	if m, ok := k.(interface{ Steps() Matrix }); ok {
		k = m.Steps()
	}
	switch k := k.(type) {
	case *inMemory[float32]:
		return innerOn(&spare32, k, all)
	case *inMemory[float64]:
		return innerOn(&spare64, k, all)
	case Single:
		return &inner[float32]{fill: k.SubRow32}
	}
	return &inner[float64]{fill: k.SubRow}
}

// Memory of solves on whole matrices: many small ones follow one another where parameters are searched for, and
// clearing memory takes as long as the steps of an easy one.
var spare32, spare64 sync.Pool

// innerOn returns an inner that reads k, with the memory of an earlier one where there is some.
func innerOn[T dense.Float](spare *sync.Pool, k *inMemory[T], all bool) *inner[T] {
	in, ok := spare.Get().(*inner[T])
	if !ok {
		in = new(inner[T])
	}
	in.fill, in.spare = k.subRow, spare
	if all {
		in.there = k
	}
	return in
}

// shrunk reports whether variables have left the working set.
func (in *inner[T]) shrunk() bool { return in.compact }

// release gives the memory to a later solve, without what belongs to others.
func (in *inner[T]) release() {
	if in.there == nil {
		return
	}
	clear(in.rows[:cap(in.rows)])
	clear(in.newton.rows[:cap(in.newton.rows)])
	in.there, in.fill, in.beyond = nil, nil, nil
	in.spare.Put(in)
}

// load copies the subproblem of working set w out of s.
func (in *inner[T]) load(s *pairState, w []int) {
	q := len(w)
	in.beyond = s.beyond
	in.every = shrinkEvery
	in.single.never = s.Start != nil && !s.rough
	if s.Start != nil {
		in.every = shrinkEveryNear
	}
	in.newton.near = s.Start != nil || s.result.Rounds > 0
	if in.newton.most = s.Together; s.Together == 0 {
		in.newton.most = LargestSet
	}
	in.memory.reset()
	in.rows = duals.Grow(in.rows, q)
	clear(in.rows)
	in.compact = false
	in.pos = duals.Grow(in.pos, q)
	in.final, in.whole = duals.Grow(in.final, q), duals.Grow(in.whole, padded(q))
	for _, v := range in.vectors() {
		*v = duals.Grow(*v, padded(q))
	}
	for r := range w {
		in.pos[r] = r
	}
	for k, from := range [...][]float64{s.diag, s.a, s.g[:s.n], s.Lo, s.Hi, s.up[:s.n], s.low[:s.n]} {
		if to := *in.vectors()[k]; s.all {
			copy(to, from)
		} else {
			for r, i := range w {
				to[r] = from[i]
			}
		}
	}
	in.resize(q)
	in.newton.outside = 0
	if q < s.n {
		in.newton.outside = s.heldOutside(w)
	}
	s.K.Select(w)
}

// heldOutside counts the variables outside w that are held by a bound that is not 0.
func (s *pairState) heldOutside(w []int) (held int) {
	holds := func(i int) int {
		if s.a[i] != 0 && (s.up[i] != 0 || s.low[i] != 0) {
			return 1
		}
		return 0
	}
	for i := range s.a {
		held += holds(i)
	}
	for _, i := range w {
		held -= holds(i)
	}
	return held
}

func (in *subproblem) vectors() [7]*[]float64 {
	return [...]*[]float64{&in.d, &in.a, &in.g, &in.lo, &in.hi, &in.up, &in.low}
}

// resize makes the first q variables the active ones.
func (in *subproblem) resize(q int) {
	in.active = q
	for _, v := range in.vectors() {
		*v = (*v)[:padded(q)]
	}
	for t := q; t < padded(q); t++ {
		in.d[t], in.g[t], in.up[t], in.low[t] = 0, 0, inf, inf
	}
}

// padded is the length of a vector of n variables.
func padded(n int) int { return (max(n, 1) + lanes - 1) &^ (lanes - 1) }

// solve takes two-variable steps until m − M ≤ eps within the working set, variables that were shrunk away excepted.
func (in *inner[T]) solve(ctx context.Context, eps float64, maxIter int) (st status.Status) {
	in.iterations = 0
	in.newton.begin()
	in.beginSingle(eps)
	var step float64
	ki := in.whole[:len(in.g)] // nothing to update yet
	kj := ki
	for {
		i, m, M := in.extremes(ki, kj, step)
		if m-M <= eps {
			if in.single.on && in.iterations == 0 { // it was rounded to that
				in.single.on = false
				continue
			}
			break
		}
		if !finite(m - M) {
			st = status.Numerical
			break
		}
		if in.iterations >= maxIter {
			st = status.IterationLimit
			break
		}
		if in.iterations%in.every == in.every-1 {
			if st = status.FromContext(ctx); st != status.Unknown {
				break
			}
			if in.beyond(in.a[:in.active]) {
				break
			}
			in.widen()
			if in.shrink(m, M) {
				in.narrow(m, M)
				ki, step = in.whole[:len(in.g)], 0
				kj = ki
				in.iterations++
				continue
			}
		}
		if in.newton.due(in) {
			in.widen()
			in.newton.run(ctx, in)
			in.narrow(m, M)
			kj, step = ki, 0
			in.iterations++
			continue
		}
		ki = in.row(i)
		j := in.second(ki, m, i)
		if j < 0 {
			break
		}
		kj = in.row(j)
		step = in.step(i, j, float64(ki[j]))
		in.iterations++
	}
	in.widen()
	for t, r := range in.pos[:in.active] {
		in.final[r] = in.a[t]
	}
	return st
}

// step moves a_i up and a_j down by the amount that minimises the objective, or to
// the first bound, and returns the amount. The gradient is left to the next selection.
func (in *subproblem) step(i, j int, kij float64) float64 {
	in.single.read(in.g, i, j)
	t := in.single.round((in.g[j] - in.g[i]) / max(in.d[i]+in.d[j]-2*kij, tau))
	ri, rj := in.hi[i]-in.a[i], in.a[j]-in.lo[j]
	t = min(t, ri, rj)
	in.a[i] += t
	in.a[j] -= t
	if t == ri {
		in.a[i] = in.hi[i]
	}
	if t == rj {
		in.a[j] = in.lo[j]
	}
	in.up[i], in.low[i] = freedom(in.a[i], in.lo[i], in.hi[i])
	in.up[j], in.low[j] = freedom(in.a[j], in.lo[j], in.hi[j])
	in.single.free(in, i)
	in.single.free(in, j)
	return t
}

// shrink drops variables at a bound that cannot be part of a violating pair as things
// stand (Joachims 1998), when a quarter of the active ones are such. They are not looked
// at again before the whole problem is, so the subproblem may end short of its optimum.
func (in *inner[T]) shrink(m, M float64) bool {
	stays := func(t int) bool {
		return (in.up[t] == 0 && -in.g[t] >= M) || (in.low[t] == 0 && -in.g[t] <= m)
	}
	count := 0
	for t := range in.active {
		if stays(t) {
			count++
		}
	}
	most := in.active - in.active/4
	if in.there != nil && in.active > WholeSet {
		most = in.active / 2
	}
	if count > most || count < 2 {
		return false
	}
	keep := make([]int, 0, count)
	for t := range in.active {
		if stays(t) {
			keep = append(keep, t)
		} else {
			in.final[in.pos[t]] = in.a[t]
			if in.a[t] != 0 {
				in.newton.outside++
			}
		}
	}
	if in.there != nil && !in.compact {
		clear(in.rows) // they are the matrix's own
	}
	in.compact = true
	for n, t := range keep { // n ≤ t: in place
		in.pos[n] = in.pos[t]
		in.rows[n] = in.rows[t]
		for _, v := range in.vectors() {
			(*v)[n] = (*v)[t]
		}
		if row := in.rows[n]; row != nil {
			for c, k := range keep {
				row[c] = row[k]
			}
		}
	}
	in.resize(count)
	return true
}

// row returns row t of the active variables' matrix. Few are needed on easy problems.
func (in *inner[T]) row(t int) []T {
	if in.rows[t] == nil && in.there != nil && !in.compact {
		in.rows[t] = in.there.paddedRow(t)
	}
	if in.rows[t] == nil {
		row := in.memory.take(len(in.g)) // rows of a set that has shrunk lie close together
		clear(row[in.active:])
		whole := in.whole
		switch {
		case in.there != nil:
			whole = in.there.paddedRow(in.pos[t]) // which is compact by now
		case in.active == len(in.final):
			in.fill(row, t)
			whole = nil
		default:
			in.fill(whole, in.pos[t])
		}
		if whole != nil {
			for c, r := range in.pos[:in.active] {
				row[c] = whole[r]
			}
		}
		in.rows[t] = row
	}
	return in.rows[t][:len(in.g)]
}

// changes lists the variables of w that moved, and by how much.
func (in *subproblem) changes(s *pairState, w []int) ([]int, []float64) {
	in.moved.idx, in.moved.coef = in.moved.idx[:0], in.moved.coef[:0]
	for r, i := range w {
		if d := in.final[r] - s.a[i]; d != 0 {
			in.moved.idx = append(in.moved.idx, i)
			in.moved.coef = append(in.moved.coef, d)
		}
	}
	return in.moved.idx, in.moved.coef
}

// rowMemory hands out rows and takes all of them back at once.
type rowMemory[T dense.Float] struct {
	slabs [][]T
	slab  int // in use
	used  int // of it
}

// slabSize is the number of elements of a slab.
const slabSize = 64 * 1024

func (m *rowMemory[T]) reset() { m.slab, m.used = 0, 0 }

func (m *rowMemory[T]) take(length int) []T {
	if m.used+length > slabSize {
		m.slab, m.used = m.slab+1, 0
	}
	if m.slab == len(m.slabs) {
		m.slabs = append(m.slabs, make([]T, slabSize))
	}
	row := m.slabs[m.slab][m.used : m.used+length]
	m.used += length
	return row
}
