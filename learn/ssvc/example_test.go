package ssvc_test

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	_ "github.com/sparsekm/sparsekm/learn/ssvc/ssvclp" // for the infinity norm
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
	// fixed point after 12 rounds, which [251 244 107 73 47 25 16 10 8 5 4 4] coefficients entered
	// support vectors [15 37 179 217]
	// coefficients [-5.7866 -6.8438 4.4035 2.4296], bias 0
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

// The infinity norm bounds the largest coefficient; it does not make the model sparse.
func ExampleA_infinity() {
	p := &learn.Problem{
		N: 9, D: 1,
		X:      []float64{0, 1, 2.1, 3, 4, 5.2, 6, 7.4, 9},
		Y:      []float64{-1, -1, -1, 1, 1, 1, -1, -1, -1},
		Kernel: gram.RBF(0.5),
	}
	r, err := ssvc.A{C: 1, Norm: math.Inf(1)}.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: largest coefficient %.4f\n", r.Report.Status, r.Report.Figures.(ssvc.InfinityFigures).MaxCoefficient)
	// Output: optimal: largest coefficient 1.5770
}

// A linear model that reads one feature of two.
func ExampleFeatures() {
	p := &learn.Problem{
		N: 6, D: 2,
		X: []float64{-3, 1, -2, -1, -1, 0.5, 1, 1, 2, -1, 3, 0.5},
		Y: []float64{-1, -1, -1, 1, 1, 1},
	}
	r, err := ssvc.Features{C: 10}.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Report.Status, "features", r.Report.Figures.(ssvc.FeatureFigures).Features)
	// Output: fixed point features [1]
}
