package ssvc

import (
	"hash/maphash"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// points are the training points with repetitions merged. Columns are distinct
// points, each with one coefficient; rows are distinct pairs of point and label,
// each with one hinge loss whose cost is the sum of its points' costs. Row r < the
// number of columns belongs to column r; the rows beyond are points seen before,
// with the other label.
//
// Without this, copies of a point would share its coefficient equally for ever, an
// unstable fixed point of the reweighting (Huang et al. do not treat the case).
type points struct {
	first   []int     // column → lowest index in the problem
	row     []int     // row → column
	y, cost []float64 // row → label and cost
	merged  int
	mixed   bool // the kernel may be negative
}

// merge lists the distinct points of p whose weight is not zero.
func merge(p *learn.Problem, c float64) *points {
	s := &points{mixed: !p.Kernel.NonNegative()}
	seed := maphash.MakeSeed()
	byHash := make(map[uint64][]int, p.N) // hash of the features → columns
	rows := make(map[[2]int]int)          // column and label, of rows beyond the columns' own
	type extra struct {
		col     int
		y, cost float64
	}
	var extras []extra
	for i := range p.N {
		cost := c * p.WeightOf(i)
		if cost == 0 {
			continue
		}
		x := p.X[i*p.D : (i+1)*p.D]
		h := hash(seed, x)
		col := -1
		for _, k := range byHash[h] {
			if equal(x, p.X[s.first[k]*p.D:(s.first[k]+1)*p.D]) {
				col = k
				break
			}
		}
		if col < 0 {
			byHash[h] = append(byHash[h], len(s.first))
			s.first = append(s.first, i)
			s.y, s.cost = append(s.y, p.Y[i]), append(s.cost, cost)
			continue
		}
		s.merged++
		if s.y[col] == p.Y[i] {
			s.cost[col] += cost
		} else if k, ok := rows[[2]int{col, int(p.Y[i])}]; ok {
			extras[k].cost += cost
		} else {
			rows[[2]int{col, int(p.Y[i])}] = len(extras)
			extras = append(extras, extra{col, p.Y[i], cost})
		}
	}
	for col := range s.first {
		s.row = append(s.row, col)
	}
	for _, e := range extras {
		s.row, s.y, s.cost = append(s.row, e.col), append(s.y, e.y), append(s.cost, e.cost)
	}
	return s
}

func hash(seed maphash.Seed, x []float64) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, v := range x {
		u := math.Float64bits(v + 0) // −0 is 0
		h.Write([]byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24), byte(u >> 32), byte(u >> 40), byte(u >> 48), byte(u >> 56)})
	}
	return h.Sum64()
}

func equal(x, z []float64) bool {
	for i, v := range x {
		if v != z[i] {
			return false
		}
	}
	return true
}

// columns is the number of coefficients: one for each distinct point, and the bias.
func (s *points) columns() int { return len(s.first) + 1 }

// kernel returns K̄ᵀ without the labels, one row a hinge loss: k(x_row, x_col) for
// every column, then 1 for the bias. The row stride is columns().
func (s *points) kernel(p *learn.Problem) []float64 {
	q, ld := len(s.first), s.columns()
	z := make([]float64, len(s.row)*ld)
	gram.Pack[float64](p.Kernel, p.Points(s.first), q, p.D).Full(z, ld)
	for r, col := range s.row {
		if r >= q {
			copy(z[r*ld:(r+1)*ld], z[col*ld:(col+1)*ld])
		}
		z[r*ld+q] = 1
	}
	return z
}

// reach returns, for each column i, the largest |(K̄β)_i| that any β in the box can
// give: the larger of the sums of the positive and of the negative parts of C_r y_r k_ri.
func (s *points) reach(z []float64) []float64 {
	ld := s.columns()
	up, down, size := make([]float64, ld), make([]float64, ld), make([]float64, ld)
	for r := range s.row {
		row := z[r*ld : (r+1)*ld]
		if s.y[r] > 0 {
			dense.Axpy(s.cost[r], row, up)
		} else {
			dense.Axpy(s.cost[r], row, down)
		}
		if s.mixed {
			for i, k := range row {
				size[i] += s.cost[r] * math.Abs(k)
			}
		}
	}
	if s.mixed { // half of Σ|c| ± Σc are the sums of the parts
		for i, v := range size {
			up[i], down[i] = (v+up[i]-down[i])/2, (v-up[i]+down[i])/2
		}
	}
	for i := range up {
		up[i] = max(up[i], down[i])
	}
	return up
}
