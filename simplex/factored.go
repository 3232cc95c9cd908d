package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// factored holds the basis of a sparse program by sparse factors of all of B.
//
// Every row is covered, S and R are empty, and cover maps a row to the basic variable whose
// column the factorisation pivoted on that row.
type factored struct {
	*members
	factors *lu.Factors
	indices []int32    // basic variable → its place; others −1
	pending []int32    // scratch of load and factor: the basic variables
	work    *lu.Vector // scratch of btran, zeros
}

// addRows is false: the factors are of as many rows as they were made for.
func (f *factored) addRows() bool { return false }

// worn reports whether solves have become slow, or the changes many.
func (f *factored) worn() bool {
	return f.updates >= 100+f.matrix.m/50 || f.updates > 0 && f.factors.Worn()
}

// load makes the variables marked Basic the basis, repairing it as the factorisation finds it singular.
func (f *factored) load(ctx context.Context, pos []Position) {
	f.indices, f.pending = grow(f.indices, len(pos)), f.pending[:0]
	for v := range pos {
		f.indices[v] = -1
		switch {
		case pos[v] != Basic:
		case len(f.pending) < f.matrix.m:
			f.pending = append(f.pending, int32(v))
		default:
			pos[v] = AtLower
		}
	}
	for r := 0; len(f.pending) < f.matrix.m; r++ {
		if v := f.logical(int32(r)); pos[v] != Basic {
			pos[v] = Basic
			f.pending = append(f.pending, v)
		}
	}
	f.factorPending(ctx, pos)
}

// factor computes the factors of the present basis afresh.
func (f *factored) factor(ctx context.Context, pos []Position) (repaired bool) {
	f.pending = append(f.pending[:0], f.cover...)
	return f.factorPending(ctx, pos)
}

// factorPending factors the columns of pending and gives them their places. Columns that depend on others are replaced
// by the logicals of the rows that have no pivot.
func (f *factored) factorPending(ctx context.Context, pos []Position) (repaired bool) {
	column := func(j int) ([]int32, []float64) {
		c := f.matrix.load(f.pending[j])
		return c.index, c.value
	}
	for {
		places, ok := f.factors.Factor(ctx, column)
		f.updates, f.broken = 0, places == nil
		if f.broken {
			return repaired
		}
		if ok {
			for j, p := range places {
				f.cover[p], f.indices[f.pending[j]] = f.pending[j], p
			}
			return repaired
		}
		repaired = true
		f.repair(places, pos)
	}
}

// repair exchanges the columns without a place.
func (f *factored) repair(places []int32, pos []Position) {
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
		v := f.pending[j]
		pos[v], f.indices[v] = AtLower, -1
		pos[f.logical(r)], f.pending[j] = Basic, f.logical(r)
		taken[r] = true
	}
}

// exchange is replace, by an update of Forrest and Tomlin.
func (f *factored) exchange(e exchange) {
	p := f.indices[e.leaving]
	f.factors.Exchange(p, e.direction.spike, &e.row.partial, e.pivot)
	f.indices[e.leaving], f.indices[e.entering], f.cover[p] = -1, p, e.entering
}

// element returns the element of basic variable v.
func (f *factored) element(x basicVector, v int32) float64 { return x.covered[f.indices[v]] }

// solve is ftran.
func (f *factored) solve(xs []basicVector) {
	for _, x := range xs {
		f.factors.Ftran(x.nonzero, x.spike)
	}
}

// btran gathers the costs by places.
func (f *factored) btran(y, cost []float64) {
	for r, v := range f.cover {
		f.work.Value[r] = cost[v]
	}
	f.work.Gather()
	f.factors.Btran(f.work, nil)
	copy(y, f.work.Value)
	f.work.Clear()
}

// btranUnit keeps what the factors' update needs.
func (f *factored) btranUnit(v int32, row *inverseRow) {
	f.work.Set(f.indices[v], 1)
	f.factors.Btran(f.work, &row.partial)
	row.Index, row.Value = row.Index[:0], row.Value[:0]
	for _, i := range f.work.Index {
		if x := f.work.Value[i]; x != 0 {
			row.Push(i, x)
		}
	}
	f.work.Clear()
}
