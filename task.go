package sparsekm

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/widths"
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
	t.InUse += t.bytes()
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
