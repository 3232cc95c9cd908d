package sparsekm

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
)

// PathPoint is a classifier of a path along C.
type PathPoint struct {
	From, C    float64 // the classifier holds for every C between; From is C unless by [ExactPath]
	Classifier *Classifier
	Report     *Report
}

// Path trains two classes, or regression targets, at every value of c, ascending, each training with a warm start from
// the last. For every number of support vectors met it keeps the classifier of the largest C, in ascending order of
// that number. The trainer must be a [learn.PathTrainer]; its own C does not matter. Refit is an error.
//
// If the context ends, the classifiers are those met so far; if there are none, its error is returned.
func Path(ctx context.Context, set *dataset.Set, o Options, c []float64) ([]PathPoint, error) {
	return walk(ctx, set, o, func(t learn.PathTrainer, p *learn.Problem, visit visitor) error {
		return t.Path(ctx, p, c, func(c float64, r *learn.Result) bool { return visit(c, c, r) })
	})
}

// ExactPath is [Path] with the models of every C from lo to hi, by a [learn.ExactPath]. The models of l1svm change
// linearly with C between breakpoints, since C bounds their coefficients; the path has the breakpoints.
func ExactPath(ctx context.Context, set *dataset.Set, o Options, lo, hi float64) ([]PathPoint, error) {
	return walk(ctx, set, o, func(t learn.PathTrainer, p *learn.Problem, visit visitor) error {
		exact, ok := t.(learn.ExactPath)
		if !ok {
			return fmt.Errorf("sparsekm: %s cannot follow every model of a path along C", t.Name())
		}
		return exact.Exact(ctx, p, lo, hi, visit)
	})
}

// visitor receives the model of the C between from and to. It returns true, for more.
type visitor = func(from, to float64, r *learn.Result) bool

// walk follows a path and keeps its models.
func walk(ctx context.Context, set *dataset.Set, o Options,
	follow func(t learn.PathTrainer, p *learn.Problem, visit visitor) error) ([]PathPoint, error) {
	for _, option := range []struct {
		asked bool
		lacks string
	}{{o.Calibrate != 0, "probabilities; train again with the C that is chosen"},
		{o.Conformal != (Conformal{}), "prediction sets; train again with the C that is chosen"},
		{o.Bound != (Bound{}), "bounds; train again with the C that is chosen"}, {o.Refit, "refit"}} {
		if option.asked {
			return nil, errors.New("sparsekm: a path along C has no " + option.lacks)
		}
	}
	spec, err := o.specFor(set)
	if err != nil {
		return nil, err
	}
	t := &training{options: &o, spec: spec, cancel: prepare.NewCancelKernel(ctx)}
	defer t.cancel.Release()
	if err = t.prepare(ctx, set); err != nil {
		return nil, err
	}
	trainer, ok := t.trainer.(learn.PathTrainer)
	if !ok {
		return nil, fmt.Errorf("sparsekm: %s cannot follow a path along C", o.Trainer.Name())
	}
	switch {
	case t.spec.Task == learn.OneClass:
		return nil, errors.New("sparsekm: samples without targets, a path along C wants two classes or regression targets")
	case t.spec.Task == learn.Classify && len(set.Labels) != 2:
		return nil, fmt.Errorf("sparsekm: %d classes, a path along C wants two", len(set.Labels))
	}
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	var met learn.Sparsest
	begin := make(map[*learn.Result]float64)
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", trainer.Name()), func(ctx context.Context) {
		err = follow(trainer, p, func(from, to float64, r *learn.Result) bool {
			if !r.Report.Status.Limit() || len(r.Support) > 0 {
				met.Add(to, r)
				begin[r] = from
			}
			return true
		})
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	var points []PathPoint
	for c, r := range met.All() {
		f := t.single(p, r)
		f.params["c"] = c
		clf, report, err := t.finish(ctx, f)
		if err != nil {
			return nil, err
		}
		points = append(points, PathPoint{begin[r], c, clf, report})
	}
	if points == nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, trainer.Name())
	}
	return points, nil
}
