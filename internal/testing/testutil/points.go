package testutil

import "math/rand/v2"

// SerialPoints returns n points of d = n+1 features that every kernel takes, also one
// that looks its values up: feature 0 of point i is i+1, and the others are row i of a
// symmetric matrix of normal values. X is n×d, row-major.
func SerialPoints(n int) (x []float64, d int) {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	d = n + 1
	x = make([]float64, n*d)
	for i := range n {
		x[i*d] = float64(i + 1)
		for j := range i + 1 {
			v := rng.NormFloat64()
			x[i*d+1+j], x[j*d+1+i] = v, v
		}
	}
	return x, d
}
