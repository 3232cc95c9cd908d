package prepare

import (
	"cmp"
	"context"
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
			own := *set
			own.X = slices.Clone(set.X[:set.N*set.D])
			set = &own
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

// settled returns the specification with the scaling that ScaleAuto chooses for the present samples. A kernel whose
// features are no measurements gets none.
func settled(ctx context.Context, set *dataset.Set, s *Spec) (*Spec, error) {
	if s.Scale != dataset.ScaleAuto {
		return s, nil
	}
	own := *s
	own.Scale = dataset.ScaleNone
	if s.Kernel.Indexed() {
		return &own, nil
	}
	weight, err := weights(set, s.SampleWeight, s.ClassWeight)
	if err != nil {
		return nil, err
	}
	rows, _, err := present(weight)
	if err != nil {
		return nil, err
	}
	if rows != nil {
		set = set.Subset(rows)
	}
	if own.Scale, _, err = dataset.AutoScale(ctx, set); err != nil {
		return nil, learn.Nothing(ctx, s.Trainer.Name())
	}
	return &own, nil
}

// logVolume is the logarithm of the raw volume that a scaled volume of 1 is. Constant features have none.
func logVolume(scaling *dataset.Scaling) (log float64) {
	for _, w := range scaling.Spread {
		switch {
		case w > 0 && scaling.Kind == dataset.ScaleMinMax:
			log += math.Log(w / (scaling.Hi - scaling.Lo))
		case w > 0:
			log += math.Log(w)
		}
	}
	return log
}
