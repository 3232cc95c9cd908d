package learn

import (
	"errors"
	"fmt"
	"slices"
)

// Sides says which points a method takes as candidates ([Problem.Candidates]).
type Sides uint8

const (
	// NoSides is that of a method which takes none.
	NoSides Sides = iota
	// AnySide is that of coefficients of either sign: labels of candidates do not matter.
	AnySide
	// OwnSide is that of coefficients with the sign of their point's label.
	OwnSide
)

// Rows lists the points that count: those whose weight is not zero, and the candidates.
func (p *Problem) Rows() []int {
	present := p.Present()
	if p.Candidates == nil {
		return present
	}
	rows := append(present, p.Candidates...)
	slices.Sort(rows)
	return slices.Compact(rows)
}

// Offer returns p with n points as its only candidates, behind its own and of weight 0, so that they have no margins. X
// is n×D, row-major; y are their labels, of a method with [AnySide] nil. The points are copied.
func (p *Problem) WithCandidates(x, y []float64, n int) *Problem {
	if y == nil {
		y = slices.Repeat([]float64{1}, n)
	}
	q := *p
	q.N = p.N + n
	q.X = append(append(make([]float64, 0, q.N*p.D), p.X[:p.N*p.D]...), x[:n*p.D]...)
	if p.Y != nil {
		q.Y = append(append(make([]float64, 0, q.N), p.Y...), y[:n]...)
	}
	q.Weight, q.Candidates = make([]float64, q.N), make([]int, n)
	for i := range p.N {
		q.Weight[i] = p.WeightOf(i)
	}
	for k := range n {
		q.Candidates[k] = p.N + k
	}
	if p.Group != nil {
		q.Group = append(append(make([]int, 0, q.N), p.Group...), make([]int, n)...)
	}
	q.Part = nil
	return &q
}

// validateCandidates looks at the candidates: the only points that count beside those with a weight.
func (p *Problem) validateCandidates() error {
	if p.Candidates == nil {
		return nil
	}
	if len(p.Candidates) == 0 {
		return errors.New("learn: no candidates")
	}
	last := -1
	for _, i := range p.Candidates {
		if i <= last || i >= p.N {
			return fmt.Errorf("learn: candidate %d after %d of %d points, want rows, ascending", i, last, p.N)
		}
		if last = i; p.Task == Classify && !p.Task.has(p.Y[i]) {
			return fmt.Errorf("learn: label of candidate %d is %v, want %s", i, p.Y[i], p.Task.targets())
		}
	}
	return nil
}
