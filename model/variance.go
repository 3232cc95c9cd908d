package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

var errNoVariance = errors.New("model: it has no variances: relevance vector machines for regression, " +
	"rvm and rvm-fast, have them, until a reduction changes them")

// Uncertain returns nil if the model has variances for its predictions, else an error that says why it has none.
func (c *Classifier) Uncertain() error {
	if c.parts.Posterior == nil {
		return errNoVariance
	}
	return nil
}

// Variances writes the variance of the target of each of n rows of raw features (x is n×NumFeatures, row-major) to dst,
// on the given number of threads; 0 means GOMAXPROCS. It is the sum of the variances of noise and coefficients,
// σ² + φᵀΣφ, Tipping (2001), eq. (22), in the square of the target's unit; the mean is the decision value. It panics
// unless [Classifier.Uncertain] returns nil.
func (c *Classifier) Variances(dst, x []float64, n, threads int) {
	if err := c.Uncertain(); err != nil {
		panic(err.Error())
	}
	p := &c.parts
	m := &p.Submodels[0]
	dst, x = dst[:n], x[:n*p.D]
	c.batch(n, threads, func(lo, hi int, _ *scratch) {
		row, phi := make([]float64, p.D), make([]float64, len(m.Support)+1)
		for q := lo; q < hi; q++ {
			copy(row, x[q*p.D:(q+1)*p.D])
			if p.Scaling != nil {
				p.Scaling.ApplyTo(row, x[q*p.D:(q+1)*p.D])
			}
			for s, j := range m.Support {
				phi[s] = p.Kernel.Eval(row, p.Vector(j))
			}
			phi[len(m.Support)] = 1
			dst[q] = p.Posterior.Variance(phi)
		}
	})
}

// validatePosterior checks that the posterior fits the coefficients and the bias of a regression model.
func (p *Parts) validatePosterior() error {
	q := p.Posterior
	if q == nil {
		return nil
	}
	if p.Task != learn.Regress {
		return fmt.Errorf("model: a posterior in a model of the task %v, want regress", p.Task)
	}
	n := len(p.Submodels[0].Coef) + 1
	if len(q.Covariance) != n*(n+1)/2 {
		return fmt.Errorf("model: %d covariances for %d coefficients and a bias, want %d", len(q.Covariance), n-1, n*(n+1)/2)
	}
	if !(q.Noise >= 0) || math.IsInf(q.Noise, 0) {
		return fmt.Errorf("model: variance of the noise is %v", q.Noise)
	}
	row := q.Covariance
	for i := range n {
		for j, v := range row[:i+1] {
			if !finite(v) || i == j && v < 0 {
				return fmt.Errorf("model: covariance of coefficients %d and %d is %v", i, j, v)
			}
		}
		row = row[i+1:]
	}
	return nil
}
