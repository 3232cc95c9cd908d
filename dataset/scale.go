package dataset

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ScaleKind names a way of scaling features.
type ScaleKind uint8

const (
	ScaleNone   ScaleKind = iota // leave them
	ScaleZ                       // to mean 0 and standard deviation 1
	ScaleMinMax                  // to an interval
	// ScaleFloored is [ScaleZ] with a least spread for features of two values and for features that are mostly 0: see
	// [Fit]. The [Scaling] that it fits is of kind ScaleZ.
	ScaleFloored
	ScaleAuto // in options of a training: what [AutoScale] chooses
)

var scaleNames = [...]string{"none", "zscore", "minmax", "floored", "auto"}

// String returns the kind's name, as [ParseScaleKind] takes it.
func (k ScaleKind) String() string { return nameOf(scaleNames[:], k) }

// ParseScaleKind is the inverse of String.
func ParseScaleKind(s string) (ScaleKind, error) {
	return named[ScaleKind](scaleNames[:], s, "scaling %q")
}

// Scaling is an affine map of every feature, fitted on training samples and applied to all samples. A feature that was
// constant in training becomes 0 everywhere. A nil Scaling leaves features as they are.
//
//	ScaleZ:      (x − Center) / Spread                   mean and standard deviation (divisor n)
//	ScaleMinMax: Lo + (Hi − Lo)(x − Center) / Spread     minimum, and maximum − minimum
type Scaling struct {
	Kind           ScaleKind
	Lo, Hi         float64   // ScaleMinMax: the interval
	Center, Spread []float64 // one for each feature; Spread 0 marks a constant feature
}

// FitZ fits z-scores to the set.
func FitZ(s *Set) (*Scaling, error) { return Fit(context.Background(), s, ScaleZ) }

// FitMinMax fits a scaling of the set to the interval [lo, hi].
func FitMinMax(s *Set, lo, hi float64) (*Scaling, error) {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return nil, fmt.Errorf("dataset: scaling to [%v, %v], want a lower and a larger finite bound", lo, hi)
	}
	return fit(context.Background(), s, &Scaling{Kind: ScaleMinMax, Lo: lo, Hi: hi})
}

// Fit fits the scaling of the given kind, ScaleMinMax to [0, 1]; for ScaleNone it returns nil. The end of the context
// is an error.
//
// ScaleFloored bounds the spreads of z-scores from below, so that rare values are not moved far away. A feature of two
// values has a spread of at least 0.45 of their difference, where a standard deviation is at most 0.5 of it. A feature
// that is 0 in more than half of the samples has a spread of at least 0.45 of the root mean square of its other values.
// A feature whose values differ by rounding only is constant.
func Fit(ctx context.Context, s *Set, kind ScaleKind) (*Scaling, error) {
	switch kind {
	case ScaleNone:
		return nil, nil
	case ScaleZ:
		return fit(ctx, s, &Scaling{Kind: ScaleZ})
	case ScaleFloored:
		sc, _, err := fitFloored(ctx, s)
		return sc, err
	case ScaleMinMax:
		return fit(ctx, s, &Scaling{Kind: ScaleMinMax, Lo: 0, Hi: 1})
	}
	return nil, fmt.Errorf("dataset: unknown scaling %v", kind)
}

// fit finds centre and spread of every feature, row by row as the samples lie in memory.
func fit(ctx context.Context, s *Set, sc *Scaling) (*Scaling, error) {
	smallest, largest, err := s.extremes(ctx)
	if err != nil {
		return nil, err
	}
	return fitWithin(ctx, s, sc, smallest, largest)
}

// fitWithin is fit for features whose least and largest values are known.
func fitWithin(ctx context.Context, s *Set, sc *Scaling, smallest, largest []float64) (*Scaling, error) {
	width := make([]float64, s.D)
	for k, v := range smallest {
		width[k] = largest[k] - v
	}
	sc.Center, sc.Spread = slices.Clone(smallest), slices.Clone(width)
	if sc.Kind == ScaleZ {
		if err := sc.fitZ(ctx, s, width); err != nil {
			return nil, err
		}
	}
	for k, w := range width {
		if v := sc.Spread[k]; w != 0 && (v == 0 || math.IsInf(v, 0) || math.IsNaN(v)) {
			return nil, fmt.Errorf("dataset: feature %d goes from %v to %v, which cannot be scaled in float64",
				k+1, smallest[k], largest[k])
		}
	}
	return sc, nil
}

// fitZ makes mean and standard deviation of the features of a given width. The mean
// adds the deviations from the first value, so that a large offset costs no digits; the
// deviation works in units of the width, so that squares neither overflow nor vanish.
func (sc *Scaling) fitZ(ctx context.Context, s *Set, width []float64) error {
	if s.N == 0 {
		return nil
	}
	n, first := float64(s.N), s.Row(0)
	sum := make([]float64, s.D)
	err := s.rows(ctx, func(row []float64) {
		for k, v := range row {
			sum[k] += v - first[k]
		}
	})
	if err != nil {
		return err
	}
	for k, w := range width {
		if w != 0 { // a constant feature stays at its value
			sc.Center[k] = first[k] + sum[k]/n
		}
	}
	clear(sum)
	err = s.rows(ctx, func(row []float64) {
		for k, v := range row {
			t := (v - sc.Center[k]) / width[k]
			sum[k] += float64(t * t)
		}
	})
	for k, w := range width {
		if w != 0 {
			sc.Spread[k] = w * math.Sqrt(sum[k]/n)
		}
	}
	return err
}

