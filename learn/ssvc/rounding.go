package ssvc

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
)

const (
	// A decision value with coefficients α has a rounding error of 2⁻⁵³ Σ|α_i|. A nearly singular kernel at a large C
	// asks for coefficients whose error exceeds the tolerance. A coefficient above the ceiling has the penalty
	// ½ (α/ceiling)², which continues the majorant of the zero norm. After a round with rounding errors, the lower
	// ceiling holds.
	highCeiling, lowCeiling = 1e10, 1e7
)

// lengthen multiplies the model by 1 + η if the hinge losses of margins that miss 1 by η would count. η is the rounding
// error of its decision values; margins beyond 1 cost nothing. It returns η. For regression it does nothing.
func (m *quadratic) lengthen(res *learn.Result) float64 {
	if !m.Classes {
		return 0
	}
	eta := m.noise()
	if d := m.report.Duality; d == nil || !(eta*m.Idle() > countsFrom*d.Objective && m.residual+eta <= merged.FixedPoint) {
		return 0
	}
	for k := range res.Coef {
		res.Coef[k] *= 1 + eta
	}
	res.Bias *= 1 + eta
	m.size *= (1 + eta) * (1 + eta)
	m.report.Duality.KKT += eta
	return eta
}

// noise is a bound of the rounding error of decision values.
func (m *quadratic) noise() (eta float64) {
	for _, a := range m.alpha {
		eta += 0x1p-52 * math.Abs(a)
	}
	return eta
}

// hidden reports whether rounding errors of the decision values hide the optimum, and are too large for lengthen.
func (m *quadratic) hidden() bool {
	eta, widest := m.noise(), slices.Max(m.Cost)
	return eta > merged.FixedPoint && eta*widest*float64(len(m.live)) > merged.OptimalGap*m.report.Duality.Objective
}

// stalled reports whether only rounding errors still move coefficients above the ceiling: for some rounds no column was
// dropped, and none of the rounds was closer to the fixed point.
func (m *quadratic) stalled() bool {
	if m.ceiling == highCeiling || m.held == 0 {
		return false
	}
	if m.still++; !m.settled || m.still == 1 || m.residual < m.nearest {
		m.still, m.nearest = 1, m.residual
	}
	return m.still > stallRounds
}

const stallRounds = 5

// countsFrom is the relative error of the objective from which rounding errors count.
const countsFrom = 1e-8

// rounding is the message of a training at the rounding limit.
func (m *quadratic) rounding(d *learn.Duality) string {
	s := fmt.Sprintf("rounding limit: gap %.0e, violation %.0e, fixed point to %.0e", d.Gap, d.KKT, m.residual)
	if m.held > 0 {
		s += fmt.Sprintf("; %d coefficients above %.0e are penalised as of that size", m.held, m.ceiling)
	}
	return s
}
