package prepare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

// A GammaRule chooses the γ of a kernel that has one from
// the training samples, already scaled.
type GammaRule func(samples *dataset.Set) float64

// GammaScale is 1/(d·Var X), the variance taken over all n·d values together
// (scikit-learn's default); 1 when there is nothing to take it from, or when the values differ by rounding only.
func GammaScale(samples *dataset.Set) float64 {
	x, zeros := samples.X, 0
	if m := samples.Sparse; m != nil {
		x, zeros = m.Value, m.N*m.D-len(m.Value)
	} else {
		x = x[:samples.N*samples.D]
	}
	count := float64(samples.N * samples.D)
	if count == 0 || len(x) == 0 {
		return 1
	}
	const rounding = 5e-13 // of the largest value; the variance of such differences is that of rounding
	smallest, largest := slices.Min(x), slices.Max(x)
	if zeros == 0 && largest-smallest <= rounding*max(-smallest, largest) {
		return 1
	}
	var mean, variance float64
	for _, v := range x {
		mean += v / count
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / count
	}
	variance += mean * mean * float64(zeros) / count
	if variance == 0 {
		return 1
	}
	return 1 / (float64(samples.D) * variance)
}

// GammaAuto is 1/d, LIBSVM's default; 1 when d is 0.
func GammaAuto(samples *dataset.Set) float64 { return 1 / float64(max(samples.D, 1)) }

// medianSamples bounds the samples that GammaMedian compares pair by pair.
const medianSamples = 1000

// GammaMedian is 1/(2m²) with m the median distance between two samples: σ is the
// median distance. Of more than 1000 samples it takes 1000, evenly spaced in the
// file. It is 1 when the median is 0 or there is no pair.
func GammaMedian(samples *dataset.Set) float64 {
	n := samples.N
	sample := min(n, medianSamples)
	distance := func(i, j int) float64 { return squared(samples.Row(i), samples.Row(j)) }
	if m := samples.Sparse; m != nil {
		k := gram.RBF(1).On(m)
		distance = func(i, j int) float64 { return -math.Log(k.Eval([]float64{float64(i)}, []float64{float64(j)})) }
	}
	var all []float64
	for i := range sample {
		for j := range i {
			all = append(all, distance(i*n/sample, j*n/sample))
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	if m := all[len(all)/2]; m > 0 {
		return 1 / (2 * m)
	}
	return 1
}

// squared is ‖a − b‖².
func squared(a, b []float64) (s float64) {
	for k, v := range a {
		s += (v - b[k]) * (v - b[k])
	}
	return s
}

// GammaPerFeature is v/d, the convention of Abe (2008), Table 1.
func GammaPerFeature(v float64) GammaRule {
	return func(samples *dataset.Set) float64 { return v / float64(max(samples.D, 1)) }
}

// GammaTexts describes what [ParseGamma] reads.
const GammaTexts = "a finite number > 0, such a number followed by /d, scale, auto or median"

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
		return nil, 0, fmt.Errorf("found %q, want %s", s, GammaTexts)
	case perFeature:
		return GammaPerFeature(v), 0, nil
	}
	return nil, v, nil
}

// kernel returns the kernel with its γ chosen from the scaled samples.
func (s *Spec) kernel(set *dataset.Set) (gram.Kernel, error) {
	k := s.Kernel
	if !k.HasGamma() || k.Gamma != 0 {
		return k, nil
	}
	rule := s.Gamma
	if rule == nil {
		rule = GammaScale
	}
	if k.Gamma = rule(standardised(set)); s.Coarse && k.Gamma > 0 {
		k.Gamma = math.Exp2(float64(Octaves(k.Gamma, GammaParts)) / GammaParts)
	}
	if !(k.Gamma > 0) {
		return k, fmt.Errorf("sparsekm: γ = %v by its rule for these samples: their features are too far apart; "+
			"scale them, or give γ", k.Gamma)
	}
	return k, nil
}

// standardised is a set whose numbers of categories have mean 0 and standard deviation 1, about as their values will
// when a training begins. Other features stay as they are.
func standardised(set *dataset.Set) *dataset.Set {
	if !set.Columns.Valued() {
		return set
	}
	standard := *set
	standard.X = slices.Clone(set.X[:set.N*set.D])
	set.Columns.EachValued(func(_ *dataset.Column, k, _ int) {
		var mean, square float64
		for i := range set.N {
			mean += set.X[i*set.D+k] / float64(set.N)
		}
		for i := range set.N {
			off := set.X[i*set.D+k] - mean
			square += off * off / float64(set.N)
		}
		for i := range set.N {
			if standard.X[i*set.D+k] -= mean; square > 0 {
				standard.X[i*set.D+k] /= math.Sqrt(square)
			}
		}
	})
	return &standard
}
