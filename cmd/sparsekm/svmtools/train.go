package svmtools

import (
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
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/model/predict"
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
-b 1 : fit probabilities, by a cross-validation of 5 folds; C-SVC and nu-SVC only
-wi weight : multiplies C of the class i, of C-SVC
-v n : cross-validation of n folds in the place of a model
-q : print nothing
-m, -h : taken and not needed; the cache is as large as memory allows, and
	shrinking is up to the solver
`

// trainer is what the flags of svm-train ask for.
type trainer struct {
	options sparsekm.Options
	read    dataset.Options
	task    learn.Task
	folds   int
	quiet   bool
}

// newTrainer reads the flags. γ is left at 0 where the number of features decides.
func newTrainer(o *options) (*trainer, error) {
	t := &trainer{quiet: o.values['q'] != "", read: dataset.Options{Format: dataset.LIBSVM, ZeroBased: o.values['t'] == "4"}}
	cost, nu, epsilon, tolerance, gamma, coef0, cache := 1.0, 0.5, 0.1, 1e-3, 0.0, 0.0, 100.0
	err := o.numbers(map[byte]*float64{'c': &cost, 'n': &nu, 'p': &epsilon, 'e': &tolerance, 'g': &gamma, 'r': &coef0, 'm': &cache})
	if err != nil {
		return nil, err
	}
	kind, err1 := o.integer('s', 0, 0, 1, 2, 3, 4)
	kernel, err2 := o.integer('t', 2, 0, 1, 2, 3, 4)
	degree, err3 := o.integer('d', 3, 1)
	_, err4 := o.integer('h', 1, 0, 1)
	probable, err5 := o.integer('b', 0, 0, 1)
	folds, err6 := o.integer('v', 0, 2)
	if err = errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	t.folds = folds
	if epsilon == 0 {
		epsilon = -1 // 0 would mean the default
	}
	switch kind {
	case 0:
		t.options.Trainer = svc.Trainer{C: cost, Tolerance: tolerance}
	case 1:
		t.options.Trainer = svc.NuSVC{Nu: nu, Tolerance: tolerance}
	case 2:
		t.options.Trainer, t.task, t.read.TextLabels = svc.OneClass{Nu: nu, Tolerance: tolerance}, learn.OneClass, true
	case 3:
		t.options.Trainer, t.task = svc.SVR{C: cost, Epsilon: epsilon, Tolerance: tolerance}, learn.Regress
	case 4:
		t.options.Trainer, t.task = svc.NuSVR{C: cost, Nu: nu, Tolerance: tolerance}, learn.Regress
	}
	t.options.Trainer = svc.ByLIBSVM(t.options.Trainer)
	if probable == 1 {
		if t.task != learn.Classify {
			return nil, fmt.Errorf("-b 1: probabilities are for classes, not for -s %d", kind)
		}
		t.options.Calibrate = 5
	}
	if len(o.weights) > 0 && kind != 0 {
		return nil, fmt.Errorf("-w%s: weights are for -s 0, not for -s %d", slices.Sorted(maps.Keys(o.weights))[0], kind)
	}
	if t.task == learn.Regress {
		t.read.Targets = dataset.TargetValues
	}
	t.options.Scheme, t.options.ClassWeight = model.OneVsOne, o.weights
	t.options.Kernel = [...]gram.Kernel{gram.Linear(), gram.Poly(degree, gamma, coef0), gram.RBF(gamma), gram.Sigmoid(gamma, coef0),
		gram.Precomputed()}[kernel]
	t.read.KeepSparse = t.options.Kernel.Sparse()
	t.read.KeepNarrow = kernel == 0 && (kind == 0 || kind == 3)
	return t, nil
}

// fit settles what the data decide: γ, and the weights of classes that are there.
func (t *trainer) fit(s streams, set *dataset.Set) {
	if k := &t.options.Kernel; k.Gamma == 0 && k.Kind != gram.KindLinear && k.Kind != gram.KindPrecomputed {
		k.Gamma = 1 / float64(max(1, set.D))
	}
	for _, label := range slices.Sorted(maps.Keys(t.options.ClassWeight)) {
		if !slices.Contains(set.Labels, label) {
			fmt.Fprintf(s.stderr, "WARNING: class label %s specified in weight is not found\n", label)
			delete(t.options.ClassWeight, label)
		}
	}
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
	t.fit(s, set)
	if t.folds > 0 {
		return t.crossValidate(ctx, s, set)
	}
	clf, r, err := sparsekm.Train(ctx, set, t.options)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err != nil {
		return err
	}
	if !t.quiet {
		t.report(s, r, set)
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
		size, bounded, price := 0.0, 0, 0.0
		if f, ok := m.Report.Figures.(svc.Figures); ok {
			bounded, price = f.BoundedSV, f.Cost
		}
		for _, a := range m.Coef {
			size += math.Abs(a)
		}
		s.say("*\noptimization finished, #iter = %d\n", m.Report.InnerIterations)
		if c, ok := t.options.Trainer.(svc.Trainer); ok && len(t.options.ClassWeight) == 0 {
			n := float64(set.N)
			if count := set.Counts(); len(r.Labels) > 2 {
				n = float64(count[m.Pos] + count[m.Neg])
			}
			s.say("nu = %f\n", size/(c.C*n))
		}
		objective := -m.Report.Duality.Objective
		switch t.options.Trainer.(type) { // LIBSVM states the program with the share, without its cost
		case svc.NuSVC:
			objective += size
			s.say("C = %f\n", price)
		case svc.NuSVR:
			objective -= price * size
			s.say("epsilon = %f\n", price)
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
	if t.task == learn.OneClass {
		return errors.New("-v: one class has no accuracy")
	}
	t.options.Calibrate = 0
	var sum score
	for _, split := range folds(set, min(t.folds, set.N)) {
		clf, _, err := sparsekm.Train(ctx, set.Subset(split.Train), t.options)
		if err != nil {
			return err
		}
		if err = ctx.Err(); err != nil {
			return err
		}
		held := set.Subset(split.Test)
		p, err := predict.Set(ctx, clf, held, 0, false)
		if err != nil {
			return err
		}
		sum.add(held, p)
	}
	if t.task == learn.Regress {
		s.say("Cross Validation Mean squared error = %.6g\nCross Validation Squared correlation coefficient = %.6g\n",
			sum.meanSquare(), sum.correlation())
	} else {
		s.say("Cross Validation Accuracy = %.6g%%\n", 100*float64(sum.right)/float64(sum.n))
	}
	return nil
}
