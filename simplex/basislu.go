package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// factored is how the basis of a sparse program is held: by sparse factors of all of B.
//
// Then every row is covered, S and R are empty, and cover says which basic variable has
// a row for its place: the row that the factorisation pivoted its column on.
type factored struct {
	factors *lu.Factors
	at      []int32    // basic variable → its place; others −1
	members []int32    // scratch of load and factor: the basic variables
	work    *lu.Vector // scratch of btran, zeros
}

func newFactored(m int) *factored {
	return &factored{factors: lu.New(m), members: make([]int32, 0, m), work: lu.NewVector(m)}
}

// newVector returns a vector by the places of the basic variables.
func (b *basis) newVector() basicVector {
	if b.lu != nil {
		x := lu.NewVector(b.matrix.m)
		return basicVector{covered: x.Value, nonzero: x}
	}
	return basicVector{covered: make([]float64, b.matrix.m), block: make([]float64, b.matrix.m)}
}

// newDirection is newVector for a column that may enter the basis.
func (b *basis) newDirection() basicVector {
	x := b.newVector()
	if b.lu != nil {
		x.spike = &lu.Entries{}
	}
	return x
}

// clear makes the vector 0, to be written by rows.
func (x basicVector) clear() {
	if x.nonzero != nil {
		x.nonzero.Clear()
		return
	}
	clear(x.covered)
}

// written is to be called before ftran where elements were written by other means than add.
func (x basicVector) written() {
	if x.nonzero != nil {
		x.nonzero.Gather()
	}
}

// add adds v times a column, by rows.
func (x basicVector) add(c column, v float64) {
	if x.nonzero == nil {
		c.addTo(x.covered, v)
		return
	}
	for t, i := range c.index {
		x.nonzero.Add(i, v*c.value[t])
	}
}

// loadFactored is load for the basis of a sparse program.
func (b *basis) loadFactored(ctx context.Context, pos []Position) {
	f := b.lu
	f.at, f.members = grow(f.at, len(pos)), f.members[:0]
	for v := range pos {
		f.at[v] = -1
		switch {
		case pos[v] != Basic:
		case len(f.members) < b.matrix.m:
			f.members = append(f.members, int32(v))
		default:
			pos[v] = AtLower
		}
	}
	for r := 0; len(f.members) < b.matrix.m; r++ {
		if v := b.logical(int32(r)); pos[v] != Basic {
			pos[v] = Basic
			f.members = append(f.members, v)
		}
	}
	b.factorMembers(ctx, pos)
}

// refactor is factor for the basis of a sparse program.
func (b *basis) refactor(ctx context.Context, pos []Position) (repaired bool) {
	b.lu.members = append(b.lu.members[:0], b.cover...)
	return b.factorMembers(ctx, pos)
}

// factorMembers factors the columns of members and gives them their places. Columns that depend on others are replaced
// by the logicals of the rows that have no pivot.
func (b *basis) factorMembers(ctx context.Context, pos []Position) (repaired bool) {
	f := b.lu
	column := func(j int) ([]int32, []float64) {
		c := b.matrix.load(f.members[j])
		return c.index, c.value
	}
	for {
		places, ok := f.factors.Factor(ctx, column)
		b.updates, b.broken = 0, places == nil
		if b.broken {
			return repaired
		}
		if ok {
			for j, p := range places {
				b.cover[p], f.at[f.members[j]] = f.members[j], p
			}
			return repaired
		}
		repaired = true
		f.repair(b, places, pos)
	}
}

// repair exchanges the members without a place.
func (f *factored) repair(b *basis, places []int32, pos []Position) {
	taken := make([]bool, len(places))
	for _, p := range places {
		if p >= 0 {
			taken[p] = true
		}
	}
	r := int32(0)
	for j, p := range places {
		if p >= 0 {
			continue
		}
		for taken[r] {
			r++
		}
		v := f.members[j]
		pos[v], f.at[v] = AtLower, -1
		pos[b.logical(r)], f.members[j] = Basic, b.logical(r)
		taken[r] = true
	}
}

// exchange is replace for the basis of a sparse program.
func (f *factored) exchange(b *basis, e exchange) {
	p := f.at[e.leaving]
	f.factors.Exchange(p, e.direction.spike, &e.row.partial, e.pivot)
	f.at[e.leaving], f.at[e.entering], b.cover[p] = -1, p, e.entering
}

// btran solves Bᵀ·y = c_B.
func (f *factored) btran(b *basis, y, cost []float64) {
	for r, v := range b.cover {
		f.work.Value[r] = cost[v]
	}
	f.work.Gather()
	f.factors.Btran(f.work, nil)
	copy(y, f.work.Value)
	f.work.Clear()
}

// btranUnit solves Bᵀ·row = e_v.
func (f *factored) btranUnit(v int32, row *inverseRow) {
	f.work.Set(f.at[v], 1)
	f.factors.Btran(f.work, &row.partial)
	row.index, row.value = row.index[:0], row.value[:0]
	for _, i := range f.work.Index {
		if x := f.work.Value[i]; x != 0 {
			row.index, row.value = append(row.index, i), append(row.value, x)
		}
	}
	f.work.Clear()
}
