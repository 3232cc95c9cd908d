package sparsekm

import (
	"context"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/status"
)

// Train trains a classifier on the set, or a model for its real values, or for its samples alone: see [TaskOf]. The
// context's end stops the training, which is no error if something was learnt: the classifier is the best so far and
// Report.Status says why it stopped. Else the context's error is in the chain.
// A context that ends while probabilities are fitted leaves a classifier without them.
// Other errors are for sets, kernels and parameters that cannot be trained with:
// [learn.ErrOneClass], [*learn.BudgetError] and [*learn.ParamError] among them.
//
// The same set and options give the same classifier bit for bit for any number of
// threads, at one level of the processor's instructions.
func Train(ctx context.Context, set *dataset.Set, o Options) (*Classifier, *Report, error) {
	t, err := newTask(ctx, set, o)
	if err != nil {
		return nil, nil, err
	}
	defer t.brake.release()
	var f *found
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", o.Trainer.Name()), func(ctx context.Context) {
		if t.machines() > 1 {
			f, err = t.several(ctx)
		} else {
			f, err = t.one(ctx)
		}
	})
	if err != nil {
		return nil, nil, t.brake.reason(o.Trainer.Name(), err)
	}
	clf, report, err := t.finish(ctx, f)
	if err != nil || t.calibration == nil {
		return clf, report, err
	}
	if ctx.Err() == nil {
		if clf, err = t.calibrate(ctx, clf); err != nil {
			return nil, nil, err
		}
	}
	if clf.Calibrated() != nil && report.Status.Done() {
		report.Status = status.FromContext(ctx)
	}
	return clf, report, nil
}
