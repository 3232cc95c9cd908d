package csr_test

import (
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
)

// Two samples of three features, most of which are 0.
func ExampleFromDense() {
	m := csr.FromDense([]float64{
		0, 2, 0,
		1, 0, 3,
	}, 2, 3)
	index, value := m.Row(1)
	fmt.Println(index, value, m.Dot(1, []float64{1, 1, 1}))
	fmt.Println(m.Dense())
	// Output:
	// [0 2] [1 3] 4
	// [0 2 0 1 0 3]
}
