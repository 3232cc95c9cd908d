// Package skm holds the models of Peleg & Meir (2009) and the LP-SVC of Kecman &
// Hadzic (2000) written down literally, for tests: the primal programs with all
// their variables, solved by a textbook tableau, and the formulas as they are printed.
package skm

import "math"

// Problem is a training: the n×n kernel matrix, labels ±1 and the costs of the
// slacks, which are all 1 in the paper. Samples of weight 0 are not part of it.
type Problem struct {
	K      [][]float64
	Y      []float64
	Weight []float64
}

// Solution of one linear program, with nonnegative α but for LP-SVC.
type Solution struct {
	Value float64 // optimum of the program
	Alpha []float64
	Bias  float64
	Loss  float64 // Σ weight_i ξ_i
	Ties  int     // columns that could enter the basis at no cost: 0 means the only solution
}

// Exponent is 8 ln n / δ², the power in h of Theorem 2.1.
func Exponent(n int, delta float64) float64 { return 8 / (delta * delta) * math.Log(float64(n)) }

// H is h(α, δ) = 1 − (1−α)^(8 ln n / δ²), Theorem 2.1.
func H(alpha float64, n int, delta float64) float64 {
	return 1 - math.Pow(1-math.Min(alpha, 1), Exponent(n, delta))
}

// V is the vector v below (4), 8 ln n / δ² (1 − α*)^(8 ln n / δ² − 1).
func V(alpha []float64, delta float64) []float64 {
	a := Exponent(len(alpha), delta)
	v := make([]float64, len(alpha))
	for i, x := range alpha {
		v[i] = a * math.Pow(1-math.Min(x, 1), a-1)
	}
	return v
}

// Factor is ln 4n + ln(8/δ² ln n), what Σ h is multiplied with in (2) and (3).
func Factor(n int, delta float64) float64 {
	return math.Log(4*float64(n)) + math.Log(8/(delta*delta)*math.Log(float64(n)))
}

// Effective is e_n(f, δ) = Σ h(α_i, δ), Theorem 2.1.
func Effective(alpha []float64, delta float64) (e float64) {
	for _, a := range alpha {
		e += H(a, len(alpha), delta)
	}
	return e
}

// Evaluation is f0 at one δ, Table 1.
type Evaluation struct {
	Delta    float64
	F0       float64
	Programs []Solution // the linearised programs (4), in turn
}

// Unique reports whether every program had one solution only.
func (e Evaluation) Unique() bool {
	for _, s := range e.Programs {
		if s.Ties > 0 {
			return false
		}
	}
	return true
}

// Last is the last program's solution: α* and b* of Table 1.
func (e Evaluation) Last() Solution { return e.Programs[len(e.Programs)-1] }

// F0 is Table 1. Its "while ‖α − α*‖₁ > τ for 3 iterations" is read as at most three
// programs, and τ, of which only τ ≪ 1/n is known, as 1/(100 n).
func (p Problem) F0(c, delta float64) Evaluation {
	n := len(p.Y)
	e := Evaluation{Delta: delta}
	star, alpha := make([]float64, n), make([]float64, n)
	for i := range star {
		star[i] = 1 / float64(n)
	}
	for distance(alpha, star) > 0.01/float64(n) && len(e.Programs) < 3 {
		alpha = star
		price := V(alpha, delta)
		for i := range price {
			price[i] *= c * Factor(n, delta)
		}
		s := p.simplex(price, 2*delta)
		e.Programs = append(e.Programs, s)
		star = s.Alpha
	}
	e.F0 = e.Last().Loss + c*(math.Log(4/delta)+Factor(n, delta)*Effective(star, delta))
	return e
}

func distance(a, b []float64) (d float64) {
	for i := range a {
		d += math.Abs(a[i] - b[i])
	}
	return d
}

// Bound is the right-hand side of (2) at one δ and ε for n samples, with the margin
// error P_n(y f(x) ≤ 2δ) and U_δ.
func Bound(n int, marginError, u, epsilon float64) float64 {
	return (1+epsilon)*marginError + (2+1/epsilon+epsilon)*u + 1/float64(n)*(epsilon+2)
}

// MarginError is P_n(y f(x) ≤ m).
func (p Problem) MarginError(s Solution, m float64) float64 {
	var below float64
	for i, y := range p.Y {
		f := s.Bias
		for j, a := range s.Alpha {
			f += a * p.Y[j] * p.K[i][j]
		}
		if y*f <= m {
			below++
		}
	}
	return below / float64(len(p.Y))
}

// U is U_δ below (2), for the probability 1 − e^−t.
func U(alpha []float64, delta, t float64) float64 {
	n := float64(len(alpha))
	return 1 / n * (t + math.Log(4/delta) + Factor(len(alpha), delta)*Effective(alpha, delta) + math.Log(8*n+4))
}

// LeastBound is the least of (2) for the probability 1 − e^−t over margins δ from 1 down to 1e-4 at a ratio, and over a
// grid of ε.
func (p Problem) LeastBound(s Solution, t, ratio float64) float64 {
	smallest := math.Inf(1)
	for delta := 1.0; delta > 1e-4; delta /= ratio {
		u := U(s.Alpha, delta, t)
		below := p.MarginError(s, 2*delta)
		for epsilon := 0.05; epsilon < 1.1; epsilon *= 1.02 {
			smallest = math.Min(smallest, Bound(len(p.Y), below, u, epsilon))
		}
	}
	return smallest
}

// Kept lists the support vectors of section 3.1: |α_i| / max |α| ≥ threshold, and α_i ≠ 0.
func Kept(alpha []float64, threshold float64) []int {
	var largest float64
	for _, a := range alpha {
		largest = math.Max(largest, math.Abs(a))
	}
	var kept []int
	for i, a := range alpha {
		if a != 0 && math.Abs(a)/largest >= threshold {
			kept = append(kept, i)
		}
	}
	return kept
}
