package model_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
)

// halves is a classifier of samples on a line by two of three training samples: right of 0
// is class "right".
func halves() *model.Classifier {
	x := []float64{-1, 0.2, 1}
	parts := model.BinaryParts(gram.RBF(0.5), x, 1, learn.Expansion{Support: []int{0, 2}, Coef: []float64{-1, 1}})
	parts.Labels = []string{"left", "right"}
	clf, err := model.New(parts)
	if err != nil {
		log.Fatal(err)
	}
	return clf
}

// A classifier is made of any trainer's expansion; Classify checks its argument.
func ExampleNew() {
	clf := halves()
	for _, x := range [][]float64{{-0.5}, {2}, {1, 2}} {
		label, err := clf.Classify(x)
		fmt.Printf("%q %v\n", label, err)
	}
	fmt.Printf("%.4f\n", clf.Decide([]float64{2}))
	// Output:
	// "left" <nil>
	// "right" <nil>
	// "" model: 2 features, want 1
	// 0.5954
}

// Many rows are predicted at once, by all threads.
func ExampleClassifier_PredictBatch() {
	clf := halves()
	class := make([]int, 3)
	clf.PredictBatch(class, []float64{-0.5, 2, 0.3}, 3, 0)
	for _, c := range class {
		fmt.Println(clf.Label(c))
	}
	// Output:
	// left
	// right
	// right
}

// What is written reads back to the same decisions, bit for bit; Read knows all formats.
func ExampleRead() {
	clf := halves()
	data, err := clf.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	back, format, err := model.Read(bytes.NewReader(data), "halves.skm")
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{0.3}
	fmt.Println(format, back.NumVectors(), back.Decide(x) == clf.Decide(x))
	data[40]++
	_, _, err = model.Read(bytes.NewReader(data), "damaged.skm")
	fmt.Println(err)
	// Output:
	// skm 2 true
	// damaged.skm: the file is corrupt (its checksum does not fit)
}

// Batches run on several threads and give the same bits as one row at a time.
func ExampleClassifier_DecideBatch() {
	clf := halves()
	x := []float64{-2, -1, 0, 1, 2}
	f := make([]float64, len(x)*clf.NumSubmodels())
	clf.DecideBatch(f, x, len(x), 2)
	fmt.Printf("%.3f\n", f)
	// Output:
	// [-0.595 -0.865 0.000 0.865 0.595]
}

// Labels of a batch, and the decision values of all submodels of one row.
func ExampleClassifier_ClassifyBatch() {
	clf := halves()
	labels, err := clf.ClassifyBatch([]float64{-2, 0.5, 3}, 3, 1)
	fmt.Println(labels, err)
	f := make([]float64, clf.NumSubmodels())
	clf.DecideTo(f, []float64{1})
	fmt.Printf("%.3f\n", f)
	// Output:
	// [left right right] <nil>
	// [0.865]
}

// A classifier has probabilities only if they were fitted.
func ExampleClassifier_Calibrated() {
	fmt.Println(errors.Is(halves().Calibrated(), model.ErrUncalibrated))
	// Output: true
}

// What each support vector adds to a decision value.
func ExampleClassifier_Explain() {
	var e model.Explanation = halves().Explain([]float64{0.3})[0]
	for _, s := range e.Shares {
		fmt.Printf("vector %d: %.2f · %.3f\n", s.Vector, s.Coef, s.Kernel)
	}
	fmt.Printf("decision %.3f\n", e.Decision)
	// Output:
	// vector 1: 1.00 · 0.783
	// vector 0: -1.00 · 0.430
	// decision 0.353
}

// A Gaussian process of another package has a mean and a variance for each row.
func ExampleClassifier_MeanVariance() {
	clf, err := model.Load("testdata/gp/gpflow-svgp.npz")
	if err != nil {
		log.Fatal(err)
	}
	mean, variance := clf.MeanVariance(make([]float64, clf.NumFeatures()))
	fmt.Printf("%.3f ± %.3f\n", mean, math.Sqrt(variance))
	// Output: -0.583 ± 0.812
}

// Models of other programs are read, too.
func ExampleRead_liblinear() {
	clf, format, err := model.Read(strings.NewReader(`solver_type L2R_LR
nr_class 2
label 7 -3
nr_feature 2
bias 0.5
w
1.5 
-2 
4 
`), "linear.model")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(format, clf.Labels(), clf.Decide([]float64{2, 1}))
	// Output: liblinear [7 -3] 3
}
