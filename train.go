package sparsekm

import (
	"context"
	"fmt"
	"math"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// Options say how [Train] trains.
type Options struct {
	// Trainer is the method with its parameters, such as ssvc.Trainer{C: 1}, or
	// what [Method.New] returns. It must be set.
	Trainer learn.Trainer
	// Kernel is the kernel. The zero value is the RBF kernel with γ by Gamma; so
	// are the other kernels that have a γ when their Gamma is 0.
	Kernel gram.Kernel
	// KernelOf, when not nil, makes each machine's kernel from the machine's own
	// points, as [lssvm.Mahalanobis] does, in the place of Kernel and Gamma.
	KernelOf func(*learn.Problem) (gram.Kernel, error)
	// Gamma chooses γ from the scaled training points when Kernel leaves it open; nil means [GammaScale].
	Gamma GammaRule
	// Scale says how features are scaled before training. The scaling becomes
	// part of the classifier, which takes raw features.
	Scale dataset.ScaleKind
	// Scheme says how two-class machines make a classifier of more than two
	// classes: model.OneVsRest (for the zero value too), model.OneVsOne or model.PairwiseFuzzy.
	Scheme model.Scheme
	// ClassWeight multiplies the weight of a class's points, by label; a class that is not named has 1.
	ClassWeight map[string]float64
	// SampleWeight has a weight >= 0 for each point; nil means all 1. A point of weight 0 is an absent point.
	SampleWeight []float64
	// Params are the trainer's parameters by name, which the classifier's file
	// keeps for people to read. See [Params.Map].
	Params map[string]float64

	learn.Resources
}

// Report says what a training found and how it went.
type Report struct {
	Method  string
	N, D    int
	Labels  []string    // classes; of two, the last is the positive one
	Kernel  gram.Kernel // with the γ that was used; the first machine's if each has its own
	Scheme  model.Scheme
	Support []int         // rows of the set that the classifier kept: for two classes in the order of the method, else ascending
	Status  status.Status // Optimal when every machine's is, else the first one that is not
	// Machines has the two-class trainings: one for two classes.
	Machines []Machine
}

// Machine is one two-class training of a report.
type Machine struct {
	Pos, Neg     int // classes; Neg is [model.Rest] for all the others
	learn.Result     // its Support holds rows of the set
}

// Train trains a classifier on the set. The context's end stops the training,
// which is no error: the classifier is the best so far and Report.Status says why
// it stopped. Errors are for sets, kernels and parameters that cannot be trained with.
//
// The same set and options give the same classifier bit for bit for any number of threads.
func Train(ctx context.Context, set *dataset.Set, o Options) (*Classifier, *Report, error) {
	if o.Trainer == nil {
		panic("sparsekm: Options.Trainer is nil")
	}
	scaling, err := dataset.Fit(set, o.Scale)
	if err != nil {
		return nil, nil, err
	}
	weight, err := o.weights(set)
	if err != nil {
		return nil, nil, err
	}
	scaled := set
	if scaling != nil {
		scaled = scaling.Apply(set)
	}
	t := task{Options: o, set: scaled, weight: weight}
	var parts model.Parts
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", o.Trainer.Name()), func(ctx context.Context) {
		if len(set.Labels) > 2 {
			parts, err = t.several(ctx)
		} else {
			parts, err = t.two(ctx)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	parts.Labels, parts.Scaling = set.Labels, scaling
	parts.Method, parts.Params, parts.Trained = o.Trainer.Name(), o.Params, set.N
	clf, err := model.New(parts)
	if err != nil {
		return nil, nil, err
	}
	r := &t.report
	r.Method, r.N, r.D, r.Labels = parts.Method, set.N, set.D, set.Labels
	r.Kernel, r.Scheme, r.Support = parts.Kernel, parts.Scheme, parts.Rows
	return clf, r, nil
}

// task is one call of Train: its set is scaled, its weights are the points' own.
type task struct {
	Options
	set    *dataset.Set
	weight []float64
	report Report
}

// two trains the one machine of two classes.
func (t *task) two(ctx context.Context) (model.Parts, error) {
	y, err := t.set.Signs()
	if err != nil {
		return model.Parts{}, err
	}
	p := &learn.Problem{X: t.set.X, N: t.set.N, D: t.set.D, Y: y, Weight: t.weight, Kernel: t.kernel(t.set), Resources: t.Resources}
	if t.KernelOf != nil {
		if p.Kernel, err = t.KernelOf(p); err != nil {
			return model.Parts{}, err
		}
	}
	r, err := t.Trainer.Train(ctx, p)
	if err != nil {
		return model.Parts{}, err
	}
	t.report.Status = r.Report.Status
	t.report.Machines = []Machine{{Pos: 1, Neg: 0, Result: *r}}
	return model.BinaryParts(p.Kernel, t.set.X, t.set.D, r.Expansion), nil
}

// several trains the machines of more than two classes.
func (t *task) several(ctx context.Context) (model.Parts, error) {
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
		return model.Parts{}, err
	}
	parts := model.Parts{
		Kernel: p.Kernel, Vectors: t.set.Subset(r.Rows).X, N: len(r.Rows), D: p.D, Features: p.D,
		Scheme: scheme, Rows: r.Rows,
	}
	if t.KernelOf != nil {
		parts.Kernel = *r.Machines[0].Kernel
	}
	t.report.Status = r.Report.Status
	for _, m := range r.Machines {
		parts.Machines = append(parts.Machines, model.Machine{Pos: m.Pos, Neg: m.Neg, Support: m.Support, Coef: m.Coef, Bias: m.Bias, Kernel: m.Kernel})
		rows := make([]int, len(m.Support))
		for s, place := range m.Support {
			rows[s] = r.Rows[place]
		}
		result := learn.Result{Expansion: learn.Expansion{Support: rows, Coef: m.Coef, Bias: m.Bias}, Report: m.Report}
		t.report.Machines = append(t.report.Machines, Machine{Pos: m.Pos, Neg: m.Neg, Result: result})
	}
	return parts, nil
}

// kernel returns the kernel with its γ chosen.
func (o *Options) kernel(scaled *dataset.Set) gram.Kernel {
	k := o.Kernel
	switch k.Kind {
	case gram.KindRBF, gram.KindPoly, gram.KindSigmoid:
		if k.Gamma == 0 {
			rule := o.Gamma
			if rule == nil {
				rule = GammaScale
			}
			k.Gamma = rule(scaled.X, scaled.N, scaled.D)
		}
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
