package dataset_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
)

const samples = `+1 1:0.5 2:120
-1 1:-1.5 2:80
-1 1:0.5
+1 1:2.5 2:200
`

// Features that are not named are 0; labels are sorted, so that −1 is class 0.
func ExampleRead() {
	set, err := dataset.Read(strings.NewReader(samples), "samples.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.N, "samples,", set.D, "features, labels", set.Labels)
	fmt.Println(set.Row(2), "is of class", set.Labels[set.Y[2]])
	_, err = dataset.Read(strings.NewReader("+1 1:0.5\n-1 1:abc\n"), "bad.libsvm", dataset.Options{})
	fmt.Println(err)
	// Output:
	// 4 samples, 2 features, labels [-1 1]
	// [0.5 0] is of class -1
	// bad.libsvm:2:6: found "abc", want a finite number
}

// A scaling is fitted on training data and applied to whatever is classified later.
func ExampleFitZ() {
	set, err := dataset.Read(strings.NewReader(samples), "samples.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	scaling, err := dataset.FitZ(set)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("mean", scaling.Center)
	fmt.Printf("deviation %.3g\n", scaling.Spread)
	fmt.Printf("%.2f\n", scaling.Apply(set).Row(3))
	// Output:
	// mean [0.5 100]
	// deviation [1.41 72.1]
	// [1.41 1.39]
}

// Splits are stratified: every part has each class in the set's proportion.
func ExampleSet_Split() {
	set := dataset.Ringnorm(100, 1)
	split, err := set.Split(0.7, 42)
	if err != nil {
		log.Fatal(err)
	}
	train, test := set.Subset(split.Train), set.Subset(split.Test)
	fmt.Println(set.Counts(), train.Counts(), test.Counts())
	// Output:
	// [54 46] [37 33] [17 13]
}

// Features that are 0 are left out.
func ExampleSet_WriteLIBSVM() {
	set := &dataset.Set{N: 2, D: 3, X: []float64{1, 0, 0.25, 0, -2, 0}, Y: []int{1, 0}, Labels: []string{"-1", "+1"}}
	if err := set.WriteLIBSVM(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// +1 1:1 3:0.25
	// -1 2:-2
}

// The targets of a regression are numbers instead of labels.
func ExampleNewRegression() {
	set, err := dataset.NewRegression([]float64{0, 1, 2, 3}, 2, 2, []float64{0.5, 1.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.N, "samples,", set.D, "features, target", set.Targets[1])
	// Output: 2 samples, 2 features, target 1.5
}

// A CSV file with a header, text and missing cells. A model's file has the columns, so that later files become the same
// features with the same values for missing cells.
func ExampleReadCSV() {
	const text = "age,colour,id,class\n30,red,a1,yes\n,blue,a2,no\n50,red,a3,yes\n100,red,a4,no\n"
	var columns dataset.Columns
	for _, missing := range []dataset.Missing{
		dataset.MissingError, dataset.MissingDrop, dataset.MissingMean, dataset.MissingMedian,
	} {
		set, err := dataset.ReadCSV(strings.NewReader(text), "people.csv", dataset.Options{
			Header: dataset.HeaderAuto, Categorical: []string{"colour"}, Drop: []string{"id"}, Missing: missing,
		})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(set.N, "samples, the second one", set.Row(1))
		columns = set.Columns
	}
	for _, c := range columns {
		switch c.Role {
		case dataset.RoleLabel, dataset.RoleUnused:
			fmt.Println(c.Name, "is no feature:", c.Role)
		default:
			fmt.Println(c.Name, c.Role, c.Categories)
		}
	}
	// Output:
	// people.csv:3:1: found nothing in column "age", want a finite number
	// 3 samples, the second one [50 1]
	// 4 samples, the second one [60 1 0]
	// 4 samples, the second one [50 1 0]
	// age number []
	// colour category [blue red]
	// id is no feature: unused
	// class is no feature: label
}
