package lssvm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
)

// Leave-one-out comes with every training.
func ExampleDual() {
	// Nine samples on a line; the middle three are the positive class.
	line := &learn.Problem{
		N: 9, D: 1,
		X:      []float64{0, 1, 2, 3, 4, 5, 6, 7, 8},
		Y:      []float64{-1, -1, -1, 1, 1, 1, -1, -1, -1},
		Kernel: gram.RBF(0.5),
	}
	r, err := lssvm.Dual{GammaReg: 10}.Train(context.Background(), line)
	if err != nil {
		log.Fatal(err)
	}
	figures := r.Report.Figures.(lssvm.DualFigures)
	fmt.Printf("%d support vectors, leave-one-out error %.2f\n", len(r.Support), figures.LOOError)
	// Output: 9 support vectors, leave-one-out error 0.44
}
