package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// firstRows is how many working rows the first program starts with: samples spread evenly over the data. With none, the
// first solutions put every multiplier on its bound and say nothing about which rows bind.
const firstRows = 24

// first returns the samples of the first working rows, half of each class when the data allow it.
func (s *Solver) first(p Costs) []int {
	var class [2][]int
	for i, y := range s.y {
		if c := (1 + int(y)) / 2; !math.IsInf(p.Coef[i], 1) {
			class[c] = append(class[c], i)
		}
	}
	var idx []int
	for _, c := range class {
		k := min(len(c), firstRows/2)
		for t := range k {
			idx = append(idx, c[t*len(c)/k])
		}
	}
	return idx
}

// excess is by how much sample i's row is violated, at most 0 where it is not.
func (s *Solver) excess(p Costs, i int) float64 {
	g := s.g[i]
	if s.shape.OneSided {
		return s.y[i]*g - s.lambda - p.Coef[i]
	}
	return math.Abs(g) - p.Coef[i]
}

// violated returns the samples outside the working set whose rows are violated, the
// worst ones first, as many as join at a time.
func (s *Solver) violated(p Costs) []int {
	idx := s.allViolated(p)
	return idx[:min(s.batch(), len(idx))]
}

// batch is the number of rows that join at a time.
func (s *Solver) batch() int {
	if s.opt.Batch > 0 {
		return s.opt.Batch
	}
	return max(32, len(s.working)/4)
}

// allViolated is violated without a limit.
func (s *Solver) allViolated(p Costs) []int {
	var cs []outside
	for i := range s.y {
		if s.row[i] > 0 || math.IsInf(p.Coef[i], 1) {
			continue
		}
		v := s.excess(p, i)
		if !(v > s.opt.Tolerance) { // most
			continue
		}
		if v /= math.Max(1, p.Coef[i]); v > s.opt.Tolerance {
			cs = append(cs, outside{i, v})
		}
	}
	slices.SortFunc(cs, worst)
	idx := make([]int, 0, len(cs))
	for _, c := range cs {
		idx = append(idx, c.sample)
	}
	return idx
}

// outside is a sample outside the working set, and by how much its row is violated.
type outside struct {
	sample int
	excess float64
}

// worst orders them, the most violated first.
func worst(a, b outside) int {
	return cmp.Or(cmp.Compare(b.excess, a.excess), cmp.Compare(a.sample, b.sample))
}

// take makes the samples idx working rows of the matrix, or the first of them if ctx ends before: taken says how many.
func (s *Solver) take(ctx context.Context, idx []int) (taken int, err error) {
	if err := s.pay(len(idx)); err != nil {
		return 0, err
	}
	for len(idx) > 0 && ctx.Err() == nil {
		k := min(len(idx), max(1, min(rowsAtOnce, entriesAtOnce/len(s.y))))
		for t, row := range s.k.Rows(idx[:k]) {
			i := idx[t]
			s.mx.append(slices.Clone(row), -s.y[i], s.mx.scaleOf(i))
			s.working = append(s.working, i)
			s.row[i] = len(s.working)
		}
		idx = idx[k:]
		taken += k
	}
	s.eta.grow(len(s.mx.rows))
	return taken, nil
}

// pay takes add more working rows from the budget, those beyond the ones that [Bytes] counts.
func (s *Solver) pay(add int) error {
	have := max(len(s.working), s.k.workingRows())
	if add += len(s.working) - have; add <= 0 || s.opt.Budget == nil {
		return nil
	}
	return s.opt.Budget.Take(rowsBytes(len(s.y), have, add))
}

// rowsAtOnce and entriesAtOnce limit what is asked of the kernel matrix in one call; a caller's
// kernel may take a microsecond an entry.
const (
	rowsAtOnce    = 16
	entriesAtOnce = 1 << 16
)

// addRows takes the samples idx into the program.
func (s *Solver) addRows(ctx context.Context, p Costs, idx []int) error {
	taken, err := s.take(ctx, idx)
	if err != nil {
		return err
	}
	lo, up := s.rowBounds(p, idx[:taken])
	return s.lp.AddRows(lo[1:], up[1:])
}

// ceilings are the columns that let a working row give way at the cost Ceiling, the dual of the bound |a_i| ≤ Ceiling:
// y_i (Km)_i − η_i ≤ cost_i. A row gets one when its coefficient first exceeds the ceiling.
type ceilings struct {
	blocks []*simplex.Sparse
	has    map[int]bool // rows that have a column
}

func (c *ceilings) len() int {
	if c == nil {
		return 0
	}
	return len(c.has)
}

// grow tells the columns that the program has m rows now.
func (c *ceilings) grow(m int) {
	if c == nil {
		return
	}
	for _, b := range c.blocks {
		b.Rows = m
	}
}

// addCeilings adds columns for the coefficients above the ceiling and reports whether there are any.
func (s *Solver) addCeilings(res *simplex.Result) (bool, error) {
	if s.eta == nil {
		s.eta = &ceilings{has: map[int]bool{}}
	}
	block := &simplex.Sparse{Rows: len(s.mx.rows)}
	var cost []float64
	for t, i := range s.working {
		r := t + 1
		if s.eta.has[r] || math.Abs(res.Y[r]) <= s.shape.Ceiling*(1+s.opt.Tolerance) {
			continue
		}
		s.eta.has[r] = true
		block.Append([]int32{int32(r)}, []float64{-s.y[i]})
		cost = append(cost, s.shape.Ceiling)
	}
	if len(cost) == 0 {
		return false, nil
	}
	s.eta.blocks = append(s.eta.blocks, block)
	return true, s.lp.AddColumns(cost, nil, nil, block)
}
