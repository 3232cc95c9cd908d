package sparsekm

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// PathPoint is a classifier of a path along C.
type PathPoint struct {
	C          float64
	Classifier *Classifier
	Report     *Report
}

// Path trains two classes, or real values, at every value of c, ascending, each training warm from the
// last, and keeps a classifier for every number of support vectors met: the
// one of the largest C. They come in ascending order of that number. The trainer
// must be a [learn.PathTrainer]; its own C does not matter. There is no Refit of a path.
//
// The context's end stops the walk: the points are those met so far, and its error is
// returned when there are none.
func Path(ctx context.Context, set *dataset.Set, o Options, c []float64) ([]PathPoint, error) {
	if o.Calibrate != 0 {
		return nil, errors.New("sparsekm: a path along C has no probabilities; train again with the C that is chosen")
	}
	if o.Refit {
		return nil, errors.New("sparsekm: a path along C has no refit")
	}
	t, err := newTask(ctx, set, o)
	if err != nil {
		return nil, err
	}
	defer t.brake.release()
	trainer, ok := o.Trainer.(learn.PathTrainer)
	if !ok {
		return nil, fmt.Errorf("sparsekm: %s cannot follow a path along C", o.Trainer.Name())
	}
	switch {
	case t.task == learn.OneClass:
		return nil, errors.New("sparsekm: points without targets, a path along C wants two classes or real values")
	case t.task == learn.Classify && len(set.Labels) != 2:
		return nil, fmt.Errorf("sparsekm: %d classes, a path along C wants two", len(set.Labels))
	}
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	var met learn.Sparsest
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", trainer.Name()), func(ctx context.Context) {
		err = trainer.Path(ctx, p, c, func(c float64, r *learn.Result) bool {
			if !r.Report.Status.Limit() || len(r.Support) > 0 {
				met.Add(c, r)
			}
			return true
		})
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	var points []PathPoint
	for c, r := range met.All() {
		loose(&r.Expansion, p)
		f := t.single(p.Kernel, r)
		f.params["c"] = c
		clf, report, err := t.finish(ctx, f)
		if err != nil {
			return nil, err
		}
		points = append(points, PathPoint{c, clf, report})
	}
	if points == nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, trainer.Name())
	}
	return points, nil
}
