package modelselect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// view is all samples as a split sees them: scaled by its training part where the setting asks for that. Runs that have
// the same view share kernel matrices, and what depends on all samples.
type view struct {
	once      sync.Once
	problem   *learn.Problem // of the first submodel
	y         [][]float64    // targets of each submodel
	of        [][]int        // rows that it is of
	submodels []learn.Submodel
	part      *dataset.Set // the training part, whose samples choose γ; nil where no run does so
	unit      prepare.TargetScale
}

// viewKey says which runs have the same view.
type viewKey struct {
	split  int // −1 for all
	scale  dataset.ScaleKind
	round  bool
	target bool // its scale
	pairs  bool
	weight string // of classes and samples
}

// decided is a training for decision values of all samples, a row for each, without a model.
type decided struct {
	*view
	values  []float64
	vectors int
	status  status.Status
}

// decide trains a setting on the training part of a split for decision values of all samples. It returns nil where a
// run needs a model, and where the method has no such values.
func (e *evaluation) decide(ctx context.Context, split int, s *Setting) *decided {
	if e.shared == 0 || e.Metric == Bound || !s.decides(e.set) {
		return nil
	}
	o := &s.Options
	v, alone := e.viewOf(ctx, split, o), o.Scale != dataset.ScaleNone || o.Kernel.Gamma == 0
	kernel, train := o.Kernel, e.splits[split].Train
	if v.problem == nil {
		return nil
	}
	if kernel.Gamma == 0 {
		rule := o.Gamma
		if rule == nil {
			rule = sparsekm.GammaScale
		}
		kernel.Gamma = rule(v.part)
	}
	p, k := *v.problem, len(v.submodels)
	p.Kernel = kernel
	d := &decided{view: v, values: make([]float64, k*p.N), status: status.Optimal}
	used := make([]bool, p.N)
	for i, m := range v.submodels {
		p.Y = v.y[i]
		rows := train
		if len(v.of[i]) < p.N {
			rows = ofPair(e.set.Y, train, m.Pos, m.Neg)
		}
		one := o.Trainer.(learn.Deciding).DecideAll(ctx, &p, rows, v.of[i], alone)
		if one == nil {
			return nil
		}
		for r, f := range one.Values {
			d.values[r*k+i] = f*v.unit.Spread + v.unit.Center
			if one.Used[r] && !used[r] {
				used[r] = true
				d.vectors++
			}
		}
		if d.status.Done() {
			d.status = one.Status
		}
	}
	return d
}

// decides reports whether the setting trains one model on samples as a view has them, by a method that decides.
func (s *Setting) decides(set *dataset.Set) bool {
	o := &s.Options
	if _, ok := o.Trainer.(learn.Deciding); !ok || s.Search != nil || s.Finish != nil {
		return false
	}
	task, err := s.task(set)
	weighs, scales := len(o.ClassWeight) > 0 || set.Weights != nil, o.ScaleTarget
	fits := o.Refit || o.LearnWidths || o.CategoryValues > 0 || o.Calibrate != 0 || o.Conformal != (sparsekm.Conformal{}) ||
		o.Bound != (sparsekm.Bound{})
	reads := o.KernelOf != nil || !o.Kernel.HasGamma() || o.Scale == dataset.ScaleAuto || o.Validation != nil ||
		o.Candidates != nil || o.Soft != nil
	real := task == learn.Regress
	takes := real && !weighs || !real && !scales && len(set.Labels) > 1
	return err == nil && !fits && !reads && takes && set.Sparse == nil
}

// viewOf returns the view of a setting on a split.
func (e *evaluation) viewOf(ctx context.Context, split int, o *sparsekm.Options) *view {
	if o.Scale == dataset.ScaleNone && o.Kernel.Gamma != 0 && !o.ScaleTarget {
		split = -1 // all splits have one
	}
	pairs := len(e.set.Labels) > 2 && cmp.Or(o.Scheme, model.OneVsRest) != model.OneVsRest
	weight := fmt.Sprintf("%v %p", o.ClassWeight, o.SampleWeight)
	key := viewKey{split, o.Scale, o.RoundScaled, o.ScaleTarget, pairs, weight}
	e.mu.Lock()
	v := e.views[key]
	if v == nil {
		v = new(view)
		e.views[key] = v
	}
	e.mu.Unlock()
	v.once.Do(func() { v.make(ctx, e, &key, o) })
	return v
}

