package svmtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

const trainUsage = `Usage: svm-train [options] training_set_file [model_file]
options:
-s type : 0 C-SVC, 1 nu-SVC, 2 one-class, 3 epsilon-SVR, 4 nu-SVR (default 0)
-t kernel : 0 linear u'v, 1 polynomial (gamma u'v + coef0)^degree, 2 radial
	exp(-gamma |u-v|^2), 3 sigmoid tanh(gamma u'v + coef0), 4 precomputed (default 2)
-d degree : of the polynomial kernel (default 3)
-g gamma : of kernels 1 to 3 (default 1/features)
-r coef0 : of kernels 1 and 3 (default 0)
-c cost : C of C-SVC, epsilon-SVR and nu-SVR (default 1)
-n nu : of nu-SVC, one-class and nu-SVR (default 0.5)
-p epsilon : of epsilon-SVR (default 0.1)
-e tolerance : largest violation of the optimality conditions (default 0.001)
-b 1 : fit probabilities, by a cross-validation of 5 folds except for one class
-wi weight : multiplies C of the class i, of C-SVC; several of one class multiply
-v n : cross-validation of n folds in the place of a model
-q : print nothing
-m, -h : taken and not needed; the cache is as large as memory allows, and
	shrinking is up to the solver
`

// trainer is what the flags of svm-train ask for.
type trainer struct {
	parameters
	options sparsekm.Options // without the trainer, which the parameters are for
	read    dataset.Options
	task    learn.Task
	folds   int
	quiet   bool
	random  *random // one for the whole command, as rand()
}

// parameters are the flags that have numbers.
type parameters struct {
	cost, nu, epsilon, tolerance, gamma, coef0, cache float64
	kind, kernel, degree, shrinking, probable         int
}

// The kinds of -s.
const (
	cSVC = iota
	nuSVC
	oneClass
	epsilonSVR
	nuSVR
)

// trainer is that of the kind, with LIBSVM's rule for the end.
func (p *parameters) trainer() learn.Trainer {
	switch p.kind {
	case nuSVC:
		return svc.ByLIBSVM(svc.NuSVC{Nu: p.nu, Tolerance: p.tolerance})
	case oneClass:
		return svc.ByLIBSVM(svc.OneClass{Nu: p.nu, Tolerance: p.tolerance})
	case epsilonSVR:
		return svc.ByLIBSVM(svc.SVR{C: p.cost, Epsilon: p.epsilon, Tolerance: p.tolerance})
	case nuSVR:
		return svc.ByLIBSVM(svc.NuSVR{C: p.cost, Nu: p.nu, Tolerance: p.tolerance})
	}
	return svc.ByLIBSVM(svc.Trainer{C: p.cost, Tolerance: p.tolerance})
}

// validate has LIBSVM's conditions, in its order and its words.
func (p *parameters) validate() error {
	shared := p.kind == nuSVC || p.kind == oneClass || p.kind == nuSVR // by ν
	for _, bad := range []struct {
		is   bool
		what string
	}{
		{p.kind < 0 || p.kind > 4, "unknown svm type"},
		{p.kernel < 0 || p.kernel > 4, "unknown kernel type"},
		{p.gamma < 0 && p.kernel > 0 && p.kernel < 4, "gamma < 0"},
		{p.degree < 0 && p.kernel == 1, "degree of polynomial kernel < 0"},
		{p.cache <= 0, "cache_size <= 0"},
		{p.tolerance <= 0, "eps <= 0"},
		{p.cost <= 0 && (p.kind == cSVC || p.kind > oneClass), "C <= 0"},
		{shared && (p.nu <= 0 || p.nu > 1), "nu <= 0 or nu > 1"},
		{p.epsilon < 0 && p.kind == epsilonSVR, "p < 0"},
		{p.shrinking != 0 && p.shrinking != 1, "shrinking != 0 and shrinking != 1"},
		{p.probable != 0 && p.probable != 1, "probability != 0 and probability != 1"},
	} {
		if bad.is {
			return parameterError(bad.what)
		}
	}
	return nil
}

