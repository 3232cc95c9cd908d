package bayes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
)

func ExampleSPC() {
	line := &learn.Problem{N: 40, D: 1, X: make([]float64, 40), Y: make([]float64, 40), Kernel: gram.RBF(0.05)}
	for i := range line.N {
		line.X[i], line.Y[i] = 0.2*float64(i)-3.7, 1
		if line.X[i] < 0 {
			line.Y[i] = -1
		}
	}
	r, err := bayes.SPC{}.Train(context.Background(), line)
	if err != nil {
		log.Fatal(err)
	}
	figures := r.Report.Figures.(bayes.SPCFigures)
	fmt.Println(r.Report.Status, len(r.Support), "support vectors", figures.FixedPoint <= 1e-6)
	// Output: fixed point 2 support vectors true
}
