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
// for instance from cross-validation, and the samples' classes. The end of the context is an error.
func (c *Classifier) CalibrateOn(ctx context.Context, class []int, decisions []float64) (*Classifier, error) {
	submodels := len(c.parts.Submodels)
	if len(decisions) != len(class)*submodels {
		panic(fmt.Sprintf("model: %d decisions of %d submodels for %d samples", len(decisions), submodels, len(class)))
	}
	p := c.Parts()
	p.Platt, p.PlattStale = make([]Platt, submodels), false
	for j := range p.Submodels {
		m := &p.Submodels[j]
		rows, pos := sides(m, class)
		f, positives := make([]float64, len(rows)), 0
		for i, row := range rows {
			f[i] = decisions[row*submodels+j]
			if pos[i] {
				positives++
			}
		}
		if positives == 0 || positives == len(f) {
			return nil, fmt.Errorf("model: submodel %d has %d samples of class %s and %d others to be calibrated on, "+
				"want some of both", j, positives, p.Labels[m.Pos], len(f)-positives)
		}
		var err error
		if p.Platt[j], err = fitPlatt(ctx, f, pos); err != nil {
			return nil, err
		}
	}
	return newOwned(p)
}

// sides returns the samples of a submodel's two sides: their numbers, and whether each is on the positive side.
func sides(m *learn.Submodel, class []int) (rows []int, pos []bool) {
	for i, k := range class {
		if k == m.Pos || k == m.Neg || m.Neg == learn.Rest {
			rows = append(rows, i)
			pos = append(pos, k == m.Pos)
		}
	}
	return rows, pos
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

// fitPlatt minimises the cross entropy between the probabilities and Platt's smoothed
// targets, (n₊+1)/(n₊+2) and 1/(n₋+2), by Newton's method with step halving
// (H.-T. Lin, C.-J. Lin, R. C. Weng: A note on Platt's probabilistic outputs for support
// vector machines, Machine Learning 68, 2007). The problem is convex with two variables.
func fitPlatt(ctx context.Context, f []float64, pos []bool) (Platt, error) {
	const (
		steps    = 100
		ridge    = 1e-12 // keeps the Hessian positive definite
		small    = 1e-10 // gradient at which the fit is done, relative to the number of samples
		halvings = 40
	)
	target, np := smoothed(pos)
	n := float64(len(f))
	p := Platt{B: math.Log((n - np + 1) / (np + 1))}
	value := p.loss(f, target)
	for range steps {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		var ga, gb float64
		haa, hab, hbb := ridge, 0.0, ridge
		for i, v := range f {
			q := p.Probability(v)
			d, w := target[i]-q, q*(1-q)
			ga, gb = ga+d*v, gb+d
			haa, hab, hbb = haa+w*v*v, hab+w*v, hbb+w
		}
		if math.Max(math.Abs(ga), math.Abs(gb)) <= small*n {
			break
		}
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		slope := ga*da + gb*db
		t := 1.0
		for range halvings {
			next := Platt{A: p.A + t*da, B: p.B + t*db}
			if v := next.loss(f, target); v <= value+1e-4*t*slope {
				p, value = next, v
				break
			}
			t /= 2
		}
		if t < math.Pow(2, -halvings+1) {
			break // rounding errors keep the loss from falling
		}
	}
	return p, nil
}

// smoothed returns Platt's targets, and the number of positive samples.
func smoothed(pos []bool) (target []float64, positives float64) {
	for _, p := range pos {
		if p {
			positives++
		}
	}
	hi, lo := (positives+1)/(positives+2), 1/(float64(len(pos))-positives+2)
	target = make([]float64, len(pos))
	for i, p := range pos {
		if target[i] = lo; p {
			target[i] = hi
		}
	}
	return target, positives
}

// loss is the cross entropy, Σ −t ln P − (1−t) ln(1−P) = Σ t z + ln(1+e^−z) = Σ ln(1+e^z) − (1−t) z with z = A f + B.
func (p Platt) loss(f, target []float64) (sum float64) {
	for i, v := range f {
		z := p.A*v + p.B
		if z >= 0 {
			sum += target[i]*z + math.Log1p(math.Exp(-z))
		} else {
			sum += (target[i]-1)*z + math.Log1p(math.Exp(z))
		}
	}
	return sum
}
