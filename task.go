package sparsekm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/learn/widths"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// task is a set made ready for training: without absent points, scaled, with a weight for each point.
type task struct {
	Options
	task        learn.Task
	target      *TargetScale // nil for none; settled with the targets
	set         *dataset.Set
	sparse      *csr.Matrix // whose rows' numbers the set has in the place of features; nil for points that have them
	scaling     *dataset.Scaling
	weight      []float64
	given       int               // points of the caller's set
	rows        []int             // of the caller's set that are present; nil for all
	heldOut     *learn.Validation // class indices for labels; nil without
	offered     *offered          // nil without
	calibration *calibration      // nil without
	brake       *brake            // on the caller's kernel functions; whoever made the task releases it
}

func newTask(ctx context.Context, set *dataset.Set, o Options) (*task, error) {
	if o.Trainer == nil {
		panic("sparsekm: Options.Trainer is nil")
	}
	if set == nil {
		panic("sparsekm: the set is nil")
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	learns, err := o.learns(set)
	if err != nil {
		return nil, err
	}
	if o.Scale != dataset.ScaleNone && o.Kernel.Indexed() {
		return nil, fmt.Errorf("sparsekm: scaling %v, but the features of a %v kernel are its values; want none",
			o.Scale, o.Kernel.Kind)
	}
	if registered(o.Trainer).OwnKernel && !o.Kernel.Indexed() {
		o.Kernel = gram.Linear()
	}
	t := &task{Options: o, task: learns, set: set, given: set.N}
	if err = t.dense(); err != nil {
		return nil, err
	}
	if t.weight, err = o.weights(set); err != nil {
		return nil, err
	}
	if err = t.drop(); err != nil {
		return nil, err
	}
	if t.calibration, err = t.newCalibration(); err != nil {
		return nil, err
	}
	t.Held += t.bytes()
	if err = t.fits(); err != nil {
		return nil, err
	}
	if err = t.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, learn.Nothing(ctx, o.Trainer.Name())
		}
		return nil, err
	}
	t.number()
	if t.heldOut, err = t.validation(); err != nil {
		return nil, err
	}
	if t.Kernel = t.kernel(t.set); t.Kernel.HasGamma() && o.Kernel.Gamma == 0 && !(t.Kernel.Gamma > 0) {
		return nil, fmt.Errorf("sparsekm: γ = %v by its rule for these points: their features are too far apart; "+
			"scale them, or give γ", t.Kernel.Gamma)
	}
	if t.offered, err = t.candidates(); err != nil {
		return nil, err
	}
	t.hold(ctx)
	return t, nil
}

// hold puts the brake on the caller's kernel functions, and learns widths where that is asked for.
func (t *task) hold(ctx context.Context) {
	t.brake = &brake{ctx: ctx}
	t.Kernel = t.brake.on(t.Kernel)
	of, learnt := t.KernelOf, t.LearnWidths
	if of == nil && !learnt {
		return
	}
	t.KernelOf = func(p *learn.Problem) (gram.Kernel, error) {
		q := *p
		if of != nil {
			k, err := of(p)
			if q.Kernel = t.brake.on(k); err != nil {
				return k, err
			}
		}
		if !learnt {
			return q.Kernel, nil
		}
		return widths.Learn(ctx, &q)
	}
}

// learns is the task that the set and the method make, with what does not go with it refused.
func (o *Options) learns(set *dataset.Set) (learn.Task, error) {
	name := o.Trainer.Name()
	task, err := TaskOf(registered(o.Trainer), set)
	switch {
	case err != nil:
		return task, err
	case task == learn.Classify && len(set.Labels) == 0:
		return task, errors.New("sparsekm: the points have no labels")
	case task == learn.Classify && len(set.Labels) == 1:
		return task, fmt.Errorf("sparsekm: %w (every label is %q), want two", learn.ErrOneClass, set.Labels[0])
	case task != learn.Classify && o.Calibrate != 0:
		return task, fmt.Errorf("sparsekm: probabilities are for classes; %s learns %s", name, targetsOf[task])
	case task != learn.Classify && len(o.ClassWeight) > 0:
		return task, fmt.Errorf("sparsekm: weights are for classes; %s learns %s", name, targetsOf[task])
	case task != learn.Classify && task != learn.Regress && o.LearnWidths:
		return task, fmt.Errorf("sparsekm: widths are learnt from classes or values; %s learns %s", name, targetsOf[task])
	case registered(o.Trainer).OwnKernel && (o.KernelOf != nil || o.LearnWidths):
		return task, fmt.Errorf("sparsekm: %s has a kernel of its own; it takes neither KernelOf nor LearnWidths", name)
	case task != learn.Regress && o.ScaleTarget:
		return task, fmt.Errorf("sparsekm: a scale is for real targets; %s learns %s", name, targetsOf[task])
	}
	return task, nil
}

