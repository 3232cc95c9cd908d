package sparsekm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sparsekm/sparsekm/learn"
)

// validation returns the held-out data, scaled.
func (t *task) validation() (*learn.Validation, error) {
	v := t.Validation
	if v == nil {
		return nil, nil
	}
	if m, err := Lookup(t.Trainer.Name()); err == nil && !m.Validation {
		return nil, fmt.Errorf("sparsekm: %s does not read validation data, only %s", m.Name,
			strings.Join(validating(), ", "))
	}
	if err := v.Validate(); err != nil {
		return nil, fmt.Errorf("sparsekm: validation data: %w", err)
	}
	if v.D != t.set.D {
		return nil, fmt.Errorf("sparsekm: %d features in the validation data, want %d", v.D, t.set.D)
	}
	v, err := v.Dense(max(0, t.resources().Budget(t.Trainer.Name(), v.N, 0).Left()))
	if err != nil {
		return nil, fmt.Errorf("sparsekm: validation data: %w", err)
	}
	if t.scaling != nil {
		v = t.scaling.Apply(v)
	}
	if t.task == learn.Regress {
		if v.Targets == nil {
			return nil, errors.New("sparsekm: validation data: the points have no real targets")
		}
		return &learn.Validation{X: v.X, Y: v.Targets, N: v.N}, nil
	}
	h := &learn.Validation{X: v.X, Y: make([]float64, len(v.Y)), N: v.N}
	for i, c := range v.ClassOf(t.set.Labels) {
		if c < 0 {
			return nil, fmt.Errorf("sparsekm: point %d of the validation data is of class %q, want one of %s",
				i, v.Labels[v.Y[i]], strings.Join(t.set.Labels, ", "))
		}
		h.Y[i] = float64(c)
	}
	return h, nil
}

// validating lists the methods that read held-out data.
func validating() (names []string) {
	for _, m := range Methods() {
		if m.Validation {
			names = append(names, m.Name)
		}
	}
	return names
}
