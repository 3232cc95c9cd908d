package modelselect

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func edgeGrid(t *testing.T, axes ...Axis) []Setting {
	t.Helper()
	settings, err := Grid(sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(0)}, axes...)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// scored is a table of settings with these losses.
func scored(settings []Setting, losses ...float64) (t *Table, scores []Score) {
	t = &Table{Settings: settings}
	for i, l := range losses {
		scores = append(scores, Score{Setting: i, Mean: l})
	}
	return t, scores
}

// A choice at an end says so, and the grid goes on there in its own ratio, for every other value of the other axes.
func TestEdges(t *testing.T) {
	settings := edgeGrid(t, Param("c", 10, 1, 0.1), GammaTimes(0.5, 1))
	table, scores := scored(settings, 1, 2, 3, 4, 5, 6)
	at := func(c, gamma float64) int {
		return slices.IndexFunc(settings, func(s Setting) bool {
			return s.Varied["c"] == c && s.Varied["gamma_times"] == gamma
		})
	}
	if e := table.Edges(scores, at(1, 1)); !slices.Equal(e, []learn.Edge{{Name: "gamma_times", Value: 1, Least: false}}) {
		t.Errorf("edges %v", e)
	}
	s := at(0.1, 0.5)
	edges := table.Edges(scores, s)
	if !slices.Equal(edges, []learn.Edge{{Name: "c", Value: 0.1, Least: true}, {Name: "gamma_times", Value: 0.5, Least: true}}) {
		t.Errorf("edges %v", edges)
	}
	more, err := settings[s].beyond(edges)
	if err != nil || len(more) != 5*4-6 {
		t.Fatalf("%d settings, %v", len(more), err)
	}
	var costs, gammas []float64
	for _, m := range more {
		costs = append(costs, m.Varied["c"])
		gammas = append(gammas, m.Varied["gamma_times"])
		if slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == m.Name }) {
			t.Errorf("%s is in the grid already", m.Name)
		}
	}
	if low := slices.Min(costs); low != 0.001 || slices.Min(gammas) != 0.125 {
		t.Errorf("down to C = %v, gamma times %v", low, slices.Min(gammas))
	}
}

// One value is no edge, nor is the end of what the method takes, nor a setting of no grid. Where only a nearer value
// than the next of the grid is within the range, the end is one.
func TestNoEdge(t *testing.T) {
	nu, err := sparsekm.Lookup("nu-svc")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := nu.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		largest float64
		edges   int
	}{{1, 0}, {0.9, 1}} {
		shares, err := Grid(sparsekm.Options{Trainer: tr, Kernel: gram.RBF(0)}, Param("nu", 0.5, c.largest), Gamma(3))
		if err != nil {
			t.Fatal(err)
		}
		table, scores := scored(shares, 2, 1)
		e := table.Edges(scores, 1)
		if len(e) != c.edges {
			t.Errorf("ν = %v is at the edges %v", c.largest, e)
		}
		if more, err := shares[1].beyond(e); err != nil || len(more) > 0 {
			t.Errorf("beyond: %v, %v", more, err)
		}
	}
	table, scores := scored([]Setting{{Varied: map[string]float64{"c": 1}}}, 1)
	if e := table.Edges(scores, 0); e != nil {
		t.Errorf("a setting of no grid has the edges %v", e)
	}
}

// A whole number has an edge where the next of its ratio is none.
func TestEdgeOfWholeNumbers(t *testing.T) {
	settings := edgeGrid(t, Axis{Name: "degree", Values: []float64{2, 3},
		Set: func(o sparsekm.Options, v float64) (sparsekm.Options, error) {
			if v != math.Trunc(v) {
				return o, errors.New("want a whole number")
			}
			return o, nil
		}})
	table, scores := scored(settings, 2, 1)
	if e := table.Edges(scores, 1); !slices.Equal(e, []learn.Edge{{Name: "degree", Value: 3, Least: false}}) {
		t.Errorf("edges %v", e)
	}
}