// newTrainer reads the flags. γ is left at 0 where the number of features decides.
func newTrainer(o *options) (*trainer, error) {
	t := &trainer{quiet: o.values['q'] != "", random: newRandom()}
	t.read = dataset.Options{Format: dataset.LIBSVM, ZeroBased: o.values['t'] == "4"}
	p := parameters{cost: 1, nu: 0.5, epsilon: 0.1, tolerance: 1e-3, cache: 100, kernel: 2, degree: 3, shrinking: 1}
	err := errors.Join(
		o.numbers(map[byte]*float64{'c': &p.cost, 'n': &p.nu, 'p': &p.epsilon, 'e': &p.tolerance, 'g': &p.gamma,
			'r': &p.coef0, 'm': &p.cache}),
		o.integers(map[byte]*int{'s': &p.kind, 't': &p.kernel, 'd': &p.degree, 'h': &p.shrinking, 'b': &p.probable,
			'v': &t.folds}))
	if err != nil {
		return nil, err
	}
	if o.values['v'] != "" && t.folds < 2 {
		return nil, fmt.Errorf("-v: found %d, want at least 2", t.folds)
	}
	if err = p.validate(); err != nil {
		return nil, err
	}
	if p.epsilon == 0 {
		p.epsilon = -1 // 0 would mean the default
	}
	t.parameters = p
	switch p.kind {
	case cSVC:
		t.options.ClassWeight = o.weights
	case oneClass:
		t.task = learn.OneClass
	case epsilonSVR, nuSVR:
		t.task = learn.Regress
	}
	if t.task != learn.Classify {
		t.read.Targets = dataset.TargetValues
	}
	t.options.Scheme = model.OneVsOne
	t.options.Kernel = [...]gram.Kernel{gram.Linear(), gram.Poly(p.degree, p.gamma, p.coef0), gram.RBF(p.gamma),
		gram.Sigmoid(p.gamma, p.coef0), gram.Precomputed()}[p.kernel]
	t.read.KeepSparse = t.options.Kernel.Sparse()
	t.read.KeepNarrow = p.kernel == 0 && (p.kind == cSVC || p.kind == epsilonSVR)
	return t, nil
}

// parameterError is a fault that LIBSVM itself words.
type parameterError string

func (e parameterError) Error() string { return "ERROR: " + string(e) }

// fit settles what the data decide: γ. It warns of weights of classes that are not there.
func (t *trainer) fit(s streams, set *dataset.Set) {
	if k := &t.options.Kernel; k.Gamma == 0 && k.Kind != gram.KindLinear && k.Kind != gram.KindPrecomputed {
		largest := set.D // index
		if set.ZeroBased {
			largest--
		}
		k.Gamma = 1 / float64(max(1, largest))
	}
	for _, label := range slices.Sorted(maps.Keys(t.options.ClassWeight)) {
		if !slices.Contains(set.Labels, label) {
			fmt.Fprintf(s.stderr, "WARNING: class label %s specified in weight is not found\n", label)
		}
	}
}

// largestNu is twice the share of the smaller class, of the most unequal pair.
func largestNu(set *dataset.Set) float64 {
	nu, count := 1.0, set.Counts()
	for i, n := range count {
		for _, m := range count[:i] {
			nu = min(nu, 2*float64(min(n, m))/float64(n+m))
		}
	}
	return nu
}

// model trains on samples, with the weights of the classes that they have.
func (t *trainer) model(ctx context.Context, set *dataset.Set) (*model.Classifier, *sparsekm.Report, error) {
	set = ordered(set)
	o, p := t.options, t.parameters
	if p.kind == nuSVC { // LIBSVM does not look at folds: theirs is the largest possible
		p.nu = min(p.nu, largestNu(set))
	}
	o.Trainer = p.trainer()
	o.ClassWeight = maps.Clone(o.ClassWeight)
	maps.DeleteFunc(o.ClassWeight, func(label string, _ float64) bool { return !slices.Contains(set.Labels, label) })
	clf, r, err := sparsekm.Train(ctx, set, o)
	// Where rounding stops the solver before its tolerance, a model within a larger one is better than none within any.
	for tries := 0; err == nil && r.Status == status.Numerical && tries < 3; tries++ {
		p.tolerance *= 10
		o.Trainer = p.trainer()
		clf, r, err = sparsekm.Train(ctx, set, o)
	}
	return clf, r, cmp.Or(err, ctx.Err())
}

