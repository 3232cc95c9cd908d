package ssvc_test

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

// The example of section 4.1 of Huang et al. (2010): of Ripley's 250 samples four remain.
func ExampleA() {
	p, err := ripleyProblem()
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ssvc.A{C: 1}.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := r.Report.Figures.(ssvc.Figures)
	fmt.Println(r.Report.Status, "after", r.Report.Iterations, "rounds, which", f.Live, "coefficients entered")
	fmt.Println("support vectors", r.Support)
	fmt.Printf("coefficients %.4f, bias %v\n", r.Coef, r.Bias)
	// Output:
	// optimal after 12 rounds, which [251 244 145 75 47 29 18 11 8 8 4 4] coefficients entered
	// support vectors [15 37 179 217]
	// coefficients [-5.7866 -6.8438 4.4035 2.4296], bias 0
}

// Implementation B along C: the more an error costs, the more vectors it takes.
func ExampleB_Path() {
	p, err := ripleyProblem()
	if err != nil {
		fmt.Println(err)
		return
	}
	err = ssvc.B{}.Path(context.Background(), p, []float64{0.1, 1, 10}, func(c float64, r *learn.Result) bool {
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
	set, err := dataset.ReadFile("../../testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		return nil, err
	}
	y, err := set.Signs()
	if err != nil {
		return nil, err
	}
	return &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBFSigma(0.5)}, nil
}
