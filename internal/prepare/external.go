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
// and scaled like the training set, with their classes' indices in its labels. They may take limit bytes.
func (p *Prepared) external(raw *dataset.Set, what string, limit int64) (c *dataset.Set, class []int, err error) {
	if err = raw.Validate(); err != nil {
		return nil, nil, fmt.Errorf("sparsekm: %s: %w", what, err)
	}
	if p.Set.Columns.Valued() && raw.D == p.Set.Columns.NumPlain() {
		raw = numberedBy(p.Set.Columns, raw)
	}
	if raw.D != p.Set.D {
		return nil, nil, fmt.Errorf("sparsekm: %d features in the %s, want %d", raw.D, what, p.Set.D)
	}
	if c, err = raw.Dense(limit); err != nil {
		return nil, nil, fmt.Errorf("sparsekm: %s: %w", what, err)
	}
	if i := slices.IndexFunc(c.X[:c.N*c.D], func(v float64) bool { return v-v != 0 }); i >= 0 {
		return nil, nil, fmt.Errorf("sparsekm: %s: feature %d of sample %d is %v", what, i%c.D+1, i/c.D, c.X[i])
	}
	if p.Scaling != nil {
		c = p.Scaling.Apply(c)
	}
	return c, c.ClassOf(p.Set.Labels), nil
}

// signs returns the targets of external samples that have labels: signs, or class indices for several submodels.
func (p *Prepared) signs(c *dataset.Set, class []int, what string, s *Spec) ([]float64, error) {
	if len(c.Labels) == 0 {
		return nil, fmt.Errorf("sparsekm: the %s have no labels", what)
	}
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
func (p *Prepared) validation(s *Spec, b *learn.Budget) (*learn.Validation, error) {
	const what = "validation data"
	if s.Validation == nil {
		return nil, nil
	}
	if !s.Method.Validation {
		return nil, fmt.Errorf("sparsekm: %s does not read validation data, only %s", s.Method.Name,
			learn.MethodsWith(func(m learn.Method) bool { return m.Validation }))
	}
	v, class, err := p.external(s.Validation, what, b.Left())
	if err != nil {
		return nil, err
	}
	if s.Task == learn.Regress {
		if v.Targets == nil {
			return nil, errors.New("sparsekm: " + what + ": the samples have no regression targets")
		}
		return &learn.Validation{X: v.X, Y: p.Target.To(v.Targets), N: v.N}, nil
	}
	y, err := p.signs(v, class, what, s)
	return &learn.Validation{X: v.X, Y: y, N: v.N}, err
}

// candidates returns the external candidates; nil without. They have the signs of their labels for a method whose
// coefficients have the signs of their samples' classes; else they may be of any class.
func (p *Prepared) candidates(s *Spec, b *learn.Budget) (*learn.Validation, error) {
	const what = "candidates"
	raw := s.Candidates
	if raw == nil {
		return nil, nil
	}
	k, _ := learn.ValuesOf(s.Trainer)["candidates"].(int)
	switch {
	case s.Method.Candidates == learn.NoSides:
		return nil, fmt.Errorf("sparsekm: %s does not take candidates, only %s", s.Trainer.Name(),
			learn.MethodsWith(func(m learn.Method) bool { return m.Candidates != learn.NoSides }))
	case k > 0:
		return nil, fmt.Errorf("sparsekm: %d candidates to be chosen, and %d given; want one of both", k, raw.N)
	case s.Kernel.Indexed():
		return nil, fmt.Errorf("sparsekm: candidates are samples, but the features of a %v kernel are its values",
			s.Kernel.Kind)
	case raw.N == 0:
		return nil, errors.New("sparsekm: no candidates")
	}
	if err := b.Take(8 * int64(p.Set.N+raw.N) * int64(raw.D+4)); err != nil {
		return nil, err
	}
	c, class, err := p.external(raw, what, b.Left())
	if err != nil {
		return nil, err
	}
	y := slices.Repeat([]float64{1}, c.N)
	switch {
	case s.Method.Candidates == learn.OwnSide:
		if y, err = p.signs(c, class, what, s); err != nil {
			return nil, err
		}
	case s.Submodels > 1:
		y = slices.Repeat([]float64{-1}, c.N) // of no class
	}
	return &learn.Validation{X: c.X, Y: y, N: c.N}, nil
}
