package svc_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func ExampleTrainer() {
	p := &learn.Problem{
		X: []float64{0, 0, 0, 1, 1, 0, 1, 1}, N: 4, D: 2, // exclusive or
		Y:      []float64{-1, 1, 1, -1},
		Kernel: gram.RBF(1),
	}
	r, err := svc.Trainer{C: 100, Tolerance: 1e-9}.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Report.Status, "support vectors", r.Support)
	fmt.Printf("coefficients %.4f\n", r.Coef)
	// Output:
	// optimal support vectors [0 1 2 3]
	// coefficients [-2.5027 2.5027 2.5027 -2.5027]
}

// With one sample of four in a class, at most half the samples can have errors.
func ExampleNuSVC() {
	p := &learn.Problem{X: []float64{0, 1, 2, 4}, N: 4, D: 1, Y: []float64{-1, -1, -1, 1}, Kernel: gram.RBF(1)}
	for _, nu := range []float64{0.4, 0.6} {
		_, err := svc.NuSVC{Nu: nu}.Train(context.Background(), p)
		fmt.Println(nu, errors.Is(err, svc.ErrShare))
	}
	// Output:
	// 0.4 false
	// 0.6 true
}
