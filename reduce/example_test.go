package reduce_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

// ripley returns Ripley's 250 samples and their support vector classifier.
func ripley() (*dataset.Set, *model.Classifier) {
	set, err := dataset.ReadFile("../testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	y, err := set.Signs()
	if err != nil {
		log.Fatal(err)
	}
	kernel := gram.RBFSigma(0.5)
	r, err := svc.Trainer{C: 1}.Train(context.Background(),
		&learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: kernel})
	if err != nil {
		log.Fatal(err)
	}
	parts := model.BinaryParts(kernel, set.X, set.D, r.Expansion)
	parts.Labels = set.Labels
	clf, err := model.New(parts)
	if err != nil {
		log.Fatal(err)
	}
	return set, clf
}

// Removal stops before the mean hinge loss on the training samples grows by more than τ.
func ExamplePrune() {
	set, clf := ripley()
	r, err := reduce.Prune(context.Background(), clf, set, reduce.Options{ // the zero value means the same
		Lambda: 0.001, Stop: []reduce.Rule{reduce.Tau(0.025)},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d vectors of %d (%s)\n", r.SVAfter, r.SVBefore, r.Stopped)
	fmt.Printf("errors %.1f %% before, %.1f %% after; %.1f %% keep their class\n",
		100*r.Compared.ErrorBefore, 100*r.Compared.ErrorAfter, 100*r.Compared.Agreement)
	// Output:
	// 8 vectors of 102 (hinge loss +0.025)
	// errors 12.8 % before, 12.8 % after; 99.2 % keep their class
}

// A budget needs no data.
func ExampleMaxSV() {
	_, clf := ripley()
	r, err := reduce.Prune(context.Background(), clf, nil, reduce.Options{Stop: []reduce.Rule{reduce.MaxSV(10)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Classifier.NumVectors(), r.Stopped)
	// Output:
	// 10 at most 10 vectors
}

// Only what the others can replace goes: here two vectors are equal, and one is not used.
func ExampleSimplify() {
	clf, err := model.New(model.Parts{
		Kernel: gram.RBF(1), N: 4, D: 1, Vectors: []float64{0, 1, 0, 2}, Labels: []string{"a", "b"},
		Submodels: []learn.Submodel{{
			Pos: 1, Neg: 0,
			Expansion: learn.Expansion{Support: []int{0, 1, 2}, Coef: []float64{1, -1, 0.5}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := reduce.Simplify(context.Background(), clf, nil, reduce.SimplifyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	p := r.Classifier.Parts()
	fmt.Println("removed", r.Order, "left", p.Vectors, p.Submodels[0].Coef)
	// Output:
	// removed [2 3] left [0 1] [1.5 -1]
}
