package gram

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// Limits of the expanded form; see the section on accuracy in the package's documentation.
const (
	expandFeatures = 32 // below this dimension, differences are as fast
	expandRadius   = 16 // largest γ·max‖x‖² for which cancellation stays harmless
)

// plan chooses the form, and the transformation of the features, from the samples x and the kernel. The choice does
// not depend on the host.
func plan[T Float](k Kernel, x []float64, n, d int) (form, transform) {
	t := k.trait()
	if t.form == square {
		return planSquare[T](k, x, n, d)
	}
	if t.distance && t.form != pairs {
		return t.form, precise[T](transform{}, x, n, d)
	}
	return t.form, transform{}
}

// precise subtracts the middle from samples that are packed as float32. The kernel depends on differences only, and
// an offset of the data would increase the error of rounding to float32.
func precise[T Float](f transform, x []float64, n, d int) transform {
	if lanes[T]() == lanes[float32]() {
		f.centre = middle(x, n, d)
	}
	return f
}

func planSquare[T Float](k Kernel, x []float64, n, d int) (form, transform) {
	var f transform
	if k.Weights != nil {
		f.scale = make([]float64, d)
		for i, w := range k.Weights {
			f.scale[i] = math.Sqrt(w)
		}
	}
	if k.trait().curve.sharp() {
		return square, precise[T](f, x, n, d)
	}
	// Samples near the origin are not moved: their zeros stay zeros, which compact can skip.
	if d >= expandFeatures && k.Gamma*f.maxNorm(x, n, d) <= expandRadius {
		return expanded, f
	}
	if d >= expandFeatures {
		centred := transform{centre: middle(x, n, d), scale: f.scale}
		if k.Gamma*centred.maxNorm(x, n, d) <= expandRadius {
			return expanded, centred
		}
	}
	return square, precise[T](f, x, n, d)
}

// transform maps a caller's sample to the packed one, (x − centre)·scale. A nil centre is 0, a nil scale is 1.
type transform struct{ centre, scale []float64 }

func (f transform) feature(k int, v float64) float64 {
	if f.centre != nil {
		v -= f.centre[k]
	}
	if f.scale != nil {
		v *= f.scale[k]
	}
	return v
}

// maxNorm returns the largest ‖·‖² of the transformed samples.
func (f transform) maxNorm(x []float64, n, d int) float64 {
	var largest float64
	for i := range n {
		var s float64
		for k, v := range x[i*d : (i+1)*d] {
			t := f.feature(k, v)
			s += t * t
		}
		largest = max(largest, s)
	}
	return largest
}

// middle returns the median of up to 101 evenly spaced samples, feature by feature. Unlike the mean, it is robust to
// outliers.
func middle(x []float64, n, d int) []float64 {
	m := make([]float64, d)
	step := max(1, n/101)
	var column []float64
	for k := range m {
		column = column[:0]
		for i := 0; i < n; i += step {
			column = append(column, x[i*d+k])
		}
		if len(column) > 0 {
			m[k] = deal.Nth(column, len(column)/2)
		}
	}
	return m
}

// store writes the transformed sample x to dst[0], dst[stride], ...
func store[T Float](f transform, dst []T, stride int, x []float64) {
	for k, v := range x {
		dst[k*stride] = T(f.feature(k, v))
	}
}

// storeFour writes four transformed samples side by side: feature k of sample r goes to dst[k·stride+r].
func storeFour[T Float](f transform, dst []T, stride int, x []float64) {
	d := len(x) / 4
	x0, x1, x2, x3 := x[:d], x[d:2*d], x[2*d:3*d], x[3*d:4*d]
	plain := f.centre == nil && f.scale == nil
	for k := range x0 {
		to := dst[k*stride:]
		to = to[:4:4]
		if plain {
			to[0], to[1], to[2], to[3] = T(x0[k]), T(x1[k]), T(x2[k]), T(x3[k])
		} else {
			to[0], to[1] = T(f.feature(k, x0[k])), T(f.feature(k, x1[k]))
			to[2], to[3] = T(f.feature(k, x2[k])), T(f.feature(k, x3[k]))
		}
	}
}
