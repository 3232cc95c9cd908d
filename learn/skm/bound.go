package skm

import (
	"math"
	"slices"
)

// penalty is the complexity term of Peleg & Meir (2009) for one n and one
// margin δ: h(α) = 1 − (1−α)^a with a = 8 ln n / δ² (Theorem 2.1).
type penalty struct {
	a     float64 // exponent
	scale float64 // ln 4n + ln(8 ln n / δ²), the factor in front of Σh
	delta float64
}

func newPenalty(n int, delta float64) penalty {
	a := 8 * math.Log(float64(n)) / (delta * delta)
	return penalty{a: a, scale: math.Log(4*float64(n)) + math.Log(a), delta: delta}
}

// value is h(α). The exponent reaches 1e8, so the power goes through log1p and expm1.
func (p penalty) value(alpha float64) float64 {
	return -math.Expm1(p.a * math.Log1p(-math.Min(alpha, 1)))
}

// slope is h'(α) = a (1−α)^(a−1), the v of (4).
func (p penalty) slope(alpha float64) float64 {
	switch {
	case alpha >= 1:
		return 0
	case alpha == 0: // nearly all of them
		return p.a
	}
	return p.a * math.Exp((p.a-1)*math.Log1p(-alpha))
}

// effective is e_n(f, δ) = Σ h(α_i, δ): the number of coefficients that count at margin δ.
func (p penalty) effective(alpha []float64) (e float64) {
	for _, a := range alpha {
		if a != 0 {
			e += p.value(a)
		}
	}
	return e
}

// Bound holds the terms of the generalisation bound (2) for a trained model: with probability at least Confidence,
//
//	P(y f(x) ≤ 0) ≤ (1+ε) MarginError + (2 + 1/ε + ε) U + (ε+2)/n.
//
// It is the infimum over δ in (0, 1] and ε > 0, which δ approaches from below.
type Bound struct {
	Value       float64 `json:"value"`        // the right-hand side; above 1 it says nothing
	Delta       float64 `json:"delta"`        // margin δ of the infimum; that of the training is another figure
	Epsilon     float64 `json:"epsilon"`      // the ε > 0 that makes Value least
	MarginError float64 `json:"margin_error"` // fraction of samples with y f(x) < 2δ; at δ = 1 with y f(x) ≤ 2
	Effective   float64 `json:"effective"`    // e_n(f, δ)
	Complexity  float64 `json:"complexity"`   // U_δ
	Confidence  float64 `json:"confidence"`   // 1 − e^−t
}

// confidence of the reported bound.
const confidence = 0.95

// infimum looks for the least bound (2) of a model: Theorem 2.1 holds for all δ at once. The share of the samples with
// y f(x) ≤ 2δ is a step function of δ. U falls as δ grows, since Σh and the factor in front of it do for n ≥ 3. So
// between two half margins nothing is below what (2) tends to at the upper end, whose own samples are not counted yet.
// The last stretch ends at δ = 1.
type infimum struct {
	alpha []float64 // that are not 0
	n     int
	ends  []end // of the stretches, by ascending δ
	best  Bound
}

// end is where a stretch of one share of errors ends.
type end struct {
	delta float64
	below int // samples with y f(x) ≤ 2δ on the stretch
}

// bound returns the infimum of (2) for coefficients alpha (Σα = 1) and margins y_i f(x_i).
func bound(alpha, margins []float64) Bound {
	s := infimum{n: len(margins), alpha: slices.DeleteFunc(slices.Clone(alpha), func(a float64) bool { return a == 0 })}
	sorted, below := slices.Sorted(slices.Values(margins)), 0
	for i, m := range sorted {
		if !(m <= 2) {
			break
		}
		if below = i + 1; m > 0 && (i == 0 || m > sorted[i-1]) {
			s.ends = append(s.ends, end{m / 2, i})
		}
	}
	s.ends = append(s.ends, end{1, below})
	last := len(s.ends) - 1
	s.best = s.at(last)
	s.between(0, last, s.at(0), s.best)
	return s.best
}

// between looks between two ends: none has fewer errors than the lower one or a smaller U than the upper one.
func (s *infimum) between(lo, hi int, low, high Bound) {
	if low.Value < s.best.Value {
		s.best = low
	}
	smallest := Bound{MarginError: low.MarginError, Complexity: high.Complexity}
	if smallest.complete(s.n); hi-lo < 2 || smallest.Value >= s.best.Value {
		return
	}
	middle := lo + (hi-lo)/2
	b := s.at(middle)
	s.between(middle, hi, b, high)
	s.between(lo, middle, low, b)
}

// at is the bound at the end of a stretch.
func (s *infimum) at(k int) Bound {
	e, n := s.ends[k], float64(s.n)
	p := newPenalty(s.n, e.delta)
	b := Bound{Delta: e.delta, Confidence: confidence, MarginError: float64(e.below) / n, Effective: p.effective(s.alpha)}
	t := -math.Log(1 - confidence)
	b.Complexity = (t + math.Log(4/e.delta) + p.scale*b.Effective + math.Log(8*n+4)) / n
	b.complete(s.n)
	return b
}

// complete takes the least over ε, for all of which the bound holds: with g(ε) = (1+ε)P + (2+1/ε+ε)U + (ε+2)/n,
// g' = 0 at ε² = U / (P + U + 1/n).
func (b *Bound) complete(samples int) {
	n := float64(samples)
	b.Epsilon = math.Sqrt(b.Complexity / (b.MarginError + b.Complexity + 1/n))
	b.Value = (1+b.Epsilon)*b.MarginError + (2+1/b.Epsilon+b.Epsilon)*b.Complexity + (b.Epsilon+2)/n
}
