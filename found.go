package sparsekm

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// found is what trainings found: the classifier's parts without what it was trained from.
type found struct {
	parts    model.Parts
	status   status.Status
	machines []learn.Trained
	params   map[string]float64
}

// one trains the machine of a task that has one.
func (t *task) one(ctx context.Context) (*found, error) {
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // while γ was chosen
		return nil, learn.Nothing(ctx, t.Trainer.Name())
	}
	r, err := t.trainer().Train(ctx, p)
	if err != nil {
		return nil, err
	}
	loose(&r.Expansion, p)
	return t.single(r.KernelOf(p), r), nil
}

// single makes the parts of a classifier of one machine, in the units of the targets.
func (t *task) single(k gram.Kernel, r *learn.Result) *found {
	t.target.undo(&r.Expansion)
	t.scaled(&r.Expansion)
	posterior := r.Posterior.Clone()
	if t.target != nil {
		posterior = r.Posterior.Times(t.target.Spread)
	}
	f := &found{
		parts:    model.BinaryParts(k, t.set.X, t.set.D, r.Expansion),
		status:   r.Report.Status,
		machines: []learn.Trained{{Submodel: learn.Submodel{Pos: 1, Neg: 0, Expansion: r.Expansion}, Report: r.Report}},
		params:   learn.ValuesOf(t.Trainer).Numbers(),
	}
	f.parts.Posterior = posterior
	if t.task.Real() {
		for _, m := range []*learn.Submodel{&f.parts.Submodels[0], &f.machines[0].Submodel} {
			m.Pos, m.Neg = 0, learn.Rest
		}
	}
	return f
}

// scheme is that of more than two classes.
func (t *task) scheme() model.Scheme {
	if t.Scheme == model.Binary {
		return model.OneVsRest
	}
	return t.Scheme
}

// several trains the machines of more than two classes.
func (t *task) several(ctx context.Context) (*found, error) {
	scheme := t.scheme()
	class := make([]float64, t.set.N)
	for i, c := range t.set.Y {
		class[i] = float64(c)
	}
	common := t.common(class)
	p := &multiclass.Problem{
		Problem: *t.offered.offer(&common, true), Classes: len(t.set.Labels),
		KernelOf: t.KernelOf, Pairs: scheme != model.OneVsRest,
	}
	p.Validation = t.heldOut
	r, err := multiclass.Train(ctx, t.trainer(), p)
	if err != nil {
		return nil, err
	}
	if p.Candidates != nil {
		r.Vectors, r.Rows = p.Samples(r.Rows), nil
	}
	f := &found{status: r.Status, machines: r.Machines, params: learn.ValuesOf(t.Trainer).Numbers()}
	f.parts = model.Parts{
		Kernel: p.Kernel, Vectors: r.Vectors, N: len(r.Vectors) / max(1, p.D), D: p.D, Features: p.D, Scheme: scheme, Rows: r.Rows,
	}
	if r.Vectors == nil {
		f.parts.Vectors, f.parts.N = t.set.Subset(r.Rows).X, len(r.Rows)
	}
	switch {
	case t.KernelOf != nil:
		f.parts.Kernel = *r.Machines[0].Kernel
	case r.Kernel != nil:
		f.parts.Kernel = *r.Kernel
	}
	for i := range f.machines {
		m := &f.machines[i]
		f.parts.Submodels = append(f.parts.Submodels, m.Submodel)
		if r.Vectors != nil {
			continue
		}
		rows := make([]int, len(m.Support))
		for s, place := range m.Support {
			rows[s] = r.Rows[place]
		}
		m.Support = rows
	}
	return f, nil
}

// finish makes the classifier and the report. A limit that left a machine without a
// vector is an error: it learnt nothing, and a classifier of one answer must not pass for a result.
func (t *task) finish(ctx context.Context, f *found) (*Classifier, *Report, error) {
	p, name := &f.parts, t.Trainer.Name()
	for _, m := range f.machines {
		if st := m.Report.Status; st.Limit() && len(m.Coef) == 0 {
			if ctx.Err() != nil {
				return nil, nil, learn.Nothing(ctx, name)
			}
			return nil, nil, fmt.Errorf("%s: %v before anything was learnt", name, st)
		}
	}
	if err := t.finite(f.machines); err != nil {
		return nil, nil, err
	}
	for i := range f.machines {
		t.brake.voids(&f.machines[i].Report)
		if p.Vectors == nil || p.Rows != nil { // else they are places among the vectors
			f.machines[i].Support = t.original(f.machines[i].Support)
		}
	}
	p.Task, p.Labels, p.Scaling, p.Rows = t.task, t.labels(), t.scaling, t.original(p.Rows)
	p.Columns = t.set.Columns
	p.Method, p.Params, p.Trained = name, f.params, t.set.N
	if t.calibration == nil {
		p.Platt = native(f.machines)
	}
	t.vectors(p)
	clf, err := model.New(*p)
	if err != nil {
		return nil, nil, err
	}
	r := &Report{
		Method: name, N: t.given, D: t.d(), Task: t.task, Target: t.target, Labels: p.Labels, Kernel: p.Kernel, Scheme: p.Scheme,
		Support: p.Rows, NumVectors: p.N, Status: t.brake.status(f.status), Submodels: f.machines,
	}
	r.Constant = !slices.ContainsFunc(f.machines, func(m learn.Trained) bool { return len(m.Coef) > 0 })
	if p.Rows == nil {
		r.Vectors = p.Vectors
	}
	return clf, r, nil
}

// native returns the parameters of probabilities that the method itself knows; nil unless it knows those of
// every machine. A decision of 0 has one half: no label and its probability disagree.
func native(machines []learn.Trained) (p []model.Platt) {
	for _, m := range machines {
		if m.Report.Slope == nil {
			return nil
		}
		p = append(p, model.Platt{A: -*m.Report.Slope})
	}
	return p
}

// labels are those of the classifier.
func (t *task) labels() []string {
	switch t.task {
	case learn.Regress, learn.Density:
		return nil
	case learn.OneClass:
		return model.OneClassLabels()
	}
	return t.set.Labels
}

// finite refuses machines whose numbers overflowed, by what the user can change.
func (t *task) finite(machines []learn.Trained) error {
	for _, m := range machines {
		sum := m.Bias - m.Bias // 0, or NaN where anything is not finite
		for _, a := range m.Coef {
			sum += a - a
		}
		if sum != 0 {
			return fmt.Errorf("%s: the training overflowed (%v, bias %v): scale the features, or choose C, weights and "+
				"the kernel's parameters nearer to 1", t.Trainer.Name(), m.Report.Status, m.Bias)
		}
	}
	return nil
}
