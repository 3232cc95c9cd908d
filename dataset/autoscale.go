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
	rare := rareWithin(smallest, largest)
	err = s.rows(ctx, func(row []float64) {
		for k, v := range row {
			rare[k].add(v)
		}
	})
	if err != nil {
		return nil, ScaleNone, err
	}
	return sc, sc.raise(rare, s.N), nil
}

// roughlyFloored is fitFloored of a sparse set from its values that are not 0, up to rounding: enough for a choice.
func roughlyFloored(ctx context.Context, s *Set) (sc *Scaling, kind ScaleKind, err error) {
	smallest, largest, err := s.extremes(ctx)
	if err != nil {
		return nil, ScaleNone, err
	}
	rare, sum := rareWithin(smallest, largest), make([]float64, s.D)
	for i, k := range s.Sparse.Index {
		if v := s.Sparse.Value[i]; v != 0 {
			rare[k].add(v)
			sum[k] += v / rare[k].size
		}
	}
	sc = &Scaling{Kind: ScaleZ, Center: make([]float64, s.D), Spread: make([]float64, s.D)}
	for k := range rare {
		r := &rare[k]
		if r.smallest < 0 && r.largest > 0 {
			r.between += s.N - r.nonzeros
		}
		if r.varies() {
			mean := sum[k] / float64(s.N)
			sc.Center[k], sc.Spread[k] = r.size*mean, r.size*math.Sqrt(max(0, r.squares/float64(s.N)-mean*mean))
		}
	}
	return sc, sc.raise(rare, s.N), ctx.Err()
}

// raise raises the spreads of the features of n samples to their floors. The kind is ScaleZ if that changes none.
func (sc *Scaling) raise(rare []rareValues, n int) (kind ScaleKind) {
	kind = ScaleZ
	for k := range rare {
		r, spread := &rare[k], 0.0
		if r.varies() {
			spread = max(sc.Spread[k], r.floor(n))
		} else {
			sc.Center[k] = r.smallest
		}
		if spread != sc.Spread[k] {
			sc.Spread[k], kind = spread, ScaleFloored
		}
	}
	return kind
}

// rareValues is what the least spread of a feature depends on.
type rareValues struct {
	smallest, largest float64
	size              float64 // largest absolute value
	between           int     // values that are neither the smallest nor the largest
	nonzeros          int     // values that are not 0
	squares           float64 // sum of the squares, in units of size
}

// rareWithin begins with no values of features that have these extremes.
func rareWithin(smallest, largest []float64) []rareValues {
	rare := make([]rareValues, len(smallest))
	for k, v := range smallest {
		rare[k] = rareValues{smallest: v, largest: largest[k], size: max(math.Abs(v), math.Abs(largest[k]))}
	}
	return rare
}

// varies reports whether the values differ by more than rounding.
func (r *rareValues) varies() bool { return r.largest-r.smallest > rounding*r.size }

func (r *rareValues) add(v float64) {
	if v != r.smallest && v != r.largest {
		r.between++
	}
	if v != 0 {
		t := v / r.size
		r.squares += float64(t * t)
		r.nonzeros++
	}
}

// floor is the least spread of a feature of n samples.
func (r *rareValues) floor(n int) float64 {
	switch {
	case r.between == 0:
		return minSpread * (r.largest - r.smallest)
	case 2*r.nonzeros < n:
		return minSpread * r.size * math.Sqrt(r.squares/float64(r.nonzeros))
	}
	return 0
}
