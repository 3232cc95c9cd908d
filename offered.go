package sparsekm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// offered are candidates of the caller's, as points of the task.
type offered struct {
	x []float64
	y []float64 // class indices; −1 where a machine takes candidates of any class
	n int
}

// candidates returns those of the options, scaled; nil without.
func (t *task) candidates() (*offered, error) {
	c := t.Candidates
	if c == nil {
		return nil, nil
	}
	m := registered(t.Trainer)
	k, _ := learn.ValuesOf(t.Trainer)["candidates"].(int)
	switch {
	case m.Candidates == learn.NoSides:
		return nil, fmt.Errorf("sparsekm: %s does not take candidates, only %s", t.Trainer.Name(),
			strings.Join(takers(), ", "))
	case k > 0:
		return nil, fmt.Errorf("sparsekm: %d candidates to be chosen, and %d given; want one of both", k, c.N)
	case t.Kernel.Indexed():
		return nil, fmt.Errorf("sparsekm: candidates are points, but the features of a %v kernel are its values",
			t.Kernel.Kind)
	case c.N == 0:
		return nil, fmt.Errorf("sparsekm: no candidates")
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("sparsekm: candidates: %w", err)
	}
	if c.D != t.set.D {
		return nil, fmt.Errorf("sparsekm: %d features in the candidates, want %d", c.D, t.set.D)
	}
	b := t.resources().Budget(t.Trainer.Name(), t.set.N, t.set.D)
	held := 8 * int64(t.set.N+c.N) * int64(c.D+4)
	if err := b.Take(held); err != nil {
		return nil, err
	}
	c, err := c.Dense(max(0, b.Left()))
	if err != nil {
		return nil, fmt.Errorf("sparsekm: candidates: %w", err)
	}
	if i := slices.IndexFunc(c.X[:c.N*c.D], func(v float64) bool { return v-v != 0 }); i >= 0 {
		return nil, fmt.Errorf("sparsekm: candidates: feature %d of point %d is %v", i%c.D+1, i/c.D, c.X[i])
	}
	if t.scaling != nil {
		c = t.scaling.Apply(c)
	}
	t.InUse += held
	o := &offered{x: c.X, y: make([]float64, c.N), n: c.N}
	for i := range o.y {
		o.y[i] = -1
	}
	if m.Candidates == learn.OwnSide {
		return o, o.sides(c, t.set.Labels)
	}
	return o, nil
}

// sides gives the candidates the classes of their labels.
func (o *offered) sides(c *dataset.Set, labels []string) error {
	if len(c.Labels) == 0 {
		return fmt.Errorf("sparsekm: the candidates have no labels, whose sides their coefficients are on")
	}
	for i, k := range c.ClassOf(labels) {
		if k < 0 {
			return fmt.Errorf("sparsekm: candidate %d is of class %q, want one of %s", i+1, c.Labels[c.Y[i]],
				strings.Join(labels, ", "))
		}
		o.y[i] = float64(k)
	}
	return nil
}

// takers lists the methods that take candidates.
func takers() (names []string) {
	for _, m := range Methods() {
		if m.Candidates != learn.NoSides {
			names = append(names, m.Name)
		}
	}
	return names
}

// offer is p with the candidates, where there are any: of two classes by their signs, of several by their classes.
func (o *offered) offer(p *learn.Problem, several bool) *learn.Problem {
	if o == nil {
		return p
	}
	y := make([]float64, o.n)
	for i, c := range o.y {
		if y[i] = c; !several {
			y[i] = 1
			if c == 0 {
				y[i] = -1
			}
		}
	}
	return p.WithCandidates(o.x, y, o.n)
}

// loose gives an expansion over offered candidates vectors of its own, which are no rows of the set.
func loose(e *learn.Expansion, p *learn.Problem) {
	if p.Candidates != nil {
		e.Vectors, e.Support = p.Samples(e.Support), nil
	}
}
