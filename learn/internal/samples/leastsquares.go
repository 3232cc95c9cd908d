package samples

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// LeastSquares is a problem of a least-squares method without its rows of weight zero. It has sums in doubled precision
// and the index maps between rows and samples.
type LeastSquares struct {
	learn.Resources
	Problem *learn.Problem
	Budget  *learn.Budget // the memory budget without the task itself
	N, D    int           // samples of positive weight, features
	Row     []int         // the row of each sample in the problem, ascending
	X       []float64     // the samples, N×D; shared with the problem if it has no rows of weight 0
	Y       []float64     // their labels
	W       []float64     // their weights
	Root    []float64     // √W: a least-squares row is scaled by it
	Total   float64       // Σ W, the M of the formulas
	Packed  *gram.Samples[float64]
}

// NewLeastSquares checks p and copies what a training needs. Errors begin with the name of the method.
func NewLeastSquares(method string, p *learn.Problem) (*LeastSquares, error) {
	if err := Validate(method, p); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(method, 1); err != nil {
		return nil, err
	}
	rows := p.Present()
	n := len(rows)
	t := &LeastSquares{Resources: p.Resources, Problem: p, Budget: p.Budget(method, n, p.D), N: n, D: p.D, Row: rows}
	need := LeastSquaresBytes(n, p.D)
	if n < p.N {
		need += 8 * int64(n) * int64(p.D)
	}
	if err := t.Budget.Take(need); err != nil {
		return nil, err
	}
	t.X = p.Samples(rows)
	t.Y, t.W, t.Root = make([]float64, n), make([]float64, n), make([]float64, n)
	for k, i := range t.Row {
		w := p.WeightOf(i)
		t.Y[k], t.W[k], t.Root[k] = p.Y[i], w, math.Sqrt(w)
		t.Total += w
	}
	t.Packed = gram.Pack[float64](p.Kernel, t.X, n, p.D)
	return t, nil
}

// Validate reports what is wrong with a problem for a method.
func Validate(method string, p *learn.Problem) error {
	m, _ := learn.Lookup(method) // an unregistered method takes classes
	return p.Validate(m.TasksOf()...)
}

// Unit is the largest |target|, the unit of decision values: 1 for labels, and if all targets are 0.
func (t *LeastSquares) Unit() float64 {
	return cmp.Or(dense.Largest(t.Y), 1)
}

// LeastSquaresBytes is the memory that NewLeastSquares takes for n samples of dimension d if no weight is zero. The
// residual, recomputed later, needs it too, also in doubled precision.
func LeastSquaresBytes(n, d int) int64 { return gram.Bytes[float64](n, d) + 8*24*int64(n) }

// SettleLeastSquares sets objective and residual in the report, and settles its status by the residual.
func SettleLeastSquares(r *learn.Report, objective, residual float64) {
	r.Objective, r.Residual = objective, &residual
	r.SettleResidual(OptimalResidual)
}

// OptimalResidual is the largest relative residual with which a least-squares model is optimal.
const OptimalResidual = 1e-6

// Rows translates samples of the task to rows of the problem.
func (t *LeastSquares) Rows(samples []int) []int {
	return deal.Pick(t.Row, samples)
}

// Place translates rows of the problem to samples of the task.
func (t *LeastSquares) Place(rows []int) []int {
	samples := make([]int, len(rows))
	for k, i := range rows {
		samples[k], _ = slices.BinarySearch(t.Row, i)
	}
	return samples
}
