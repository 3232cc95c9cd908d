package sparsekm

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/prepare"
)

// calibration is the cross-validation behind a classifier's probabilities.
type calibration struct {
	options Options // of a fold's training
	set     *dataset.Set
	rows    prepare.Rows
	folds   []dataset.Split // of the samples that are present
}

// newCalibration assigns the samples that are present to folds; it returns nil if none were asked for.
func newCalibration(o *Options, s *prepare.Spec, from *prepare.Selected) (*calibration, error) {
	k := o.Calibrate
	if k == 0 {
		return nil, nil
	}
	if k < 2 {
		return nil, fmt.Errorf("sparsekm: %d folds to calibrate on, want at least 2", k)
	}
	c := &calibration{options: *o, set: from.Set, rows: from.Rows}
	c.options.Kernel, c.options.Calibrate, c.options.Part = s.Kernel, 0, nil
	present := &dataset.Set{N: c.set.N, Y: c.set.Y, Labels: c.set.Labels, Groups: c.set.Groups}
	if c.rows != nil {
		present.N, present.Y = len(c.rows), make([]int, len(c.rows))
		for i, row := range c.rows {
			present.Y[i] = c.set.Y[row]
		}
		if c.set.Groups != nil {
			present.Groups = c.set.Subset(c.rows).Groups
		}
	}
	for class, n := range present.Counts() {
		if n < k {
			return nil, fmt.Errorf("sparsekm: %d samples of class %s, want at least one for each of %d folds to calibrate on",
				n, c.set.Labels[class], k)
		}
	}
	var err error
	if c.folds, err = present.Folds(k, 1); err != nil {
		return nil, err
	}
	// A fold's samples, their classes and numbers; the classifier that waits, which may have every sample, as rows and
	// packed; and decision values.
	n, d, m := int64(c.set.N), int64(from.Width()), int64(s.Submodels)
	c.options.InUse = from.InUse + 8*n*(d+3) + 8*n*(2*d+2*m+2) + 8*n*m
	r := s.Resources
	r.InUse = c.options.InUse + from.Copies
	b, need := r.Budget(o.Trainer.Name(), present.N, from.Width()), int64(0)
	if m == 1 {
		need = o.Trainer.EstimateMemory(len(c.folds[0].Train), from.Width())
	}
	return c, b.Take(need)
}

// calibrate returns the classifier with Platt's parameters for the decisions that each sample gets from a training
// without its fold. When the context ends first it returns the classifier as it is.
func (t *training) calibrate(ctx context.Context, clf *Classifier) (*Classifier, error) {
	c, m := t.calibration, clf.NumSubmodels()
	o := c.options
	o.Kernel = t.cancel.Wrap(o.Kernel) // a fold's training has released its own when its decision values are asked for
	if of := o.KernelOf; of != nil {
		o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) {
			k, err := of(p)
			return t.cancel.Wrap(k), err
		}
	}
	var class []int
	decisions := make([]float64, 0, c.set.N*m)
	for k, fold := range c.folds {
		train, test := c.rows.Original(fold.Train), c.rows.Original(fold.Test)
		if t.options.SampleWeight != nil {
			o.SampleWeight = make([]float64, len(train))
			for i, row := range train {
				o.SampleWeight[i] = t.options.SampleWeight[row]
			}
		}
		without, _, err := Train(ctx, c.set.Subset(train), o)
		switch {
		case ctx.Err() != nil:
			return clf, nil
		case err != nil:
			return nil, fmt.Errorf("calibration, fold %d of %d: %w", k+1, len(c.folds), err)
		}
		at := len(decisions)
		decisions = decisions[:at+len(test)*m]
		err = without.EachBatch(ctx, len(test), func(lo, n int) {
			part := c.set.Subset(test[lo : lo+n])
			without.DecideSet(decisions[at+lo*m:at+(lo+n)*m], part, 0, n, o.Threads)
			class = append(class, part.Y...)
		})
		if err != nil {
			return clf, nil
		}
	}
	fitted, err := clf.CalibrateOn(ctx, class, decisions)
	if ctx.Err() != nil {
		return clf, nil
	}
	return fitted, err
}
