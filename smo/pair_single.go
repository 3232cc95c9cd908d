package smo

import (
	"math"
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
)

// single has the gradient of a subproblem, and what its variables may do, in single precision: steps then read half of
// the bytes, and handle twice as many variables at a time. What rounding changes, the gradient of all variables shows
// after the subproblem.
type single struct {
	// never is set where a start has multipliers already, as those of one class and of ν have, whose results are compared
	// with LIBSVM's to more digits than the tolerance promises: all gradients are large there.
	never      bool
	on         bool
	g, up, low []float32
	// shift is what g lacks: the middle between the extremes, so that those that a step chooses from are small numbers.
	shift float64
	curve float32 // 2 k_ii, of every variable about
}

const (
	// singleFrom is the least number of variables there. Steps of fewer gain 40 ns at most, and stay in double precision:
	// scikit-learn's checks compare models of repeated samples with those of weights to seven digits.
	singleFrom = 256
	// singleLeast is the least violation that a subproblem in single precision is solved to. A gradient of 1 is rounded
	// by 6e-8 in each step, and by 1e-5 in some ten thousand.
	singleLeast = 1e-5
	// singleMost is the largest gradient and diagonal element there, whose squares must not overflow.
	singleMost = 1e9
	// singleDiagonal is the largest relative difference of two diagonal elements.
	singleDiagonal = 1e-5
)

// beginSingle decides whether steps are in single precision, and begins with them.
func (in *inner[T]) beginSingle(eps float64) {
	s := &in.single
	s.on = false
	if unsafe.Sizeof(*new(T)) != 4 || s.never || in.active < singleFrom || !(eps >= singleLeast) {
		return
	}
	_, m, M := stepExtremes(in.g, in.up, in.low, in.g, in.g, 0)
	middle, most := (m+M)/2, in.d[0]
	for t, d := range in.d[:in.active] {
		if !(math.Abs(d-most) <= singleDiagonal*most) || !(math.Abs(in.g[t]+middle) <= singleMost) {
			return
		}
	}
	if !finite(m-M) || !(most <= singleMost) {
		return
	}
	s.on, s.curve = true, float32(2*most)
	in.narrow(m, M)
}

// narrow copies the gradient, whose extremes are −m and −M, into single precision.
func (in *subproblem) narrow(m, M float64) {
	s := &in.single
	if !s.on {
		return
	}
	for _, v := range []*[]float32{&s.g, &s.up, &s.low} {
		*v = duals.Grow(*v, len(in.g))
	}
	s.shift = -(m + M) / 2
	for t, g := range in.g {
		s.g[t], s.up[t], s.low[t] = float32(g-s.shift), float32(in.up[t]), float32(in.low[t])
	}
}

// widen copies the gradient back.
func (in *subproblem) widen() {
	if in.single.on {
		for t, g := range in.single.g[:len(in.g)] {
			in.g[t] = float64(g) + in.single.shift
		}
	}
}

// extremes is stepExtremes, in single precision if steps are.
func (in *inner[T]) extremes(ki, kj []T, t float64) (i int, m, M float64) {
	s := &in.single
	if !s.on {
		return stepExtremes(in.g, in.up, in.low, ki, kj, t)
	}
	i, least, most := runStepSingle(s.g, s.up, s.low, singles(ki), singles(kj), float32(t))
	return i, float64(least) - s.shift, float64(most) - s.shift
}

// second is secondOrder, in single precision if steps are.
func (in *inner[T]) second(ki []T, m float64, i int) int {
	s := &in.single
	if !s.on {
		return secondOrder(in.g, in.low, in.d, ki, m, in.d[i])
	}
	return runSecondSingle(s.g, s.low, singles(ki), float32(m+s.shift), s.curve)
}

// singles returns a row of type []float32 as such. Rule 1: T is float32, which has the size of T.
func singles[T dense.Float](row []T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&row[0])), len(row))
}

// read makes two elements of g those of the present gradient, up to the shift.
func (s *single) read(g []float64, i, j int) {
	if s.on {
		g[i], g[j] = float64(s.g[i]), float64(s.g[j])
	}
}

// round returns a step that the gradient can take without rounding it.
func (s *single) round(t float64) float64 {
	if s.on {
		return float64(float32(t))
	}
	return t
}

// free notes what a variable may do now.
func (s *single) free(in *subproblem, t int) {
	if s.on {
		s.up[t], s.low[t] = float32(in.up[t]), float32(in.low[t])
	}
}

// stepSingleGeneric is stepExtremesGeneric in single precision: the product is rounded too.
func stepSingleGeneric(grad, up, low, ki, kj []float32, t float32) (i int, m, M float32) {
	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	up, low, ki, kj = up[:len(grad)], low[:len(grad)], ki[:len(grad)], kj[:len(grad)]
	for s, v := range grad {
		v += float32(t * (ki[s] - kj[s]))
		grad[s] = v
		if u := v + up[s]; u < least {
			i, least = s, u
		}
		if u := v - low[s]; u > most {
			most = u
		}
	}
	return i, -least, -most
}

// secondSingleGeneric is secondOrderGeneric in single precision, with c for the sum of two diagonal elements.
func secondSingleGeneric(grad, low, ki []float32, m, c float32) int {
	best, j := float32(0), -1
	low, ki = low[:len(grad)], ki[:len(grad)]
	for s, v := range grad {
		if b := v - low[s] + m; b > 0 {
			b = float32(b * b)
			if a := max(c-2*ki[s], tau); b > float32(a*best) {
				best, j = b/a, s
			}
		}
	}
	return j
}