// extremes returns the least and the largest value of each feature, 0 without samples.
func (s *Set) extremes(ctx context.Context) (smallest, largest []float64, err error) {
	if s.N == 0 {
		return make([]float64, s.D), make([]float64, s.D), ctx.Err()
	}
	smallest, largest = slices.Clone(s.Row(0)), slices.Clone(s.Row(0))
	if s.Sparse == nil {
		err = s.rows(ctx, func(row []float64) {
			for k, v := range row {
				smallest[k], largest[k] = min(smallest[k], v), max(largest[k], v)
			}
		})
		return smallest, largest, err
	}
	listed := make([]int, s.D)
	for k, j := range s.Sparse.Index {
		v := s.Sparse.Value[k]
		smallest[j], largest[j] = min(smallest[j], v), max(largest[j], v)
		listed[j]++
	}
	for j, rows := range listed {
		if rows < s.N {
			smallest[j], largest[j] = min(smallest[j], 0), max(largest[j], 0)
		}
	}
	return smallest, largest, ctx.Err()
}

// rows calls f for every row, and checks the context after about 2¹⁶ values.
func (s *Set) rows(ctx context.Context, f func(row []float64)) error {
	const values = 1 << 16
	look := 1 + values/(1+s.D)
	row := make([]float64, s.D)
	for i := range s.N {
		if i%look == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Sparse != nil {
			s.Sparse.WriteRow(row, i)
		} else {
			row = s.X[i*s.D : (i+1)*s.D]
		}
		f(row)
	}
	return nil
}

// Validate checks a scaling of d features.
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

// InvertTo writes the row whose scaled values are x to dst; both have one element for each feature and may be the same.
// A constant feature gets its value in training.
func (sc *Scaling) InvertTo(dst, x []float64) {
	if sc == nil {
		copy(dst, x)
		return
	}
	for k, v := range x {
		if sc.Kind == ScaleMinMax {
			v = (v - sc.Lo) / (sc.Hi - sc.Lo)
		}
		dst[k] = sc.Center[k]
		if w := sc.Spread[k]; w != 0 {
			dst[k] += v * w
		}
	}
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
	if s.Sparse == nil {
		t.X = slices.Clone(s.X[:s.N*s.D])
	}
	_ = sc.ApplyInPlace(context.Background(), &t) // which never ends
	return &t
}

// ApplyInPlace scales the set's own features; a sparse set becomes dense. The end of the context is an error, and
// leaves an unusable set.
func (sc *Scaling) ApplyInPlace(ctx context.Context, s *Set) error {
	if s.Sparse != nil {
		s.X, s.Sparse = s.Sparse.Dense(), nil
	}
	return s.rows(ctx, func(row []float64) { sc.ApplyTo(row, row) })
}

// WriteRange writes the scaling as a range file of LIBSVM's svm-scale:
//
//	x
//	lower upper
//	index min max      for every feature that is not constant
//
// svm-scale knows only intervals, so z-scores are written as the map of [mean − deviation, mean + deviation] to [−1,
// 1], which is the same scaling.
func (sc *Scaling) WriteRange(w io.Writer) error {
	lo, hi := sc.Lo, sc.Hi
	if sc.Kind == ScaleZ {
		lo, hi = -1, 1
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "x\n%v %v\n", lo, hi)
	for k, c := range sc.Center {
		width := sc.Spread[k]
		switch {
		case width == 0:
		case sc.Kind == ScaleZ:
			fmt.Fprintf(b, "%d %v %v\n", k+1, c-width, c+width)
		default:
			fmt.Fprintf(b, "%d %v %v\n", k+1, c, c+width)
		}
	}
	return b.Flush()
}

// ReadRange reads a range file of LIBSVM's svm-scale for samples of d features.
// Features that it does not mention were constant. Errors name the file.
func ReadRange(r io.Reader, file string, d int) (*Scaling, error) {
	sc := &Scaling{Kind: ScaleMinMax, Center: make([]float64, d), Spread: make([]float64, d)}
	line, last := 0, 0
	fail := func(found, want string) error {
		return &Error{File: file, Line: max(line, 1), Found: found, Want: want}
	}
	err := newLines(r, &Options{}).each(file, func(b []byte) (used bool, err error) {
		line++
		text := strings.TrimSpace(string(b))
		switch {
		case line == 1 && text == "y":
			return true, fail("a scaling of labels", "x (class labels are not scaled)")
		case line == 1 && text != "x":
			return true, fail(quote([]byte(text)), "x")
		case line == 1 || text == "":
			return text != "", nil
		}
		words := strings.Fields(text)
		var v [3]float64
		if len(words) != min(line, 3) {
			return true, fail(fmt.Sprintf("%d words", len(words)),
				[...]string{"lower upper", "index min max"}[min(line-2, 1)])
		}
		for i, w := range words {
			var found string
			if v[i], found = parseFloat([]byte(w)); found != "" {
				return true, fail(found, "a finite number")
			}
		}
		if line == 2 {
			sc.Lo, sc.Hi = v[0], v[1]
			return true, nil
		}
		i, err := strconv.Atoi(words[0])
		if err != nil || i <= last || i > d {
			return true, fail("index "+words[0], fmt.Sprintf("ascending indices from 1 to %d", d))
		}
		if !(v[1] <= v[2]) {
			return true, fail(fmt.Sprintf("minimum %v above maximum %v", v[1], v[2]), "the smaller one first")
		}
		last, sc.Center[i-1], sc.Spread[i-1] = i, v[1], v[2]-v[1]
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if line < 2 {
		return nil, fail("the end of the file", "x, then lower and upper")
	}
	if err := sc.Validate(d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return sc, nil
}
