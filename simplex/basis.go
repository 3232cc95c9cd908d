package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// members is the set of basic variables, for both representations of a basis.
type members struct {
	matrix  *matrix
	cover   []int32 // row → its basic variable, or −1
	vars    []int32 // S: basic variables without such a row
	updates int     // exchanges since B was factored
	broken  bool    // the end of a context kept it from being factored
}

// logical returns the logical variable of row r.
func (b *members) logical(r int32) int32 { return r + int32(b.matrix.n) }

// sparse reports whether vectors know their nonzeros, which are few. Then pricing keeps lists that
// pivots update, and exact initial weights, a row of B⁻¹ for every row, would cost too much.
func (b *members) sparse() bool { return b.matrix.sparse() }

// exact reports whether solutions need no refinement: all columns are unit columns, which a division solves.
func (b *members) exact() bool { return len(b.vars) == 0 && !b.sparse() }

// basis is the set of basic variables and the means to solve with its matrix B.
type basis struct {
	*members
	representation

	together []basicVector // scratch of ftran
}

// representation is how B is held: [blockBasis] for dense programs, [factored] for sparse ones.
type representation interface {
	// load makes the variables marked Basic the basis, and repairs it if it is singular, which changes pos.
	// If ctx ends before, the basis is broken.
	load(ctx context.Context, pos []Position)
	// factor factors B again. Columns that depend on others leave the basis, and the logicals
	// of the rows without a pivot enter it; repaired says so. If ctx ends before, the basis is broken: nothing can
	// be solved with it until it is factored.
	factor(ctx context.Context, pos []Position) (repaired bool)
	// worn reports whether B should be factored again, for accuracy or speed.
	worn() bool
	// exchange follows a change of the basis.
	exchange(e exchange)
	// addRows adds the new rows of the matrix, with their logicals; false if it cannot.
	addRows() bool

	// element returns the element of basic variable v.
	element(x basicVector, v int32) float64
	// solve is ftran.
	solve(xs []basicVector)
	// btran solves Bᵀ·y = c_B; cost has an element for every variable, y for every row.
	btran(y, cost []float64)
	// btranUnit solves Bᵀ·row = e_v for the basic variable v.
	btranUnit(v int32, row *inverseRow)
}

func newBasis(a *matrix) *basis {
	b := &members{matrix: a, cover: make([]int32, a.m)}
	if a.sparse() {
		return &basis{members: b, representation: &factored{members: b, factors: lu.New(a.m), work: lu.NewVector(a.m)}}
	}
	return &basis{members: b, representation: &blockBasis{members: b, coverInv: make([]float64, a.m),
		place: make([]int32, a.m), order: make([]int32, a.m)}}
}

// ftran solves B·z = rhs in place for each of the vectors: x.covered holds rhs by rows before, x holds z after.
func (b *basis) ftran(xs ...basicVector) {
	b.together = append(b.together[:0], xs...) // what an interface is given is on the heap
	b.solve(b.together)
}

// exchange is a change of the basis: entering takes the place of leaving.
type exchange struct {
	entering, leaving int32
	column            column      // of the entering variable; the basis keeps it
	direction         basicVector // B⁻¹·column
	row               *inverseRow // of the leaving variable
	pivot             float64     // element of the leaving variable in direction
}

// replace makes the exchange.
func (b *basis) replace(e exchange) {
	b.updates++
	b.exchange(e)
}
