package ref

// This file holds the models of Peleg & Meir (2009) and the LP-SVC of Kecman &
// Hadzic (2000) written down literally, for tests: the primal programs with all
// their variables, solved by a textbook tableau, and the formulas as they are printed.

import "math"

// SKMProblem is a training: the n×n kernel matrix, labels ±1 and the costs of the
// slacks, which are all 1 in the paper. Samples of weight 0 are not part of it.
type SKMProblem struct {
	K      [][]float64
	Y      []float64
	Weight []float64
}

// SKMSolution of one linear program, with nonnegative α but for LP-SVC.
type SKMSolution struct {
	Value float64 // skmOptimum of the program
	Alpha []float64
	Bias  float64
	Loss  float64 // Σ weight_i ξ_i
	Ties  int     // columns that could enter the basis at no cost: 0 means the only solution
}

// SKMExponent is 8 ln n / δ², the power in h of Theorem 2.1.
func SKMExponent(n int, delta float64) float64 { return 8 / (delta * delta) * math.Log(float64(n)) }

// SKMH is h(α, δ) = 1 − (1−α)^(8 ln n / δ²), Theorem 2.1.
func SKMH(alpha float64, n int, delta float64) float64 {
	return 1 - math.Pow(1-math.Min(alpha, 1), SKMExponent(n, delta))
}

// SKMV is the vector v below (4), 8 ln n / δ² (1 − α*)^(8 ln n / δ² − 1).
func SKMV(alpha []float64, delta float64) []float64 {
	a := SKMExponent(len(alpha), delta)
	v := make([]float64, len(alpha))
	for i, x := range alpha {
		v[i] = a * math.Pow(1-math.Min(x, 1), a-1)
	}
	return v
}

// SKMFactor is ln 4n + ln(8/δ² ln n), what Σ h is multiplied with in (2) and (3).
func SKMFactor(n int, delta float64) float64 {
	return math.Log(4*float64(n)) + math.Log(8/(delta*delta)*math.Log(float64(n)))
}

// SKMEffective is e_n(f, δ) = Σ h(α_i, δ), Theorem 2.1.
func SKMEffective(alpha []float64, delta float64) (e float64) {
	for _, a := range alpha {
		e += SKMH(a, len(alpha), delta)
	}
	return e
}

// SKMEvaluation is f0 at one δ, Table 1.
type SKMEvaluation struct {
	Delta    float64
	F0       float64
	Programs []SKMSolution // the linearised programs (4), in turn
}

// Unique reports whether every program had one solution only.
func (e SKMEvaluation) Unique() bool {
	for _, s := range e.Programs {
		if s.Ties > 0 {
			return false
		}
	}
	return true
}

// Last is the last program's solution: α* and b* of Table 1.
func (e SKMEvaluation) Last() SKMSolution { return e.Programs[len(e.Programs)-1] }

// F0 is Table 1. Its "while ‖α − α*‖₁ > τ for 3 iterations" is read as at most so many
// programs, and τ, of which only τ ≪ 1/n is known, as 1/(100 n).
func (p SKMProblem) F0(c, delta float64, programs int) SKMEvaluation {
	n := len(p.Y)
	e := SKMEvaluation{Delta: delta}
	star, alpha := make([]float64, n), make([]float64, n)
	for i := range star {
		star[i] = 1 / float64(n)
	}
	for skmDistance(alpha, star) > 0.01/float64(n) && len(e.Programs) < programs {
		alpha = star
		price := SKMV(alpha, delta)
		for i := range price {
			price[i] *= c * SKMFactor(n, delta)
		}
		s := p.simplex(price, 2*delta)
		e.Programs = append(e.Programs, s)
		star = s.Alpha
	}
	e.F0 = e.Last().Loss + c*(math.Log(4/delta)+SKMFactor(n, delta)*SKMEffective(star, delta))
	return e
}

func skmDistance(a, b []float64) (d float64) {
	for i := range a {
		d += math.Abs(a[i] - b[i])
	}
	return d
}

// SKMBound is the right-hand side of (2) at one δ and ε for n samples, with the margin
// error P_n(y f(x) ≤ 2δ) and U_δ.
func SKMBound(n int, marginError, u, epsilon float64) float64 {
	return (1+epsilon)*marginError + (2+1/epsilon+epsilon)*u + 1/float64(n)*(epsilon+2)
}

// MarginError is P_n(y f(x) ≤ m).
func (p SKMProblem) MarginError(s SKMSolution, m float64) float64 {
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

// SKMU is U_δ below (2), for the probability 1 − e^−t.
func SKMU(alpha []float64, delta, t float64) float64 {
	n := float64(len(alpha))
	return 1 / n * (t + math.Log(4/delta) + SKMFactor(len(alpha), delta)*SKMEffective(alpha, delta) + math.Log(8*n+4))
}

// LeastBound is the least of (2) for the probability 1 − e^−t over margins δ from 1 down to 1e-4 at a ratio, and over a
// grid of ε.
func (p SKMProblem) LeastBound(s SKMSolution, t, ratio float64) float64 {
	smallest := math.Inf(1)
	for delta := 1.0; delta > 1e-4; delta /= ratio {
		u := SKMU(s.Alpha, delta, t)
		below := p.MarginError(s, 2*delta)
		for epsilon := 0.05; epsilon < 1.1; epsilon *= 1.02 {
			smallest = math.Min(smallest, SKMBound(len(p.Y), below, u, epsilon))
		}
	}
	return smallest
}

// SKMKept lists the support vectors of section 3.1: |α_i| / max |α| ≥ threshold, and α_i ≠ 0.
func SKMKept(alpha []float64, threshold float64) []int {
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
