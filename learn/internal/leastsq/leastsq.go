// Package leastsq holds what the least-squares machines share: the training points
// with their weights, packed once, and the places of rows among them.
package leastsq

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// Task is a problem without its rows of weight zero.
type Task struct {
	learn.Resources
	Problem *learn.Problem
	Budget  *learn.Budget // what is left of the memory, the task itself taken
	N, D    int           // points of positive weight, features
	Row     []int         // the problem's rows of the points, ascending
	X       []float64     // the points, N×D; the problem's own when none is missing
	Y       []float64     // their labels
	W       []float64     // their weights
	Root    []float64     // √W: a least-squares row is scaled by it
	Total   float64       // Σ W, the M of the formulas
	Points  *gram.Samples[float64]
}

// New checks p and copies what a training needs; method begins the text of the
// budget's errors.
func New(method string, p *learn.Problem) (*Task, error) {
	m, _ := learn.Lookup(method) // one that is not registered takes classes
	if err := p.Validate(m.TasksOf()...); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(method, 1); err != nil {
		return nil, err
	}
	n := 0
	for i := range p.N {
		if p.WeightOf(i) > 0 {
			n++
		}
	}
	t := &Task{Resources: p.Resources, Problem: p, Budget: p.Budget(method, n, p.D), N: n, D: p.D}
	need := Bytes(n, p.D)
	if n < p.N {
		need += 8 * int64(n) * int64(p.D)
	}
	if err := t.Budget.Take(need); err != nil {
		return nil, err
	}
	t.Row = p.Present()
	t.X = p.Samples(t.Row)
	t.Y, t.W, t.Root = make([]float64, n), make([]float64, n), make([]float64, n)
	for k, i := range t.Row {
		w := p.WeightOf(i)
		t.Y[k], t.W[k], t.Root[k] = p.Y[i], w, math.Sqrt(w)
		t.Total += w
	}
	t.Points = gram.Pack[float64](p.Kernel, t.X, n, p.D)
	return t, nil
}

// Unit is the size of the largest target, which the decision function is of: 1 for labels, and where all are 0.
func (t *Task) Unit() (u float64) {
	for _, y := range t.Y {
		u = max(u, math.Abs(y))
	}
	return cmp.Or(u, 1)
}

// Bytes is what New allocates for n points of dimension d when no weight is zero,
// and what the recomputed residual needs later, in doubled precision too.
func Bytes(n, d int) int64 { return gram.Bytes[float64](n, d) + 8*24*int64(n) }

// Judged gives the report what was found of the machine.
func Judged(r *learn.Report, objective, residual float64) {
	r.Objective, r.Residual = objective, &residual
	r.SettleResidual(OptimalResidual)
}

// Norm is ‖x‖, which does not overflow before its elements do.
func Norm(x ...float64) (r float64) {
	for _, v := range x {
		r = math.Hypot(r, v)
	}
	return r
}

// OptimalResidual is the relative residual of its equations up to which a least-squares machine
// is called optimal.
const OptimalResidual = 1e-6

// Rows translates points of the task to rows of the problem.
func (t *Task) Rows(points []int) []int {
	r := make([]int, len(points))
	for k, i := range points {
		r[k] = t.Row[i]
	}
	return r
}

// Place translates rows of the problem to points of the task.
func (t *Task) Place(rows []int) []int {
	points := make([]int, len(rows))
	for k, i := range rows {
		points[k], _ = slices.BinarySearch(t.Row, i)
	}
	return points
}
