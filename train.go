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
	// Gamma chooses γ from the scaled training points when Kernel leaves it open; nil means [GammaScale].
	Gamma GammaRule
	// Scale says how features are scaled before training. The scaling becomes
	// part of the classifier, which takes raw features.
	Scale dataset.ScaleKind
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
	Kernel  gram.Kernel // with the γ that was used
	Support []int       // rows of the set that the classifier kept, in the order of the method
	Status  status.Status
	// Machines has the result of each two-class training: one for two classes.
	// Their Support holds rows of the set.
	Machines []*learn.Result
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
	y, err := set.Signs()
	if err != nil {
		return nil, nil, err
	}
	kernel := o.kernel(scaled)
	problem := &learn.Problem{X: scaled.X, N: set.N, D: set.D, Y: y, Weight: weight, Kernel: kernel, Resources: o.Resources}
	var result *learn.Result
	pprof.Do(ctx, pprof.Labels("phase", "train", "method", o.Trainer.Name()), func(ctx context.Context) {
		result, err = o.Trainer.Train(ctx, problem)
	})
	if err != nil {
		return nil, nil, err
	}
	report := &Report{
		Method: o.Trainer.Name(), N: set.N, D: set.D, Labels: set.Labels, Kernel: kernel,
		Support: result.Support, Status: result.Report.Status, Machines: []*learn.Result{result},
	}
	parts := model.BinaryParts(kernel, scaled.X, set.D, result.Expansion)
	parts.Labels, parts.Scaling = set.Labels, scaling
	parts.Method, parts.Params, parts.Trained = report.Method, o.Params, set.N
	clf, err := model.New(parts)
	if err != nil {
		return nil, nil, err
	}
	return clf, report, nil
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
