package learn

import (
	"math"
	"slices"
)

// Step is a unit of an expansion that rises from 0 to Coef across a plane: Coef/(1 + exp(−(Turn·x + Move))).
type Step struct {
	Turn []float64 // the direction: a weight for each feature
	Move float64   // the offset
	Coef float64
}

// At is the step's value at a sample.
func (s *Step) At(x []float64) float64 {
	value := s.Move
	for k, u := range s.Turn {
		value += float64(u * x[k])
	}
	return s.Coef / (1 + math.Exp(-value))
}

// Extra returns what the plane and the steps add to the decision value of a sample.
func (e *Expansion) Extra(x []float64) (f float64) {
	for k, w := range e.Plane {
		f += float64(w * x[k])
	}
	for i := range e.Steps {
		f += e.Steps[i].At(x)
	}
	return f
}

// Simple reports whether the expansion is a sum over vectors alone, without a plane or steps.
func (e *Expansion) Simple() bool { return e.Plane == nil && len(e.Steps) == 0 }

// Empty reports whether the expansion is its bias alone.
func (e *Expansion) Empty() bool { return len(e.Coef) == 0 && e.Simple() }

// Times returns the expansion without its bias times a number. Its coefficients, plane and steps are copies.
func (e Expansion) Times(by float64) Expansion {
	e = e.CloneUnits()
	for _, list := range [][]float64{e.Coef, e.Plane} {
		for i := range list {
			list[i] *= by
		}
	}
	for i := range e.Steps {
		e.Steps[i].Coef *= by
	}
	return e
}

// CloneUnits returns the expansion with copies of its coefficients, its plane and its steps.
func (e Expansion) CloneUnits() Expansion {
	e.Coef, e.Plane, e.Steps = slices.Clone(e.Coef), slices.Clone(e.Plane), slices.Clone(e.Steps)
	for i := range e.Steps {
		e.Steps[i].Turn = slices.Clone(e.Steps[i].Turn)
	}
	return e
}

// Finite reports whether all numbers of the expansion, but those of vectors, are finite.
func (e *Expansion) Finite() bool {
	sum := e.Bias - e.Bias // 0, or NaN where anything is not finite
	for _, list := range [][]float64{e.Coef, e.Plane} {
		for _, a := range list {
			sum += a - a
		}
	}
	for i := range e.Steps {
		s := &e.Steps[i]
		sum += s.Coef - s.Coef + s.Move - s.Move
		for _, u := range s.Turn {
			sum += u - u
		}
	}
	return sum == 0
}
