package prepare

import (
	"cmp"
	"context"
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
