package modelselect

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// grid is what [Grid] makes a setting from.
type grid struct {
	base sparsekm.Options
	axes []Axis
}

// of is the grid with the values of some settings alone.
func (g *grid) of(settings []Setting) *grid {
	some := &grid{g.base, slices.Clone(g.axes)}
	for i := range some.axes {
		a := &some.axes[i]
		a.Values = slices.DeleteFunc(slices.Clone(a.Values), func(v float64) bool {
			return !slices.ContainsFunc(settings, func(s Setting) bool { return s.Varied[a.Name] == v })
		})
	}
	return some
}

// growth is how many values an axis gets beyond its end.
const growth = 2

// Edges returns the edges of the grid at which a choice lies: the smallest or the largest of two values or more, but
// not where the parameter's own range ends. Both ends are edges where no value makes a difference.
func (t *Table) Edges(scores []Score, chosen int) (edges []learn.Edge) {
	if chosen < 0 || t.Settings[chosen].grid == nil {
		return nil
	}
	s := &t.Settings[chosen]
	for _, a := range s.grid.axes {
		v, ok := s.Varied[a.Name]
		if _, end := a.inner(v); !ok || !end {
			continue
		}
		for _, end := range []float64{slices.Min(a.Values), slices.Max(a.Values)} {
			if (v == end || t.flat(scores, chosen, a.Name)) && a.ends(s.grid.base, end) {
				edges = append(edges, learn.Edge{Name: a.Name, Value: end, Least: end < slices.Max(a.Values)})
			}
		}
	}
	return edges
}

// flat reports whether settings that differ from one by an axis alone have its loss.
func (t *Table) flat(scores []Score, of int, axis string) bool {
	return !slices.ContainsFunc(deal.All(len(scores)), func(i int) bool {
		varied := maps.Clone(t.Settings[i].Varied)
		varied[axis] = t.Settings[of].Varied[axis]
		return scores[i].Mean != scores[of].Mean && maps.Equal(varied, t.Settings[of].Varied)
	})
}

// inner is the neighbour of v if that is an end of the axis.
func (a *Axis) inner(v float64) (inner float64, ok bool) {
	values := slices.Compact(slices.Sorted(slices.Values(a.Values)))
	last := len(values) - 1
	switch {
	case last < 1:
		return 0, false
	case v == values[0]:
		return values[1], true
	case v == values[last]:
		return values[last-1], true
	}
	return 0, false
}

// ends reports whether v is an end of the axis, and the method takes a value beyond it: one of these, near or far, a
// whole number or not.
func (a *Axis) ends(base sparsekm.Options, v float64) bool {
	inner, ok := a.inner(v)
	step := v - inner
	return ok && slices.ContainsFunc([]float64{step, step / 64, math.Copysign(1, step)}, func(more float64) bool {
		_, err := a.Set(base, v+more)
		return err == nil
	})
}

// beyond returns the next values beyond v, in the ratio of the last two of the axis, or in their distance where one of
// these is not positive; none if v is not at an end or the method does not take them.
func (a *Axis) beyond(base sparsekm.Options, v float64) (next []float64) {
	inner, ok := a.inner(v)
	if !ok {
		return nil
	}
	for range growth {
		outer := v + (v - inner)
		switch {
		case !(v > 0 && inner > 0):
		case v > inner:
			outer = v * (v / inner)
		default:
			outer = v / (inner / v) // 0.001 below 0.1 and 0.01, as it is written
		}
		if _, err := a.Set(base, outer); err != nil {
			return next
		}
		next = append(next, outer)
		inner, v = v, outer
	}
	return next
}

// beyond returns the settings of the grid that goes on at edges.
func (s *Setting) beyond(edges []learn.Edge) ([]Setting, error) {
	axes := slices.Clone(s.grid.axes)
	for i := range axes {
		a := &axes[i]
		for _, e := range edges {
			if e.Name == a.Name {
				a.Values = slices.Concat(a.Values, s.grid.axes[i].beyond(s.grid.base, e.Value))
			}
		}
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

// grow judges the settings beyond the edges of the choice too. The table has them behind the others, and is t if the
// choice has no edge. When ctx ends, it has no runs of them. With a ledger in o no run is made twice.
func (s *Search) grow(ctx context.Context, t *Table, evaluate func([]Setting) (*Table, error)) (*Table, error) {
	scores := t.Scores()
	chosen := Choose(scores, s.Rule)
	edges := t.Edges(scores, chosen)
	if len(edges) == 0 {
		return t, nil
	}
	more, err := t.Settings[chosen].beyond(edges)
	if err != nil || len(more) == 0 {
		return t, err
	}
	all := 1 // of the grid
	for _, a := range t.Settings[chosen].grid.axes {
		all *= len(a.Values)
	}
	made := more[0].grid
	if len(s.Settings) < all { // a random search tries as many again at most
		more = Sample(more, len(s.Settings), s.Seed)
	}
	settings := slices.Concat(t.Settings, more)
	for i := range settings {
		settings[i].grid = made // an edge that it went beyond is none
	}
	grown, err := evaluate(settings)
	if err == nil || ctx.Err() == nil {
		return grown, err
	}
	old := *t
	old.Settings, old.Runs, old.dropped = settings, slices.Clone(t.Runs), make([]string, len(settings))
	copy(old.dropped, t.dropped)
	for i := len(t.Settings); i < len(settings); i++ {
		old.Runs = append(old.Runs, make([]*Run, t.Splits))
		old.dropped[i] = "not run"
	}
	return &old, err
}
