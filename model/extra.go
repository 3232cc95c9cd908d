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
// their coefficients.
type extra struct {
	d      int
	center []float64 // nil for none
	planes []float64 // outputs×d; nil without any
	move   []float64 // what planes add, one an output
	steps  []extraStep
	turns  []float64 // of steps of several features, one after another
	coef   []float64 // steps×outputs
}

// extraStep is σ(move + turn·x[feature]), or with feature −1 of the next of the turns.
type extraStep struct {
	feature    int
	turn, move float64
}

// extraRoom is the scratch memory that there is on the stack.
const extraRoom = 128

// room is the scratch memory of add.
func (b *extra) room() int { return b.d + 2*len(b.steps) }

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
	sc := p.affine()
	steps, coef := p.Steps()
	b := &extra{d: p.D, coef: coef, move: make([]float64, len(p.Submodels)), steps: make([]extraStep, len(steps))}
	if sc != nil {
		b.center = sc.Center
	}
	for i := range steps {
		turn, step := slices.Clone(steps[i].Turn), &b.steps[i]
		step.feature, step.move = onlyFeature(turn), steps[i].Move+fold(turn, sc)
		if step.feature >= 0 {
			step.turn = turn[step.feature]
		} else {
			b.turns = append(b.turns, turn...)
		}
	}
	for o := range p.Submodels {
		if w := slices.Clone(p.Submodels[o].Plane); w != nil {
			if b.planes == nil {
				b.planes = make([]float64, len(p.Submodels)*b.d)
			}
			b.move[o] = fold(w, sc)
			copy(b.planes[o*b.d:], w)
		}
	}
	return b
}

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

// add adds planes and steps to the outputs of m raw rows.
func (b *extra) add(dst, rows []float64, m int, room []float64) {
	n, outputs := len(b.steps), len(b.move)
	at, e, row := room[:n], room[n:2*n], room[2*n:2*n+b.d]
	for q := range m {
		f, x := dst[q*outputs:(q+1)*outputs], rows[q*b.d:(q+1)*b.d]
		if b.center != nil {
			for k, c := range b.center {
				row[k] = x[k] - c
			}
			x = row
		}
		next := 0
		for i := range b.steps {
			if t := &b.steps[i]; t.feature >= 0 {
				at[i] = t.move + float64(t.turn*x[t.feature])
			} else {
				at[i] = t.move + dense.Dot(b.turns[next:next+b.d], x)
				next += b.d
			}
			e[i] = -math.Abs(at[i])
		}
		gram.ExpNeg(e, e)
		for i, v := range e {
			// σ(−t) = 1 − σ(t), without a branch that nothing foretells
			e[i] = 0.5 + math.Copysign(1/(1+v)-0.5, at[i])
		}
		for o := range f {
			sum := b.move[o]
			for i, rise := range e {
				sum += float64(b.coef[i*outputs+o] * rise)
			}
			if b.planes != nil {
				sum += dense.Dot(b.planes[o*b.d:(o+1)*b.d], x)
			}
			f[o] += sum
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
