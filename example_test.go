package sparsekm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// trainRipley trains on the 250 samples of Ripley's synthetic data.
func trainRipley() *sparsekm.Classifier {
	set, err := dataset.ReadFile("testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	clf, _, err := sparsekm.Train(context.Background(), set, sparsekm.Options{
		Trainer: ssvc.A{C: 1},
		Kernel:  gram.RBFSigma(0.5),
	})
	if err != nil {
		log.Fatal(err)
	}
	return clf
}

func ExampleTrain() {
	set, err := dataset.ReadFile("testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	clf, report, err := sparsekm.Train(context.Background(), set, sparsekm.Options{
		Trainer: ssvc.A{C: 1},
		Kernel:  gram.RBFSigma(0.5),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Status)
	fmt.Println(clf.NumVectors(), "support vectors of", report.N, "samples")
	// Output:
	// fixed point
	// 4 support vectors of 250 samples
}

// A decision is positive for the last of the two classes. It allocates nothing,
// and any number of goroutines may ask at once.
func ExampleClassifier_Decide() {
	clf := trainRipley()
	for _, x := range [][]float64{{-0.3, 0.3}, {-0.3, 0.9}} {
		fmt.Printf("%v: class %s, decision %.2f\n", x, clf.Label(clf.Predict(x)), clf.Decide(x))
	}
	// Output:
	// [-0.3 0.3]: class -1, decision -1.62
	// [-0.3 0.9]: class 1, decision 2.63
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ripley.skm")
	if err = trainRipley().Save(path, model.SKM); err != nil {
		log.Fatal(err)
	}

	clf, err := sparsekm.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(clf.Method(), clf.Labels(), clf.NumVectors())
	// Output: ssvc-a [-1 1] 4
}

// With //go:embed in front of a []byte variable the model is part of the program.
func ExampleParse() {
	embedded, err := trainRipley().MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	clf, err := sparsekm.Parse(embedded)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(clf.Decide([]float64{-0.3, 0.9}) > 0)

	_, err = sparsekm.Parse(embedded[:len(embedded)-1])
	fmt.Println(err != nil)
	// Output:
	// true
	// true
}

func ExampleLookup() {
	_, err := sparsekm.Lookup("svm")
	var unknown *learn.UnknownMethodError
	fmt.Println(errors.As(err, &unknown), unknown.Name)

	method, err := sparsekm.Lookup("svc")
	if err != nil {
		log.Fatal(err)
	}
	trainer, err := method.New(learn.Values{"c": 10.0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trainer.Name(), learn.ValuesOf(trainer))
	// Output:
	// true svm
	// svc map[c:10 tolerance:0.001]
}

// Probabilities are fitted to decisions on samples that a training did not have, and judged on others.
func ExampleEvaluate() {
	set, err := dataset.ReadFile("testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	test, err := dataset.ReadFile("testdata/ripley.test.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	clf, _, err := sparsekm.Train(ctx, set, sparsekm.Options{
		Trainer:   ssvc.A{C: 1},
		Kernel:    gram.RBFSigma(0.5),
		Calibrate: 5,
	})
	if err != nil {
		log.Fatal(err)
	}
	p := make([]float64, clf.NumClasses())
	clf.Probabilities(p, []float64{-0.3, 0.9})
	fmt.Printf("%s: %.2f, %s: %.2f\n", clf.Label(0), p[0], clf.Label(1), p[1])
	r, err := sparsekm.Evaluate(ctx, clf, test, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d errors of %d, AUC %.3f, log loss %.3f\n", r.Errors, r.Samples, *r.AUC, *r.LogLoss)
	// Output:
	// -1: 0.02, 1: 0.98
	// 97 errors of 1000, AUC 0.970, log loss 0.231
}

// The rules for γ read the samples after their scaling.
func ExampleGammaRule() {
	set, err := dataset.New([]float64{0, 0, 3, 4}, 2, 2, []string{"a", "b"})
	if err != nil {
		log.Fatal(err)
	}
	for _, rule := range []sparsekm.GammaRule{
		sparsekm.GammaScale, prepare.GammaAuto, prepare.GammaMedian, prepare.GammaPerFeature(3),
	} {
		fmt.Printf("%.3f\n", rule(set))
	}
	// Output:
	// 0.157
	// 0.500
	// 0.020
	// 1.500
}

// A prediction set has the class of at least 95 % of new samples of each class. It may be empty, or have several
// classes: the model does not know.
func ExampleConformal() {
	iris, err := dataset.ReadFile("testdata/iris.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	clf, _, err := sparsekm.Train(context.Background(), iris, sparsekm.Options{
		Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ,
		Conformal: sparsekm.Conformal{Coverage: 0.95, ByClass: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	decisions, set := make([]float64, clf.NumSubmodels()), make([]bool, clf.NumClasses())
	clf.DecideTo(decisions, []float64{5.1, 3.5, 1.4, 0.2})
	clf.Sets(set, decisions, 1)
	for class, in := range set {
		fmt.Println(clf.Label(class), in)
	}
	// Output:
	// 1 true
	// 2 false
	// 3 false
}
