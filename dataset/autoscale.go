package dataset

import (
	"context"
	"math"
	"slices"
)

// AutoScale chooses how to scale the set. It returns z-scores if the ranges (largest minus smallest value) of two
// features that are not constant differ by more than a factor of 30, else no scaling: without one the features of the
// widest range dominate distances and inner products. ratio is that factor, 1 with fewer than two such features. Sparse
// sets of more than 4096 features stay as they are, since scaling would make most zeros non-zero. The end of the
// context is an error.
func AutoScale(ctx context.Context, s *Set) (kind ScaleKind, ratio float64, err error) {
	if s.N == 0 || s.Sparse != nil && s.D > denseFeatures {
		return ScaleNone, 1, nil
	}
	least, most, err := s.extremes(ctx)
	if err != nil {
		return ScaleNone, 1, err
	}
	narrow, wide := math.Inf(1), 0.0
	for k, v := range most {
		if width := v/2 - least[k]/2; width > 0 { // halves, which do not overflow
			narrow, wide = min(narrow, width), max(wide, width)
		}
	}
	if wide == 0 {
		return ScaleNone, 1, nil
	}
	if ratio = wide / narrow; ratio > 30 {
		kind = ScaleZ
	}
	return kind, ratio, nil
}

// extremes returns the least and the largest value of each feature of a set with samples.
func (s *Set) extremes(ctx context.Context) (least, most []float64, err error) {
	least, most = slices.Clone(s.Row(0)), slices.Clone(s.Row(0))
	if s.Sparse == nil {
		err = s.rows(ctx, func(row []float64) {
			for k, v := range row {
				least[k], most[k] = min(least[k], v), max(most[k], v)
			}
		})
		return least, most, err
	}
	listed := make([]int, s.D)
	for k, j := range s.Sparse.Index {
		v := s.Sparse.Value[k]
		least[j], most[j] = min(least[j], v), max(most[j], v)
		listed[j]++
	}
	for j, rows := range listed {
		if rows < s.N {
			least[j], most[j] = min(least[j], 0), max(most[j], 0)
		}
	}
	return least, most, ctx.Err()
}
