package sparsekm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// task is a set made ready for training: scaled, with a weight for each point.
type task struct {
	Options
	set     *dataset.Set
	scaling *dataset.Scaling
	weight  []float64
}

func newTask(set *dataset.Set, o Options) (*task, error) {
	if o.Scale != dataset.ScaleNone && o.Kernel.Indexed() {
		return nil, fmt.Errorf("sparsekm: scaling %v, but the features of a %v kernel are its values; want none",
			o.Scale, o.Kernel.Kind)
	}
	scaling, err := dataset.Fit(set, o.Scale)
	if err != nil {
		return nil, err
	}
	t := &task{Options: o, set: set, scaling: scaling}
	if scaling != nil {
		t.set = scaling.Apply(set)
	}
	t.weight, err = o.weights(set)
	return t, err
}

// found is what trainings found: the classifier's parts without what it was trained from.
type found struct {
	parts    model.Parts
	status   status.Status
	machines []Machine
}

// two trains the one machine of two classes.
func (t *task) two(ctx context.Context) (*found, error) {
	p, err := t.problem()
	if err != nil {
		return nil, err
	}
	trainer, err := t.validated()
	if err != nil {
		return nil, err
	}
	r, err := trainer.Train(ctx, p)
	if err != nil {
		return nil, err
	}
	return t.binary(p.Kernel, r), nil
}

// validated returns the trainer with the held-out data, scaled, if it has a use for them.
func (t *task) validated() (learn.Trainer, error) {
	prune, ok := t.Trainer.(lssvm.Prune)
	if !ok || t.Validation == nil {
		return t.Trainer, nil
	}
	v := t.Validation
	if v.D != t.set.D {
		return nil, fmt.Errorf("sparsekm: %d features in the validation data, want %d", v.D, t.set.D)
	}
	if t.scaling != nil {
		v = t.scaling.Apply(v)
	}
	y := make([]float64, v.N)
	for i, c := range v.ClassOf(t.set.Labels) {
		if c < 0 {
			return nil, fmt.Errorf("sparsekm: point %d of the validation data is of class %q, want %s", i, v.Labels[v.Y[i]], strings.Join(t.set.Labels, " or "))
		}
		y[i] = float64(2*c - 1)
	}
	prune.Validation = &lssvm.Validation{X: v.X, Y: y, N: v.N}
	return prune, nil
}

// problem states the training of two classes.
func (t *task) problem() (*learn.Problem, error) {
	y, err := t.set.Signs()
	if err != nil {
		return nil, err
	}
	p := &learn.Problem{X: t.set.X, N: t.set.N, D: t.set.D, Y: y, Weight: t.weight, Kernel: t.kernel(t.set), Resources: t.Resources}
	if t.KernelOf != nil {
		p.Kernel, err = t.KernelOf(p)
	}
	return p, err
}

func (t *task) binary(k gram.Kernel, r *learn.Result) *found {
	return &found{
		parts:    model.BinaryParts(k, t.set.X, t.set.D, r.Expansion),
		status:   r.Report.Status,
		machines: []Machine{{Pos: 1, Neg: 0, Result: *r}},
	}
}

// several trains the machines of more than two classes.
func (t *task) several(ctx context.Context) (*found, error) {
	scheme := t.Scheme
	if scheme == model.Binary {
		scheme = model.OneVsRest
	}
	p := &multiclass.Problem{
		X: t.set.X, N: t.set.N, D: t.set.D, Class: t.set.Y, Classes: len(t.set.Labels), Weight: t.weight,
		Kernel: t.kernel(t.set), KernelOf: t.KernelOf, Pairs: scheme != model.OneVsRest, Resources: t.Resources,
	}
	r, err := multiclass.Train(ctx, t.Trainer, p)
	if err != nil {
		return nil, err
	}
	f := &found{status: r.Report.Status, parts: model.Parts{
		Kernel: p.Kernel, Vectors: t.set.Subset(r.Rows).X, N: len(r.Rows), D: p.D, Features: p.D,
		Scheme: scheme, Rows: r.Rows,
	}}
	if t.KernelOf != nil {
		f.parts.Kernel = *r.Machines[0].Kernel
	}
	for _, m := range r.Machines {
		f.parts.Machines = append(f.parts.Machines, model.Machine{Pos: m.Pos, Neg: m.Neg, Support: m.Support, Coef: m.Coef, Bias: m.Bias, Kernel: m.Kernel})
		rows := make([]int, len(m.Support))
		for s, place := range m.Support {
			rows[s] = r.Rows[place]
		}
		result := learn.Result{Expansion: learn.Expansion{Support: rows, Coef: m.Coef, Bias: m.Bias}, Report: m.Report}
		f.machines = append(f.machines, Machine{Pos: m.Pos, Neg: m.Neg, Result: result})
	}
	return f, nil
}

// finish makes the classifier and the report.
func (t *task) finish(f *found) (*Classifier, *Report, error) {
	p := &f.parts
	p.Labels, p.Scaling = t.set.Labels, t.scaling
	p.Method, p.Params, p.Trained = t.Trainer.Name(), t.Params, t.set.N
	clf, err := model.New(*p)
	if err != nil {
		return nil, nil, err
	}
	return clf, &Report{
		Method: p.Method, N: t.set.N, D: t.set.D, Labels: p.Labels,
		Kernel: p.Kernel, Scheme: p.Scheme, Support: p.Rows, Status: f.status, Machines: f.machines,
	}, nil
}

// kernel returns the kernel with its γ chosen.
func (o *Options) kernel(scaled *dataset.Set) gram.Kernel {
	k := o.Kernel
	if k.HasGamma() && k.Gamma == 0 {
		rule := o.Gamma
		if rule == nil {
			rule = GammaScale
		}
		k.Gamma = rule(scaled.X, scaled.N, scaled.D)
	}
	return k
}

// weights joins the weights of points and classes; nil when all are 1.
func (o *Options) weights(set *dataset.Set) ([]float64, error) {
	if o.SampleWeight != nil && len(o.SampleWeight) != set.N {
		return nil, fmt.Errorf("sparsekm: %d sample weights for %d points", len(o.SampleWeight), set.N)
	}
	if len(o.ClassWeight) == 0 {
		return o.SampleWeight, nil
	}
	factor := make([]float64, len(set.Labels))
	for c := range factor {
		factor[c] = 1
	}
	for label, w := range o.ClassWeight {
		c := slices.Index(set.Labels, label)
		if c < 0 {
			return nil, fmt.Errorf("sparsekm: weight for class %q, but the classes are %s", label, strings.Join(set.Labels, ", "))
		}
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("sparsekm: weight of class %q is %v, want a finite number >= 0", label, w)
		}
		factor[c] = w
	}
	weight := make([]float64, set.N)
	for i, c := range set.Y {
		weight[i] = factor[c]
		if o.SampleWeight != nil {
			weight[i] *= o.SampleWeight[i]
		}
	}
	return weight, nil
}
