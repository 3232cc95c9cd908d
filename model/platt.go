package model

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// Calibrate returns the classifier with Platt's parameters fitted to its decision values of labelled raw samples, which
// should not be the training samples. A submodel of a pair of classes uses the samples of its two classes only; each
// submodel needs samples on both sides. Every label must be one of the classifier's.
func (c *Classifier) Calibrate(s *dataset.Set, threads int) (*Classifier, error) {
	if s.D != c.parts.D {
		return nil, fmt.Errorf("model: %d features, want %d", s.D, c.parts.D)
	}
	class := s.ClassOf(c.parts.Labels)
	for i, k := range class {
		if k < 0 {
			return nil, fmt.Errorf("model: sample %d has the label %q, which the model does not know (it has %q)",
				i, s.Labels[s.Y[i]], c.parts.Labels)
		}
	}
	decisions := make([]float64, s.N*len(c.parts.Submodels))
	c.DecideSet(decisions, s, 0, s.N, threads)
	return c.CalibrateOn(context.Background(), class, decisions)
}

// CalibrateOn is [Classifier.Calibrate] with decision values (a row of NumSubmodels for each sample) from elsewhere,
// for instance from cross-validation, and the samples' classes. The end of the context is an error, and so is what does
// not fit: lengths, a class that there is not, a decision value that is not finite.
func (c *Classifier) CalibrateOn(ctx context.Context, class []int, decisions []float64) (*Classifier, error) {
	submodels := len(c.parts.Submodels)
	if err := c.parts.validateSamples(class, decisions); err != nil {
		return nil, err
	}
	p := c.Parts()
	p.Platt, p.PlattStale = make([]Platt, submodels), false
	for j := range p.Submodels {
		m := &p.Submodels[j]
		var f []float64
		var pos []bool // whether each is of the positive class
		positives := 0
		for i, k := range class {
			if k != m.Pos && k != m.Neg && m.Neg != learn.Rest {
				continue
			}
			f = append(f, decisions[i*submodels+j])
			pos = append(pos, k == m.Pos)
			if k == m.Pos {
				positives++
			}
		}
		if positives == 0 || positives == len(f) {
			return nil, fmt.Errorf("model: submodel %d has %d samples of class %s and %d others to be calibrated on, "+
				"want some of both", j, positives, p.Labels[m.Pos], len(f)-positives)
		}
		var err error
		if p.Platt[j], err = fitPlatt(ctx, f, pos, float64(positives)); err != nil {
			return nil, err
		}
	}
	return newOwned(p)
}

// Probability returns 1 / (1 + exp(A f + B)) without overflow.
func (p Platt) Probability(f float64) float64 {
	z := p.A*f + p.B
	if z >= 0 {
		e := math.Exp(-z)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(z))
}

// fitPlatt minimises the cross entropy between the probabilities and Platt's smoothed targets, (n₊+1)/(n₊+2) and
// 1/(n₋+2), by Newton's method with step halving (H.-T. Lin, C.-J. Lin, R. C. Weng: A note on Platt's probabilistic
// outputs for support vector machines, Machine Learning 68, 2007). The problem is convex with two variables. A step
// whose gain is lost in the rounding of the loss is the last: Newton's error after it is the square of that before.
func fitPlatt(ctx context.Context, f []float64, pos []bool, positives float64) (Platt, error) {
	const (
		steps    = 100
		halvings = 40
		lost     = 1e-12 // gain of a step, as a share of the loss
	)
	negatives := float64(len(f)) - positives
	target := make([]float64, len(f))
	for i, positive := range pos {
		if target[i] = 1 / (negatives + 2); positive {
			target[i] = (positives + 1) / (positives + 2)
		}
	}
	p := Platt{B: math.Log((negatives + 1) / (positives + 1))}
	here := p.around(f, target)
	for range steps {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		da, db := here.newton()
		slope := here.ga*da + here.gb*db
		if -slope <= lost*here.loss {
			if last := (Platt{A: p.A + da, B: p.B + db}); last.around(f, target).loss <= (1+lost)*here.loss {
				p = last
			}
			break
		}
		t, better := 1.0, false
		for range halvings {
			next := Platt{A: p.A + t*da, B: p.B + t*db}
			there := next.around(f, target)
			if better = there.loss <= here.loss+1e-4*t*slope; better {
				p, here = next, there
				break
			}
			t /= 2
		}
		if !better {
			break
		}
	}
	return p, nil
}

// quadratic is the loss around a point, with its gradient and its Hessian.
type quadratic struct{ loss, ga, gb, haa, hab, hbb float64 }

// newton returns the step to the minimum of the quadratic.
func (q *quadratic) newton() (da, db float64) {
	const ridge = 1e-12 // keeps the Hessian positive definite
	haa, hbb := q.haa+ridge, q.hbb+ridge
	det := haa*hbb - q.hab*q.hab
	return -(hbb*q.ga - q.hab*q.gb) / det, -(haa*q.gb - q.hab*q.ga) / det
}

// around returns the cross entropy, Σ −t ln P − (1−t) ln(1−P) = Σ t z + ln(1+e^−z) = Σ ln(1+e^z) − (1−t) z with
// z = A f + B, and its derivatives. Logarithms are those of products of many factors between 1 and 2, which do not
// overflow.
func (p Platt) around(f, target []float64) (q quadratic) {
	const many = 512
	product := 1.0
	for i, v := range f {
		if i%many == 0 {
			q.loss += math.Log(product)
			product = 1
		}
		z, t := p.A*v+p.B, target[i]
		e := math.Exp(-math.Abs(z))
		prob := 1 / (1 + e)
		product *= 1 + e
		w := e * prob * prob
		if q.loss += t * z; z >= 0 {
			prob *= e
		} else {
			q.loss -= z
		}
		d := t - prob
		q.ga, q.gb = q.ga+d*v, q.gb+d
		q.haa, q.hab, q.hbb = q.haa+w*v*v, q.hab+w*v, q.hbb+w
	}
	q.loss += math.Log(product)
	return q
}
