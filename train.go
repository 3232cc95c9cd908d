package sparsekm

import (
	"context"
	"fmt"
	"runtime/pprof"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/learn/prepare"
	"github.com/sparsekm/sparsekm/model"
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
	if o.Conformal != (Conformal{}) {
		return trainConformal(ctx, set, o)
	}
	t, err := newTraining(ctx, set, o)
	if err != nil {
		return nil, nil, err
	}
	defer t.cancel.Release()
	var r *trained
	var clf *Classifier
	var report *Report
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", t.name), func(ctx context.Context) {
		switch {
		case o.Bound != (Bound{}):
			clf, report, err = t.bounded(ctx, set)
		case t.spec.Submodels > 1:
			r, err = t.several(ctx)
		default:
			r, err = t.one(ctx)
		}
	})
	if err != nil {
		return nil, nil, t.cancel.Reason(t.name, err)
	}
	if r != nil {
		clf, report, err = t.finish(ctx, r)
	}
	if err != nil || t.Folds == nil {
		return clf, report, err
	}
	if ctx.Err() == nil {
		if r != nil && r.held != nil {
			clf, err = t.calibrateOn(ctx, clf, r.held)
		} else {
			clf, err = t.calibrate(ctx, clf)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if clf.Calibrated() != nil && report.Status.Done() {
		report.Status = status.FromContext(ctx)
	}
	return clf, report, nil
}

// training is a prepared set with a trainer. Nothing in it changes once [newTraining] has returned it.
type training struct {
	*prepare.Prepared
	options  Options
	spec     prepare.Spec
	trainer  learn.Trainer         // with the refit, if there is one
	kernelOf kernelMaker           // of each submodel; nil for the problem's kernel
	cancel   *prepare.CancelKernel // whoever made the training releases it
	name     string                // of the method
	given    int                   // samples of the caller's set
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
	held      []float64 // of each sample of the problem a row of decision values without its fold; nil for none
}

func newTraining(ctx context.Context, set *dataset.Set, o Options) (*training, error) {
	spec, err := o.validated(set)
	if err != nil {
		return nil, err
	}
	t := &training{options: o, spec: spec, trainer: o.Trainer, cancel: prepare.NewCancelKernel(ctx),
		name: o.Trainer.Name(), given: set.N}
	if o.Refit {
		if t.trainer, err = learn.Refitted(o.Trainer); err != nil {
			return nil, err
		}
	}
	if t.Prepared, err = prepare.Samples(ctx, set, &spec); err != nil {
		return nil, err
	}
	t.Problem.Kernel = t.cancel.Wrap(t.Problem.Kernel)
	t.kernelOf = o.kernelOf(ctx, t.cancel)
	t.share()
	return t, t.learnValues(ctx)
}

// share settles with what the samples share kernel values: with what the options say, or with the folds to calibrate
// on. Samples of folds are the same numbers only if nothing is fitted to them before the training.
func (t *training) share() {
	p, o := &t.Problem, &t.options
	if p.Task != learn.Classify || o.Scale != dataset.ScaleNone || t.Candidates != nil || t.kernelOf != nil ||
		t.spec.Kernel.HasGamma() && t.spec.Kernel.Gamma == 0 || o.CategoryValues != 0 {
		return
	}
	if _, ok := t.trainer.(learn.HoldingOut); ok && t.Folds != nil && o.Bound == (Bound{}) && o.Shared == nil {
		t.fold = foldOf(t.Folds)
		return
	}
	if t.Rows != nil || t.Sparse != nil || t.spec.Kernel.Gamma == 0 {
		return
	}
	p.Shared = o.Shared
	if t.Folds == nil {
		return
	}
	var y []float64
	if t.spec.Submodels == 1 {
		y = p.Y
	}
	before := p.InUse
	p.Share(t.trainer, y)
	t.Folds.InUse += p.InUse - before
}

// learnValues learns values of categories beforehand, unless the method learns them with all submodels together.
func (t *training) learnValues(ctx context.Context) (err error) {
	pairs := t.spec.Submodels > 1 && t.options.scheme() != model.OneVsRest
	if t.Problem.Coded == nil || t.spec.Method.Values && t.kernelOf == nil && !pairs {
		return nil
	}
	if t.values, err = learn.LearnValues(ctx, &t.Problem, len(t.Set.Labels)); err == nil {
		t.Decode(t.values)
	}
	return err
}

// validated is the spec for a set that is valid itself.
func (o *Options) validated(set *dataset.Set) (s prepare.Spec, err error) {
	if o.Trainer == nil {
		panic("sparsekm: Options.Trainer is nil")
	}
	if set == nil {
		panic("sparsekm: the set is nil")
	}
	if err = set.Validate(); err != nil {
		return s, err
	}
	return o.specFor(set)
}

// one trains the submodel of a model that has one.
func (t *training) one(ctx context.Context) (*trained, error) {
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	if tr, ok := t.trainer.(learn.HoldingOut); ok && t.fold != nil && ctx.Err() == nil {
		return t.holdingOut(ctx, tr, p)
	}
	r, err := t.result(ctx, p)
	if err != nil {
		return nil, err
	}
	return t.single(p, r), nil
}

// holdingOut trains the submodel, and finds the decision values of its folds.
func (t *training) holdingOut(ctx context.Context, tr learn.HoldingOut, p *learn.Problem) (*trained, error) {
	r, held, err := tr.TrainHeldOut(ctx, p, t.fold)
	if err != nil {
		return nil, err
	}
	f := t.single(p, r)
	f.held = held
	return f, nil
}

// result trains the submodel.
func (t *training) result(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if ctx.Err() != nil { // while γ was chosen
		return nil, learn.Nothing(ctx, t.name)
	}
	return t.trainer.Train(ctx, p)
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
	if p.Candidates == nil && t.Rows == nil && !p.Task.Real() && t.values == nil {
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
	r, err := multiclass.Train(ctx, t.trainer, p)
	if err != nil {
		return nil, err
	}
	if p.Candidates != nil {
		r.Vectors, r.Rows = p.Samples(r.Rows), nil
	}
	f := &trained{status: r.Status, submodels: r.Submodels, params: learn.ValuesOf(t.options.Trainer).Numbers(),
		values: r.Values, held: r.Held}
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
				return nil, nil, learn.Nothing(ctx, t.name)
			}
			return nil, nil, fmt.Errorf("%s: %v before anything was learnt", t.name, st)
		}
	}
	if err := finite(t.name, f.submodels); err != nil {
		return nil, nil, err
	}
	for i := range f.submodels {
		t.cancel.Void(&f.submodels[i].Report)
		if p.Vectors == nil || p.Rows != nil { // else they are places among the vectors
			f.submodels[i].Support = t.Rows.Original(f.submodels[i].Support)
		}
	}
	p.Task, p.Labels, p.Scaling, p.Rows = t.spec.Task, t.labels(), t.Scaling, t.Rows.Original(p.Rows)
	if p.Columns = t.Set.Columns.Clone(); p.Columns.Valued() {
		p.Columns.SetValues(slices.Concat(t.values, f.values))
	}
	p.Method, p.Params, p.Trained = t.name, f.params, t.Set.N
	p.ZeroBased = t.Set.ZeroBased && !p.Kernel.Indexed()
	if t.Folds == nil {
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
		Method: t.name, N: t.given, D: t.D(), Task: p.Task, Target: t.Target, Labels: p.Labels, Kernel: p.Kernel,
		Scheme: p.Scheme, Support: p.Rows, NumVectors: p.N, Status: t.cancel.Status(f.status), Submodels: f.submodels,
		Decisions: f.decisions,
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
