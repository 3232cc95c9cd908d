package assure

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/learn"
)

// Coefficients become multiples of a power of two. One that becomes 0 is dropped, and signs that are the labels' cost
// no bit.
func TestRound(t *testing.T) {
	r := &learn.Result{Expansion: learn.Expansion{Support: []int{0, 2}, Coef: []float64{1, -0.3}, Bias: 0.4}}
	for _, c := range []struct {
		step int
		y    []float64
		coef []float64
		bias float64
		bits float64
	}{
		{0, []float64{1, 1, -1}, []float64{1}, 0, 0},
		{2, []float64{1, 1, -1}, []float64{1, -0.25}, 0.5, 2},
		{2, []float64{1, 1, 1}, []float64{1, -0.25}, 0.5, 3},
	} {
		m := round(r, c.y, c.step, 0)
		e := m.result.Expansion
		if !slices.Equal(e.Coef, c.coef) || e.Bias != c.bias || m.Bits != c.bits || m.Vectors != len(c.coef) {
			t.Errorf("step %d: coefficients %v, bias %v, %v bits, %d vectors; want %v, %v, %v", c.step, e.Coef, e.Bias,
				m.Bits, m.Vectors, c.coef, c.bias, c.bits)
		}
		if !(m.Message > 0) || math.IsInf(m.Message, 1) {
			t.Errorf("step %d: a message of %v bits", c.step, m.Message)
		}
	}
}

// A bound grows with errors, with confidence and with the number of settings compared.
func TestValue(t *testing.T) {
	m := &rounding{ErrorBound: ErrorBound{Vectors: 3, Message: 20}}
	base := m.value(5, 1000, Bound{Confidence: 0.95})
	for _, more := range []float64{m.value(6, 1000, Bound{Confidence: 0.95}), m.value(5, 1000, Bound{Confidence: 0.99}),
		m.value(5, 1000, Bound{Confidence: 0.95, Settings: 8})} {
		if !(base > 0.005 && base < more && more < 1) {
			t.Errorf("a bound of %v, and of %v with more", base, more)
		}
	}
}
