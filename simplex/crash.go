package simplex

import (
	"cmp"
	"math"
	"slices"
)

// crashBasis looks for a triangular basis of a sparse program before its first pivot: each equation that it
// takes has a column in the place of its logical, which can never be anything but fixed, and no equation that it
// takes later has an entry in that column (after Bixby, 1992, "Implementing the simplex method: the initial basis").
type crashBasis struct {
	program   *program
	equations []int32 // rows, those with few entries first
	open      []bool  // row → an equation without an entry in a column that is taken
	opens     []int   // column → its entries in such rows
	largest   []float64
}

func newCrashBasis(p *program) *crashBasis {
	m, n := p.matrix.m, p.matrix.n
	c := &crashBasis{program: p, open: make([]bool, m), opens: make([]int, n), largest: make([]float64, n)}
	for i := range m {
		if c.open[i] = p.lower[n+i] == p.upper[n+i]; c.open[i] {
			c.equations = append(c.equations, int32(i))
		}
	}
	start := p.matrix.byRow.start
	slices.SortStableFunc(c.equations, func(a, b int32) int {
		return cmp.Compare(start[a+1]-start[a], start[b+1]-start[b])
	})
	for j := range n {
		column := p.matrix.load(int32(j))
		for t, i := range column.index {
			c.largest[j] = max(c.largest[j], math.Abs(column.value[t]))
			if c.open[i] {
				c.opens[j]++
			}
		}
	}
	return c
}

// column returns the column for equation i, −1 if none will do: one with as few bounds as can be, rather one whose
// reduced cost has the wrong sign, and of those the one that closes the fewest equations.
func (c *crashBasis) column(i int32, costs *reducedCosts) (best int32) {
	best = -1
	var least [3]int
	rows := c.program.matrix.byRow
	for e := rows.start[i]; e < rows.start[i+1]; e++ {
		j := rows.index[e]
		if math.Abs(rows.value[e]) < 0.1*c.largest[j] || c.program.lower[j] == c.program.upper[j] {
			continue
		}
		key := [3]int{0, 0, c.opens[j]}
		for _, bound := range [2]float64{c.program.lower[j], c.program.upper[j]} {
			if !math.IsInf(bound, 0) {
				key[0]++
			}
		}
		if costs.violation(int(j)) == 0 {
			key[1] = 1
		}
		if best < 0 || slices.Compare(key[:], least[:]) < 0 {
			best, least = j, key
		}
	}
	return best
}

// take closes the equations that column j has entries in.
func (c *crashBasis) take(j int32) {
	rows := c.program.matrix.byRow
	for _, i := range c.program.matrix.load(j).index {
		if !c.open[i] {
			continue
		}
		c.open[i] = false
		for _, k := range rows.index[rows.start[i]:rows.start[i+1]] {
			c.opens[k]--
		}
	}
}

// crash begins a sparse program with columns in its equations, unless the slack basis is dual feasible: then it
// is the better start.
func (s *Solver) crash() {
	if s.matrix.byRow == nil {
		return
	}
	s.values.settle()
	copy(s.costs.d, s.program.cost) // of the slack basis
	if s.costs.feasibleByFlips() {
		return
	}
	c := newCrashBasis(s.program)
	for _, i := range c.equations {
		if !c.open[i] {
			continue
		}
		if j := c.column(i, s.costs); j >= 0 {
			c.take(j)
			s.values.position[j], s.values.position[s.matrix.n+int(i)] = Basic, AtLower
		}
	}
}
