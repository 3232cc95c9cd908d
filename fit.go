package sparsekm

import (
	"context"
	"fmt"
	"runtime/pprof"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// training is a prepared set with a trainer. Nothing in it changes once it is prepared.
type training struct {
	*prepare.Prepared
	options  *Options
	spec     prepare.Spec
	trainer  learn.Trainer         // with the refit, if there is one
	kernelOf kernelMaker           // of each submodel; nil for the problem's kernel
	cancel   *prepare.CancelKernel // whoever made the training releases it
	values   []float64             // of categories, learnt beforehand; nil for none
	fold     []int                 // of each sample of the problem, to be held out by the training; nil for none
}

// trained is what trainings returned: the classifier's parts without what they were trained from.
type trained struct {
	parts     model.Parts
	status    status.Status
	submodels []learn.Trained
	params    map[string]float64
	values    []float64 // of categories, learnt with the model; nil for none
	decisions *learn.Decisions
	heldOut   []float64 // of each sample of the problem a row of decision values without its fold; nil for none
	bound     *assure.ErrorBound
}

// train prepares the set, trains, and makes the model and its report.
func (t *training) train(ctx context.Context, set *dataset.Set) (clf *Classifier, r *Report, f *trained, err error) {
	if err = t.prepare(ctx, set); err != nil {
		return nil, nil, nil, err
	}
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", t.spec.Method.Name), func(ctx context.Context) {
		switch {
		case t.spec.Coarse:
			f, err = t.bounded(ctx, set)
		case t.spec.Submodels > 1:
			f, err = t.several(ctx)
		default:
			f, err = t.one(ctx)
		}
	})
	if err != nil {
		return nil, nil, nil, t.cancel.Reason(t.spec.Method.Name, err)
	}
	clf, r, err = t.finish(ctx, f)
	return clf, r, f, err
}

// without trains on some rows, for the decision values of others. Kernels are released with the training itself.
func (t *training) without(ctx context.Context, rows []int) (*Classifier, error) {
	part := &training{options: t.options, spec: t.spec, cancel: t.cancel}
	s := &part.spec
	s.Calibrate, s.Conformal, s.Only, s.Resources.InUse = 0, Conformal{}, rows, t.Folds.InUse
	clf, _, _, err := part.train(ctx, t.Folds.Set)
	return clf, err
}

// prepare prepares the set.
func (t *training) prepare(ctx context.Context, set *dataset.Set) (err error) {
	if t.Prepared, err = prepare.Samples(ctx, set, &t.spec); err != nil {
		return err
	}
	o := *t.options
	if !t.spec.Coarse && t.Candidates == nil {
		o.Trainer = learn.ForSize(o.Trainer, t.Set.N)
	}
	t.options, t.trainer = &o, o.Trainer
	if o.Refit {
		if t.trainer, err = learn.Refitted(t.trainer); err != nil {
			return err
		}
	}
	t.Problem.Kernel = t.cancel.Wrap(t.Problem.Kernel)
	t.kernelOf = t.options.kernelOf(ctx, t.cancel)
	pairs := t.spec.Submodels > 1 && t.options.scheme() != model.OneVsRest
	if t.Problem.Coded != nil && (!t.spec.Method.Values || t.kernelOf != nil || pairs) {
		// The method does not learn values of categories with all submodels together: they are learnt beforehand.
		if t.values, err = learn.LearnValues(ctx, &t.Problem, len(t.Set.Labels)); err != nil {
			return err
		}
		t.Decode(t.values)
	}
	t.holdOut()
	return nil
}

// holdOut numbers the folds to calibrate on, where the training holds them out by itself. Samples of folds are the same
// numbers only if nothing is fitted to them before the training.
func (t *training) holdOut() {
	s := &t.spec
	if _, ok := t.trainer.(learn.HoldingOut); !ok || s.Calibrate == 0 || t.Problem.Task != learn.Classify ||
		s.Scale != dataset.ScaleNone || t.Candidates != nil || t.kernelOf != nil ||
		s.Kernel.HasGamma() && s.Kernel.Gamma == 0 || s.Values != 0 {
		return
	}
	t.fold = slices.Repeat([]int{-1}, t.Set.N)
	for k, split := range t.Folds.Splits {
		for _, i := range split.Test {
			t.fold[i] = k
		}
	}
}

