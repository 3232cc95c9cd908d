package dense

import "sync"

// Gather collects rows with factors, and adds them in as few passes as possible.
type Gather struct {
	rows    [][]float64
	factors []float64
}

var gathers = sync.Pool{New: func() any { return new(Gather) }}

// NewGather returns an empty Gather for use until [Gather.AddTo].
func NewGather() *Gather { return gathers.Get().(*Gather) }

// Add collects factor·row, or nothing if factor is 0. The row must not change before AddTo.
func (g *Gather) Add(factor float64, row []float64) {
	if factor != 0 {
		g.rows = append(g.rows, row)
		g.factors = append(g.factors, factor)
	}
}

// AddTo does y += Σ factor·row with the first len(y) elements of the rows, in the order of the calls of Add. It then
// recycles g, which must not be used again.
func (g *Gather) AddTo(y []float64) {
	AddGathered(y, g.factors, g.rows)
	clear(g.rows)
	g.rows, g.factors = g.rows[:0], g.factors[:0]
	gathers.Put(g)
}
