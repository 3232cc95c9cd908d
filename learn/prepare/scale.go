package prepare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// scaled returns the present samples, scaled, and their scaling. Samples that are all present and not scaled are the
// caller's own; everything else is a copy.
func scaled(ctx context.Context, from *Selected, s *Spec) (*dataset.Set, *dataset.Scaling, error) {
	set := from.Set
	if from.Rows != nil {
		set = set.Subset(from.Rows)
	}
	scaling, err := dataset.Fit(ctx, set, s.Scale)
	if err != nil || scaling == nil {
		return set, nil, err
	}
	if from.Rows == nil {
		own := *set
		own.X = slices.Clone(set.X[:set.N*set.D])
		set = &own
	}
	if err := scaling.ApplyInPlace(ctx, set); err != nil {
		return nil, nil, err
	}
	if s.RoundScaled {
		for i, x := range set.X {
			set.X[i] = float64(float32(x))
		}
	}
	return set, scaling, nil
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

// TargetScale is the unit of regression targets during a training: (y − Center) / Spread. A model predicts in the
// units of y; the objective and the certificate of its report are in the training's.
type TargetScale struct {
	Center float64 `json:"center"` // mean
	Spread float64 `json:"spread"` // standard deviation, 1 where the targets are constant
}

// ScaleOf fits a scale to regression targets. An error is for targets that have none in float64.
func ScaleOf(targets []float64) (TargetScale, error) {
	s := TargetScale{Spread: 1}
	if len(targets) == 0 {
		return s, nil
	}
	sc, err := dataset.FitZ(&dataset.Set{X: targets, N: len(targets), D: 1})
	if err != nil {
		return s, fmt.Errorf("sparsekm: the target cannot be scaled in float64: %w", err)
	}
	if s.Center = sc.Center[0]; sc.Spread[0] > 0 {
		s.Spread = sc.Spread[0]
	}
	return s, nil
}

// to returns targets in the units of the training; a nil scale returns them as they are.
func (s *TargetScale) to(targets []float64) []float64 {
	if s == nil {
		return targets
	}
	y := make([]float64, len(targets))
	for i, v := range targets {
		y[i] = (v - s.Center) / s.Spread
	}
	return y
}
