package svc_test

import (
	"context"
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
