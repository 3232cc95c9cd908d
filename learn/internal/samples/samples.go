// Package samples says which samples the methods of sparse models train on: the distinct ones with their constraints,
// features as columns, and candidates, the samples that may become support vectors, with kernel values of many samples.
// For the least-squares methods it packs the samples of positive weight.
package samples

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

const (
	// FixedPoint is the residual of the fixed-point certificate at which training ends.
	FixedPoint = 1e-6
	// OptimalGap bounds the gap of a model relative to its objective.
	OptimalGap = 1e-6
)

// Infinity trains the model of the infinity norm on the matrix z of the samples' rows and columns, and returns its
// largest coefficient too. Package ssvclp sets it, so that a program with ssvc-a alone links no simplex method.
var Infinity func(ctx context.Context, s *Merged, z []float64, pivots int) (*learn.Result, float64, error)

// OneNorm returns the trainer of ssvc-a's 1-norm, which package ssvclp sets too.
var OneNorm func(c float64, s learn.Subset) learn.Trainer

// ExactRounds is the parameter of methods with rounds that need not be exact.
var ExactRounds = learn.Param{Name: "exact_rounds", Doc: "Solve the program of every round to its optimum, as the paper " +
	"does. Slower; other vectors may be kept."}

// FirstRounds are the first rounds of ssvc-a at the cost c, in so many bytes, and nil if they come to nothing. Package
// ssvc sets it.
var FirstRounds func(ctx context.Context, p *learn.Problem, s *Merged, c float64, bytes int64) *Start

// Start is a model that a reweighting goes on from: the optimum, nearly, of a quadratic program.
type Start struct {
	Columns []int     // with coefficients, ascending; the last column of all is the bias
	Coef    []float64 // of these columns
	Image   []float64 // of these columns: below 1 where the coefficient is going to 0
	M       []float64 // row → signed multiplier
}

// Merged are the training samples, with repetitions merged. Columns are distinct samples, each with one coefficient.
// Rows are distinct constraints y_r f(x_r) ≥ edge_r − ξ_r, each with one loss. Its cost is the sum of the costs of
// its samples. Row r < the number of columns belongs to column r. Further rows belong to samples seen before, with
// the other side or another edge.
//
// Without merging, copies of a sample would share its coefficient equally for ever, an unstable fixed point of the
// reweighting (Huang et al. do not treat this case).
type Merged struct {
	Method  string
	Loss    learn.Loss // what the constraints of a sample of its target come to
	First   []int      // column → lowest index in the problem
	Row     []int      // row → column
	Y, Cost []float64  // row → side, +1 where f has to be large, and cost
	Edge    []float64  // row → margin
	Only    []int      // columns of the candidates, ascending; nil if the problem names none
	Repeats int        // samples that repeat the features of another
	Mixed   bool       // the kernel may be negative
	Classes bool       // every edge is 1, so a multiple > 1 of the model meets no fewer constraints
	Biased  bool       // f has a bias
	Threads int        // goroutines of a training, as in [learn.Resources]
}

// Parameters are what methods of sparse models have in common, once they are complete.
type Parameters struct {
	Method  string // begins the texts of errors
	Task    learn.Task
	C       float64 // cost of a unit of slack of weight 1
	Epsilon float64 // of [learn.Regress]
	Subset  learn.Subset
	Apart   bool // samples that repeat the features of another have coefficients of their own
}

// Samples validates p and lists its samples.
func (q Parameters) Samples(p *learn.Problem) (*Merged, error) {
	if err := p.Validate(q.Task); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(q.Method, q.C); err != nil {
		return nil, err
	}
	return q.merge(p), nil
}

// Classifier returns the samples of a method for classes.
func Classifier(method string, p *learn.Problem, c float64) *Merged {
	return Parameters{Method: method, C: c}.merge(p)
}

// Regression returns the samples of a method for regression.
func Regression(method string, p *learn.Problem, c, epsilon float64) *Merged {
	return Parameters{Method: method, Task: learn.Regress, C: c, Epsilon: epsilon}.merge(p)
}

