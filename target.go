package sparsekm

import (
	"fmt"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// TargetScale is the change of unit of real targets that a training worked in: (y − Center) / Spread. The
// classifier's values are in the units of y; objective and certificate of the report are not.
type TargetScale struct {
	Center float64 `json:"center"` // mean
	Spread float64 `json:"spread"` // standard deviation, 1 where the targets are constant
}

// TaskOf says what a method is going to learn from the set's targets: real values and labels ask for themselves, and
// methods that know neither take the points alone. It is an error if the method does not take such a task.
func TaskOf(m Method, set *dataset.Set) (learn.Task, error) {
	task := learn.Classify
	if set.Targets != nil {
		task = learn.Regress
	}
	switch {
	case m.Takes(learn.OneClass) && !m.Takes(task):
		return learn.OneClass, nil
	case m.Takes(learn.Density) && !m.Takes(task):
		return learn.Density, nil
	case !set.Targeted():
		return task, fmt.Errorf("sparsekm: the points have no labels")
	case !m.Takes(task):
		return task, fmt.Errorf("sparsekm: %s does not learn %s, only %s", m.Name, targetsOf[task], having(task))
	}
	return task, nil
}

// targetsOf names what a task learns.
var targetsOf = [...]string{"classes", "real values", "from points alone", "the density of points"}

// having lists the methods that take a task.
func having(task learn.Task) string {
	var names []string
	for _, m := range Methods() {
		if m.Takes(task) {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

// registered is the trainer's method; one that is not registered takes classes.
func registered(t learn.Trainer) Method {
	m, err := Lookup(t.Name())
	if err != nil {
		return Method{Name: t.Name()}
	}
	return m
}

// ScaleOf fits a scale to real targets. An error is for targets that have none in float64.
func ScaleOf(values []float64) (TargetScale, error) {
	s := TargetScale{Spread: 1}
	if len(values) == 0 {
		return s, nil
	}
	sc, err := dataset.FitZ(&dataset.Set{X: values, N: len(values), D: 1})
	if err != nil {
		return s, fmt.Errorf("sparsekm: the target cannot be scaled in float64: %w", err)
	}
	if s.Center = sc.Center[0]; sc.Spread[0] > 0 {
		s.Spread = sc.Spread[0]
	}
	return s, nil
}

// targets are those of a problem of the task: signs, values in the units of the training, or none.
func (t *task) targets() (y []float64, err error) {
	switch t.task {
	case learn.OneClass, learn.Density:
		return nil, nil
	case learn.Classify:
		return t.set.RestSigns(1), nil
	}
	if !t.ScaleTarget {
		return t.set.Targets, nil
	}
	s, err := ScaleOf(t.set.Targets)
	if err != nil {
		return nil, err
	}
	t.target = &s
	return s.to(t.set.Targets), nil
}

// to returns values in the units of the training; a nil scale changes nothing.
func (s *TargetScale) to(values []float64) []float64 {
	if s == nil {
		return values
	}
	y := make([]float64, len(values))
	for i, v := range values {
		y[i] = (v - s.Center) / s.Spread
	}
	return y
}

// undo gives an expansion the units of the targets.
func (s *TargetScale) undo(e *learn.Expansion) {
	if s == nil {
		return
	}
	times(e, s.Spread)
	e.Bias = math.FMA(e.Bias, s.Spread, s.Center)
}

// scaled gives a density of scaled features, per unit of theirs, the unit of the raw ones; one that is constant has
// none.
func (t *task) scaled(e *learn.Expansion) {
	if t.task != learn.Density || t.scaling == nil {
		return
	}
	var log float64 // of the raw volume that a scaled one is
	for _, w := range t.scaling.Spread {
		switch {
		case w > 0 && t.scaling.Kind == dataset.ScaleMinMax:
			log += math.Log(w / (t.scaling.Hi - t.scaling.Lo))
		case w > 0:
			log += math.Log(w)
		}
	}
	times(e, math.Exp(-log))
}

// times gives an expansion coefficients of another unit.
func times(e *learn.Expansion, by float64) {
	coef := make([]float64, len(e.Coef))
	for i, a := range e.Coef {
		coef[i] = a * by
	}
	e.Coef = coef
}
