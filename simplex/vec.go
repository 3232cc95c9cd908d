package simplex

import (
	"sync"

	"github.com/sparsekm/sparsekm/internal/vec"
)

// addMul does dst += v·x over len(x) elements.
func addMul(dst []float64, v float64, x []float64) { vec.Axpy(v, x, dst) }

// dot returns Σ x_i·y_i over len(x) elements.
func dot(x, y []float64) float64 { return vec.Dot(x, y) }

// gang gathers vectors with their factors, to add them in as few passes as possible.
type gang struct {
	rows    [][]float64
	factors []float64
}

var gangs = sync.Pool{New: func() any { return new(gang) }}

func newGang() *gang { return gangs.Get().(*gang) }

func (g *gang) add(factor float64, row []float64) {
	if factor != 0 {
		g.rows, g.factors = append(g.rows, row), append(g.factors, factor)
	}
}

// addTo does dst += Σ factor·row and gives the gang back. Four rows go in one
// pass: zeros fill the last four.
func (g *gang) addTo(dst []float64) {
	for len(g.rows)%4 != 0 {
		g.rows, g.factors = append(g.rows, g.rows[0]), append(g.factors, 0)
	}
	vec.AddRows(dst, g.rows, g.factors)
	clear(g.rows)
	g.rows, g.factors = g.rows[:0], g.factors[:0]
	gangs.Put(g)
}
