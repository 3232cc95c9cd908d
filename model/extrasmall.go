package model

import (
	"math"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// Limits of a smallExtra, whose memory is on the stack.
const extraFeatures, extraSteps = 64, 32

// smallExtra is an extra for one raw row: the spreads of the features are in its weights, which leaves a subtraction a
// feature.
type smallExtra struct {
	center []float64 // nil for none
	planes []float64 // outputs×d; nil without any
	steps  []smallStep
	turns  [][]float64 // of steps of several features, in their order
	coef   []float64   // steps×outputs
	move   []float64   // what planes add, one an output
}

// smallStep is σ(move + turn·x[feature]), or with feature −1 of the next of the turns.
type smallStep struct {
	feature    int
	turn, move float64
}

// small is the same for one raw row, nil if there are too many features or steps.
func (b *extra) small(sc *dataset.Scaling) *smallExtra {
	if b.d > extraFeatures || len(b.steps) > extraSteps {
		return nil
	}
	s := &smallExtra{coef: b.coef, move: make([]float64, b.outputs)}
	if sc != nil {
		s.center = sc.Center
	}
	for i := range b.steps {
		turn, move := foldedWeights(b.steps[i].Turn, sc)
		step := smallStep{feature: b.only[i], move: b.steps[i].Move + move}
		if step.feature >= 0 {
			step.turn = turn[step.feature]
		} else {
			s.turns = append(s.turns, turn)
		}
		s.steps = append(s.steps, step)
	}
	for o := 0; o < b.outputs && b.planes != nil; o++ {
		w, move := foldedWeights(b.planes[o*b.d:(o+1)*b.d], sc)
		s.planes, s.move[o] = append(s.planes, w...), move
	}
	return s
}

// foldedWeights are v and c with vᵀ(x − center) + c = wᵀz for the scaled features z of a row x.
func foldedWeights(w []float64, sc *dataset.Scaling) (v []float64, c float64) {
	v = append(v, w...)
	if sc == nil {
		return v, 0
	}
	width, lo := 1.0, 0.0
	if sc.Kind == dataset.ScaleMinMax {
		width, lo = sc.Hi-sc.Lo, sc.Lo
	}
	for k, s := range sc.Spread {
		if s == 0 { // the scaled feature is 0
			v[k] = 0
			continue
		}
		c += float64(w[k] * lo)
		v[k] = w[k] * width / s
	}
	return v, c
}

// add adds planes and steps to the outputs of one raw row.
func (s *smallExtra) add(f, x []float64) {
	var row [extraFeatures]float64
	var at, e [extraSteps]float64
	if s.center != nil {
		for k, c := range s.center {
			row[k] = x[k] - c
		}
		x = row[:len(s.center)]
	}
	next := 0
	for i := range s.steps {
		if t := &s.steps[i]; t.feature >= 0 {
			at[i] = t.move + float64(t.turn*x[t.feature])
		} else {
			at[i] = t.move + dense.Dot(s.turns[next], x)
			next++
		}
		e[i] = -math.Abs(at[i])
	}
	gram.ExpNeg(e[:len(s.steps)], e[:len(s.steps)])
	for i := range s.steps {
		// σ(−t) = 1 − σ(t), without a branch that nothing foretells
		e[i] = 0.5 + math.Copysign(1/(1+e[i])-0.5, at[i])
	}
	for o := range f {
		sum := s.move[o]
		for i, rise := range e[:len(s.steps)] {
			sum += float64(s.coef[i*len(f)+o] * rise)
		}
		if s.planes != nil {
			sum += dense.Dot(s.planes[o*len(x):(o+1)*len(x)], x)
		}
		f[o] += sum
	}
}
