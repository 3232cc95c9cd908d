package lssvm

import (
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// task is a problem without its rows of weight zero.
type task struct {
	*learn.Problem
	row    []int     // the problem's rows with a positive weight, ascending
	n      int       // how many
	x      []float64 // their points, n×D
	y      []float64 // their labels
	w      []float64 // their weights
	root   []float64 // √w: a least-squares row is scaled by it
	total  float64   // Σ w, the M of the formulas
	points *gram.Points[float64]
}

// newTask checks p and copies what it needs.
func newTask(p *learn.Problem) (*task, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	t := &task{Problem: p}
	t.row = p.Present()
	t.x = p.Points(t.row)
	for _, i := range t.row {
		w := p.WeightOf(i)
		t.y = append(t.y, p.Y[i])
		t.w = append(t.w, w)
		t.root = append(t.root, math.Sqrt(w))
		t.total += w
	}
	t.n = len(t.row)
	t.points = gram.Pack[float64](p.Kernel, t.x, t.n, p.D)
	return t, nil
}

// budget is the memory limit in bytes.
func (t *task) budget() int64 {
	if t.Memory > 0 {
		return t.Memory
	}
	return learn.DefaultMemory
}

// distinct returns the points that have no equal point before them, ascending.
// Of equal points only the first is worth a kernel column: the others' columns
// are the same, and ties go to the lowest index.
func (t *task) distinct() []int {
	seen := make(map[string]bool, t.n)
	key := make([]byte, 8*t.D)
	var first []int
	for i := range t.n {
		for k, v := range t.x[i*t.D : (i+1)*t.D] {
			u := math.Float64bits(v + 0) // +0 turns −0 into 0
			for b := range 8 {
				key[8*k+b] = byte(u >> (8 * b))
			}
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			first = append(first, i)
		}
	}
	return first
}

// rows translates points of the task to rows of the problem.
func (t *task) rows(points []int) []int {
	r := make([]int, len(points))
	for k, i := range points {
		r[k] = t.row[i]
	}
	return r
}
