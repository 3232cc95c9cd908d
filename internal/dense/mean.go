package dense

import "math"

// MeanStdDev returns the mean of x, and the standard deviation with one degree of
// freedom less than x has numbers. The mean of none is NaN, and so is the deviation of fewer than two.
//
// It is small on purpose: gonum's package of statistics brings its matrices into every program.
func MeanStdDev(x []float64) (mean, deviation float64) {
	n := float64(len(x))
	mean = Sum(x) / n
	var square, rest float64 // rest is the rounding error of the mean, n times
	for _, v := range x {
		d := v - mean
		square, rest = square+d*d, rest+d
	}
	return mean, math.Sqrt((square - rest*rest/n) / (n - 1))
}
