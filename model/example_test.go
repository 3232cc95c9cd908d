package model_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// halves is a classifier of points on a line by two of three training points: right of 0
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
