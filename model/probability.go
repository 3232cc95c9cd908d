package model

import (
	"errors"
	"fmt"

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
