package learn

import (
	"fmt"
	"math"
)

// ClassWeights turns weights of classes into sample weights: row i gets
// weight[class[i]], times sample[i] when sample is not nil.
func ClassWeights(class []int, weight, sample []float64) ([]float64, error) {
	for c, w := range weight {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("learn: weight of class %d is %v, want a finite number >= 0", c, w)
		}
	}
	if sample != nil && len(sample) != len(class) {
		return nil, fmt.Errorf("learn: %d weights for %d points", len(sample), len(class))
	}
	out := make([]float64, len(class))
	for i, c := range class {
		if c < 0 || c >= len(weight) {
			return nil, fmt.Errorf("learn: point %d is of class %d, there are weights for %d classes", i, c, len(weight))
		}
		out[i] = weight[c]
		if sample != nil {
			out[i] *= sample[i]
		}
	}
	return out, nil
}

// Balanced returns the class weights n/(k n_c) that give each of the k classes
// the same total weight, and the n points the total n. A class without points gets 0.
func Balanced(class []int, k int) []float64 {
	w := make([]float64, k)
	for _, c := range class {
		w[c]++
	}
	for c, n := range w {
		if n > 0 {
			w[c] = float64(len(class)) / (float64(k) * n)
		}
	}
	return w
}
