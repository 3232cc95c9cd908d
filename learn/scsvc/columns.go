package scsvc

import (
	"cmp"
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/deal"
)

const (
	firstColumns = 16    // coefficients at the start; later as many or more are added at once
	alike        = 0.999 // cos² in feature space above which only one of two samples is added at once
	almost       = 0.8   // |Kη|/λ above which samples are added
	lifted       = 5     // the start after adding columns has products of this many times the mean for the gap
)

// addColumns adds coefficients for the samples with the largest |Kη|, and at most doubles m. Of samples that are alike
// it adds only the first. The iterate keeps its coefficients but gets equal, larger products: many of the old ones are
// near 0, and steps from there would be short. It returns the number of added coefficients.
func (s *solver) addColumns(ctx context.Context) int {
	var violating []int
	for i := s.m; i < s.n; i++ {
		if s.m == 0 || math.Abs(s.kEta[i]) > almost*s.Lambda {
			violating = append(violating, s.rows[i])
		}
	}
	place := make(map[int]int, s.n-s.m) // current place of each row: swaps change it
	for i := s.m; i < s.n; i++ {
		place[s.rows[i]] = i
	}
	size := func(row int) float64 { return math.Abs(s.kEta[place[row]]) }
	deal.Sort(violating, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	first := s.m
	largest := max(firstColumns, first)
	for _, row := range violating {
		if s.m-first == largest || ctx.Err() != nil {
			break
		}
		if i := place[row]; !s.similar(i, first) {
			place[s.rows[s.m]] = i
			s.swap(i, s.m)
			s.m++
		}
	}
	switch {
	case first == 0:
		s.alpha.Resize(s.m)
		for i := range s.m {
			s.alpha.Center(i, 2*s.Lambda, 0, 1)
		}
	case s.m > first:
		s.start(append(s.coefficients(), make([]float64, s.m-first)...), lifted*s.mean())
	}
	return s.m - first
}

// similar reports whether sample i is alike to one of those from place first on.
func (s *solver) similar(i, first int) bool {
	for j := first; j < s.m; j++ {
		if k := s.k[i*s.n+j]; k*k > alike*s.k[i*s.n+i]*s.k[j*s.n+j] {
			return true
		}
	}
	return false
}

// swap exchanges two samples.
func (s *solver) swap(i, j int) {
	if i == j {
		return
	}
	s.rows[i], s.rows[j] = s.rows[j], s.rows[i]
	for _, x := range [][]float64{s.y, s.cost, s.f, s.kDiff, s.kEta, s.beta.Low.X, s.beta.Low.Z, s.beta.High.X, s.beta.High.Z} {
		x[i], x[j] = x[j], x[i]
	}
	a, b := s.k[i*s.n:(i+1)*s.n], s.k[j*s.n:(j+1)*s.n]
	for q, v := range a {
		a[q], b[q] = b[q], v
	}
	for q := range s.n {
		row := s.k[q*s.n : (q+1)*s.n]
		row[i], row[j] = row[j], row[i]
	}
}
