package sparsekm

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/model"
)

// Options say how [Train] trains. The zero value of every field but Trainer is a default.
type Options struct {
	// Trainer is the method with its parameters, such as ssvc.A{C: 1}, or
	// what [Method.New] returns. It must be set.
	Trainer learn.Trainer
	// Kernel is the kernel; the zero value is the RBF kernel. If its Gamma is 0, the rule Gamma below chooses γ. A method
	// with [learn.Method.OwnKernel] does not read it.
	Kernel gram.Kernel
	// KernelOf, when not nil, makes each submodel's kernel from the submodel's own samples, as [learn.Mahalanobis] does,
	// instead of Kernel and Gamma.
	KernelOf func(*learn.Problem) (gram.Kernel, error)
	// Gamma chooses γ from the scaled training samples when Kernel leaves it open; nil means [GammaScale].
	Gamma GammaRule
	// LearnWidths gives the RBF kernel a weight for each feature, learnt from each submodel's own samples before it is
	// trained. The program must import learn/direct, which says how, or learn/all.
	LearnWidths bool
	// CategoryValues learns so many values for each category of a column in place of a feature of 0 and 1, together with
	// the model by a method with [learn.Method.Values], else before its training ([learn.LearnValues]). A column then
	// costs as many features. 0 learns none.
	CategoryValues int
	// Scale says how features are scaled before training. The scaling becomes part of the classifier, which takes raw
	// features. [dataset.ScaleAuto] is the rule of the command; the zero value scales nothing.
	Scale dataset.ScaleKind
	// RoundScaled rounds scaled features to 24 bits, so that the units of the features (metres or kilometres) do not
	// change even the last bits of a training.
	RoundScaled bool
	// ScaleTarget trains on regression targets of mean 0 and standard deviation 1, so that ε and C mean the same for
	// every target. The model predicts in the units of the set.
	ScaleTarget bool
	// Scheme says how submodels make a classifier of more than two
	// classes: model.OneVsRest (for the zero value too), model.OneVsOne or model.PairwiseFuzzy.
	Scheme model.Scheme
	// Refit fits the coefficients of a sparse model again, with the squared hinge loss, unless that increases the loss
	// on folds of the training samples. It is an error for kernels other than RBF and for methods without
	// [learn.Method.Refit]. The program must import learn/refit, which says how, or learn/all.
	Refit bool
	// Validation has raw samples by which a method such as lssvm-prune decides when to stop. For other methods it is an
	// error.
	Validation *dataset.Set
	// Candidates are the only samples that may be support vectors, such as centres of clusters or vectors of another
	// model. They are raw, and carry no loss. Their labels matter to methods whose coefficients have the sign of their
	// sample's class ([learn.OwnSide]). For a method without [learn.Method.Candidates] they are an error.
	Candidates *dataset.Set
	// ClassWeight multiplies the weight of a class's samples, by label; a class that is not named has 1.
	ClassWeight map[string]float64
	// SampleWeight has a weight >= 0 for each sample; nil means those of the set, or else all 1. A sample of weight 0 is
	// absent, for scaling and the choice of γ too.
	SampleWeight []float64

	// Soft has probabilities in place of the labels, for a method with [learn.Method.Soft]: for two classes that of the
	// last one, a number for each sample; for more classes a row for each sample. The set's labels name the classes.
	Soft []float64

	// Calibrate is the number of folds, such as 5, by which probabilities are fitted ([Classifier.Probabilities]): the
	// training is repeated without each fold of set.Folds(Calibrate, 1), and Platt's sigmoid is fitted to the decision
	// values of the held-out samples. Each sample counts once; samples of weight 0 are left out. The only
	// sample of a class is in every training, and gets the decision values of the model itself. 0 fits none.
	Calibrate int

	// Conformal asks for prediction sets ([Classifier.Sets]), or intervals of values ([Classifier.Intervals]). It does not
	// go with Calibrate. The zero value asks for none.
	Conformal Conformal

	// Bound asks for a bound of the error rate on new samples, by the training samples alone. It is for two classes and
	// methods whose support vectors are training samples. The zero value asks for none.
	Bound Bound

	Threads  int               // worker goroutines; 0 means GOMAXPROCS. The result does not depend on it.
	Memory   int64             // budget in bytes for the training; 0 means [learn.DefaultMemory]
	InUse    int64             // bytes of Memory in use already, such as the set's
	Progress func(learn.Event) // called by the training, at most every 50 ms or so; may be nil
}

// Conformal asks for prediction sets, or for intervals of values.
type Conformal = prepare.Conformal

// Bound asks for a bound of the error rate.
type Bound = assure.Bound

// NeedsFeatures names what in the method and the options reads features, so that the zeros of sparse samples must be
// stored; "" means that samples may stay sparse.
func (o *Options) NeedsFeatures() string {
	s := o.spec()
	return s.NeedsFeatures()
}

