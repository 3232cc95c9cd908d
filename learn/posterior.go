package learn

// Posterior is the normal posterior of a regression model's coefficients, whose mean they are.
type Posterior struct {
	Noise float64 // variance of a target around f
	// Covariance of the coefficients, in the order of [Expansion.Coef] and the bias last: the lower triangle, row by row,
	// of m(m+1)/2 elements for m − 1 coefficients.
	Covariance []float64
}

// Clone returns a copy that shares nothing; nil of nil.
func (p *Posterior) Clone() *Posterior { return p.Times(1) }

// Times returns the posterior for targets multiplied by a number; nil of nil.
func (p *Posterior) Times(by float64) *Posterior {
	if p == nil {
		return nil
	}
	q := &Posterior{Noise: p.Noise * by * by, Covariance: make([]float64, len(p.Covariance))}
	for i, v := range p.Covariance {
		q.Covariance[i] = v * by * by
	}
	return q
}

// Variance is the predictive variance of a target, noise + φᵀΣφ (Tipping 2001, eq. (22)). phi has the sample's kernel
// values with the support vectors, and a last element of 1 for the bias.
func (p *Posterior) Variance(phi []float64) float64 {
	v, row := p.Noise, p.Covariance
	for i, x := range phi {
		var sum float64
		for j, c := range row[:i] {
			sum += c * phi[j]
		}
		v += x * (2*sum + row[i]*x)
		row = row[i+1:]
	}
	return v
}
