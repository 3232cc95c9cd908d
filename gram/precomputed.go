package gram

import "fmt"

// Precomputed is a kernel given by its values, as with LIBSVM's option -t 4. The features of a sample are its serial
// number, from 1, and its row of the kernel matrix; [PrecomputedSamples] builds them. k(x, z) is the value of x's row
// in the column of z's number. So training samples and support vectors need a number. For a sample to predict, only
// the row is read.
func Precomputed() Kernel { return Kernel{Kind: KindPrecomputed} }

// PrecomputedSamples returns the features of n samples from k, n rows of m kernel values (row-major). The result is
// n×(m+1), row-major. Column j of k belongs to the sample with serial number j+1. The samples get the numbers 1 to n,
// so a training set passes its n×n kernel matrix. For samples to predict the numbers have no meaning. It panics if k
// is too short.
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
