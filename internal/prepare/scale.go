package prepare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// scaled returns the present samples, scaled, and their scaling. Samples that are all present and not scaled are the
// caller's own; everything else is a copy.
func scaled(ctx context.Context, from *selection, s *Spec) (*dataset.Set, *dataset.Scaling, error) {
	set := from.set
	if from.rows != nil {
		set = set.Subset(from.rows)
	}
	scaling, err := dataset.Fit(ctx, set, s.Scale)
	if scaling != nil && s.Coarse {
		err = cmp.Or(err, coarse(scaling))
	}
	if scaling != nil && spare(scaling, set) == set.D {
		return set, nil, nil // nothing is left to scale
	}
	if err == nil && scaling == nil {
		return set, nil, nil
	}
	if err == nil {
		if from.rows == nil {
			copied := *set
			copied.X = slices.Clone(set.X[:set.N*set.D])
			set = &copied
		}
		err = scaling.ApplyInPlace(ctx, set)
	}
	if ctx.Err() != nil {
		return nil, nil, learn.Nothing(ctx, s.Trainer.Name())
	}
	if err != nil {
		return nil, nil, err
	}
	if s.RoundScaled {
		for i, x := range set.X {
			set.X[i] = float64(float32(x))
		}
	}
	return set, scaling, nil
}

// spare takes the features that are numbers of categories out of a scaling, and counts them.
func spare(scaling *dataset.Scaling, set *dataset.Set) (n int) {
	set.Columns.EachValued(func(_ *dataset.Column, k, _ int) {
		if scaling.Center[k], scaling.Spread[k] = 0, 1; scaling.Kind == dataset.ScaleMinMax {
			scaling.Center[k], scaling.Spread[k] = scaling.Lo, scaling.Hi-scaling.Lo
		}
		n++
	})
	return n
}

// Octaves is the logarithm of v to base 2, in whole numbers of 1/parts; 0 unless v is positive and finite.
func Octaves(v, parts float64) int64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 0
	}
	return int64(math.Round(parts * math.Log2(v)))
}

// GammaParts is how many values of γ that a bound describes are in a factor of two.
const GammaParts = 2

// coarse makes every spread a power of two, and every centre 0, so that few bits describe the scaling. A feature
// that is constant gets the spread of the one before. Features far from 0 would lose digits.
func coarse(sc *dataset.Scaling) error {
	const far = 1 << 10
	last := 1.0
	for k, w := range sc.Spread {
		if w > 0 {
			if math.Abs(sc.Center[k]) > far*w {
				return fmt.Errorf("sparsekm: feature %d lies %.3g spreads from 0, which a bound cannot scale; subtract a "+
					"constant chosen without the samples, or scale nothing", k+1, math.Abs(sc.Center[k])/w)
			}
			last = math.Exp2(float64(Octaves(w, 1)))
		}
		sc.Center[k], sc.Spread[k] = 0, last
	}
	return nil
}
