package cholupdate

import "math"

// Cond estimates the condition number ‖A‖₁·‖A⁻¹‖₁ from the factor alone: both
// norms by Hager's method as LAPACK's dlacn2 does it (Higham, ACM TOMS 14 (1988)),
// a lower bound that is rarely more than three times too small. It costs some
// twenty n² operations and only reads the factor.
func (f *Factor) Cond() float64 {
	if f.n == 0 {
		return 1
	}
	return norm1(f.n, f.mulVec) * norm1(f.n, f.Solve)
}

// norm1 estimates the 1-norm of the symmetric matrix that apply multiplies by in place.
func norm1(n int, apply func(x []float64)) float64 {
	x, sign := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1 / float64(n)
	}
	var best float64
	last := -1
	for range 5 {
		apply(x)
		sum, same := 0.0, true
		for i, v := range x {
			sum += math.Abs(v)
			g := math.Copysign(1, v)
			same = same && g == sign[i]
			sign[i] = g
		}
		stuck := sum <= best
		best = math.Max(best, sum)
		if same || stuck {
			break
		}
		copy(x, sign)
		apply(x)
		j := 0
		for i, v := range x {
			if math.Abs(v) > math.Abs(x[j]) {
				j = i
			}
		}
		if j == last {
			break
		}
		last = j
		clear(x)
		x[j] = 1
	}
	// Higham's guard against cancellation: a vector of alternating signs and growing size.
	for i := range x {
		x[i] = 1 + float64(i)/math.Max(1, float64(n-1))
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	apply(x)
	var sum float64
	for _, v := range x {
		sum += math.Abs(v)
	}
	return math.Max(best, 2*sum/(3*float64(n)))
}
