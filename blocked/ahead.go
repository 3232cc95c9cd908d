package blocked

import (
	"sync"
	"sync/atomic"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// fewAhead is the number of rows that are worth a pass over the samples ahead of time.
const fewAhead = 8

// ahead has a second goroutine evaluate whole rows while the caller solves a subproblem. A variable whose row of a
// selection is asked for will move, so that the next AddRows needs its whole row. Which rows are there by then is
// chance. It changes no value, and nothing that is counted.
type ahead[T gram.Float] struct {
	places  []int32 // of[i] is the place of row i in rows plus 1, 0 for none; nil before the first one
	running bool    // a goroutine evaluates rows, or is about to
	end     func()  // waits for it
	stop    atomic.Bool

	mutex   sync.Mutex // what follows is shared with that goroutine
	rows    []aheadRow[T]
	begun   int   // rows that are evaluated, those of the present batch, the last ones, only in part:
	missing []int // up to column upTo; none between batches
	dst     [][]T
	upTo    int

	held  int   // rows that have not been taken
	spare [][]T // memory of rows that were not evaluated, or not needed
}

type aheadRow[T gram.Float] struct {
	row   []T // nil once it has been taken
	index int
}

// wants notes that the next AddRows is likely to need row i. It has memory as long as no cached row must give way.
func (m *Matrix[T]) wants(i int) {
	a := &m.ahead
	if m.workers == 1 || m.passing || m.cache.places[i] >= 0 || !m.pts.Kernel().Vectorised() {
		return
	}
	if a.places == nil {
		a.places = make([]int32, m.n)
	}
	if a.places[i] > 0 || len(m.cache.slots)+a.held >= m.cache.limit {
		return
	}
	row := m.memory()
	a.held++
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.rows = append(a.rows, aheadRow[T]{row, i})
	a.places[i] = int32(len(a.rows))
	if !a.running && len(a.rows)-a.begun >= fewAhead {
		a.running = true
		a.end = parallel.Aside(m.evaluateAhead)
	}
}

// memory returns memory for a row that is not cached yet: spare memory, new memory, or that of a row evaluated ahead.
func (m *Matrix[T]) memory() []T {
	a := &m.ahead
	if k := len(a.spare); k > 0 {
		row := a.spare[k-1]
		a.spare = a.spare[:k-1]
		return row
	}
	if left := m.cache.limit - len(m.cache.slots) - a.held; left > 0 {
		return m.cache.fresh(left)
	}
	for k := len(a.rows) - 1; ; k-- {
		if row := a.take(a.rows[k].index); row != nil {
			return row
		}
	}
}

// evaluateAhead evaluates rows until few are left.
func (m *Matrix[T]) evaluateAhead() {
	a := &m.ahead
	for a.next() {
		step := max(minStrip, grain/m.cost(len(a.missing))&^63)
		for a.upTo < m.n {
			if a.stop.Load() {
				return
			}
			to := min(a.upTo+step, m.n)
			m.pts.RowsRange(a.dst, a.missing, a.upTo, to)
			a.upTo = to
		}
	}
}

// next begins another batch of rows. False if too few are left: then the goroutine ends.
func (a *ahead[T]) next() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.dst, a.missing, a.upTo = a.dst[:0], a.missing[:0], 0
	if len(a.rows)-a.begun < fewAhead {
		a.running = false
		return false
	}
	for _, r := range a.rows[a.begun:min(a.begun+batch, len(a.rows))] {
		a.dst = append(a.dst, r.row)
		a.missing = append(a.missing, r.index)
	}
	a.begun += len(a.missing)
	return true
}

// settle ends what goes on aside and finishes the rows that it has begun. Rows that it has not begun are forgotten.
func (m *Matrix[T]) settle() {
	a := &m.ahead
	if len(a.rows) == 0 {
		return
	}
	a.halt()
	if from := a.upTo; len(a.missing) > 0 && from < m.n {
		m.columns(from, m.cost(len(a.missing)), func(lo, hi int) { m.pts.RowsRange(a.dst, a.missing, lo, hi) })
	}
	for _, r := range a.rows[a.begun:] {
		a.spare = append(a.spare, a.take(r.index))
	}
	a.rows, a.missing = a.rows[:a.begun], a.missing[:0]
}

// halt waits until nothing goes on aside.
func (a *ahead[T]) halt() {
	if a.end != nil {
		a.stop.Store(true)
		a.end()
		a.stop.Store(false)
	}
	a.running, a.end = false, nil
}

// take returns row i if it has been evaluated ahead, else nil.
func (a *ahead[T]) take(i int) []T {
	if a.places == nil || a.places[i] == 0 {
		return nil
	}
	r := &a.rows[a.places[i]-1]
	row := r.row
	r.row, a.places[i] = nil, 0
	a.held--
	return row
}

// forget makes the memory of rows that were not taken spare.
func (a *ahead[T]) forget() {
	for _, r := range a.rows {
		if row := a.take(r.index); row != nil {
			a.spare = append(a.spare, row)
		}
	}
	a.rows, a.begun = a.rows[:0], 0
}
