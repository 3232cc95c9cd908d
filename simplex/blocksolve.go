package simplex

import "github.com/sparsekm/sparsekm/internal/dense"

// element returns the element of basic variable v.
func (b *blockBasis) element(x basicVector, v int32) float64 {
	if i := b.slot[v]; i >= 0 {
		return x.block[i]
	}
	r, _, _ := b.matrix.unit(v)
	return x.covered[r]
}

// solve is ftran. The vectors go together because the inverse and the columns of
// S, beyond a few hundred of them, are more to read than to multiply by.
func (b *blockBasis) solve(xs []basicVector) {
	k := len(b.vars)
	b.rhs = grow(b.rhs, k*len(xs))
	for q, x := range xs {
		rhs := b.rhs[q*k : (q+1)*k]
		for i, r := range b.rows {
			rhs[i] = x.covered[r]
		}
	}
	b.inverse.solve(xs, b.rhs)
	b.subtractBlock(xs)
	for _, x := range xs {
		for r, inv := range b.coverInv {
			x.covered[r] *= inv
		}
	}
}

// together is how many rows of the inverse, or columns of S, go to one vector after the
// other: few enough for the first-level cache.
const together = 8

// subtractBlock does covered −= A[C,S]·block for each of the vectors.
func (b *blockBasis) subtractBlock(xs []basicVector) {
	many := 0 // dense columns
	for i, c := range b.cols {
		if c.dense {
			many++
			continue
		}
		for _, x := range xs {
			if x.block[i] != 0 {
				c.addTo(x.covered, -x.block[i])
			}
		}
	}
	switch {
	case many == 0:
	case b.sorted:
		b.subtractSorted(xs)
	default:
		b.targets = b.targets[:0]
		for _, x := range xs {
			b.targets = append(b.targets, x.covered)
		}
		b.subtractDense(xs)
	}
}

// subtractSorted does the part of subtractBlock that belongs to dense columns held by places.
func (b *blockBasis) subtractSorted(xs []basicVector) {
	k := len(b.order) - len(b.rows)
	b.covered, b.targets = grow(b.covered, k*len(xs)), b.targets[:0]
	for q, x := range xs {
		y := b.covered[q*k : (q+1)*k]
		b.byPlace(y, x.covered)
		b.targets = append(b.targets, y)
	}
	b.subtractDense(xs)
	for q, x := range xs {
		for p, v := range b.targets[q] {
			x.covered[b.order[p]] = v
		}
	}
}

// subtractDense subtracts the dense columns from the targets, one for each of xs.
func (b *blockBasis) subtractDense(xs []basicVector) {
	g := &b.group
	for i, c := range b.cols {
		if !c.dense {
			continue
		}
		g.cols[g.n], g.slots[g.n] = c.value, i
		if g.n++; g.n == together {
			g.subtract(b.targets, xs)
		}
	}
	g.subtract(b.targets, xs)
}

// columnGroup gathers dense columns of S by their slots.
type columnGroup struct {
	n       int
	cols    [together][]float64
	slots   [together]int
	factors [together]float64
}

// subtract does y −= Σ_t block[slots[t]]·cols[t] for each y and its vector, passing over those
// that have only zeros for factors, and empties the group.
func (g *columnGroup) subtract(ys [][]float64, xs []basicVector) {
	for q, x := range xs {
		any := false
		for t, i := range g.slots[:g.n] {
			g.factors[t] = -x.block[i]
			any = any || g.factors[t] != 0
		}
		if any {
			dense.AddGathered(ys[q], g.factors[:g.n], g.cols[:g.n])
		}
	}
	g.n = 0
}

// btran solves Bᵀ·y = c_B; cost has an element for every variable, y for every row.
func (b *blockBasis) btran(y, cost []float64) {
	for r, v := range b.cover {
		y[r] = 0
		if v >= 0 {
			y[r] = cost[v] * b.coverInv[r]
		}
	}
	b.rhs, b.solution = grow(b.rhs, len(b.vars)), grow(b.solution, len(b.vars))
	sorted := y
	if b.sorted {
		b.covered = grow(b.covered, len(b.order)-len(b.rows))
		b.byPlace(b.covered, y)
		sorted = b.covered
	}
	for i, c := range b.cols {
		by := y
		if c.dense {
			by = sorted
		}
		b.rhs[i] = cost[b.vars[i]] - c.dot(by)
	}
	b.inverse.solveT(b.solution, b.rhs)
	for i, r := range b.rows {
		y[r] = b.solution[i]
	}
}

// btranUnit solves Bᵀ·row = e_v for the basic variable v.
func (b *blockBasis) btranUnit(v int32, row *inverseRow) {
	row.Index = append(row.Index[:0], b.rows...)
	row.Value = grow(row.Value, len(b.rows))
	if i := b.slot[v]; i >= 0 {
		b.inverse.unitT(row.Value, int(i))
		return
	}
	r, coef, _ := b.matrix.unit(v)
	b.rhs, row.block = grow(b.rhs, len(b.vars)), grow(row.block, len(b.vars))
	for i, c := range b.cols {
		b.rhs[i] = b.entry(c, r)
	}
	b.inverse.solveT(row.block, b.rhs)
	for i, x := range row.block {
		row.Value[i] = -x / coef
	}
	row.Index = append(row.Index, r)
	row.Value = append(row.Value, 1/coef)
}
