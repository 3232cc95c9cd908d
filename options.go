package sparsekm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/refit"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// Options say how [Train] trains.
type Options struct {
	// Trainer is the method with its parameters, such as ssvc.A{C: 1}, or
	// what [Method.New] returns. It must be set.
	Trainer learn.Trainer
	// Kernel is the kernel. The zero value is the RBF kernel with γ by Gamma; so
	// are the other kernels that have a γ when their Gamma is 0. A method with [learn.Method.OwnKernel] does not read it.
	Kernel gram.Kernel
	// KernelOf, when not nil, makes each machine's kernel from the machine's own
	// points, as [learn.Mahalanobis] does, in the place of Kernel and Gamma.
	KernelOf func(*learn.Problem) (gram.Kernel, error)
	// Gamma chooses γ from the scaled training points when Kernel leaves it open; nil means [GammaScale].
	Gamma GammaRule
	// LearnWidths gives the kernel, which must be RBF, a weight for each feature, learnt from each machine's own points
	// before it is trained: see package widths.
	LearnWidths bool
	// Scale says how features are scaled before training. The scaling becomes
	// part of the classifier, which takes raw features.
	Scale dataset.ScaleKind
	// RoundScaled rounds what scaling makes of the training points to 24 bits, so that other units of the features
	// (metres for kilometres) do not even change the last bits of a training.
	RoundScaled bool
	// ScaleTarget trains on real targets of mean 0 and standard deviation 1, so that parameters in units of the target
	// (ε, C) mean the same for every target. The classifier's values are in the units of the set's.
	ScaleTarget bool
	// Scheme says how two-class machines make a classifier of more than two
	// classes: model.OneVsRest (for the zero value too), model.OneVsOne or model.PairwiseFuzzy.
	Scheme model.Scheme
	// Refit fits the coefficients of the vectors that a sparse method keeps once more, by the squared hinge, where
	// folds of the training points do not lose by it: see package refit. It is for RBF kernels and methods with
	// [learn.Method.Refit]; for others it is an error.
	Refit bool
	// Validation is held-out data, raw like the training set, for a method that decides on
	// them when to stop, such as lssvm-prune. For a method that does not it is an error.
	Validation *dataset.Set
	// Candidates are the only points that may be vectors, raw like the training set, which need not have them: centres of
	// clusters, vectors of another model. They have no margins. Their labels matter to methods whose coefficients have
	// the sign of their point's class ([learn.OwnSide]). For a method without [learn.Method.Candidates] they are an
	// error.
	Candidates *dataset.Set
	// ClassWeight multiplies the weight of a class's points, by label; a class that is not named has 1.
	ClassWeight map[string]float64
	// SampleWeight has a weight >= 0 for each point; nil means all 1. A point of weight 0 is an absent point,
	// for scaling and the choice of γ too.
	SampleWeight []float64

	// Calibrate fits probabilities ([Classifier.Probabilities]) by cross-validation of so many folds, 5 for instance,
	// those of set.Folds(Calibrate, 1) without points of weight 0: the training is repeated without each fold, and
	// Platt's sigmoid fitted to the decisions on what was left out, every point counting once. Each class needs a
	// point for every fold. 0 fits none.
	Calibrate int

	// Part says which points of a larger set of two classes the training points are, so that trainings on its parts can
	// share what they compute, as those of cross-validation do. It is of use to "svc" with a γ that is given and no
	// scaling, and left out where points have weights.
	Part *learn.Part

	Threads  int               // worker goroutines; 0 means GOMAXPROCS. The result does not depend on it.
	Memory   int64             // budget in bytes for the training; 0 means [learn.DefaultMemory]
	InUse    int64             // bytes of Memory that the caller holds already, such as the set's; 0 leaves them out
	Progress func(learn.Event) // called by the training, at most every 50 ms or so; may be nil
}

// Report says what a training found and how it went.
type Report struct {
	Method  string
	N, D    int          // of the set, absent points included
	Task    learn.Task   // what was learnt
	Labels  []string     // classes; of two, the last is the positive one. None for real values
	Target  *TargetScale // that of Options.ScaleTarget, else nil
	Kernel  gram.Kernel  // with the γ that was used; the first machine's if each has its own
	Scheme  model.Scheme
	Support []int // rows of the set that it kept: of two classes in the method's order, else ascending
	// Vectors has the vectors (row-major, in scaled units) of a method whose vectors are no rows of the set; Support is
	// nil then.
	Vectors    []float64
	NumVectors int           // distinct vectors
	Constant   bool          // no machine has a vector: the classifier has one answer for every point
	Status     status.Status // Optimal when every machine's is, else the first one that is not done, else SizeReached
	// Machines has the two-class trainings, one for two classes. Their Support are rows of the set, or places in Vectors.
	Submodels []learn.Trained
}

func (o *Options) resources() learn.Resources {
	return learn.Resources{Threads: o.Threads, Memory: o.Memory, InUse: o.InUse, Progress: o.Progress}
}

// trainer is the method with what is to be done after its training.
func (o *Options) trainer() learn.Trainer {
	if o.Refit {
		return refit.Trainer{Of: o.Trainer}
	}
	return o.Trainer
}

// kernel returns the kernel with its γ chosen.
func (o *Options) kernel(scaled *dataset.Set) gram.Kernel {
	k := o.Kernel
	if k.HasGamma() && k.Gamma == 0 {
		rule := o.Gamma
		if rule == nil {
			rule = GammaScale
		}
		k.Gamma = rule(scaled)
	}
	return k
}

// weights joins the weights of points and classes; nil when all are 1.
func (o *Options) weights(set *dataset.Set) ([]float64, error) {
	if o.SampleWeight != nil && len(o.SampleWeight) != set.N {
		return nil, fmt.Errorf("sparsekm: %d sample weights for %d points", len(o.SampleWeight), set.N)
	}
	for i, w := range o.SampleWeight {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("sparsekm: weight of point %d is %v, want a finite number >= 0", i, w)
		}
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
			return nil, fmt.Errorf("sparsekm: weight for class %q, but the classes are %s", label,
				strings.Join(set.Labels, ", "))
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

// Balanced returns class weights, for [Options.ClassWeight], with which every class that has points weighs the same: of
// N points and k such classes one of n points has N/(k·n).
func Balanced(set *dataset.Set) map[string]float64 {
	counts, classes := set.Counts(), 0
	for _, n := range counts {
		if n > 0 {
			classes++
		}
	}
	weight := make(map[string]float64, classes)
	for class, n := range counts {
		if n > 0 {
			weight[set.Labels[class]] = float64(set.N) / (float64(classes) * float64(n))
		}
	}
	return weight
}
