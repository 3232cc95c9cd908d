package sparsekm

import (
	"context"

	"github.com/sparsekm/sparsekm/dataset"
	_ "github.com/sparsekm/sparsekm/internal/fileformat/zipped" // .npz
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/status"
)

// Train trains a classifier on the set, or a regression model, or a model of the samples alone: see [TaskOf].
//
// If the context ends, training stops. That is no error if something was learnt: the classifier is the best so far,
// and Report.Status says why training stopped. Otherwise the context's error is in the chain. A context that ends
// while probabilities or prediction sets are fitted leaves a classifier without them.
// Other errors are for sets, kernels and parameters that cannot be trained with:
// [learn.ErrOneClass], [*learn.BudgetError] and [*learn.ParamError] among them.
//
// The same set and options give the same classifier bit for bit for any number of
// threads, at one level of the processor's instructions.
func Train(ctx context.Context, set *dataset.Set, o Options) (*Classifier, *Report, error) {
	spec, err := o.specFor(set)
	if err != nil {
		return nil, nil, err
	}
	t := &training{options: &o, spec: spec, cancel: prepare.NewCancelKernel(ctx)}
	defer t.cancel.Release()
	clf, r, f, err := t.train(ctx, set)
	if err != nil || t.Folds == nil {
		return clf, r, err
	}
	before := clf
	if f.heldOut != nil {
		if clf, err = clf.CalibrateOn(ctx, t.Set.Y, f.heldOut); ctx.Err() != nil {
			clf, err = before, nil
		}
	} else {
		clf, err = assure.Calibrate(ctx, t.Folds, o.Conformal, clf, o.Threads, t.without)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.Calibrate == 0 && o.Conformal.Folds == 0 {
		r.Held = t.Folds.Rest
	}
	if clf == before && r.Status.Done() {
		r.Status = status.FromContext(ctx)
	}
	return clf, r, nil
}
