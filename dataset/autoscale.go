package dataset

import (
	"context"
	"fmt"
	"math"
)

const (
	minSpread = 0.45  // of a rare value's distance: see [Fit]
	rounding  = 5e-13 // a width of less than this share of a feature's size is rounding

	alikeSpreads = 3 // the largest spread over the least
	alikeMeans   = 3 // the difference of two means, in units of the largest spread
)

// AutoScale chooses how to scale the set for kernels of distances, in which features of large spreads hide the others.
// It is ScaleFloored, or ScaleZ where that is the same, with two exceptions that are ScaleNone:
//
//   - Sets with [Set.Pairs], which people often scale beforehand, if their features are alike: spreads differ by at
//     most a factor of 3, and means by at most 3 of the largest spread. Constant features do not count.
//   - Sparse sets of more than 4096 features, since scaling makes most zeros non-zero, and sets that float64 cannot
//     scale.
//
// For sets with Pairs that are to be scaled, why says what differs. The end of the context is an error.
func AutoScale(ctx context.Context, s *Set) (kind ScaleKind, why string, err error) {
	if s.N == 0 || s.Sparse != nil && s.D > denseFeatures {
		return ScaleNone, "", ctx.Err()
	}
	fitted := fitFloored
	if s.Sparse != nil {
		fitted = roughlyFloored
	}
	sc, kind, err := fitted(ctx, s)
	if err != nil {
		return ScaleNone, "", ctx.Err()
	}
	if s.Pairs {
		if why = sc.differ(); why == "" {
			return ScaleNone, "", nil
		}
	}
	return kind, why, nil
}

// differ says how features differ that are not alike, "" if they are.
func (sc *Scaling) differ() string {
	narrow, wide := math.Inf(1), 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for k, w := range sc.Spread {
		if w > 0 {
			narrow, wide = min(narrow, w), max(wide, w)
			low, high = min(low, sc.Center[k]), max(high, sc.Center[k])
		}
	}
	switch {
	case wide > alikeSpreads*narrow:
		return fmt.Sprintf("the features' spreads differ by a factor of %.3g", wide/narrow)
	case high/2-low/2 > alikeMeans*wide/2: // halves, which do not overflow
		return fmt.Sprintf("the features' means differ by %.3g of their spreads", (high/2-low/2)/(wide/2))
	}
	return ""
}

// fitFloored fits z-scores and raises the spreads to their floors. The kind is ScaleZ if that changes none.
func fitFloored(ctx context.Context, s *Set) (sc *Scaling, kind ScaleKind, err error) {
	smallest, largest, err := s.extremes(ctx)
	if err != nil {
		return nil, ScaleNone, err
	}
	if sc, err = fitWithin(ctx, s, &Scaling{Kind: ScaleZ}, smallest, largest); err != nil {
		return nil, ScaleNone, err
	}
	rareValuess := make([]rareValues, s.D)
	for k, v := range smallest {
		rareValuess[k].size = max(math.Abs(v), math.Abs(largest[k]))
	}
	err = s.rows(ctx, func(row []float64) {
		for k, v := range row {
			rareValuess[k].add(v, smallest[k], largest[k])
		}
	})
	if err != nil {
		return nil, ScaleNone, err
	}
	kind = ScaleZ
	for k, r := range rareValuess {
		width, spread := largest[k]-smallest[k], 0.0
		if width > rounding*r.size {
			spread = max(sc.Spread[k], r.floor(width, s.N))
		} else {
			sc.Center[k] = smallest[k]
		}
		if spread != sc.Spread[k] {
			sc.Spread[k], kind = spread, ScaleFloored
		}
	}
	return sc, kind, nil
}

// roughlyFloored is fitFloored of a sparse set from its values that are not 0, up to rounding: enough for a choice.
func roughlyFloored(ctx context.Context, s *Set) (sc *Scaling, kind ScaleKind, err error) {
	smallest, largest, err := s.extremes(ctx)
	if err != nil {
		return nil, ScaleNone, err
	}
	rareValuess, sum := make([]rareValues, s.D), make([]float64, s.D)
	for k, v := range smallest {
		rareValuess[k].size = max(math.Abs(v), math.Abs(largest[k]))
		rareValuess[k].zeros = s.N
	}
	for i, k := range s.Sparse.Index {
		if v := s.Sparse.Value[i]; v != 0 {
			rareValuess[k].add(v, smallest[k], largest[k])
			sum[k] += v / rareValuess[k].size
			rareValuess[k].zeros--
		}
	}
	sc, kind = &Scaling{Kind: ScaleZ, Center: make([]float64, s.D), Spread: make([]float64, s.D)}, ScaleZ
	for k, r := range rareValuess {
		width := largest[k] - smallest[k]
		if width <= rounding*r.size {
			continue
		}
		if smallest[k] < 0 && largest[k] > 0 {
			r.between += r.zeros
		}
		mean := sum[k] / float64(s.N)
		spread := r.size * math.Sqrt(max(0, r.squares/float64(s.N)-mean*mean))
		sc.Center[k], sc.Spread[k] = r.size*mean, max(spread, r.floor(width, s.N))
		if sc.Spread[k] != spread {
			kind = ScaleFloored
		}
	}
	return sc, kind, ctx.Err()
}

// rareValues is what the least spread of a feature depends on.
type rareValues struct {
	between int     // values that are neither the least nor the largest
	zeros   int     // values that are 0
	squares float64 // sum of the squares, in units of size
	size    float64 // largest absolute value
}

func (r *rareValues) add(v, smallest, largest float64) {
	if v != smallest && v != largest {
		r.between++
	}
	if v == 0 {
		r.zeros++
		return
	}
	t := v / r.size
	r.squares += float64(t * t)
}

// floor is the least spread of a feature of n samples.
func (r *rareValues) floor(width float64, n int) float64 {
	switch {
	case r.between == 0:
		return minSpread * width
	case 2*r.zeros > n:
		return minSpread * r.size * math.Sqrt(r.squares/float64(n-r.zeros))
	}
	return 0
}
