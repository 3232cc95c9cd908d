package prepare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// external checks samples that come next to the training set, validation samples or candidates, and returns them dense
// and scaled like the training set. They may take as many bytes as r has left after reserve.
func (p *Prepared) external(raw *dataset.Set, what string, s *Spec, r learn.Resources, reserve int64) (*dataset.Set,
	error) {
	if err := raw.Validate(); err != nil {
		return nil, fmt.Errorf("sparsekm: %s: %w", what, err)
	}
	if raw.D != p.Set.D {
		return nil, fmt.Errorf("sparsekm: %d features in the %s, want %d", raw.D, what, p.Set.D)
	}
	b := r.Budget(s.Trainer.Name(), p.Set.N, p.Set.D)
	if err := b.Take(reserve); err != nil {
		return nil, err
	}
	c, err := raw.Dense(max(0, b.Left()))
	if err != nil {
		return nil, fmt.Errorf("sparsekm: %s: %w", what, err)
	}
	if i := slices.IndexFunc(c.X[:c.N*c.D], func(v float64) bool { return v-v != 0 }); i >= 0 {
		return nil, fmt.Errorf("sparsekm: %s: feature %d of sample %d is %v", what, i%c.D+1, i/c.D, c.X[i])
	}
	if p.Scaling != nil {
		c = p.Scaling.Apply(c)
	}
	return c, nil
}

// classes returns the targets of external samples that have labels: signs, or class indices for several submodels.
func (p *Prepared) classes(c *dataset.Set, what string, s *Spec) ([]float64, error) {
	if len(c.Labels) == 0 {
		return nil, fmt.Errorf("sparsekm: the %s have no labels", what)
	}
	class := c.ClassOf(p.Set.Labels)
	if i := slices.Index(class, -1); i >= 0 {
		return nil, fmt.Errorf("sparsekm: sample %d of the %s is of class %q, want one of %s", i, what, c.Labels[c.Y[i]],
			strings.Join(p.Set.Labels, ", "))
	}
	y := floats(class)
	if s.Submodels <= 1 {
		for i, k := range y {
			y[i] = 2*k - 1
		}
	}
	return y, nil
}

// validation returns the validation samples; nil without.
func (p *Prepared) validation(s *Spec, r learn.Resources) (*learn.Validation, error) {
	const what = "validation data"
	if s.Validation == nil {
		return nil, nil
	}
	if !s.Method.Validation {
		return nil, fmt.Errorf("sparsekm: %s does not read validation data, only %s", s.Method.Name,
			methodsWith(func(m learn.Method) bool { return m.Validation }))
	}
	v, err := p.external(s.Validation, what, s, r, 0)
	if err != nil {
		return nil, err
	}
	if s.Task == learn.Regress {
		if v.Targets == nil {
			return nil, errors.New("sparsekm: " + what + ": the samples have no regression targets")
		}
		return &learn.Validation{X: v.X, Y: p.Target.to(v.Targets), N: v.N}, nil
	}
	y, err := p.classes(v, what, s)
	return &learn.Validation{X: v.X, Y: y, N: v.N}, err
}

// candidates sets the external candidates and returns the bytes in use with them. Candidates have the signs of their
// labels for a method whose coefficients have the signs of their samples' classes; else they may be of any class.
func (p *Prepared) candidates(s *Spec, r learn.Resources) (inUse int64, err error) {
	const what = "candidates"
	raw := s.Candidates
	if raw == nil {
		return r.InUse, nil
	}
	k, _ := learn.ValuesOf(s.Trainer)["candidates"].(int)
	switch {
	case s.Method.Candidates == learn.NoSides:
		return 0, fmt.Errorf("sparsekm: %s does not take candidates, only %s", s.Trainer.Name(),
			methodsWith(func(m learn.Method) bool { return m.Candidates != learn.NoSides }))
	case k > 0:
		return 0, fmt.Errorf("sparsekm: %d candidates to be chosen, and %d given; want one of both", k, raw.N)
	case s.Kernel.Indexed():
		return 0, fmt.Errorf("sparsekm: candidates are samples, but the features of a %v kernel are its values",
			s.Kernel.Kind)
	case raw.N == 0:
		return 0, errors.New("sparsekm: no candidates")
	}
	bytes := 8 * int64(p.Set.N+raw.N) * int64(raw.D+4)
	c, err := p.external(raw, what, s, r, bytes)
	if err != nil {
		return 0, err
	}
	y := slices.Repeat([]float64{1}, c.N)
	switch {
	case s.Method.Candidates == learn.OwnSide:
		if y, err = p.classes(c, what, s); err != nil {
			return 0, err
		}
	case s.Submodels > 1:
		y = slices.Repeat([]float64{-1}, c.N) // of no class
	}
	p.Candidates = &learn.Validation{X: c.X, Y: y, N: c.N}
	return r.InUse + bytes, nil
}

// methodsWith lists the names of the program's methods with a property.
func methodsWith(has func(learn.Method) bool) string {
	var names []string
	for _, m := range learn.Methods() {
		if has(m) {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}
