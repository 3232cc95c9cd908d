package sparsekm

import (
	"context"
	"fmt"
	"maps"
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

// Path trains two classes at every value of c, ascending, each training warm from the
// last, and keeps a classifier for every number of support vectors met: the
// one of the largest C. They come in ascending order of that number. The trainer
// must be a [learn.PathTrainer]; its own C does not matter.
//
// The context's end stops the walk: the last classifier has the status that says so.
func Path(ctx context.Context, set *dataset.Set, o Options, c []float64) ([]PathPoint, error) {
	trainer, ok := o.Trainer.(learn.PathTrainer)
	if !ok {
		return nil, fmt.Errorf("sparsekm: %s cannot follow a path along C", o.Trainer.Name())
	}
	t, err := newTask(set, o)
	if err != nil {
		return nil, err
	}
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	var met learn.Sparsest
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", trainer.Name()), func(ctx context.Context) {
		err = trainer.Path(ctx, p, c, func(c float64, r *learn.Result) bool { met.Add(c, r); return true })
	})
	if err != nil {
		return nil, err
	}
	var points []PathPoint
	for _, q := range met.Points() {
		t.Params = maps.Clone(o.Params)
		if t.Params != nil {
			t.Params["c"] = q.C
		}
		clf, report, err := t.finish(t.binary(p.Kernel, q.Result))
		if err != nil {
			return nil, err
		}
		points = append(points, PathPoint{q.C, clf, report})
	}
	return points, nil
}
