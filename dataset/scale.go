package dataset

import (
	"fmt"
	"math"
)

// ScaleKind names a way of scaling features.
type ScaleKind uint8

const (
	ScaleNone   ScaleKind = iota // leave them
	ScaleZ                       // to mean 0 and standard deviation 1
	ScaleMinMax                  // to an interval
)

var scaleNames = [...]string{"none", "zscore", "minmax"}

func (k ScaleKind) String() string {
	if int(k) < len(scaleNames) {
		return scaleNames[k]
	}
	return fmt.Sprintf("ScaleKind(%d)", uint8(k))
}

// ParseScaleKind is the inverse of String.
func ParseScaleKind(s string) (ScaleKind, error) {
	for k, n := range scaleNames {
		if n == s {
			return ScaleKind(k), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown scaling %q, want none, zscore or minmax", s)
}

// Scaling is a change of every feature's unit, fitted on training data and then
// applied to whatever is classified. A feature that was constant in training
// becomes 0 everywhere. A nil Scaling leaves features as they are.
//
//	ScaleZ:      (x − Center) / Spread                   mean and standard deviation (divisor n)
//	ScaleMinMax: Lo + (Hi − Lo)(x − Center) / Spread     minimum, and maximum − minimum
type Scaling struct {
	Kind           ScaleKind
	Lo, Hi         float64   // ScaleMinMax: the interval
	Center, Spread []float64 // one for each feature; Spread 0 marks a constant feature
}

// FitZ fits z-scores to the set.
func FitZ(s *Set) (*Scaling, error) {
	return fit(s, &Scaling{Kind: ScaleZ}, func(least, most float64, col column) (float64, float64) {
		mean := col.mean()
		return mean, col.deviation(mean, most-least)
	})
}

// FitMinMax fits a scaling of the set to the interval [lo, hi].
func FitMinMax(s *Set, lo, hi float64) (*Scaling, error) {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return nil, fmt.Errorf("dataset: scaling to [%v, %v], want a lower and a larger finite bound", lo, hi)
	}
	return fit(s, &Scaling{Kind: ScaleMinMax, Lo: lo, Hi: hi}, func(least, most float64, _ column) (float64, float64) {
		return least, most - least
	})
}

// Fit fits the scaling of the given kind, ScaleMinMax to [0, 1]; for ScaleNone it returns nil.
func Fit(s *Set, kind ScaleKind) (*Scaling, error) {
	switch kind {
	case ScaleNone:
		return nil, nil
	case ScaleZ:
		return FitZ(s)
	case ScaleMinMax:
		return FitMinMax(s, 0, 1)
	}
	return nil, fmt.Errorf("dataset: unknown scaling %v", kind)
}

// fit calls of with the extremes and the values of every feature that is not constant.
func fit(s *Set, sc *Scaling, of func(least, most float64, col column) (center, spread float64)) (*Scaling, error) {
	sc.Center, sc.Spread = make([]float64, s.D), make([]float64, s.D)
	for k := range s.D {
		col := column{s, k}
		least, most := col.extremes()
		if !(least < most) {
			sc.Center[k] = least
			continue
		}
		sc.Center[k], sc.Spread[k] = of(least, most, col)
		if sc.Spread[k] == 0 || math.IsInf(sc.Spread[k], 0) || math.IsNaN(sc.Spread[k]) {
			return nil, fmt.Errorf("dataset: feature %d goes from %v to %v, which cannot be scaled in float64",
				k+1, least, most)
		}
	}
	return sc, nil
}

// column is a feature of a set with at least one row.
type column struct {
	s *Set
	k int
}

func (c column) at(i int) float64 { return c.s.X[i*c.s.D+c.k] }

func (c column) extremes() (least, most float64) {
	for i := range c.s.N {
		if v := c.at(i); i == 0 {
			least, most = v, v
		} else {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

// mean adds the deviations from the first value, so that a large offset costs no digits.
func (c column) mean() float64 {
	var sum float64
	for i := range c.s.N {
		sum += c.at(i) - c.at(0)
	}
	return c.at(0) + sum/float64(c.s.N)
}

// deviation works in units of the feature's range, so that squares neither overflow nor vanish.
func (c column) deviation(mean, width float64) float64 {
	var sum float64
	for i := range c.s.N {
		t := (c.at(i) - mean) / width
		sum += float64(t * t)
	}
	return width * math.Sqrt(sum/float64(c.s.N))
}

// Validate reports what is wrong with a scaling of d features.
func (sc *Scaling) Validate(d int) error {
	if sc == nil {
		return nil
	}
	if sc.Kind != ScaleZ && sc.Kind != ScaleMinMax {
		return fmt.Errorf("dataset: unknown scaling %v", sc.Kind)
	}
	if len(sc.Center) != d || len(sc.Spread) != d {
		return fmt.Errorf("dataset: scaling of %d features for %d", len(sc.Center), d)
	}
	if sc.Kind == ScaleMinMax && (!(sc.Lo < sc.Hi) || math.IsInf(sc.Hi-sc.Lo, 0)) {
		return fmt.Errorf("dataset: scaling to [%v, %v]", sc.Lo, sc.Hi)
	}
	for k, c := range sc.Center {
		if w := sc.Spread[k]; math.IsNaN(c) || math.IsInf(c, 0) || math.IsInf(w, 0) || !(w >= 0) {
			return fmt.Errorf("dataset: scaling of feature %d by %v and %v", k+1, c, w)
		}
	}
	return nil
}

// ApplyTo writes the scaled row x to dst; both have one element for each feature and may be the same.
func (sc *Scaling) ApplyTo(dst, x []float64) {
	if sc == nil {
		copy(dst, x)
		return
	}
	center, spread := sc.Center[:len(x)], sc.Spread[:len(x)]
	width := sc.Hi - sc.Lo
	for k, v := range x {
		switch w := spread[k]; {
		case w == 0:
			dst[k] = 0
		case sc.Kind == ScaleMinMax:
			dst[k] = sc.Lo + width*(v-center[k])/w
		default:
			dst[k] = (v - center[k]) / w
		}
	}
}

// Apply returns the set with scaled features; the given one stays as it is.
func (sc *Scaling) Apply(s *Set) *Set {
	t := *s
	t.X = make([]float64, len(s.X))
	for i := range s.N {
		sc.ApplyTo(t.Row(i), s.Row(i))
	}
	return &t
}
