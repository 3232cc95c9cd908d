package sparsekm

import (
	"context"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
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
	// Validation is held-out data, raw like the training set, that lssvm.Prune decides on
	// when to stop, for two classes; other trainers have no use for it.
	Validation *dataset.Set
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
	t, err := newTask(set, o)
	if err != nil {
		return nil, nil, err
	}
	var f *found
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", o.Trainer.Name()), func(ctx context.Context) {
		if len(set.Labels) > 2 {
			f, err = t.several(ctx)
		} else {
			f, err = t.two(ctx)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return t.finish(f)
}
