package modelselect

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// grid is what [Grid] makes a setting from.
type grid struct {
	base sparsekm.Options
	axes []Axis
}

// Edge is an end of an axis at which a choice lies: a better value may lie beyond it.
type Edge struct {
	Name  string  `json:"name"` // of the axis
	Value float64 `json:"value"`
	Least bool    `json:"least"` // the end of the smallest value
}

// growth is how many values an axis gets beyond its end.
const growth = 2

// Edges returns the edges of the grid at which the setting lies: the smallest or the largest of two values or more, but
// not where the parameter's own range ends.
func (s *Setting) Edges() (edges []Edge) {
	if s.grid == nil {
		return nil
	}
	for _, a := range s.grid.axes {
		if v, ok := s.Varied[a.Name]; ok && len(a.beyond(s.grid.base, v)) > 0 {
			edges = append(edges, Edge{a.Name, v, v == slices.Min(a.Values)})
		}
	}
	return edges
}

// beyond returns the next values beyond v, in the ratio of the last two of the axis, or in their distance where one of
// these is not positive; none if v is not at an end or the method does not take them.
func (a *Axis) beyond(base sparsekm.Options, v float64) (next []float64) {
	values := slices.Compact(slices.Sorted(slices.Values(a.Values)))
	if len(values) < 2 {
		return nil
	}
	var inner float64
	switch v {
	case values[0]:
		inner = values[1]
	case values[len(values)-1]:
		inner = values[len(values)-2]
	default:
		return nil
	}
	for range growth {
		outer := v + (v - inner)
		if v > 0 && inner > 0 {
			outer = v * (v / inner)
		}
		if _, err := a.Set(base, outer); err != nil {
			return next
		}
		next = append(next, outer)
		inner, v = v, outer
	}
	return next
}

// beyond returns the settings of the grid that goes on at the edges of the setting. There are none if it has no edge.
func (s *Setting) beyond() ([]Setting, error) {
	if len(s.Edges()) == 0 {
		return nil, nil
	}
	axes := slices.Clone(s.grid.axes)
	for i := range axes {
		a := &axes[i]
		a.Values = slices.Concat(a.Values, a.beyond(s.grid.base, s.Varied[a.Name]))
	}
	grown, err := Grid(s.grid.base, axes...)
	known := func(o Setting) bool {
		for _, a := range s.grid.axes {
			if !slices.Contains(a.Values, o.Varied[a.Name]) {
				return false
			}
		}
		return true
	}
	return slices.DeleteFunc(grown, known), err
}

// Grow judges the settings beyond the edges of the choice too. The table has them behind the others, and is t if the
// choice has no edge. With a ledger in o no run is made twice.
func (t *Table) Grow(ctx context.Context, set *dataset.Set, splits []dataset.Split, rule Rule,
	o Options) (*Table, error) {
	chosen := Choose(t.Scores(), rule)
	if chosen < 0 {
		return t, nil
	}
	more, err := t.Settings[chosen].beyond()
	if err != nil || len(more) == 0 {
		return t, err
	}
	return Evaluate(ctx, set, slices.Concat(t.Settings, more), splits, o)
}
