package samples

import (
	"cmp"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// Crossing is where the slope of a convex objective jumps, on the way from one model to another.
type Crossing struct {
	Share float64 // of the way
	Index int     // of the sample, row or coefficient that crosses its edge there
	Rise  float64 // of the slope
}

// Sooner orders crossings.
func Sooner(a, b Crossing) int {
	return cmp.Or(cmp.Compare(a.Share, b.Share), cmp.Compare(a.Index, b.Index))
}

// LineSearch returns the share of the way at which an objective is least that begins with a slope, and between
// crossings has the second derivative bend. It sorts the crossings.
func LineSearch(slope, bend float64, crossings []Crossing) float64 {
	deal.Sort(crossings, Sooner)
	for _, c := range crossings {
		if slope+c.Share*bend >= 0 {
			break
		}
		if slope += c.Rise; slope+c.Share*bend >= 0 {
			return c.Share
		}
	}
	switch t := -slope / bend; {
	case slope >= 0:
		return 0
	case t < 1:
		return t
	}
	return 1
}

// Bias returns the b of the least Σ cost max(0, 1 − y (f + b)), a sum that is piecewise linear in b: the first of its
// breakpoints 1/y − f at which its slope is not negative.
func Bias(y, cost []float64, breakpoint func(i int) float64) float64 {
	crossings := make([]Crossing, len(y))
	var slope float64 // left of all breakpoints
	for i, v := range y {
		crossings[i] = Crossing{breakpoint(i), i, cost[i]}
		if v > 0 {
			slope -= cost[i]
		}
	}
	deal.Sort(crossings, Sooner)
	for _, c := range crossings {
		if slope += c.Rise; slope >= 0 {
			return c.Share
		}
	}
	return crossings[len(crossings)-1].Share
}