// A search that grows chooses beyond a grid that is too low, whose values all err alike, trains nothing twice, and says
// at which edge it ends: none that it went beyond.
func TestSearchGrows(t *testing.T) {
	set := dataset.Ringnorm(120, 3)
	settings := edgeGrid(t, Param("c", 0.05, 0.1, 0.2))
	flat := edgeGrid(t, Param("c", 1e-6, 1e-5))
	runs := new(Ledger)
	small := &Search{Settings: settings, Folds: 3, Seed: 1, Runs: runs}
	a, err := small.Run(t.Context(), set, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, halving := range []bool{false, true} {
		grown := *small
		grown.Grow, grown.Halving = true, halving
		b, failed := grown.Run(t.Context(), set, Options{Threads: 1})
		if failed != nil {
			t.Fatal(failed)
		}
		if c := b.Table.Settings[b.Chosen].Varied["c"]; c < 0.3 {
			t.Errorf("halving %v: C = %v", halving, c)
		}
		if got, was := b.Scores[b.Chosen], a.Scores[a.Chosen]; got.Mean >= was.Mean {
			t.Errorf("halving %v: the larger grid has the error %v, the smaller one %v", halving, got.Mean, was.Mean)
		}
	}
	if runs.Len() != 3*5 {
		t.Errorf("%d runs, want 15", runs.Len())
	}
	grown := &Search{Settings: flat, Folds: 3, Seed: 1, Grow: true}
	b, err := grown.Run(t.Context(), set, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Table.Settings) != 6 {
		t.Errorf("%d settings, want 2 more on either side of those that err alike", len(b.Table.Settings))
	}
	table, err := Evaluate(t.Context(), set, []Setting{{Name: "search", Search: grown}}, mustFolds(t, set, 2),
		Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Runs[0] {
		if c := r.Varied["c"]; (c < 2e-8 || c > 9e-4) != (len(r.Search.Edges) > 0) {
			t.Errorf("C = %v, edges %v", c, r.Search.Edges)
		}
	}
}

// A choice that stays where it was has no edge any more, once the values beyond have been judged.
func TestGrownPast(t *testing.T) {
	set := dataset.Ringnorm(200, 3)
	s := &Search{Settings: edgeGrid(t, Param("c", 1e-3, 1)), Rule: OneSE, Grow: true}
	table, err := s.Evaluate(t.Context(), set, mustFolds(t, set, 3), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	scores := table.Scores()
	one := slices.IndexFunc(table.Settings, func(q Setting) bool { return q.Varied["c"] == 1 })
	if len(table.Settings) != 4 || len(table.Edges(scores, one)) > 0 || len(table.Edges(scores, 3)) == 0 {
		t.Errorf("%d settings; edges of C = 1: %v, of the largest: %v", len(table.Settings), table.Edges(scores, one),
			table.Edges(scores, 3))
	}
}

// A random search goes on with as many settings again at most; a search by a bound, and a shard, do not go on.
func TestGrowsBySample(t *testing.T) {
	set := dataset.Ringnorm(60, 3)
	all := edgeGrid(t, Param("c", 1e-6, 1e-5, 1e-4), GammaTimes(0.3, 1, 3))
	some := Sample(all, 3, 1)
	s := &Search{Settings: some, Grow: true}
	table, err := s.Evaluate(t.Context(), set, mustFolds(t, set, 2), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(table.Settings); n <= 3 || n > 6 {
		t.Errorf("%d settings", n)
	}
	table, err = s.Evaluate(t.Context(), set, Whole(set), Options{Threads: 1, Metric: Bound})
	if err != nil || len(table.Settings) != 3 {
		t.Errorf("%d settings by a bound, %v", len(table.Settings), err)
	}
	table, err = s.Evaluate(t.Context(), set, mustFolds(t, set, 2), Options{Threads: 1, Shards: 2, Ledger: new(Ledger)})
	if err != nil || len(table.Settings) != 3 {
		t.Errorf("%d settings of a shard, %v", len(table.Settings), err)
	}
}

// An end of the context while the grid grows leaves the choice of the whole grid before.
func TestGrowStopped(t *testing.T) {
	set := dataset.Ringnorm(120, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &Search{Settings: edgeGrid(t, Param("c", 0.05, 0.1, 0.2)), Grow: true}
	table, err := s.Evaluate(ctx, set, mustFolds(t, set, 3), Options{Threads: 1, Progress: func(done, total int, _ *Run) {
		if total > 9 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	scores := table.Scores()
	chosen := Choose(scores, Best)
	if len(table.Settings) != 5 || chosen < 0 || chosen > 2 || scores[chosen].Splits != 3 || scores[4].Failed == "" {
		t.Errorf("%d settings, %d chosen on %d splits", len(table.Settings), chosen, scores[max(0, chosen)].Splits)
	}
}

func mustFolds(t *testing.T, set *dataset.Set, k int) []dataset.Split {
	t.Helper()
	folds, err := Folds(set, k, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return folds
}
