package skm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
)

// Regression whose support vectors are among four samples, which are far from each other.
func ExampleL1SVR() {
	p := &learn.Problem{N: 9, D: 1, X: make([]float64, 9), Y: make([]float64, 9), Kernel: gram.RBF(0.1), Task: learn.Regress}
	for i := range p.N {
		x := float64(i) - 4
		p.X[i], p.Y[i] = x, x*x
	}
	r, err := skm.L1SVR{
		C: 10, Epsilon: 0.5, Subset: learn.Subset{Candidates: 4, Choose: learn.ChooseSpread},
	}.Train(context.Background(), p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Report.Status, len(r.Support) <= 4)
	// Output: optimal true
}
