package ssvclp_test

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
)

// Implementation B along C: the more an error costs, the more vectors it takes.
func ExampleB_Path() {
	p, err := ripleyProblem()
	if err != nil {
		fmt.Println(err)
		return
	}
	err = ssvclp.B{}.Path(context.Background(), p, []float64{0.1, 1, 10}, func(c float64, r *learn.Result) bool {
		fmt.Printf("C = %v: %d support vectors, objective %.4f\n", c, len(r.Support), r.Report.Objective)
		return true
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// C = 0.1: 3 support vectors, objective 12.1439
	// C = 1: 4 support vectors, objective 78.6552
	// C = 10: 5 support vectors, objective 645.8982
}

func ripleyProblem() (*learn.Problem, error) {
	set, err := dataset.ReadFile("../../../testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		return nil, err
	}
	y, err := set.Signs()
	if err != nil {
		return nil, err
	}
	return &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBFSigma(0.5)}, nil
}

// Sparse regression by both implementations: a parabola by few vectors.
func ExampleRegressB() {
	p := &learn.Problem{N: 9, D: 1, X: make([]float64, 9), Y: make([]float64, 9), Kernel: gram.RBF(0.1), Task: learn.Regress}
	for i := range p.N {
		x := float64(i) - 3.8
		p.X[i], p.Y[i] = x, x*x
	}
	for _, t := range []learn.Trainer{ssvc.RegressA{C: 10, Epsilon: 0.5}, ssvclp.RegressB{C: 10, Epsilon: 0.5}} {
		r, err := t.Train(context.Background(), p)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.Name(), r.Report.Status, len(r.Support), "support vectors of", p.N, "samples")
	}
	// Output:
	// ssvr-a fixed point 4 support vectors of 9 samples
	// ssvr-b fixed point 3 support vectors of 9 samples
}
