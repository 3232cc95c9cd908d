package gram

import "fmt"

// Precomputed is a kernel that is given by its values, LIBSVM's -t 4. The features of a
// point are its serial number, from 1, and its row of the kernel matrix (see
// [PrecomputedSamples]): k(x, z) is the value of x in the column of z's number. What stands
// on the right, training samples and support vectors, needs a number; of a sample to
// predict only the row is read.
func Precomputed() Kernel { return Kernel{Kind: KindPrecomputed} }

// PrecomputedSamples makes the features of n samples from n rows of m kernel values each, k
// n×m and row-major: n×(m+1) features, row-major. Column j of every row belongs to the
// point of serial number j+1. The samples get the numbers 1 to n, so of a training set k is
// the n×n matrix; for samples to predict the numbers mean nothing. It panics if k is too short.
func PrecomputedSamples(k []float64, n, m int) []float64 {
	if n < 0 || m < 0 || len(k) < n*m {
		panic(fmt.Sprintf("gram: %d values for %d rows of %d", len(k), n, m))
	}
	x := make([]float64, 0, n*(m+1))
	for i := range n {
		x = append(append(x, float64(i+1)), k[i*m:(i+1)*m]...)
	}
	return x
}

func lookUp(_ Kernel, x, z []float64) float64 { return x[int(z[0])] }
