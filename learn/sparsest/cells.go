package sparsest

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// cell is a set of candidates of which exactly count are chosen.
type cell struct {
	members []int32
	count   int
}

// all is the cell of every candidate.
func (p *program) all(count int) cell {
	members := make([]int32, p.m)
	for j := range members {
		members[j] = int32(j)
	}
	return cell{members, count}
}

// fixed reports whether all members are chosen.
func (r cell) fixed() bool { return r.count == len(r.members) }

// node is the set of choices that take their counts from disjoint cells.
type node struct {
	bound float64 // no choice of the node has a smaller objective
	cells []cell
	hint  []int32 // members with which the relaxation starts
	depth int
}

// bytes is the memory of an open node.
func (n *node) bytes() int64 {
	size := 96 + 4*int64(cap(n.hint))
	for _, r := range n.cells {
		size += 32 + 4*int64(cap(r.members))
	}
	return size
}

// dual is a point of the relaxation's dual: 0 ≤ α ≤ cost with yᵀα = 0, and c = Aᵀα of the candidates in some cells.
type dual struct{ alpha, c []float64 }

// largest returns half the sum of the count largest c² of a cell, and half the least of them.
func (d *dual) largest(r cell) (sum, last float64) {
	top := make([]float64, 0, 16)
	for _, j := range r.members {
		v := d.c[j] * d.c[j]
		pos := len(top)
		if pos == r.count {
			if v <= top[pos-1] {
				continue
			}
			pos--
			top = top[:pos]
		}
		for pos > 0 && top[pos-1] < v {
			pos--
		}
		top = slices.Insert(top, pos, v)
	}
	for _, v := range top {
		sum += v
	}
	return sum / 2, top[r.count-1] / 2
}

// bound is a lower bound of the objectives of all choices that the cells allow,
//
//	Σα − ½ Σ_cells (sum of the count largest c_j²),
//
// since the dual of a choice has ½ c_j² of the chosen candidates instead.
func (d *dual) bound(cells []cell) float64 {
	var quad float64
	for _, r := range cells {
		sum, _ := d.largest(r)
		quad += sum
	}
	return dense.Sum(d.alpha) - quad
}

// measure makes d the dual point of the given α, moved into its constraints and multiplied by the factor up to 1 whose
// bound is the largest. It returns that bound, or 0, which is one of every program, if it is no number.
func (p *program) measure(d *dual, alpha []float64, cells []cell) float64 {
	copy(d.alpha, alpha)
	sum := p.balance(d.alpha)
	for _, r := range cells {
		for _, j := range r.members {
			d.c[j] = dense.Dot(p.column(j), d.alpha)
		}
	}
	quad := sum - d.bound(cells)
	if 2*quad > sum {
		by := sum / (2 * quad)
		for i := range d.alpha {
			d.alpha[i] *= by
		}
		for _, r := range cells {
			for _, j := range r.members {
				d.c[j] *= by
			}
		}
	}
	if v := d.bound(cells); v > 0 {
		return v
	}
	return 0
}

// screen drops the members with which no choice has a bound below the cut.
func (d *dual) screen(cells []cell, bound, cut float64) []cell {
	kept := make([]cell, len(cells))
	for k, r := range cells {
		if kept[k] = r; r.fixed() {
			continue
		}
		_, last := d.largest(r)
		members := make([]int32, 0, len(r.members))
		for _, j := range r.members {
			if bound+last-d.c[j]*d.c[j]/2 < cut {
				members = append(members, j)
			}
		}
		kept[k].members = slices.Clip(members)
	}
	return kept
}

// byProduct sorts candidates by descending |c|.
func (d *dual) byProduct(candidates []int32) {
	deal.Sort(candidates, func(a, b int32) int {
		return cmp.Or(cmp.Compare(math.Abs(d.c[b]), math.Abs(d.c[a])), int(a)-int(b))
	})
}

// split chooses the cell whose coefficients are spread most over different columns in the relaxation's solution, and
// divides it by distance from two of its members. It returns −1 if every cell is fixed.
func (x *interior) split(cells []cell) (index int, halves [2][]int32) {
	index, largest := -1, 0.0
	var poles [2]int32
	for k, r := range cells {
		if r.fixed() {
			continue
		}
		if spread, p, ok := x.spread(k); ok && (index < 0 || spread > largest) {
			index, largest, poles = k, spread, p
		}
	}
	if index < 0 {
		index = slices.IndexFunc(cells, func(r cell) bool { return !r.fixed() })
		if index < 0 {
			return index, halves
		}
		poles = x.ends(cells[index])
	}
	for _, j := range cells[index].members {
		side := 0
		if j == poles[1] || j != poles[0] && x.distance(j, poles[0]) > x.distance(j, poles[1]) {
			side = 1
		}
		halves[side] = append(halves[side], j)
	}
	return index, halves
}

// spread is Σ |β_i β_j| ‖a_i − a_j‖² over pairs of a cell's members, with the pair that adds most.
func (x *interior) spread(cell int) (sum float64, poles [2]int32, ok bool) {
	const used = 1e-3 // z from which on a candidate counts
	var largest float64
	for q, i := range x.chosen {
		if x.cell[q] != cell || x.z(q) < used {
			continue
		}
		for o, j := range x.chosen[:q] {
			if x.cell[o] != cell || x.z(o) < used {
				continue
			}
			v := math.Abs(x.z(q)*x.c[q]*x.z(o)*x.c[o]) * x.distance(i, j)
			sum += v
			if v > largest {
				largest, poles, ok = v, [2]int32{i, j}, true
			}
		}
	}
	return sum, poles, ok
}

// ends are the first member of a cell and the one farthest from it.
func (p *program) ends(r cell) [2]int32 {
	first := r.members[0]
	far, last := -1.0, first
	for _, j := range r.members[1:] {
		if d := p.distance(first, j); d > far {
			far, last = d, j
		}
	}
	return [2]int32{first, last}
}
