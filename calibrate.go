package sparsekm

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// calibration is the cross-validation behind a classifier's probabilities.
type calibration struct {
	options Options // the caller's, for a fold's training
	set     *dataset.Set
	rows    []int           // of the set, that are present; nil for all
	folds   []dataset.Split // of the present rows
}

// newCalibration deals the present points to the folds that were asked for, nil for none.
func (t *task) newCalibration() (*calibration, error) {
	k := t.Calibrate
	if k == 0 {
		return nil, nil
	}
	if k < 2 {
		return nil, fmt.Errorf("sparsekm: %d folds to calibrate on, want at least 2", k)
	}
	c := &calibration{options: t.Options, set: t.set, rows: t.rows}
	c.options.Calibrate, c.options.Part = 0, nil
	present := &dataset.Set{N: t.set.N, Y: t.set.Y, Labels: t.set.Labels, Groups: t.set.Groups}
	if c.rows != nil {
		present.N, present.Y = len(c.rows), make([]int, len(c.rows))
		for i, row := range c.rows {
			present.Y[i] = t.set.Y[row]
		}
		if t.set.Groups != nil {
			present.Groups = t.set.Subset(c.rows).Groups
		}
	}
	for class, n := range present.Counts() {
		if n < k {
			return nil, fmt.Errorf("sparsekm: %d points of class %s, want at least one for each of %d folds to calibrate on",
				n, t.set.Labels[class], k)
		}
	}
	var err error
	if c.folds, err = present.Folds(k, 1); err != nil {
		return nil, err
	}
	// A fold's points, their classes and numbers; the classifier that waits, which may have every point, as rows and
	// packed; and decisions.
	n, d, m := int64(t.set.N), int64(t.stored()), int64(t.machines())
	c.options.InUse += 8*n*(d+3) + 8*n*(2*d+2*m+2) + 8*n*m
	r := c.options.resources()
	r.InUse += t.bytes()
	b, need := r.Budget(t.Trainer.Name(), present.N, t.stored()), int64(0)
	if m == 1 {
		need = t.Trainer.EstimateMemory(len(c.folds[0].Train), t.stored())
	}
	return c, b.Take(need)
}

// machines is the number of decisions for a point.
func (t *task) machines() int {
	k := len(t.set.Labels)
	switch {
	case t.task != learn.Classify, k == 2:
		return 1
	case t.scheme() == model.OneVsRest:
		return k
	}
	return k * (k - 1) / 2
}

// calibrate returns the classifier with Platt's parameters for the decisions that each point gets from a training
// without its fold. When the context ends first it returns the classifier as it is.
func (t *task) calibrate(ctx context.Context, clf *Classifier) (*Classifier, error) {
	c, m := t.calibration, clf.NumSubmodels()
	o := c.options
	o.Kernel = t.brake.on(o.Kernel) // a fold's training has let go of its own brake when its decisions are asked for
	if of := o.KernelOf; of != nil {
		o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) {
			k, err := of(p)
			return t.brake.on(k), err
		}
	}
	var class []int
	decisions := make([]float64, 0, c.set.N*m)
	for k, fold := range c.folds {
		train, test := c.original(fold.Train), c.original(fold.Test)
		if t.SampleWeight != nil {
			o.SampleWeight = make([]float64, len(train))
			for i, row := range train {
				o.SampleWeight[i] = t.SampleWeight[row]
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

// original returns where present rows are in the caller's set.
func (c *calibration) original(rows []int) []int {
	if c.rows == nil {
		return rows
	}
	o := make([]int, len(rows))
	for k, i := range rows {
		o[k] = c.rows[i]
	}
	return o
}