// train is svm-train.
func train(ctx context.Context, o *options, s streams) error {
	t, err := newTrainer(o)
	if err != nil {
		return err
	}
	t.read.MaxBytes = s.reading()
	set, err := dataset.ReadFile(o.files[0], t.read)
	if err != nil {
		return err
	}
	if t.kind == nuSVC && t.nu > largestNu(set) {
		return parameterError("specified nu is infeasible")
	}
	t.fit(s, set)
	if t.kind != cSVC && len(o.weights) > 0 {
		fmt.Fprintln(s.stderr, "WARNING: weights of classes are for -s 0")
	}
	set = ordered(set)
	if t.folds > 0 {
		return t.crossValidate(ctx, s, set)
	}
	clf, r, err := t.model(ctx, set)
	if err != nil {
		return err
	}
	if !r.Status.Done() {
		fmt.Fprintf(s.stderr, "WARNING: %v\n", r.Status)
	}
	if !t.quiet {
		t.report(s, r, set)
	}
	if t.probable == 1 {
		if clf, err = t.withProbabilities(ctx, s, clf, set); err != nil {
			return err
		}
	}
	name := filepath.Base(o.files[0]) + ".model"
	if len(o.files) > 1 {
		name = o.files[1]
	}
	return clf.Save(name, model.LIBSVM)
}

// report prints what LIBSVM does, for each model. The objective is that of the dual, which is minimised.
func (t *trainer) report(s streams, r *sparsekm.Report, set *dataset.Set) {
	for i := range r.Submodels {
		m := &r.Submodels[i]
		size, bounded, cost := 0.0, 0, 0.0
		if f, ok := m.Report.Figures.(svc.Figures); ok {
			bounded, cost = f.BoundedSV, f.Cost
		}
		for _, a := range m.Coef {
			size += math.Abs(a)
		}
		s.say("*\noptimization finished, #iter = %d\n", m.Report.InnerIterations)
		if t.kind == cSVC && len(t.options.ClassWeight) == 0 {
			n := float64(set.N)
			if count := set.Counts(); len(r.Labels) > 2 {
				n = float64(count[m.Pos] + count[m.Neg])
			}
			s.say("nu = %f\n", size/(t.cost*n))
		}
		objective := -m.Report.Duality.Objective
		switch t.kind { // LIBSVM states the program with the share, without its cost
		case nuSVC:
			objective += size
			s.say("C = %f\n", cost)
		case nuSVR:
			objective -= cost * size
			s.say("epsilon = %f\n", cost)
		}
		s.say("obj = %f, ", objective)
		s.say("rho = %f\nnSV = %d, nBSV = %d\n", -m.Bias, len(m.Support), bounded)
	}
	if t.task == learn.Classify {
		s.say("Total nSV = %d\n", r.NumVectors)
	}
}

// crossValidate prints the accuracy, or the error of values, of a cross-validation.
func (t *trainer) crossValidate(ctx context.Context, s streams, set *dataset.Set) error {
	if t.folds > set.N {
		fmt.Fprintf(s.stderr, "WARNING: # folds (%d) > # data (%d). Will use # folds = # data instead "+
			"(i.e., leave-one-out cross validation)\n", t.folds, set.N)
	}
	found, err := t.crossPredict(ctx, set, t.folds)
	if err != nil {
		return err
	}
	sum := scoreOf(found, targets(set))
	if t.task == learn.Regress {
		s.say("Cross Validation Mean squared error = %.6g\nCross Validation Squared correlation coefficient = %.6g\n",
			sum.meanSquare(), sum.correlation())
	} else {
		s.say("Cross Validation Accuracy = %.6g%%\n", 100*float64(sum.right)/float64(sum.n))
	}
	return nil
}

// crossPredict predicts each sample without the samples of its fold.
func (t *trainer) crossPredict(ctx context.Context, set *dataset.Set, k int) ([]float64, error) {
	found := make([]float64, set.N)
	rows, ends := folds(set, k, t.random)
	for f, end := range ends[1:] {
		tested := rows[ends[f]:end]
		without := set.Subset(slices.Concat(rows[:ends[f]], rows[end:]))
		if t.task == learn.Classify {
			if classes := appearance(without); len(classes) == 1 {
				for _, i := range tested {
					found[i] = numberOf(set.Labels[classes[0]])
				}
				continue
			}
		}
		without = ordered(without)
		clf, _, err := t.model(ctx, without)
		if err == nil && t.probable == 1 && t.task == learn.Classify {
			clf, err = t.withProbabilities(ctx, streams{}, clf, without)
		}
		if err != nil {
			return nil, err
		}
		p, err := predict.Set(ctx, clf, set.Subset(tested), 0, false)
		if err != nil {
			return nil, err
		}
		if clf.Calibrated() == nil {
			maxProbable(p)
		}
		for j, v := range predicted(p) {
			found[tested[j]] = v
		}
	}
	return found, nil
}
