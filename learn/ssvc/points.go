package ssvc

import (
	"context"
	"fmt"
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
	present := p.Present()
	first, of := learn.Distinct(p.Points(present), len(present), p.D)
	s := &points{merged: len(present) - len(first), mixed: !p.Kernel.NonNegative()}
	for col, k := range first {
		i := present[k]
		s.first, s.row = append(s.first, i), append(s.row, col)
		s.y, s.cost = append(s.y, p.Y[i]), append(s.cost, 0)
	}
	second := make(map[int]int) // column → its row of the other label
	for k, r := range of {
		i := present[k]
		if p.Y[i] != s.y[r] {
			r = s.other(r, p.Y[i], second)
		}
		s.cost[r] += c * p.WeightOf(i)
	}
	return s
}

// other returns the row of column col for label y, which is not the column's own.
func (s *points) other(col int, y float64, second map[int]int) int {
	r, ok := second[col]
	if !ok {
		r = len(s.row)
		second[col] = r
		s.row, s.y, s.cost = append(s.row, col), append(s.y, y), append(s.cost, 0)
	}
	return r
}

// idle is the objective of f = 0: what is no better has learnt nothing.
func (s *points) idle() (total float64) {
	for _, c := range s.cost {
		total += c
	}
	return total
}

// message is what a report says about repeated points and about a machine that is f = 0.
func (s *points) message(collapsed bool) string {
	switch {
	case collapsed:
		return "collapsed to f = 0: no coefficient can earn its penalty back at this C; raise C"
	case s.merged == 1:
		return "1 point repeats another's features and was merged with it"
	case s.merged > 0:
		return fmt.Sprintf("%d points repeat another's features and were merged with it", s.merged)
	}
	return ""
}

// columns is the number of coefficients: one for each distinct point, and the bias.
func (s *points) columns() int { return len(s.first) + 1 }

// kernel returns K̄ᵀ without the labels, one row a hinge loss: k(x_row, x_col) for
// every column, then 1 for the bias. The row stride is columns(). The error is the context's.
func (s *points) kernel(ctx context.Context, p *learn.Problem) ([]float64, error) {
	q, ld := len(s.first), s.columns()
	k, err := gram.PackContext[float64](ctx, p.Kernel, p.Points(s.first), q, p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, A{}.Name())
	}
	z := make([]float64, len(s.row)*ld)
	for b := range k.FullBlocks() {
		if ctx.Err() != nil {
			return nil, learn.Nothing(ctx, A{}.Name())
		}
		k.FullBlock(z, ld, b)
	}
	for r, col := range s.row {
		if r >= q {
			copy(z[r*ld:(r+1)*ld], z[col*ld:(col+1)*ld])
		}
		z[r*ld+q] = 1
	}
	return z, nil
}

// reach returns, for each column i, the largest |(K̄β)_i| that any β in the box can
// give: the larger of the sums of the positive and of the negative parts of C_r y_r k_ri.
// When ctx ends it is too small.
func (s *points) reach(ctx context.Context, z []float64) []float64 {
	ld := s.columns()
	up, down, size := make([]float64, ld), make([]float64, ld), make([]float64, ld)
	for r := range s.row {
		if r%512 == 0 && ctx.Err() != nil {
			break
		}
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