// side is one constraint of a sample: y f ≥ edge − ξ.
type side struct{ y, edge float64 }

// sides returns the constraints of the samples of p. Those of classes have hinge losses (9), those of regression
// ε-insensitive ones: f ≥ y − ε − ξ and −f ≥ −y − ε − ξ*. A method of one class covers its samples, g ≥ 1 − ξ, and has
// no bias, because a bias alone would be a cover.
func (q Parameters) sides(p *learn.Problem) func(i int) []side {
	switch q.Task {
	case learn.Regress:
		return func(i int) []side { return []side{{1, p.Y[i] - q.Epsilon}, {-1, -p.Y[i] - q.Epsilon}} }
	case learn.OneClass:
		return func(int) []side { return []side{{1, 1}} }
	}
	return func(i int) []side { return []side{{p.Y[i], 1}} }
}

// merge lists the distinct samples of p with positive weight, and their constraints.
func (q Parameters) merge(p *learn.Problem) *Merged {
	type constraint struct {
		col int
		side
	}
	present, sides := p.Rows(), q.sides(p)
	first := deal.All(len(present))
	column := first
	if !q.Apart {
		first, column = learn.Distinct(p.Samples(present), len(present), p.D)
	}
	s := &Merged{Method: q.Method, Loss: learn.Hinge(1), Only: external(present, column, p.Candidates),
		Mixed: !p.Kernel.Bounded(), Classes: q.Task != learn.Regress, Biased: q.Task != learn.OneClass, Threads: p.Threads}
	if q.Task == learn.Regress {
		s.Loss = learn.Insensitive(q.Epsilon)
	}
	rows := make(map[constraint]int, len(present))
	add := func(at constraint) int {
		rows[at] = len(s.Row)
		s.Row = append(s.Row, at.col)
		s.Y = append(s.Y, at.y)
		s.Edge = append(s.Edge, at.edge)
		s.Cost = append(s.Cost, 0)
		return rows[at]
	}
	for col, k := range first {
		s.First = append(s.First, present[k])
		add(constraint{col, sides(present[k])[0]})
	}
	met := make([]bool, len(first))
	for k, col := range column {
		if p.WeightOf(present[k]) > 0 {
			if met[col] {
				s.Repeats++
			}
			met[col] = true
		}
		for _, side := range sides(present[k]) {
			r, ok := rows[constraint{col, side}]
			if !ok {
				r = add(constraint{col, side})
			}
			s.Cost[r] += q.C * p.WeightOf(present[k])
		}
	}
	return s
}

// external returns the columns of the candidates among the rows.
func external(rows, column, candidates []int) (columns []int) {
	for _, i := range candidates {
		k, _ := slices.BinarySearch(rows, i)
		columns = append(columns, column[k])
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// Bounds returns the bounds of signed multipliers b = yβ: 0 ≤ y_r b_r ≤ cost_r.
func Bounds(y, cost []float64) (lo, up []float64) {
	lo, up = make([]float64, len(y)), make([]float64, len(y))
	for r, c := range cost {
		if y[r] > 0 {
			up[r] = c
		} else {
			lo[r] = -c
		}
	}
	return lo, up
}

// Idle returns the objective of f = 0. A model that is no better has learnt nothing.
func (s *Merged) Idle() (total float64) {
	for r, c := range s.Cost {
		total += c * max(0, s.Edge[r])
	}
	return total
}

// Message returns the report's text about repeated samples and about the model f = 0.
func (s *Merged) Message(collapsed bool) string {
	switch {
	case collapsed && s.Idle() == 0:
		return "f = 0 costs nothing: every value is within epsilon of it"
	case collapsed:
		return "collapsed to f = 0: no coefficient can earn its penalty back at this C; raise C"
	}
	return learn.Repeats(s.Repeats)
}

// Columns is the number of coefficients: one for each distinct sample, and the bias.
func (s *Merged) Columns() int { return len(s.First) + 1 }
