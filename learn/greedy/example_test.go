package greedy_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
)

// One selection serves every C.
func ExampleLDA_Select() {
	// Nine samples on a line; the middle three are the positive class.
	line := &learn.Problem{
		N: 9, D: 1,
		X:      []float64{0, 1, 2, 3, 4, 5, 6, 7, 8},
		Y:      []float64{-1, -1, -1, 1, 1, 1, -1, -1, -1},
		Kernel: gram.RBF(0.5),
	}
	s, err := greedy.LDA{Eta: 1e-2}.Select(context.Background(), line)
	if err != nil {
		log.Fatal(err)
	}
	n := s.Prefix(0.2)
	fmt.Println(s.Support[:n])
	for _, c := range []float64{1, 100} {
		e := s.Solve(n, c)
		fmt.Printf("C=%v: coefficients %.2f, bias %.2f\n", c, e.Coef, e.Bias)
	}
	// Output:
	// [4]
	// C=1: coefficients [1.33], bias -0.70
	// C=100: coefficients [2.54], bias -1.04
}

// Forward selections differ in how they choose the next support vector.
func ExampleKMP() {
	line := &learn.Problem{
		N: 9, D: 1,
		X:      []float64{0, 1, 2.1, 3, 4, 5.2, 6, 7.4, 9},
		Y:      []float64{-1, -1, -1, 1, 1, 1, -1, -1, -1},
		Kernel: gram.RBF(0.5),
	}
	for _, t := range []learn.Trainer{
		greedy.KMP{MaxSV: 3}, greedy.SGGP{MaxSV: 3, Candidates: -1}, greedy.PFSALS{MaxSV: 3, Candidates: -1},
	} {
		r, err := t.Train(context.Background(), line)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Name(), r.Support)
	}
	// Output:
	// kmp [4 5 6]
	// sggp [1 4 7]
	// pfsals [4 5 6]
}