// validation returns the held-out data, scaled.
func (t *task) validation() (*learn.Validation, error) {
	v := t.Validation
	if v == nil {
		return nil, nil
	}
	if m, err := Lookup(t.Trainer.Name()); err == nil && !m.Validation {
		return nil, fmt.Errorf("sparsekm: %s does not read validation data, only %s", m.Name,
			strings.Join(validating(), ", "))
	}
	if err := v.Validate(); err != nil {
		return nil, fmt.Errorf("sparsekm: validation data: %w", err)
	}
	if v.D != t.set.D {
		return nil, fmt.Errorf("sparsekm: %d features in the validation data, want %d", v.D, t.set.D)
	}
	v, err := v.Dense(max(0, t.resources().Budget(t.Trainer.Name(), v.N, 0).Left()))
	if err != nil {
		return nil, fmt.Errorf("sparsekm: validation data: %w", err)
	}
	if t.scaling != nil {
		v = t.scaling.Apply(v)
	}
	if t.task == learn.Regress {
		if v.Values == nil {
			return nil, errors.New("sparsekm: validation data: the points have no real targets")
		}
		return &learn.Validation{X: v.X, Y: v.Values, N: v.N}, nil
	}
	h := &learn.Validation{X: v.X, Y: make([]float64, len(v.Y)), N: v.N}
	for i, c := range v.ClassOf(t.set.Labels) {
		if c < 0 {
			return nil, fmt.Errorf("sparsekm: point %d of the validation data is of class %q, want one of %s",
				i, v.Labels[v.Y[i]], strings.Join(t.set.Labels, ", "))
		}
		h.Y[i] = float64(c)
	}
	return h, nil
}

// validating lists the methods that read held-out data.
func validating() (names []string) {
	for _, m := range Methods() {
		if m.Validation {
			names = append(names, m.Name)
		}
	}
	return names
}

// problem states the training of one machine.
func (t *task) problem() (*learn.Problem, error) {
	y, err := t.targets()
	if err != nil {
		return nil, err
	}
	p := t.common(y)
	if t.task == learn.Classify && t.Scale == dataset.ScaleNone && t.weight == nil && t.rows == nil && t.KernelOf == nil &&
		t.Options.Kernel.Gamma != 0 {
		p.Part = t.Part
	}
	if h := t.heldOut; h != nil && t.task == learn.Regress {
		p.Validation = &learn.Validation{X: h.X, Y: t.target.to(h.Y), N: h.N}
	} else if h != nil {
		p.Validation = &learn.Validation{X: h.X, Y: make([]float64, len(h.Y)), N: h.N}
		for i, c := range h.Y {
			p.Validation.Y[i] = 2*c - 1
		}
	}
	if t.KernelOf != nil {
		p.Kernel, err = t.KernelOf(&p)
	}
	return t.offered.offer(&p, false), err
}

// common is what the problems of one machine and of several have in common.
func (t *task) common(y []float64) learn.Problem {
	return learn.Problem{X: t.set.X, N: t.set.N, D: t.set.D, Task: t.task, Y: y, Weight: t.weight, Kernel: t.kernel(t.set),
		Group: t.groups(), Resources: t.resources()}
}

// groups numbers the set's groups; nil for none.
func (t *task) groups() []int {
	if t.set.Groups == nil {
		return nil
	}
	number := make(map[string]int)
	group := make([]int, t.set.N)
	for i, name := range t.set.Groups {
		g, ok := number[name]
		if !ok {
			g = len(number)
			number[name] = g
		}
		group[i] = g
	}
	return group
}

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
		machines: []learn.Trained{{Machine: learn.Machine{Pos: 1, Neg: 0, Expansion: r.Expansion}, Report: r.Report}},
		params:   learn.ValuesOf(t.Trainer).Numbers(),
	}
	f.parts.Posterior = posterior
	if t.task.Real() {
		for _, m := range []*learn.Machine{&f.parts.Machines[0], &f.machines[0].Machine} {
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
		r.Vectors, r.Rows = p.Points(r.Rows), nil
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
		f.parts.Machines = append(f.parts.Machines, m.Machine)
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
		Support: p.Rows, NumVectors: p.N, Status: t.brake.status(f.status), Machines: f.machines,
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