// spec says how samples are prepared, without what depends on them.
func (o *Options) spec() prepare.Spec {
	s := prepare.Spec{
		Trainer: o.Trainer, Method: registered(o.Trainer), Kernel: o.Kernel, Gamma: o.Gamma,
		Scale: o.Scale, RoundScaled: o.RoundScaled, ScaleTarget: o.ScaleTarget, Coarse: o.Bound != (Bound{}),
		ClassWeight: o.ClassWeight, SampleWeight: o.SampleWeight, Soft: o.Soft,
		Validation: o.Validation, Candidates: o.Candidates, Calibrate: o.Calibrate, Conformal: o.Conformal, Values: o.CategoryValues,
		Resources: learn.Resources{Threads: o.Threads, Memory: o.Memory, InUse: o.InUse, Progress: o.Progress},
	}
	if s.Method.OwnKernel && !o.Kernel.Indexed() {
		s.Kernel = gram.Linear()
	}
	if o.KernelOf != nil && s.Scale == dataset.ScaleAuto { // such a kernel weighs features by itself
		s.Scale = dataset.ScaleNone
	}
	switch {
	case o.KernelOf != nil || o.LearnWidths:
		s.ReadsFeatures = "a kernel that is made from the samples reads features"
	case o.CategoryValues > 0:
		s.ReadsFeatures = "values of categories are learnt from features"
	case o.Refit:
		s.ReadsFeatures = "fitting again reads features"
	}
	return s
}

// specFor is the spec for a set. It refuses options that do not go with the set or with one another.
func (o *Options) specFor(set *dataset.Set) (s prepare.Spec, err error) {
	if o.Trainer == nil {
		panic("sparsekm: Options.Trainer is nil")
	}
	if set == nil {
		panic("sparsekm: the set is nil")
	}
	s = o.spec()
	if s.Task, err = TaskOf(s.Method, set); err != nil {
		return s, err
	}
	s.Submodels = 1
	if k := len(set.Labels); s.Task == learn.Classify && k > 2 {
		if s.Submodels = k; o.scheme() != model.OneVsRest {
			s.Submodels = k * (k - 1) / 2
		}
	}
	if err = o.refuse(set, &s); err == nil && o.Bound != (Bound{}) {
		err = o.refuseBound(set, &s)
	}
	if err == nil && o.Conformal != (Conformal{}) {
		err = o.Conformal.Validate(set)
	}
	if err == nil {
		err = set.Validate()
	}
	return s, err
}

// refuse says which options do not go with the task.
func (o *Options) refuse(set *dataset.Set, s *prepare.Spec) error {
	name, task, classes := s.Method.Name, s.Task, len(set.Labels)
	learns := func(what string) error { return fmt.Errorf("sparsekm: %s; %s learns %s", what, name, targetsOf[task]) }
	switch {
	case task == learn.Classify && classes == 0:
		return errors.New("sparsekm: the samples have no labels")
	case task == learn.Classify && classes == 1:
		return fmt.Errorf("sparsekm: %w (every label is %q), want two", learn.ErrOneClass, set.Labels[0])
	case o.Soft != nil && (task != learn.Classify || !s.Method.Soft || o.scheme() != model.OneVsRest):
		return fmt.Errorf("sparsekm: %s takes no probabilities in place of labels here; direct does for classes, each "+
			"against the rest", name)
	case o.Soft != nil && len(o.Soft) != set.N*columnsOf(classes):
		return fmt.Errorf("sparsekm: %d probabilities for %d samples of %d classes", len(o.Soft), set.N, classes)
	case task != learn.Classify && o.Calibrate != 0:
		return learns("probabilities are for classes")
	case o.Calibrate < 0 || o.Calibrate == 1:
		return fmt.Errorf("sparsekm: %d folds to calibrate on, want at least 2", o.Calibrate)
	case task != learn.Classify && len(o.ClassWeight) > 0:
		return learns("weights are for classes")
	case task.Blind() && o.LearnWidths:
		return learns("widths are learnt from classes or values")
	case task.Blind() && o.CategoryValues > 0:
		return learns("values of categories are learnt from classes or values")
	case task != learn.Regress && o.ScaleTarget:
		return learns("a scale is for real targets")
	case o.CategoryValues > 0 && o.Kernel.Indexed():
		return fmt.Errorf("sparsekm: values of categories, but the features of a %v kernel are its values", o.Kernel.Kind)
	case s.Method.OwnKernel && (o.KernelOf != nil || o.LearnWidths):
		return fmt.Errorf("sparsekm: %s has a kernel of its own; it takes neither KernelOf nor LearnWidths", name)
	case o.Conformal != (Conformal{}) && o.Calibrate != 0:
		return errors.New("sparsekm: folds for probabilities and prediction sets in one training, want one of them")
	case o.Conformal != (Conformal{}) && task == learn.Density:
		return errors.New("sparsekm: a density has no prediction sets")
	case o.Scale != dataset.ScaleNone && o.Scale != dataset.ScaleAuto && o.Kernel.Indexed():
		return fmt.Errorf("sparsekm: scaling %v, but the features of a %v kernel are its values; want none",
			o.Scale, o.Kernel.Kind)
	}
	return nil
}

