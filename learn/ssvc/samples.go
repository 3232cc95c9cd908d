package ssvc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/pages"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// samples are the training samples, with repetitions merged. Columns are distinct samples, each with one coefficient.
// Rows are distinct constraints y_r f(x_r) ≥ edge_r − ξ_r, each with one loss. Its cost is the sum of the costs of
// its samples. Row r < the number of columns belongs to column r. Further rows belong to samples seen before, with
// the other side or another edge.
//
// Without merging, copies of a sample would share its coefficient equally for ever, an unstable fixed point of the
// reweighting (Huang et al. do not treat this case).
type samples struct {
	method  string
	loss    learn.Loss // what the constraints of a sample of its target come to
	first   []int      // column → lowest index in the problem
	row     []int      // row → column
	y, cost []float64  // row → side, +1 where f has to be large, and cost
	edge    []float64  // row → margin
	only    []int      // columns of the candidates, ascending; nil if the problem names none
	merged  int
	mixed   bool // the kernel may be negative
	classes bool // every edge is 1, so a multiple > 1 of the model meets no fewer constraints
	biased  bool // f has a bias
	threads int  // goroutines of a training, as in [learn.Resources]
}

// side is one constraint of a sample: y f ≥ edge − ξ.
type side struct{ y, edge float64 }

// margins returns the constraints of a classifier (9).
func margins(p *learn.Problem) func(i int) []side {
	return func(i int) []side { return []side{{p.Y[i], 1}} }
}

// tube returns the constraints of the ε-insensitive loss: f ≥ y − ε − ξ and −f ≥ −y − ε − ξ*.
func tube(p *learn.Problem, epsilon float64) func(i int) []side {
	return func(i int) []side { return []side{{1, p.Y[i] - epsilon}, {-1, -p.Y[i] - epsilon}} }
}

// merge lists the distinct samples of p with positive weight, and their constraints.
func merge(p *learn.Problem, c float64, sides func(i int) []side) *samples {
	type constraint struct {
		col int
		side
	}
	present := p.Rows()
	first, of := learn.Distinct(p.Samples(present), len(present), p.D)
	s := &samples{only: external(present, of, p.Candidates), mixed: !p.Kernel.NonNegative(), threads: p.Threads}
	rows := make(map[constraint]int, len(present))
	add := func(q constraint) int {
		rows[q] = len(s.row)
		s.row = append(s.row, q.col)
		s.y = append(s.y, q.y)
		s.edge = append(s.edge, q.edge)
		s.cost = append(s.cost, 0)
		return rows[q]
	}
	for col, k := range first {
		s.first = append(s.first, present[k])
		add(constraint{col, sides(present[k])[0]})
	}
	for k, col := range of {
		for _, side := range sides(present[k]) {
			r, ok := rows[constraint{col, side}]
			if !ok {
				r = add(constraint{col, side})
			}
			s.cost[r] += c * p.WeightOf(present[k])
		}
	}
	s.merged = repeats(p, present, of, len(first))
	return s
}

// repeats counts the rows of positive weight that repeat the sample of another such row.
func repeats(p *learn.Problem, rows, of []int, samples int) (n int) {
	met := make([]bool, samples)
	for k, i := range rows {
		if p.WeightOf(i) > 0 {
			if met[of[k]] {
				n++
			}
			met[of[k]] = true
		}
	}
	return n
}

// external returns the columns of the candidates among the rows.
func external(rows, of, candidates []int) (columns []int) {
	for _, i := range candidates {
		k, _ := slices.BinarySearch(rows, i)
		columns = append(columns, of[k])
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// classifier returns the samples of a method for classes, with hinge losses.
func classifier(method string, p *learn.Problem, c float64) *samples {
	s := merge(p, c, margins(p))
	s.method, s.loss, s.classes, s.biased = method, learn.Hinge(1), true, true
	return s
}

// regression returns the samples of a method for regression, with ε-insensitive losses.
func regression(method string, p *learn.Problem, c, epsilon float64) *samples {
	s := merge(p, c, tube(p, epsilon))
	s.method, s.loss, s.biased = method, learn.Insensitive(epsilon), true
	return s
}

// idle returns the objective of f = 0. A model that is no better has learnt nothing.
func (s *samples) idle() (total float64) {
	for r, c := range s.cost {
		total += c * max(0, s.edge[r])
	}
	return total
}

// message returns the report's text about repeated samples and about the model f = 0.
func (s *samples) message(collapsed bool) string {
	switch {
	case collapsed && s.idle() == 0:
		return "f = 0 costs nothing: every value is within epsilon of it"
	case collapsed:
		return "collapsed to f = 0: no coefficient can earn its penalty back at this C; raise C"
	}
	return learn.Repeats(s.merged)
}

// columns is the number of coefficients: one for each distinct sample, and the bias.
func (s *samples) columns() int { return len(s.first) + 1 }

// kernel returns K̄ᵀ without the labels, a row for each hinge loss: k(x_row, x_col) for every column, then 1 for the
// bias. The row stride is columns(). It may reuse memory of an earlier training with at most spare bytes too many. The
// caller releases it. The error is the context's.
func (s *samples) kernel(ctx context.Context, p *learn.Problem, spare int64) ([]float64, error) {
	q, ld := len(s.first), s.columns()
	k, err := gram.PackContext[float64](ctx, p.Kernel, p.Samples(s.first), q, p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, s.method)
	}
	size := len(s.row) * ld
	z := pages.Reuse[float64](size, size+int(spare/8))
	if z == nil {
		z = pages.Large(make([]float64, size))
	}
	z = z[:size]
	if learn.FullMatrix(ctx, k, z, ld, s.threads) != nil {
		pages.Release(z)
		return nil, learn.Nothing(ctx, s.method)
	}
	for r, col := range s.row {
		if r >= q {
			copy(z[r*ld:(r+1)*ld], z[col*ld:(col+1)*ld])
		}
		z[r*ld+q] = 0
		if s.biased {
			z[r*ld+q] = 1
		}
	}
	return z, nil
}

// reach returns, for each column i, the largest |(K̄β)_i| over all β in the box: the larger of the sums of the
// positive and of the negative parts of C_r y_r k_ri. If ctx ends, the result is too small.
func (s *samples) reach(ctx context.Context, z []float64) []float64 {
	const width = 2048 // columns of a task
	ld := s.columns()
	bound := make([]float64, ld)
	parallel.Chunks(s.threads, ld, width, func(_, lo, hi int) {
		up, down, size := bound[lo:hi], make([]float64, hi-lo), make([]float64, hi-lo)
		for r := range s.row {
			if r%512 == 0 && ctx.Err() != nil {
				break
			}
			s.addReach(up, down, size, z[r*ld+lo:r*ld+hi], r)
		}
		s.largerPart(up, down, size)
	})
	return bound
}

// addReach adds C_r times a row to the sum of its side, and the absolute values to size if the kernel has both signs.
func (s *samples) addReach(up, down, size, row []float64, r int) {
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

// largerPart stores in up, and returns, the larger of the sums of the positive and of the negative parts. It is given
// the sums of [samples.addReach].
func (s *samples) largerPart(up, down, size []float64) []float64 {
	if !s.mixed { // up has all positive and down all negative parts
		size = nil
	}
	for i := range size { // half of Σ|c| ± Σc are the sums of the parts
		v := size[i]
		up[i], down[i] = (v+up[i]-down[i])/2, (v-up[i]+down[i])/2
	}
	for i := range up {
		up[i] = max(up[i], down[i])
	}
	return up
}
