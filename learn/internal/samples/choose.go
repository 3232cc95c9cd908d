package samples

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// Choice says which samples are candidates.
type Choice struct {
	At []int // the candidates, ascending; nil means that Subset chooses them
	learn.Subset
}

// Limits reports whether only some of n samples are candidates.
func (c Choice) Limits(n int) bool { return c.At != nil || c.Candidates > 0 && c.Candidates < n }

// Most returns the largest number of candidates of a limited choice.
func (c Choice) Most() int {
	if c.At != nil {
		return len(c.At)
	}
	return c.Candidates
}

// Over says of what samples an optimum is one, where these are not all.
func (c Choice) Over(chosen, all int) string {
	if c.At != nil {
		return fmt.Sprintf("the programs are over the %d given candidates as vectors, and the margins of all samples", chosen)
	}
	return fmt.Sprintf("the programs are over %d candidates of %d samples as vectors, and the margins of all", chosen, all)
}

// sampled is the number of samples a candidate that they are chosen from: fewer where the work grows with its square.
func (c Choice) sampled() int {
	if c.pivots() {
		return 4
	}
	return 16
}

func (c Choice) pivots() bool { return c.Choose == learn.ChoosePivots }

// Bytes returns the memory that a choice among samples of d features takes.
func (c Choice) Bytes(d int) int64 {
	if c.At != nil {
		return 8 * int64(len(c.At)) * int64(d)
	}
	const vectors = 12 * 8 // bytes a sample of the sample
	each := int64(8*d + vectors)
	if c.pivots() {
		each += 8 * int64(c.Candidates)
	}
	return int64(c.Candidates) * (8*int64(d) + int64(c.sampled())*each)
}

// Of chooses at most c.Candidates of the first n samples, ascending. It chooses fewer if the other sampled samples
// repeat the chosen ones in the kernel's feature space, or, by Cholesky, lie in their span.
func (c Choice) Of(pts *gram.Samples[float64], n int) []int {
	if c.At != nil {
		return slices.Clone(c.At)
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0x63616e6469646174))
	sample := rng.Perm(n)[:min(n, c.sampled()*c.Candidates)]
	s, k := pts.Subset(sample), min(c.Candidates, n)
	var chosen []int
	if c.pivots() {
		chosen = pivots(s, k)
	} else {
		chosen = spread(s, k, rng)
	}
	chosen = deal.Pick(sample, chosen)
	slices.Sort(chosen)
	return chosen
}

// spread chooses samples by k-means++.
func spread(s *gram.Samples[float64], k int, rng *rand.Rand) (chosen []int) {
	m := s.Len()
	diag, row, far := make([]float64, m), make([]float64, m), make([]float64, m)
	s.Diag(diag)
	next := 0 // of a random order
	for {
		chosen = append(chosen, next)
		if len(chosen) == k {
			return chosen
		}
		s.Row(row, next)
		var total float64
		for j, v := range row {
			d := max(0, diag[j]+diag[next]-2*v)
			if len(chosen) == 1 || d < far[j] {
				far[j] = d
			}
			if !(far[j] > 1e-12*diag[j]) { // only rounding is left, or NaN
				far[j] = 0
			}
			total += far[j]
		}
		far[next] = 0
		if next = draw(far, total*rng.Float64()); next < 0 {
			return chosen
		}
	}
}

// pivots always chooses the sample with the largest pivot, until only rounding is left of the first pivot.
func pivots(s *gram.Samples[float64], k int) (chosen []int) {
	m := s.Len()
	rest, row, known := make([]float64, m), make([]float64, m), make([]float64, m)
	s.Diag(rest)
	factor := make([]float64, m*k) // a row each, of which len(chosen) elements are there
	first := slices.Max(rest)
	for len(chosen) < k {
		next, largest := 0, math.Inf(-1)
		for j, v := range rest {
			if v > largest {
				next, largest = j, v
			}
		}
		if !(largest > 1e-12*first) {
			break
		}
		s.Row(row, next)
		count := len(chosen)
		dense.MulVec(known, factor, k, factor[next*k:next*k+count])
		root := math.Sqrt(largest)
		for j, v := range row {
			l := (v - known[j]) / root
			factor[j*k+count] = l
			rest[j] -= l * l
		}
		rest[next] = math.Inf(-1)
		chosen = append(chosen, next)
	}
	return chosen
}

// draw returns the place at which the weights up to it add up to more than the share, the last of a positive weight if
// rounding has left none, −1 if there is none.
func draw(weight []float64, share float64) int {
	last := -1
	for j, w := range weight {
		if w > 0 {
			last = j
			if share -= w; share < 0 {
				break
			}
		}
	}
	return last
}
