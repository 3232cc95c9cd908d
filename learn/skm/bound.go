package skm

import "math"

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
type Bound struct {
	Value       float64 `json:"value"`        // the right-hand side; above 1 it says nothing
	Delta       float64 `json:"delta"`        // margin δ
	Epsilon     float64 `json:"epsilon"`      // the ε > 0 that makes Value least
	MarginError float64 `json:"margin_error"` // fraction of samples with y f(x) ≤ 2δ
	Effective   float64 `json:"effective"`    // e_n(f, δ)
	Complexity  float64 `json:"complexity"`   // U_δ
	Confidence  float64 `json:"confidence"`   // 1 − e^−t
}

// confidence of the reported bound.
const confidence = 0.95

// marginSlack is how far above 2δ, relative, a margin is still 2δ: the programs end with support vectors
// exactly there, and whether rounding puts one above says nothing of it.
const marginSlack = 1e-9

// bound evaluates (2) for coefficients alpha (Σα = 1) and margins y_i f(x_i). The bound holds for every ε, so the least
// one is taken: with g(ε) = (1+ε)P + (2+1/ε+ε)U + (ε+2)/n, g' = 0 at ε² = U / (P + U + 1/n).
func bound(alpha, margins []float64, delta float64) Bound {
	n := float64(len(margins))
	p := newPenalty(len(margins), delta)
	below := 0
	for _, m := range margins {
		if m <= 2*delta*(1+marginSlack) {
			below++
		}
	}
	b := Bound{Delta: delta, Confidence: confidence, MarginError: float64(below) / n, Effective: p.effective(alpha)}
	t := -math.Log(1 - confidence)
	b.Complexity = (t + math.Log(4/delta) + p.scale*b.Effective + math.Log(8*n+4)) / n
	b.Epsilon = math.Sqrt(b.Complexity / (b.MarginError + b.Complexity + 1/n))
	b.Value = (1+b.Epsilon)*b.MarginError + (2+1/b.Epsilon+b.Epsilon)*b.Complexity + (b.Epsilon+2)/n
	return b
}
