package sparsekm

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/prepare"
)

// calibrate returns the classifier with Platt's parameters for the decisions that each sample gets from a training
// without its fold; the only sample of its class gets those of the classifier. When the context ends first it returns
// the classifier as it is.
func (t *training) calibrate(ctx context.Context, clf *Classifier) (*Classifier, error) {
	c, m := t.Folds, clf.NumSubmodels()
	o := t.options
	o.Calibrate, o.InUse = 0, c.InUse
	// A fold's training has released its own kernel when its decision values are asked for.
	o.Kernel = t.cancel.Wrap(t.spec.Kernel)
	if of := o.KernelOf; of != nil {
		o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) {
			k, err := of(p)
			return t.cancel.Wrap(k), err
		}
	}
	var class []int
	decisions := make([]float64, 0, c.Set.N*m)
	decide := func(by *Classifier, rows []int) error {
		at := len(decisions)
		decisions = decisions[:at+len(rows)*m]
		return by.EachBatch(ctx, len(rows), func(lo, n int) {
			part := c.Set.Subset(rows[lo : lo+n])
			by.DecideSet(decisions[at+lo*m:at+(lo+n)*m], part, 0, n, o.Threads)
			class = append(class, part.Y...)
		})
	}
	for k, fold := range c.Splits {
		if len(fold.Test) == 0 {
			continue
		}
		train, test := c.Rows.Original(fold.Train), c.Rows.Original(fold.Test)
		if t.options.SampleWeight != nil {
			o.SampleWeight = make([]float64, len(train))
			for i, row := range train {
				o.SampleWeight[i] = t.options.SampleWeight[row]
			}
		}
		o.Shared = t.Problem.Shared.Part(fold.Train)
		without, _, err := Train(ctx, c.Set.Subset(train), o)
		switch {
		case ctx.Err() != nil:
			return clf, nil
		case err != nil:
			return nil, fmt.Errorf("calibration, fold %d of %d: %w", k+1, len(c.Splits), err)
		}
		if err = decide(without, test); err != nil {
			return clf, nil
		}
	}
	if err := decide(clf, lone(c)); err != nil {
		return clf, nil
	}
	fitted, err := clf.CalibrateOn(ctx, class, decisions)
	if ctx.Err() != nil {
		return clf, nil
	}
	return fitted, err
}

// calibrateOn returns the classifier with Platt's parameters for the decision values of samples that the training held
// out. When the context ends first it returns the classifier as it is.
func (t *training) calibrateOn(ctx context.Context, clf *Classifier, held []float64) (*Classifier, error) {
	fitted, err := clf.CalibrateOn(ctx, t.Set.Y, held)
	if ctx.Err() != nil {
		return clf, nil
	}
	return fitted, err
}

// foldOf returns the fold of each sample that is present, −1 for those that no fold leaves out.
func foldOf(c *prepare.Folds) []int {
	fold := slices.Repeat([]int{-1}, len(c.Splits[0].Train)+len(c.Splits[0].Test))
	for k, split := range c.Splits {
		for _, i := range split.Test {
			fold[i] = k
		}
	}
	return fold
}

// lone returns the rows that no fold leaves out: those of classes with one sample.
func lone(c *prepare.Folds) (rows []int) {
	tested := make([]bool, len(c.Splits[0].Train)+len(c.Splits[0].Test))
	for _, fold := range c.Splits {
		for _, i := range fold.Test {
			tested[i] = true
		}
	}
	for i, in := range tested {
		if !in {
			rows = append(rows, i)
		}
	}
	return c.Rows.Original(rows)
}
