package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// ErrUncalibrated is in the chain of the error of [Classifier.Calibrated]: the classifier has no probabilities.
var ErrUncalibrated = errors.New("model: no probabilities")

// Calibrated returns nil if the classifier has probabilities: Platt's parameters that were fitted to its own decision
// values. Else it returns an error with [ErrUncalibrated] in its chain.
func (c *Classifier) Calibrated() error {
	switch {
	case len(c.parts.Platt) == 0:
		return &fault{"model: no probabilities were fitted to its decisions; train or reduce with calibration", ErrUncalibrated}
	case c.parts.PlattStale:
		return &fault{"model: no probabilities: they were fitted before the model was reduced; calibrate it again", ErrUncalibrated}
	}
	return nil
}

// Probability returns the probability of PositiveLabel(0) of a two-class classifier for a row of raw features. It
// panics if there is more than one submodel, if the row has another number of features, or if
// [Classifier.Calibrated] returns an error.
func (c *Classifier) Probability(x []float64) float64 {
	c.mustBeCalibrated()
	return c.parts.Platt[0].Probability(c.Decide(x))
}

// Probabilities writes the probability of each class for a row of raw features to the first NumClasses elements
// of dst; they sum to 1. A single submodel has Platt's sigmoid of its decision value. Submodels of pairs are coupled by
// the second method of Wu, Lin and Weng (2004), as in LIBSVM; LIBSVM iterates to an accuracy of 0.005 divided by the
// number of classes, this function solves the equations. With one submodel a class each sigmoid is divided by the sum.
//
// The most probable class need not be the class that Predict finds by signs or votes. The function panics if dst is
// shorter, if the row has another number of features, or if [Classifier.Calibrated] returns an error.
func (c *Classifier) Probabilities(dst, x []float64) {
	c.mustBeCalibrated()
	c.checkRow(x)
	dst = dst[:len(c.parts.Labels)]
	s := c.scratch.Get().(*scratch)
	c.decide(s.f, x, 1, s)
	if s.coupling == nil {
		s.coupling = newCoupling(len(dst))
	}
	c.probabilities(dst, s.f, s.coupling)
	c.scratch.Put(s)
}

// ProbabilitiesOf writes the probabilities of the classes (n×NumClasses) to dst, from decision values (n×NumSubmodels,
// as [Classifier.DecideBatch] writes them), on the given number of threads; 0 means GOMAXPROCS. The bits are those of
// [Classifier.Probabilities], and it panics for the same reasons.
func (c *Classifier) ProbabilitiesOf(dst, decisions []float64, n, threads int) {
	c.mustBeCalibrated()
	submodels, k := len(c.parts.Submodels), len(c.parts.Labels)
	dst, decisions = dst[:n*k], decisions[:n*submodels]
	blocks := (n + batchRows - 1) / batchRows
	workers := make([]*coupling, min(parallel.Workers(threads), blocks))
	parallel.For(threads, blocks, func(w, block int) {
		if workers[w] == nil {
			workers[w] = newCoupling(k)
		}
		for q := block * batchRows; q < min(n, (block+1)*batchRows); q++ {
			c.probabilities(dst[q*k:(q+1)*k], decisions[q*submodels:(q+1)*submodels], workers[w])
		}
	})
}

func (c *Classifier) mustBeCalibrated() {
	if err := c.Calibrated(); err != nil {
		panic(fmt.Sprintf("%v; see Calibrated", err))
	}
}

// probabilities writes one row's probabilities to dst.
func (c *Classifier) probabilities(dst, f []float64, pairs *coupling) {
	p := &c.parts
	switch p.Scheme {
	case Binary:
		m := &p.Submodels[0]
		v := p.Platt[0].Probability(f[0])
		dst[m.Pos], dst[m.Neg] = v, 1-v
	case OneVsRest:
		sum := 0.0
		for i := range p.Submodels {
			v := p.Platt[i].Probability(f[i])
			dst[p.Submodels[i].Pos] = v
			sum += v
		}
		for k := range dst {
			if sum > 0 {
				dst[k] /= sum
			} else {
				dst[k] = 1 / float64(len(dst)) // every sigmoid underflowed
			}
		}
	default:
		for i := range p.Submodels {
			m := &p.Submodels[i]
			pairs.set(m.Pos, m.Neg, p.Platt[i].Probability(f[i]))
		}
		pairs.solve(dst)
	}
}

// coupling computes probabilities of k classes from probabilities of pairs.
type coupling struct {
	k int
	r []float64 // k×k: r[s·k+t] is the probability of s given that the class is s or t
	q []float64 // k×k, lower triangle
}

func newCoupling(k int) *coupling { return &coupling{k, make([]float64, k*k), make([]float64, k*k)} }

// minPair is LIBSVM's lower bound on the probability of a pair's class.
const minPair = 1e-7

// set stores the probability of class s given that the class is s or t.
func (c *coupling) set(s, t int, p float64) {
	p = min(max(p, minPair), 1-minPair)
	c.r[s*c.k+t], c.r[t*c.k+s] = p, 1-p
}

// solve writes the probabilities that minimise ½ Σ_s Σ_{t≠s} (r_ts p_s − r_st p_t)² = ½ pᵀQp subject to eᵀp = 1
// (T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class classification by pairwise coupling,
// JMLR 5, 2004, second method). They show that no p is negative at the minimum, so Qp + b e = 0 with eᵀp = 1 is the
// whole condition. Q is positive semidefinite, and singular if the pairs agree with one another. Q + e eᵀ is positive
// definite, and (Q + e eᵀ) p = (1 − b) e has the same solution up to a factor.
func (c *coupling) solve(p []float64) {
	k, q := c.k, c.q
	for s := range k {
		diagonal := 0.0
		for t := range k {
			if t != s {
				diagonal += c.r[t*k+s] * c.r[t*k+s]
				q[s*k+t] = 1 - c.r[t*k+s]*c.r[s*k+t]
			}
		}
		q[s*k+s] = 1 + diagonal
		p[s] = 1
	}
	for s := range k { // Cholesky's factor, and forward through it
		for t := range s + 1 {
			v := q[s*k+t]
			for i := range t {
				v -= q[s*k+i] * q[t*k+i]
			}
			if t < s {
				q[s*k+t] = v / q[t*k+t]
			} else {
				q[s*k+s] = math.Sqrt(v)
			}
		}
		for i := range s {
			p[s] -= q[s*k+i] * p[i]
		}
		p[s] /= q[s*k+s]
	}
	sum := 0.0
	for s := k - 1; s >= 0; s-- {
		for i := s + 1; i < k; i++ {
			p[s] -= q[i*k+s] * p[i]
		}
		p[s] /= q[s*k+s]
	}
	for s, v := range p { // rounding may leave a class without a chance below 0
		p[s] = max(v, 0)
		sum += p[s]
	}
	for s := range p {
		p[s] /= sum
	}
}
