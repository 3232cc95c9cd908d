package gram_test

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/gram"
)

// Samples are packed once for a kernel; rows, tiles and sums are then evaluated many
// pairs at a time.
func ExampleSamples() {
	x := []float64{0, 0, 1, 0, 1, 2} // three samples of two features
	p := gram.Pack[float64](gram.RBF(0.5), x, 3, 2)

	matrix := make([]float64, 3*3)
	p.Full(matrix, 3)
	for i := range 3 {
		fmt.Printf("%.4f\n", matrix[3*i:3*i+3])
	}

	// f(q) = k(q, x_0) − k(q, x_2) at a sample of one's own.
	f := make([]float64, 1)
	p.Expand([]float64{1, 0, -1}).Eval(f, []float64{0.5, 1}, 1)
	fmt.Printf("f = %.4f\n", f[0])
	// Output:
	// [1.0000 0.6065 0.0821]
	// [0.6065 1.0000 0.1353]
	// [0.0821 0.1353 1.0000]
	// f = 0.0000
}

// A kernel of one's own runs everywhere, one pair at a time.
func ExampleCustom() {
	overlap := gram.Custom(func(x, z []float64) float64 {
		var s float64
		for i := range x {
			s += min(x[i], z[i])
		}
		return s
	})
	p := gram.Pack[float64](overlap, []float64{1, 2, 3, 0}, 2, 2)
	row := make([]float64, 2)
	p.Row(row, 0)
	fmt.Println(row, overlap.Vectorised())
	// Output: [3 1] false
}

// Precomputed kernel values stand for features: a matrix for three training samples, a row for a sample to predict.
func ExamplePrecomputedSamples() {
	x := gram.PrecomputedSamples([]float64{
		2, 1, 0,
		1, 2, 0.5,
		0, 0.5, 2,
	}, 3, 3)
	p := gram.Pack[float64](gram.Precomputed(), x, 3, 4)
	f := make([]float64, 1)
	p.Expand([]float64{1, 0, -1}).Eval(f, gram.PrecomputedSamples([]float64{1.5, 0.25, 0.5}, 1, 3), 1)
	fmt.Println(f)
	// Output: [1]
}

// A model file has the name of a kernel function; every program that reads it registers the function.
func ExampleRegistered() {
	_, err := gram.Registered("edit-distance")
	var missing *gram.UnregisteredError
	fmt.Println(errors.As(err, &missing), missing.Name)
	// Output: true edit-distance
}

// The kernels of Gaussian processes, for one length scale.
func ExampleMatern32() {
	const length = 2.0
	gamma := 1 / (2 * length * length)
	for _, k := range []gram.Kernel{gram.Matern12(gamma), gram.Matern32(gamma), gram.Matern52(gamma),
		gram.RationalQuadratic(1, gamma), gram.RBFSigma(length)} {
		fmt.Printf("%v: %.4f\n", k, k.Eval([]float64{0}, []float64{1}))
	}
	// Output:
	// matern12 gamma=0.125: 0.6065
	// matern32 gamma=0.125: 0.7849
	// matern52 gamma=0.125: 0.8286
	// rational-quadratic gamma=0.125 alpha=1: 0.8889
	// rbf gamma=0.125: 0.8825
}

// A spline without a parameter, for features in [0, 1].
func ExampleSpline() {
	k := gram.Spline()
	fmt.Println(k, k.Kind == gram.KindSpline)
	fmt.Printf("%.4f\n", k.Eval([]float64{0.5}, []float64{1}))
	// Output:
	// spline true
	// 1.6042
}

// A sum of products of kernels, as Gaussian processes have them: 2·RBF·linear + 0.5.
func ExampleComposite() {
	k := gram.Composite(gram.Term{Scale: 2, Factors: []gram.Kernel{gram.RBF(0.5), gram.Linear()}}, gram.Term{Scale: 0.5})
	fmt.Println(k)
	fmt.Printf("%.4f\n", k.Eval([]float64{1}, []float64{2}))
	// Output:
	// composite of 2 terms
	// 2.9261
}
