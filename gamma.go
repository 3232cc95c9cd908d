package sparsekm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A GammaRule chooses the γ of a kernel that has one from
// the training points: x is n×d, row-major, already scaled.
type GammaRule func(x []float64, n, d int) float64

// GammaScale is 1/(d·Var X), the variance taken over all n·d values together
// (scikit-learn's default); 1 when there is nothing to take it from or it is 0.
func GammaScale(x []float64, n, d int) float64 {
	count := float64(n * d)
	if count == 0 {
		return 1
	}
	var mean, variance float64
	for _, v := range x[:n*d] {
		mean += v / count
	}
	for _, v := range x[:n*d] {
		variance += (v - mean) * (v - mean) / count
	}
	if variance == 0 {
		return 1
	}
	return 1 / (float64(d) * variance)
}

// GammaAuto is 1/d, LIBSVM's default; 1 when d is 0.
func GammaAuto(_ []float64, _, d int) float64 { return 1 / float64(max(d, 1)) }

// medianPoints bounds the points that GammaMedian compares pair by pair.
const medianPoints = 1000

// GammaMedian is 1/(2m²) with m the median distance between two points: σ is the
// median distance. Of more than 1000 points it takes 1000, evenly spaced in the
// file. It is 1 when the median is 0 or there is no pair.
func GammaMedian(x []float64, n, d int) float64 {
	sample := min(n, medianPoints)
	var squared []float64
	for i := range sample {
		a := x[i*n/sample*d:][:d]
		for j := range i {
			b := x[j*n/sample*d:][:d]
			var s float64
			for k, v := range a {
				s += (v - b[k]) * (v - b[k])
			}
			squared = append(squared, s)
		}
	}
	if len(squared) == 0 {
		return 1
	}
	slices.Sort(squared)
	if m := squared[len(squared)/2]; m > 0 {
		return 1 / (2 * m)
	}
	return 1
}

// GammaPerFeature is v/d, the convention of Abe (2008), Table 1.
func GammaPerFeature(v float64) GammaRule {
	return func(_ []float64, _, d int) float64 { return v / float64(max(d, 1)) }
}

// ParseGamma reads how people write γ: a finite number > 0, such a number followed by /d ([GammaPerFeature]), or scale,
// auto or median. A number is returned as gamma, anything else as a rule.
func ParseGamma(s string) (rule GammaRule, gamma float64, err error) {
	switch s {
	case "scale":
		return GammaScale, 0, nil
	case "auto":
		return GammaAuto, 0, nil
	case "median":
		return GammaMedian, 0, nil
	}
	digits, perFeature := strings.CutSuffix(s, "/d")
	v, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || !(v > 0) || math.IsInf(v, 0):
		return nil, 0, fmt.Errorf("found %q, want a finite number > 0, such a number followed by /d, scale, auto or median",
			s)
	case perFeature:
		return GammaPerFeature(v), 0, nil
	}
	return nil, v, nil
}