// make makes the problems. There are none where a training says what is wrong, or leaves samples out.
func (v *view) make(ctx context.Context, e *evaluation, key *viewKey, o *sparsekm.Options) {
	set, bytes := *e.set, e.shared/2 // for the one of all splits, or for those of the splits at work
	v.unit.Spread = 1
	if key.split >= 0 {
		bytes /= int64(e.workers) + 1
		part := set.Subset(e.splits[key.split].Train)
		scaling, err := dataset.Fit(ctx, part, o.Scale)
		if err != nil {
			return
		}
		if scaling != nil {
			set.X = slices.Clone(set.X[:set.N*set.D])
			if scaling.ApplyInPlace(ctx, &set) != nil {
				return
			}
			for i, x := range set.X {
				if o.RoundScaled {
					set.X[i] = float64(float32(x))
				}
			}
			part = set.Subset(e.splits[key.split].Train)
		}
		v.part = part
		if o.ScaleTarget {
			if v.unit, err = prepare.ScaleOf(part.Targets); err != nil {
				return
			}
		}
	}
	weight, err := prepare.Weights(&set, o.SampleWeight, o.ClassWeight)
	if err != nil || slices.Contains(weight, 0) {
		return
	}
	v.split(&set, key.pairs)
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: v.y[0], Weight: weight, Kernel: gram.RBF(1),
		Resources: learn.Resources{Threads: 1, Memory: e.memory}}
	if set.Targets != nil {
		p.Task = learn.Regress
	}
	if p = p.Scanned(); p.Validate(p.Task) == nil {
		p.Shared, v.problem = &learn.SharedSet{Bytes: bytes}, p
	}
}

// split finds the targets of each submodel, and the rows that it is of.
func (v *view) split(set *dataset.Set, pairs bool) {
	classes := len(set.Labels)
	for pos := range max(1, classes) {
		for neg := pos + 1; pairs && neg < classes; neg++ {
			v.submodels = append(v.submodels, learn.Submodel{Pos: pos, Neg: neg})
		}
		if classes != 2 && !pairs {
			v.submodels = append(v.submodels, learn.Submodel{Pos: pos, Neg: learn.Rest})
		}
	}
	if classes == 2 {
		v.submodels = []learn.Submodel{{Pos: 1}}
	}
	every := deal.All(set.N)
	for _, m := range v.submodels {
		y, of := v.unit.To(set.Targets), every
		if set.Targets == nil {
			y = set.RestSigns(m.Pos)
		}
		if pairs {
			of = ofPair(set.Y, every, m.Pos, m.Neg)
		}
		v.y = append(v.y, y)
		v.of = append(v.of, of)
	}
}

// ofPair are the rows of two classes.
func ofPair(y, rows []int, pos, neg int) (of []int) {
	for _, i := range rows {
		if y[i] == pos || y[i] == neg {
			of = append(of, i)
		}
	}
	return of
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
func (r *Run) decided(e *evaluation, sp *dataset.Split, s *Setting, d *decided) error {
	o, k := &s.Options, len(d.submodels)
	parts := model.Parts{Kernel: gram.RBF(1), D: e.set.D, Task: d.problem.Task, Labels: e.set.Labels, Method: o.Trainer.Name(),
		Submodels: d.submodels}
	if len(e.set.Labels) > 2 {
		parts.Scheme = cmp.Or(o.Scheme, model.OneVsRest)
	}
	clf, err := model.New(parts)
	if err != nil {
		return err
	}
	r.Status, r.Vectors = d.status.String(), d.vectors
	predicted := func(rows []int) (*dataset.Set, *predict.Predictions) {
		set := &dataset.Set{N: len(rows), Labels: e.set.Labels, Y: deal.Pick(e.set.Y, rows), Targets: deal.Pick(e.set.Targets, rows),
			Groups: deal.Pick(e.set.Groups, rows)}
		p := &predict.Predictions{Model: clf, N: set.N}
		for _, i := range rows {
			p.Decisions = append(p.Decisions, d.values[i*k:(i+1)*k]...)
		}
		if e.set.Targets == nil {
			p.Classes = make([]int, p.N)
			clf.Classes(p.Classes, p.Decisions, p.N)
		}
		return set, p
	}
	test, p := predicted(sp.Test)
	if e.Options.Decisions {
		r.Samples = &sampleLosses{units: unitsOf(e.set, sp.Test)}
	}
	if err = r.counted(clf, test, p, e.Options.Decisions); err != nil {
		return err
	}
	r.fit(predicted(someOf(sp.Train)))
	return nil
}
