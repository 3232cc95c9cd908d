package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// extra evaluates the planes and the steps of all submodels ([learn.Expansion.Extra]). Submodels share steps that are
// the same but for their coefficients.
type extra struct {
	d, outputs int
	planes     []float64 // outputs×d; nil without any
	steps      []learn.Step
	only       []int     // the only feature of each step, or −1
	coef       []float64 // steps×outputs
}

// Simple reports whether the submodels are sums over vectors alone: none has a plane or steps.
func (p *Parts) Simple() bool {
	return !slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return !m.Simple() })
}

// ahead is how many steps are compared with one: submodels have the steps that they share in one order.
const ahead = 256

// Steps are the steps of all submodels, each once if submodels share them in one order, with the coefficients of every
// submodel: len(steps)×len(Submodels).
func (p *Parts) Steps() (steps []learn.Step, coef []float64) {
	outputs := len(p.Submodels)
	for o := range p.Submodels {
		next := 0
		for i := range p.Submodels[o].Steps {
			s := &p.Submodels[o].Steps[i]
			at, end := next, min(len(steps), next+ahead)
			for at < end && (steps[at].Move != s.Move || !slices.Equal(steps[at].Turn, s.Turn)) {
				at++
			}
			if at < end {
				next = at + 1
			} else {
				at = len(steps)
				steps = append(steps, *s)
				coef = append(coef, make([]float64, outputs)...)
			}
			coef[at*outputs+o] += s.Coef
		}
	}
	return steps, coef
}

// NumUnits returns the number of vectors and steps: what a decision takes time for.
func (c *Classifier) NumUnits() int {
	if c.extra == nil {
		return c.NumVectors()
	}
	return c.NumVectors() + len(c.extra.steps)
}

// ExtraText names what the model has in addition to its vectors: "4 steps and a plane"; empty for nothing.
func (c *Classifier) ExtraText() string {
	if c.extra == nil {
		return ""
	}
	n, plane := len(c.extra.steps), c.extra.planes != nil
	switch {
	case n == 0:
		return "a plane"
	case !plane:
		return fmt.Sprintf("%d steps", n)
	}
	return fmt.Sprintf("%d steps and a plane", n)
}

func newExtra(p *Parts) *extra {
	if p.Simple() {
		return nil
	}
	b := &extra{d: p.D, outputs: len(p.Submodels)}
	b.steps, b.coef = p.Steps()
	for o := range p.Submodels {
		if w := p.Submodels[o].Plane; w != nil {
			if b.planes == nil {
				b.planes = make([]float64, b.outputs*b.d)
			}
			copy(b.planes[o*b.d:], w)
		}
	}
	for i := range b.steps {
		b.only = append(b.only, onlyFeature(b.steps[i].Turn))
	}
	return b
}

// onlyFeature is the only feature with a weight, or −1.
func onlyFeature(turn []float64) int {
	only := -1
	for k, u := range turn {
		switch {
		case u == 0:
		case only >= 0:
			return -1
		default:
			only = k
		}
	}
	return only
}

// add adds planes and steps to the outputs of m scaled rows; e is scratch for two numbers a step.
func (b *extra) add(dst, x []float64, m int, e []float64) {
	at, e := e[:len(b.steps)], e[len(b.steps):]
	for q := range m {
		row, f := x[q*b.d:(q+1)*b.d], dst[q*b.outputs:(q+1)*b.outputs]
		for i := range b.steps {
			s := &b.steps[i]
			if k := b.only[i]; k >= 0 {
				at[i] = s.Move + float64(s.Turn[k]*row[k])
			} else {
				at[i] = s.Move + dense.Dot(s.Turn, row)
			}
			e[i] = -math.Abs(at[i])
		}
		gram.ExpNeg(e, e)
		for i, v := range e {
			rise := 1 / (1 + v)
			if at[i] < 0 {
				rise = v / (1 + v)
			}
			for o, a := range b.coef[i*b.outputs : (i+1)*b.outputs] {
				f[o] += float64(a * rise)
			}
		}
		for o := 0; b.planes != nil && o < b.outputs; o++ {
			f[o] += dense.Dot(b.planes[o*b.d:(o+1)*b.d], row)
		}
	}
}

// validateExtra checks the plane and the steps of a submodel.
func (p *Parts) validateExtra(m *learn.Submodel) error {
	switch {
	case m.Simple():
		return nil
	case p.Sparse != nil:
		return errors.New("a plane or steps with sparse vectors")
	case m.Plane != nil && len(m.Plane) != p.D:
		return fmt.Errorf("a plane of %d features, want %d", len(m.Plane), p.D)
	case p.Posterior != nil:
		return errors.New("variances of a model with a plane or steps")
	}
	for i := range m.Steps {
		if n := len(m.Steps[i].Turn); n != p.D {
			return fmt.Errorf("step %d of %d features, want %d", i, n, p.D)
		}
	}
	if !m.Finite() {
		return errors.New("a number of its plane or its steps is not finite")
	}
	return nil
}
