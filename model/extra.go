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

// extra evaluates the planes and the steps of all submodels ([learn.Expansion.Extra]) for raw rows: the spreads of the
// features are in its weights, which leaves a subtraction a feature. Submodels share steps that are the same but for
// their coefficients. A step is 1/(1+exp(move + turn·x)). Those of several features, whose turns are a matrix, come
// first; the last one, without a weight, fills them up to whole vectors of the processor. Of the others a weight and a
// feature are left.
type extra struct {
	d        int
	center   []float64 // nil for none
	count    int       // of steps, with those that are constant
	turned   int       // of steps of several features, filled up
	turns    []float64 // d×turned
	feature  []int     // of the other steps
	turn     []float64
	move     []float64 // of all steps
	weights  []float64 // an output's coefficients of the steps, and, if planed, of the features
	planed   bool
	constant []float64 // what planes and constant steps add, one an output
}

// wholeVectors is how many steps of several features there are a multiple of.
const wholeVectors = 8

// extraRoom is the scratch memory that there is on the stack.
const extraRoom = 128

// maxExponent is the largest argument of ExpNeg: the product of two results is finite. The step is 1e-152 there.
const maxExponent = 350

// room is the scratch memory of add.
func (b *extra) room() int { return b.d + len(b.move) }

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
			place, end := next, min(len(steps), next+ahead)
			for place < end && (steps[place].Move != s.Move || !slices.Equal(steps[place].Turn, s.Turn)) {
				place++
			}
			if place < end {
				next = place + 1
			} else {
				place = len(steps)
				steps = append(steps, *s)
				coef = append(coef, make([]float64, outputs)...)
			}
			coef[place*outputs+o] += s.Coef
		}
	}
	return steps, coef
}

// NumUnits returns the number of vectors and steps: what a decision takes time for.
func (c *Classifier) NumUnits() int {
	if c.extra == nil {
		return c.NumVectors()
	}
	return c.NumVectors() + c.extra.count
}

func newExtra(p *Parts) *extra {
	if p.Simple() {
		return nil
	}
	sc := p.affine()
	b := &extra{d: p.D, constant: make([]float64, len(p.Submodels))}
	if sc != nil {
		b.center = sc.Center
	}
	b.planed = slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return m.Plane != nil })
	b.addSteps(p, sc)
	for o := range p.Submodels {
		if w := slices.Clone(p.Submodels[o].Plane); w != nil {
			b.constant[o] += fold(w, sc)
			copy(b.weightsOf(o)[len(b.move):], w)
		}
	}
	return b
}

// addSteps sets what belongs to the steps of all submodels, and makes room for planes.
func (b *extra) addSteps(p *Parts, sc *gram.Affine) {
	steps, coef := p.Steps()
	outputs := len(b.constant)
	b.count = len(steps)
	var turned, others []int
	for i := range steps {
		s := &steps[i]
		s.Turn = slices.Clone(s.Turn)
		s.Move += fold(s.Turn, sc)
		switch onlyFeature(s.Turn) {
		case severalFeatures:
			turned = append(turned, i)
		case noFeature:
			for o := range b.constant {
				b.constant[o] += coef[i*outputs+o] / (1 + math.Exp(-s.Move))
			}
		default:
			others = append(others, i)
		}
	}
	b.turned = (len(turned) + wholeVectors - 1) / wholeVectors * wholeVectors
	b.turns = make([]float64, b.d*b.turned)
	b.move = make([]float64, b.turned+len(others))
	b.weights = make([]float64, outputs*b.width())
	weigh := func(to, i int) {
		for o := range outputs {
			b.weightsOf(o)[to] = coef[i*outputs+o]
		}
	}
	for to := range b.turned {
		i := turned[min(to, len(turned)-1)]
		if b.move[to] = -steps[i].Move; to < len(turned) {
			weigh(to, i)
		}
		for k, u := range steps[i].Turn {
			b.turns[k*b.turned+to] = -u
		}
	}
	for n, i := range others {
		b.move[b.turned+n] = -steps[i].Move
		weigh(b.turned+n, i)
		k := onlyFeature(steps[i].Turn)
		b.feature = append(b.feature, k)
		b.turn = append(b.turn, -steps[i].Turn[k])
	}
}

// width is the number of weights of an output.
func (b *extra) width() int {
	if b.planed {
		return len(b.move) + b.d
	}
	return len(b.move)
}

func (b *extra) weightsOf(o int) []float64 { return b.weights[o*b.width() : (o+1)*b.width()] }

// fold changes w to v, and returns c, with vᵀ(x − center) + c = wᵀz for the scaled features z of a row x.
//
//go:noinline
func fold(w []float64, sc *gram.Affine) (c float64) {
	for k := 0; sc != nil && k < len(w); k++ {
		if s := sc.Spread[k]; s == 0 { // the scaled feature is 0
			w[k] = 0
		} else {
			c += float64(w[k] * sc.Lo)
			w[k] *= sc.Width / s
		}
	}
	return c
}

// What onlyFeature finds other than a feature.
const (
	severalFeatures = -1
	noFeature       = -2
)

// onlyFeature is the only feature with a weight.
func onlyFeature(turn []float64) int {
	only := noFeature
	for k, u := range turn {
		switch {
		case u == 0:
		case only >= 0:
			return severalFeatures
		default:
			only = k
		}
	}
	return only
}

// add adds planes and steps to the outputs of m raw rows.
func (b *extra) add(dst, rows []float64, m int, room []float64) {
	n, outputs := len(b.move), len(b.constant)
	x := room[n : n+b.d]
	for q := range m {
		raw := rows[q*b.d : (q+1)*b.d]
		for k, c := range b.center {
			x[k] = raw[k] - c
		}
		if b.center == nil {
			copy(x, raw)
		}
		b.rises(room[:n], x)
		for o := range outputs {
			dst[q*outputs+o] += b.constant[o] + dense.Dot(b.weightsOf(o), room)
		}
	}
}

// rises writes the values of all steps to e.
func (b *extra) rises(e, x []float64) {
	if t := b.turned; t > 0 {
		copy(e[:t], b.move)
		dense.AddRows(e[:t], x, b.turns, t)
		for i, v := range e[:t] {
			if v > maxExponent {
				e[i] = maxExponent
			}
		}
	}
	alone, move, turn := e[b.turned:], b.move[b.turned:], b.turn
	for i, k := range b.feature {
		v := move[i] + float64(turn[i]*x[k])
		if v > maxExponent {
			v = maxExponent
		}
		alone[i] = v
	}
	gram.ExpNeg(e, e)
	for ; len(e) >= 2; e = e[2:] { // a division for two
		u, v := 1+e[0], 1+e[1]
		r := 1 / float64(u*v)
		e[0], e[1] = r*v, r*u
	}
	for i, v := range e {
		e[i] = 1 / (1 + v)
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
	case p.Posterior != nil || p.Latent != nil:
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
