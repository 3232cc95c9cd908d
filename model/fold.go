package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// FoldScaling returns the same classifier of raw features with the scaling folded into its vectors. With scaled
// features a x + b:
//
//	linear:  <v, a x + b> = <a v, x> + <v, b>          the last term goes into the bias
//	RBF:     |v − (a x + b)|² = a² |(v − b)/a − x|²    with one a for all features, which goes into γ
//
// Planes and steps fold as the linear kernel does.
// For the RBF kernel a feature that was constant in training is an error, since its a is 0. Other kernels are an error
// too; [Classifier.WithoutScaling] separates model and scaling. Decision values agree up to rounding.
func (c *Classifier) FoldScaling() (*Classifier, error) {
	p := c.Parts()
	if p.Scaling == nil {
		return c, nil
	}
	if slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return m.Kernel != nil }) {
		return nil, errors.New("model: the scaling cannot be folded into submodels with kernels of their own")
	}
	factor, offset := affine(p.Scaling)
	var err error
	switch {
	case p.Kernel.Kind == gram.KindLinear && p.Kernel.Weights == nil:
		p.foldLinear(factor, offset)
	case p.Kernel.Kind == gram.KindRBF && p.Kernel.Weights == nil:
		err = p.foldRBF(factor, offset)
	default:
		err = fmt.Errorf("model: the scaling cannot be folded into the vectors of a %v kernel", p.Kernel.Kind)
	}
	if err != nil {
		return nil, err
	}
	for i := range p.Submodels {
		foldExtra(&p.Submodels[i], factor, offset)
	}
	p.Scaling = nil
	return newOwned(p)
}

// affine returns a and b of the scaled feature a x + b.
func affine(s *dataset.Scaling) (factor, offset []float64) {
	factor, offset = make([]float64, len(s.Center)), make([]float64, len(s.Center))
	for k, c := range s.Center {
		switch w := s.Spread[k]; {
		case w == 0: // 0 for any x
		case s.Kind == dataset.ScaleMinMax:
			factor[k] = (s.Hi - s.Lo) / w
			offset[k] = s.Lo - factor[k]*c
		default:
			factor[k] = 1 / w
			offset[k] = -c / w
		}
	}
	return factor, offset
}

func (p *Parts) foldLinear(factor, offset []float64) {
	shift := make([]float64, p.N) // <v, b> of each vector
	for i := range p.N {
		v := p.Vectors[i*p.D : (i+1)*p.D]
		for k := range v {
			shift[i] += float64(v[k] * offset[k])
			v[k] *= factor[k]
		}
	}
	for i := range p.Submodels {
		m := &p.Submodels[i]
		for s, j := range m.Support {
			m.Bias += float64(m.Coef[s] * shift[j])
		}
	}
}

// foldExtra folds the scaling into the plane and the steps of a submodel.
func foldExtra(m *learn.Submodel, factor, offset []float64) {
	fold := func(w []float64, to *float64) {
		for k := range w {
			*to += float64(w[k] * offset[k])
			w[k] *= factor[k]
		}
	}
	fold(m.Plane, &m.Bias)
	for i := range m.Steps {
		fold(m.Steps[i].Turn, &m.Steps[i].Move)
	}
}

func (p *Parts) foldRBF(factor, offset []float64) error {
	for k, a := range factor {
		if a == 0 {
			return fmt.Errorf("model: the scaling cannot be folded into an RBF kernel: feature %d was constant", k+1)
		}
		if a != factor[0] {
			return fmt.Errorf("model: the scaling cannot be folded into an RBF kernel: it has the factor %.6g for feature 1 "+
				"and %.6g for feature %d", factor[0], a, k+1)
		}
	}
	if p.D > 0 {
		p.Kernel.Gamma *= factor[0] * factor[0]
	}
	for i := range p.Vectors {
		k := i % p.D
		p.Vectors[i] = (p.Vectors[i] - offset[k]) / factor[k]
	}
	return nil
}
