package modelselect

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// view is all samples of two classes as a split sees them: scaled by its training part where the setting asks for that.
// Runs that have the same view share kernel matrices, and what depends on all samples.
type view struct {
	once    sync.Once
	problem *learn.Problem
	part    *dataset.Set // the training part, whose samples choose γ; nil where no run does so
}

// viewKey says which runs have the same view.
type viewKey struct {
	split  int // −1 for all
	scale  dataset.ScaleKind
	weight string // of classes
}

// decided trains a setting on the training part of a split for decision values of all samples, without a model. It
// returns nil where a run needs one, and where the method has no such values.
func (e *evaluation) decided(ctx context.Context, split int, s *Setting) *learn.Decided {
	o := &s.Options
	t, ok := o.Trainer.(learn.Deciding)
	if !ok || e.shared == 0 || e.Metric == Bound || s.Search != nil || s.Finish != nil || !plain(o) {
		return nil
	}
	v, one := e.viewOf(ctx, split, o), o.Scale != dataset.ScaleNone || o.Kernel.Gamma == 0
	if v.problem == nil {
		return nil
	}
	p := *v.problem
	p.Kernel = o.Kernel
	if p.Kernel.Gamma == 0 {
		rule := o.Gamma
		if rule == nil {
			rule = sparsekm.GammaScale
		}
		p.Kernel.Gamma = rule(v.part)
	}
	return t.DecideAll(ctx, &p, e.splits[split].Train, one)
}

// plain reports whether options train one model on samples as a view has them.
func plain(o *sparsekm.Options) bool {
	fits := o.Refit || o.LearnWidths || o.CategoryValues > 0 || o.Calibrate != 0 || o.Conformal != (sparsekm.Conformal{}) ||
		o.Bound != (sparsekm.Bound{})
	reads := o.KernelOf != nil || !o.Kernel.HasGamma() || o.RoundScaled || o.Scale == dataset.ScaleAuto
	return !fits && !reads && o.SampleWeight == nil && o.Soft == nil
}

// viewOf returns the view of a setting on a split.
func (e *evaluation) viewOf(ctx context.Context, split int, o *sparsekm.Options) *view {
	if o.Scale == dataset.ScaleNone && o.Kernel.Gamma != 0 {
		split = -1 // all splits have one
	}
	key := viewKey{split, o.Scale, fmt.Sprint(o.ClassWeight)}
	e.mu.Lock()
	v := e.views[key]
	if v == nil {
		v = new(view)
		e.views[key] = v
	}
	e.mu.Unlock()
	v.once.Do(func() { v.make(ctx, e, split, o) })
	return v
}

func (v *view) make(ctx context.Context, e *evaluation, split int, o *sparsekm.Options) {
	set, bytes := *e.set, e.shared/2 // for the one of all splits, or for those of the splits at work
	if split >= 0 {
		bytes /= int64(e.workers) + 1
		part := set.Subset(e.splits[split].Train)
		scaling, err := dataset.Fit(ctx, part, o.Scale)
		if err != nil {
			return
		}
		if scaling != nil {
			set.X = slices.Clone(set.X[:set.N*set.D])
			if scaling.ApplyInPlace(ctx, &set) != nil {
				return
			}
			part = set.Subset(e.splits[split].Train)
		}
		v.part = part
	}
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: set.RestSigns(1), Kernel: gram.RBF(1),
		Resources: learn.Resources{Threads: 1, Memory: e.memory}}
	for label, w := range o.ClassWeight {
		c := slices.Index(set.Labels, label)
		if c < 0 || !(w > 0) {
			return // an error, or samples that are absent
		}
		if p.Weight == nil {
			p.Weight = slices.Repeat([]float64{1}, set.N)
		}
		for i, y := range set.Y {
			if y == c {
				p.Weight[i] = w
			}
		}
	}
	p = p.Scanned()
	if p.Validate() != nil {
		return
	}
	p.Shared, v.problem = &learn.SharedSet{Bytes: bytes}, p
}

// ended says that so many runs of a split are done. After the last of them its views are forgotten.
func (e *evaluation) ended(split, runs int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left[split] -= runs; e.left[split] > 0 {
		return
	}
	for key := range e.views {
		if key.split == split {
			delete(e.views, key)
		}
	}
}

// decided counts on the test part, and on some samples of the training part.
func (r *Run) decided(e *evaluation, sp *dataset.Split, s *Setting, d *learn.Decided) error {
	clf, err := model.New(model.Parts{Kernel: gram.RBF(1), D: e.set.D, Labels: e.set.Labels, Method: s.Options.Trainer.Name(),
		Submodels: []learn.Submodel{{Pos: 1}}})
	if err != nil {
		return err
	}
	r.Status, r.Vectors = d.Status.String(), d.Vectors
	test := &dataset.Set{N: len(sp.Test), Labels: e.set.Labels, Y: deal.Pick(e.set.Y, sp.Test),
		Groups: deal.Pick(e.set.Groups, sp.Test)}
	p := &predict.Predictions{Model: clf, N: test.N, Decisions: deal.Pick(d.Values, sp.Test), Classes: make([]int, test.N)}
	clf.Classes(p.Classes, p.Decisions, p.N)
	if e.Options.Decisions {
		r.Samples = &sampleLosses{units: unitsOf(e.set, sp.Test)}
	}
	if err = r.counted(clf, test, p, e.Options.Decisions); err != nil {
		return err
	}
	var losses []float64
	one, class := make([]float64, 1), make([]int, 1)
	for k := 0; k < len(sp.Train); k += 1 + (len(sp.Train)-1)/fittedSamples {
		i, loss := sp.Train[k], 0.0
		one[0] = d.Values[i]
		if clf.Classes(class, one, 1); class[0] != e.set.Y[i] {
			loss = 1
		}
		losses = append(losses, loss)
	}
	loss := stat.Mean(losses, nil)
	r.Fitted = &loss
	return nil
}
