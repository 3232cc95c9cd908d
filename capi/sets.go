package main

// #include "types.h"
import "C"

import (
	"context"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/model"
)

//export skm_sets
func skm_sets(m C.skm_model, samples *C.skm_the_samples, in *C.uint8_t, threads C.int, text **C.char) C.int {
	return withSets(m, samples, in == nil, false, threads, text, func(p *predict.Predictions) {
		to := array[C.uint8_t](in, len(p.Sets))
		for i, has := range p.Sets {
			if to[i] = 0; has {
				to[i] = 1
			}
		}
	})
}

//export skm_intervals
func skm_intervals(m C.skm_model, samples *C.skm_the_samples, ends *C.double, threads C.int, text **C.char) C.int {
	return withSets(m, samples, ends == nil, true, threads, text, func(p *predict.Predictions) {
		copy(array[float64](ends, len(p.Intervals)), p.Intervals)
	})
}

// withSets predicts with prediction sets, or intervals of values; missing says that there is no memory for the results.
func withSets(m C.skm_model, samples *C.skm_the_samples, missing, values bool, threads C.int, text **C.char,
	f func(p *predict.Predictions)) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		switch {
		case samples == nil || missing:
			return argument("the samples, or the place for the results, are NULL")
		case c.Covers() != nil:
			return c.Covers()
		case c.Task().Real() != values:
			return argument("skm_sets is for classes and skm_intervals for values; the model is of the task %v", c.Task())
		}
		set, err := samplesFor(c, samples)
		if err != nil {
			return err
		}
		p, err := covered(c, set, max(0, int(threads)))
		if err == nil {
			f(p)
		}
		return err
	})
}

// covered predicts samples with finite features and decision values.
func covered(c *model.Classifier, set *dataset.Set, threads int) (*predict.Predictions, error) {
	if err := finite(set); err != nil {
		return nil, err
	}
	ctx := context.Background()
	p, err := predict.Set(ctx, c, set, threads, false)
	if err == nil {
		err = p.Finite(0)
	}
	if err == nil {
		err = p.AddSets(ctx, set, threads)
	}
	return p, err
}
