package cholupdate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
)

// A greedy choice appends a row while its pivot, what the others leave of its diagonal
// element, is worth it; a row that depends on them is refused and changes nothing.
func ExampleFactor_Append() {
	var f cholupdate.Factor
	for _, row := range [][]float64{{4}, {2, 5}, {6, 7, 13}, {0, 2, 10}} {
		off, diag := row[:len(row)-1], row[len(row)-1]
		pivot, err := f.Append(off, diag, 1e-9)
		fmt.Printf("order %d, pivot %g, %v\n", f.Len(), pivot, err)
	}
	b := []float64{6, 9, 12} // A (1, 1, 1)
	f.Solve(b)
	fmt.Println(b)
	f.Delete(1)
	b = []float64{8, 30} // of what is left of A, times (2, 3)
	f.Solve(b)
	fmt.Println(b)
	// Output:
	// order 1, pivot 4, <nil>
	// order 2, pivot 4, <nil>
	// order 2, pivot 0, cholupdate: pivot 2 is 0, not above 1e-09
	// order 3, pivot 9, <nil>
	// [1 1 1]
	// [2 3]
}

// Removing an index from an inverse costs n² operations instead of another inversion.
func ExampleInverse() {
	a := []float64{
		2, 0, 0,
		1, 2, 0,
		0, 1, 2,
	} // the upper triangle is not read
	h, err := cholupdate.NewInverse(context.Background(), a, 3, 3, 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	diag := make([]float64, h.Len())
	h.Diag(diag)
	fmt.Printf("%.2f\n", diag)
	if err := h.Remove(1); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %.2f %.2f\n", h.Kept(), h.At(0, 0), h.At(1, 0))
	// Output:
	// [0.75 1.00 0.75]
	// [0 2] 0.50 0.00
}

// Pivoting finds the rows that carry a matrix of low rank.
func ExamplePivot() {
	x := []float64{1, -2, 0.5, 3} // A = xxᵀ + e₁e₁ᵀ has rank 2
	a := make([]float64, 16)
	for i := range x {
		for j := range x {
			a[4*i+j] = x[i] * x[j]
		}
	}
	a[5]++
	p, err := cholupdate.Pivot(context.Background(), a, 4, 4, cholupdate.PivotOptions{Threshold: 1e-12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Order, p.Pivots)
	// Output: [3 1] [9 1]
}

// Online ridge regression: samples come and go by rank-one changes of the normal equations.
func ExampleFactor_Update() {
	var f cholupdate.Factor
	if err := f.Factorize(context.Background(), []float64{1, 0, 0, 1}, 2, 2, 1); err != nil { // λ = 1
		log.Fatal(err)
	}
	f.Update([]float64{3, 4})
	f.Update([]float64{1, 0})
	fmt.Printf("det %.4g\n", math.Exp(f.LogDet()))
	if err := f.Downdate([]float64{3, 4}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("det %.4g\n", math.Exp(f.LogDet()))
	err := f.Downdate([]float64{0, 1}) // would leave a zero on the diagonal
	var pivot *cholupdate.PivotError
	fmt.Println(errors.As(err, &pivot), f.Len())
	// Output:
	// det 43
	// det 2
	// true 2
}

// A greedy selection asks for the pivots of all candidates before it appends one.
func ExampleFactor_Try() {
	k := [][]float64{{4, 2, 1}, {2, 5, 3}, {1, 3, 3}} // kernel values
	var f cholupdate.Factor
	f.Reserve(len(k))
	if _, err := f.Append(nil, k[0][0], 0); err != nil {
		log.Fatal(err)
	}
	for i := 1; i < len(k); i++ {
		fmt.Println(i, f.Try(k[i][:1], k[i][i]))
	}
	// Output:
	// 1 4
	// 2 2.75
}
