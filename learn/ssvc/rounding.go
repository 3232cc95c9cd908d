package ssvc

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

const (
	// With coefficients α a decision value is known to 2⁻⁵³ Σ|α_i|, whatever solves for it: nearly singular kernels at
	// a large C ask for more than the tolerance leaves. Above the ceiling a coefficient is penalised by ½ (α/ceiling)²,
	// which continues the zero norm's majorant; the lower one takes over when a round has met rounding errors.
	highCeiling, lowCeiling = 1e10, 1e7
)

// lengthen multiplies the model by 1 + η, with η the rounding error that its decision values
// may have, where the hinge losses of margins that miss 1 by η would count: beyond 1 they
// cost nothing. It returns η. A tube has no such direction.
func (m *quadratic) lengthen(res *learn.Result) float64 {
	if !m.classes {
		return 0
	}
	eta := m.noise()
	if d := m.report.Duality; d == nil || !(eta*m.idle() > countsFrom*d.Objective && m.residual+eta <= fixedPoint) {
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

// noise is the rounding error that a decision value of the live coefficients may have.
func (m *quadratic) noise() (eta float64) {
	for _, a := range m.alpha {
		eta += 0x1p-52 * math.Abs(a)
	}
	return eta
}

// hidden reports whether rounding errors of the decision values hide the optimum, and are too
// large to be lengthened away.
func (m *quadratic) hidden() bool {
	eta, widest := m.noise(), slices.Max(m.cost)
	return eta > fixedPoint && eta*widest*float64(len(m.live)) > optimalGap*m.report.Duality.Objective
}

// stalled reports whether rounding errors are all that moves coefficients that are penalised by a ceiling:
// no column has died for some rounds, and none of these was nearer to the fixed point.
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

// countsFrom is what rounding errors may add to the objective, relative, without being looked at.
const countsFrom = 1e-8

// rounding says what a training at the rounding limit has reached.
func (m *quadratic) rounding(d *learn.Duality) string {
	s := fmt.Sprintf("rounding limit: gap %.0e, violation %.0e, fixed point to %.0e", d.Gap, d.KKT, m.residual)
	if m.held > 0 {
		s += fmt.Sprintf("; %d coefficients above %.0e are penalised as of that size", m.held, m.ceiling)
	}
	return s
}
