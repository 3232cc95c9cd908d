package learn

import (
	"errors"
	"fmt"
	"slices"
)

// Sides says which samples a method takes as candidates ([Problem.Candidates]).
type Sides uint8

const (
	NoSides Sides = iota // none
	AnySide              // any: coefficients have either sign, and labels of candidates do not matter
	OwnSide              // candidates with labels: a coefficient has the sign of its sample's label
)

// Subset bounds the samples that may become support vectors, of methods that choose them by a program over all. The
// losses are those of all samples, and an optimum is one over the candidates.
type Subset struct {
	// Candidates is the number of samples that may become support vectors, chosen from a random sample of the training
	// samples; 0 and negative numbers mean all.
	Candidates int
	Choose     string // how they are chosen: [ChooseSpread] or [ChoosePivots]; "" means ChooseSpread
	Seed       uint64 // of the random sample; 0 means 1
}

// Ways to choose candidates. Both take one sample after the other.
const (
	// ChooseSpread draws a sample with a probability in proportion to its squared distance, in the kernel's space, from
	// the nearest one before it (Arthur and Vassilvitskii 2007).
	ChooseSpread = "k-means++"
	// ChoosePivots takes the sample that is farthest, in the kernel's space, from the span of those before it: a pivot of
	// the Cholesky factor (Fine and Scheinberg 2001).
	ChoosePivots = "cholesky"
)

// FewAbove returns s, with so many candidates for more than most samples if nobody has set their number.
func FewAbove(most, samples int, s Subset, candidates int) Subset {
	if samples > most && s.Candidates == 0 {
		s.Candidates = candidates
	}
	return s
}

// Rows lists the samples with a weight and the candidates, ascending.
func (p *Problem) Rows() []int {
	present := p.Present()
	if p.Candidates == nil {
		return present
	}
	rows := append(present, p.Candidates...)
	slices.Sort(rows)
	return slices.Compact(rows)
}

// WithCandidates returns a copy of p with n external candidates as the only ones. They stand after the training samples
// with weight 0, so that they carry no loss. x is n×D, row-major. y has their labels; it may be nil for a method with
// [AnySide].
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
	q.Shared = nil
	return &q
}

// validateCandidates reports what is wrong with the candidates.
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
			return fmt.Errorf("learn: candidate %d after %d of %d samples, want rows, ascending", i, last, p.N)
		}
		if last = i; p.Task == Classify && !p.Task.has(p.Y[i]) {
			return fmt.Errorf("learn: label of candidate %d is %v, want %s", i, p.Y[i], p.Task.targets())
		}
	}
	return nil
}