// refuseBound says which options do not go with a bound.
func (o *Options) refuseBound(set *dataset.Set, s *prepare.Spec) error {
	switch b := &o.Bound; {
	case !(b.Confidence > 0 && b.Confidence < 1):
		return fmt.Errorf("sparsekm: a bound with confidence %v, want a share between 0 and 1", b.Confidence)
	case b.Settings < 0:
		return fmt.Errorf("sparsekm: a bound for %d settings, want at least 0", b.Settings)
	case s.Task != learn.Classify || len(set.Labels) != 2:
		return errors.New("sparsekm: a bound of the error rate is for two classes")
	case o.SampleWeight != nil || set.Weights != nil || len(o.ClassWeight) > 0:
		return errors.New("sparsekm: a bound of the error rate counts every sample once; want no weights")
	case o.Calibrate != 0 || o.Conformal != (Conformal{}):
		return errors.New("sparsekm: a bound takes all samples; want no probabilities or prediction sets with it")
	case o.Candidates != nil:
		return errors.New("sparsekm: a bound is for support vectors that are training samples; want no candidates")
	case o.KernelOf != nil || o.LearnWidths || o.CategoryValues > 0:
		return errors.New("sparsekm: a bound is for a kernel chosen without the samples; want neither widths nor values of " +
			"categories learnt from them")
	case s.Scale == dataset.ScaleMinMax:
		return errors.New("sparsekm: a bound with features scaled to an interval; want none or z-scores")
	}
	return ownColumns(set)
}

// ownColumns refuses tables whose features depend on what is in all rows.
func ownColumns(set *dataset.Set) error {
	n := set.Notes
	whole := n != nil && n.Numbers > 0 && len(n.Missing) == 0 // no sample has a value that fills a missing cell
	for _, c := range set.Columns {
		if c.Form != "" || c.Filled && !whole ||
			c.Role != dataset.RoleNumber && c.Role != dataset.RoleLabel && c.Role != dataset.RoleUnused {
			return fmt.Errorf("sparsekm: a bound is for features that do not depend on other samples; column %q has "+
				"categories, dates or missing cells", c.Name)
		}
	}
	if n != nil && len(n.LeftOut) > 0 {
		return fmt.Errorf("sparsekm: a bound is for features that do not depend on other samples; column %q is left out "+
			"for what is in it: name the columns to leave out", n.LeftOut[0].Column)
	}
	return nil
}

// columnsOf is the number of probabilities of a sample.
func columnsOf(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// scheme is the scheme for more than two classes.
func (o *Options) scheme() model.Scheme {
	if o.Scheme == model.Binary {
		return model.OneVsRest
	}
	return o.Scheme
}

// kernelMaker makes a kernel from the samples of a problem.
type kernelMaker = func(*learn.Problem) (gram.Kernel, error)

// kernelOf makes a submodel's kernel: the caller's, then with learnt widths; nil if the options name neither.
func (o *Options) kernelOf(ctx context.Context, cancel *prepare.CancelKernel) kernelMaker {
	given, learnt := o.KernelOf, o.LearnWidths
	if given == nil && !learnt {
		return nil
	}
	return func(p *learn.Problem) (gram.Kernel, error) {
		q := *p
		if given != nil {
			k, err := given(p)
			if q.Kernel = cancel.Wrap(k); err != nil {
				return k, err
			}
		}
		if !learnt {
			return q.Kernel, nil
		}
		return learn.LearnWidths(ctx, &q)
	}
}

// Balanced returns class weights, for [Options.ClassWeight], with which every class that has samples weighs the same:
// a class of n of N samples gets N/(k·n), where k classes have samples.
func Balanced(set *dataset.Set) map[string]float64 { return prepare.Balanced(set) }

// GammaRule chooses the γ of a kernel from the scaled training samples. The rules are [GammaScale] and
// the others of internal/prepare.
type GammaRule = prepare.GammaRule

// GammaScale is 1/(d·Var X), the variance of all n·d values together: scikit-learn's default.
func GammaScale(samples *dataset.Set) float64 { return prepare.GammaScale(samples) }

// TaskOf returns the task of a method on a set: regression targets and labels ask for themselves, and methods that
// take neither learn from the samples alone. It is an error if the method does not take such a task.
func TaskOf(m Method, set *dataset.Set) (learn.Task, error) {
	task := learn.Classify
	if set.Targets != nil {
		task = learn.Regress
	}
	switch {
	case m.Takes(learn.OneClass) && !m.Takes(task):
		return learn.OneClass, nil
	case m.Takes(learn.Density) && !m.Takes(task):
		return learn.Density, nil
	case set.Y == nil && set.Targets == nil:
		return task, errors.New("sparsekm: the samples have no labels")
	case !m.Takes(task):
		return task, fmt.Errorf("sparsekm: %s does not learn %s, only %s", m.Name, targetsOf[task],
			learn.MethodsWith(func(m Method) bool { return m.Takes(task) }))
	}
	return task, nil
}

// targetsOf names what a task learns.
var targetsOf = [...]string{"classes", "regression targets", "from samples alone", "the density of samples"}

// registered is the trainer's method. One that is not registered takes classes, and reads validation data.
func registered(t learn.Trainer) Method {
	m, err := Lookup(t.Name())
	if err != nil {
		return Method{Name: t.Name(), Validation: true}
	}
	return m
}