// bounded trains with a bound of the error rate. If the context ends, the model is the best so far, without a bound if
// there was none.
func (t *training) bounded(ctx context.Context, set *dataset.Set) (*trained, error) {
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	b := &assure.Bounding{Bound: t.options.Bound, Method: t.spec.Method.Name, Samples: t.Prepared, Set: set,
		FixedGamma: t.spec.Kernel.Gamma != 0, Model: func(r *learn.Result) (*Classifier, error) {
			clf, _, failed := t.finish(ctx, t.single(p, r))
			return clf, failed
		}}
	r, bound, err := b.Smallest(ctx, func(see func(*learn.Result) (float64, error)) error {
		if several, ok := t.trainer.(learn.Several); ok && several.Leaves() {
			return several.Models(ctx, p, see)
		}
		r, failed := t.result(ctx, p)
		if failed == nil {
			_, failed = see(r)
		}
		return failed
	})
	if err != nil {
		return nil, err
	}
	f := t.single(p, r)
	if f.bound = bound; ctx.Err() != nil && f.status.Done() {
		f.status = status.FromContext(ctx)
	}
	return f, nil
}

// one trains the submodel of a model that has one, and finds the decision values of its folds if it can.
func (t *training) one(ctx context.Context) (f *trained, err error) {
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	var r *learn.Result
	var heldOut []float64
	if trainer, ok := t.trainer.(learn.HoldingOut); ok && t.fold != nil && ctx.Err() == nil {
		r, heldOut, err = trainer.TrainHeldOut(ctx, p, t.fold)
	} else {
		r, err = t.result(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	f = t.single(p, r)
	f.heldOut = heldOut
	return f, nil
}

// result trains the submodel.
func (t *training) result(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if ctx.Err() != nil && !prepare.OfSomeAsked(ctx) { // while γ was chosen
		return nil, learn.Nothing(ctx, t.spec.Method.Name)
	}
	return prepare.OrOfSome(ctx, t.trainer).Train(ctx, p)
}

// problem states the training of one submodel.
func (t *training) problem() (*learn.Problem, error) {
	p := t.Problem
	if t.kernelOf != nil {
		var err error
		if p.Kernel, err = t.kernelOf(&p); err != nil {
			return nil, err
		}
	}
	return t.WithCandidates(&p), nil
}

// single makes the parts of a classifier of one submodel, in the units of the targets.
func (t *training) single(p *learn.Problem, r *learn.Result) *trained {
	if p.Candidates != nil { // support vectors are no rows of the set
		r.Vectors, r.Support = p.Samples(r.Support), nil
	}
	known := r.Current()
	t.Undo(&r.Expansion)
	posterior := r.Posterior.Clone()
	if t.Target != nil {
		posterior = r.Posterior.Times(t.Target.Spread)
	}
	f := &trained{
		parts:     model.BinaryParts(r.KernelOf(p), t.Set.X, t.Set.D, r.Expansion),
		status:    r.Report.Status,
		submodels: []learn.Trained{{Submodel: learn.Submodel{Pos: 1, Neg: 0, Expansion: r.Expansion}, Report: r.Report}},
		params:    learn.ValuesOf(t.options.Trainer).Numbers(),
		values:    r.Values,
	}
	f.parts.Posterior = posterior
	if p.Candidates == nil && t.Set.N == t.Given && !p.Task.Real() && t.values == nil && !t.options.LearnWidths {
		f.decisions = known
	}
	if p.Task.Real() {
		for _, m := range []*learn.Submodel{&f.parts.Submodels[0], &f.submodels[0].Submodel} {
			m.Pos, m.Neg = 0, learn.Rest
		}
	}
	return f
}

// several trains the submodels of more than two classes.
func (t *training) several(ctx context.Context) (*trained, error) {
	scheme := t.options.scheme()
	p := &multiclass.Problem{
		Problem: *t.WithCandidates(&t.Problem), Classes: len(t.Set.Labels),
		KernelOf: t.kernelOf, Pairs: scheme != model.OneVsRest, Fold: t.fold,
	}
	trainer := t.trainer
	if t.fold == nil {
		trainer = prepare.OrOfSome(ctx, trainer)
	}
	r, err := multiclass.Train(ctx, trainer, p)
	if err != nil {
		return nil, err
	}
	if p.Candidates != nil {
		r.Vectors, r.Rows = p.Samples(r.Rows), nil
	}
	f := &trained{status: r.Status, submodels: r.Submodels, params: learn.ValuesOf(t.options.Trainer).Numbers(),
		values: r.Values, heldOut: r.Held}
	f.parts = model.Parts{
		Kernel: p.Kernel, Vectors: r.Vectors, N: len(r.Vectors) / max(1, p.D), D: p.D, Features: p.D, Scheme: scheme,
		Rows: r.Rows,
	}
	if r.Vectors == nil {
		f.parts.Vectors, f.parts.N = t.Set.Subset(r.Rows).X, len(r.Rows)
	}
	switch {
	case t.kernelOf != nil:
		f.parts.Kernel = *r.Submodels[0].Kernel
	case r.Kernel != nil:
		f.parts.Kernel = *r.Kernel
	}
	for i := range f.submodels {
		m := &f.submodels[i]
		f.parts.Submodels = append(f.parts.Submodels, m.Submodel)
		if r.Vectors == nil {
			m.Support = prepare.Rows(r.Rows).Original(m.Support)
		}
	}
	return f, nil
}

// finish undoes the preparation, and makes the classifier and the report. A limit that left a submodel without a
// vector is an error: nothing was learnt, and a classifier with one answer must not pass for a result.
func (t *training) finish(ctx context.Context, f *trained) (*Classifier, *Report, error) {
	p := &f.parts
	for _, m := range f.submodels {
		if st := m.Report.Status; st.Limit() && m.Empty() {
			if ctx.Err() != nil {
				return nil, nil, learn.Nothing(ctx, t.spec.Method.Name)
			}
			return nil, nil, fmt.Errorf("%s: %v before anything was learnt", t.spec.Method.Name, st)
		}
	}
	if err := finite(t.spec.Method.Name, f.submodels); err != nil {
		return nil, nil, err
	}
	for i := range f.submodels {
		t.cancel.Void(&f.submodels[i].Report)
		if p.Vectors == nil || p.Rows != nil { // else they are places among the vectors
			f.submodels[i].Support = t.Rows.Original(f.submodels[i].Support)
		}
	}
	p.Task, p.Labels, p.Scaling, p.Rows = t.spec.Task, t.labels(), t.Scaling, t.Rows.Original(p.Rows)
	p.Columns = t.Set.Columns.Clone()
	values := slices.Concat(t.values, f.values)
	p.Columns.EachValued(func(c *dataset.Column, _, part int) {
		n := len(c.Categories)
		values = values[copy(c.Values[part*n:(part+1)*n], values):]
	})
	p.Method, p.Params, p.Trained = t.spec.Method.Name, f.params, t.Set.N
	p.ZeroBased = t.Set.ZeroBased && !p.Kernel.Indexed()
	if t.spec.Calibrate == 0 {
		p.Platt = native(f.submodels)
	}
	if t.Sparse != nil {
		p.Kernel, p.Sparse, p.Vectors = p.Kernel.Off(), t.Vectors(p.Vectors[:p.N]), nil
		p.D, p.Features = t.D(), t.D()
	}
	clf, err := model.New(*p)
	if err != nil {
		return nil, nil, err
	}
	r := &Report{
		Method: t.spec.Method.Name, N: t.Given, D: t.D(), Task: p.Task, Target: t.Target, Labels: p.Labels, Kernel: p.Kernel,
		Scheme: p.Scheme, Support: p.Rows, NumVectors: p.N, Status: t.cancel.Status(f.status), Submodels: f.submodels,
		Decisions: f.decisions, Bound: f.bound,
	}
	r.Constant = !slices.ContainsFunc(f.submodels, func(m learn.Trained) bool { return !m.Empty() })
	if p.Rows == nil {
		r.Vectors = p.Vectors
	}
	return clf, r, nil
}

// native returns the parameters of probabilities that the method itself knows; nil unless it knows those of
// every submodel. A decision value of 0 has probability one half, so labels and probabilities agree.
func native(submodels []learn.Trained) (p []model.Platt) {
	for _, m := range submodels {
		if m.Report.Slope == nil {
			return nil
		}
		p = append(p, model.Platt{A: -*m.Report.Slope})
	}
	return p
}

// labels are the classifier's.
func (t *training) labels() []string {
	switch t.spec.Task {
	case learn.Regress, learn.Density:
		return nil
	case learn.OneClass:
		return model.OneClassLabels()
	}
	return t.Set.Labels
}

// finite refuses models whose numbers overflowed, and says what the user can change.
func finite(method string, submodels []learn.Trained) error {
	for _, m := range submodels {
		if !m.Finite() {
			return fmt.Errorf("%s: numbers of the training are larger than double precision holds, so there is no model: "+
				"scale the features, or choose C, weights and the kernel's parameters nearer to 1", method)
		}
	}
	return nil
}
