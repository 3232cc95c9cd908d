package lssvm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
)

// line has nine samples on a line; the middle three are the positive class.
var line = &learn.Problem{
	N: 9, D: 1,
	X:      []float64{0, 1, 2, 3, 4, 5, 6, 7, 8},
	Y:      []float64{-1, -1, -1, 1, 1, 1, -1, -1, -1},
	Kernel: gram.RBF(0.5),
}

// Leave-one-out comes with every training.
func ExampleDual() {
	r, err := lssvm.Dual{GammaReg: 10}.Train(context.Background(), line)
	if err != nil {
		log.Fatal(err)
	}
	figures := r.Report.Figures.(lssvm.DualFigures)
	fmt.Printf("%d support vectors, leave-one-out error %.2f\n", len(r.Support), figures.LOOError)
	// Output: 9 support vectors, leave-one-out error 0.44
}

// The samples of the smallest coefficients leave until the accuracy falls.
func ExamplePrune() {
	p := *line
	p.X = []float64{0, 1, 2.1, 3, 4, 5.2, 6, 7.4, 9}
	r, err := lssvm.Prune{GammaReg: 10, Fraction: 0.2}.Train(context.Background(), &p)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Report.Figures.(lssvm.PruneFigures).Path {
		fmt.Printf("%d support vectors: accuracy %.2f\n", p.Size, p.Index)
	}
	// Output:
	// 9 support vectors: accuracy 1.00
	// 7 support vectors: accuracy 1.00
	// 5 support vectors: accuracy 1.00
	// 3 support vectors: accuracy 0.56
}
