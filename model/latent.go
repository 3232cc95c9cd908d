package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// Logistic is the logistic function as classifiers of Gaussian processes have it: a sum of error functions,
// 1/(1+exp(−f)) ≈ ½ Σ weight (1 + erf(scale·f)). The terms are those of Williams and Barber (1998), appendix A, as
// scikit-learn has them, so that probabilities agree with its own.
var Logistic = struct {
	Terms                   [5][2]float64 // scale and weight
	MinProbability, MinOdds float64       // the sum has roundings of 1e-12; log odds above 0 are no smaller
}{
	[5][2]float64{{0.41, -1854.8214151}, {0.4, 3516.89893646}, {0.37, 221.29346712}, {0.44, 128.12323805},
		{0.39, -2010.49422654}},
	0x1p-40, 0x1p-1022,
}

// latentOdds returns the log odds of E[1/(1+exp(−f))] by the mixture, for a normal f of this mean and variance. Where
// signs decide, its sign is the mean's, and 0 is negative: the mixture is 5e-9 below one half for a mean of 0.
func latentOdds(mean, variance float64, signs bool) float64 {
	p := 0.0
	for _, m := range Logistic.Terms {
		p += float64(m[1] * (1 + math.Erf(m[0]*mean/math.Sqrt(1+float64(2*variance)*float64(m[0]*m[0])))))
	}
	p = max(p/2, Logistic.MinProbability)
	odds := math.Log(p / (1 - p))
	switch {
	case !signs:
		return odds
	case mean > 0:
		return max(odds, Logistic.MinOdds)
	}
	return min(odds, 0)
}

// latent is what files of version 11 have, which are all of such classifiers, and some of later ones.
func (c *coder) latent(p *Parts) {
	if c.reading {
		p.Latent = make([]learn.Posterior, c.room(c.left(uint64(len(p.Submodels)), 17), 64))
	}
	for i := range p.Latent {
		c.posterior(&p.Latent[i])
	}
}

// processes has the Gaussian process of each submodel.
type processes struct {
	parts *Parts
	all   []*spread
}

// newProcesses lays the processes out; consecutive ones share the vectors of the classifier's kernel.
func newProcesses(p *Parts) *processes {
	c := &processes{parts: p}
	for i := range p.Latent {
		m := &p.Submodels[i]
		s := &spread{kernel: *p.kernelOf(m)}
		if i > 0 && m.Kernel == nil && p.Submodels[i-1].Kernel == nil {
			s.vectors = c.all[i-1].vectors
		} else {
			s.vectors = p.pack(s.kernel, nil)
		}
		s.setPosterior(&p.Latent[i], p.N)
		c.all = append(c.all, s)
	}
	return c
}

func (c *processes) room() *spreadRoom { return newSpreadRoom(c.parts.D, c.parts.N) }

func (c *processes) decide(dst, x []float64, m int, room *spreadRoom) {
	p, d := c.parts, c.parts.D
	for q := range m {
		for i, s := range c.all {
			if i == 0 || s.vectors != c.all[i-1].vectors {
				s.values(p, x[q*d:(q+1)*d], room)
			}
			mean := dense.Dot(p.Submodels[i].Coef, room.phi) + p.Submodels[i].Bias
			dst[q*len(c.all)+i] = latentOdds(mean, s.variance(room), p.Scheme != OneVsRest)
		}
	}
}

// validateLatent checks that there is a process for each submodel of a classifier of them, over all vectors.
func (p *Parts) validateLatent() error {
	if p.Latent == nil {
		return nil
	}
	if p.Task != learn.Classify || len(p.Latent) != len(p.Submodels) || p.Sparse != nil {
		return fmt.Errorf("model: %d Gaussian processes of %d submodels of the task %v, want a classifier with one process "+
			"for each submodel, and no sparse vectors", len(p.Latent), len(p.Submodels), p.Task)
	}
	for i := range p.Latent {
		q, m := &p.Latent[i], &p.Submodels[i]
		switch {
		case !(q.Noise >= 0) || math.IsInf(q.Noise, 0):
			return fmt.Errorf("model: variance of the noise of submodel %d is %v", i, q.Noise)
		case q.Process == nil || p.N == 0 || !slices.Equal(m.Support, deal.All(p.N)):
			return fmt.Errorf("model: submodel %d has no Gaussian process of all %d vectors in their order", i, p.N)
		}
		if err := p.validateProcess(q, m); err != nil {
			return err
		}
	}
	return nil
}
