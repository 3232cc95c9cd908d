package modelselect

import (
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
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

// A choice at an end says so, and the grid goes on there in its own ratio, for every other value of the other axes.
func TestEdges(t *testing.T) {
	settings := edgeGrid(t, Param("c", 10, 1, 0.1), GammaTimes(0.5, 1))
	at := func(c, gamma float64) *Setting {
		i := slices.IndexFunc(settings, func(s Setting) bool {
			return s.Varied["c"] == c && s.Varied["gamma_times"] == gamma
		})
		return &settings[i]
	}
	if e := at(1, 1).Edges(); !slices.Equal(e, []Edge{{"gamma_times", 1, false}}) {
		t.Errorf("edges %v", e)
	}
	s := at(0.1, 0.5)
	if e := s.Edges(); !slices.Equal(e, []Edge{{"c", 0.1, true}, {"gamma_times", 0.5, true}}) {
		t.Errorf("edges %v", e)
	}
	more, err := s.beyond()
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
	if low := slices.Min(costs); low < 0.000999 || low > 0.001001 || slices.Min(gammas) != 0.125 {
		t.Errorf("down to C = %v, gamma times %v", low, slices.Min(gammas))
	}
}

// One value is no edge, nor is the end of what the method takes, nor a setting of no grid.
func TestNoEdge(t *testing.T) {
	nu, err := sparsekm.Lookup("nu-svc")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := nu.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	shares, err := Grid(sparsekm.Options{Trainer: tr, Kernel: gram.RBF(0)}, Param("nu", 0.5, 1), Gamma(3))
	if err != nil {
		t.Fatal(err)
	}
	if e := shares[1].Edges(); len(e) != 0 {
		t.Errorf("ν = 1 is at the edges %v", e)
	}
	if e := (&Setting{Varied: map[string]float64{"c": 1}}).Edges(); e != nil {
		t.Errorf("a setting of no grid has the edges %v", e)
	}
	if more, err := shares[1].beyond(); err != nil || more != nil {
		t.Errorf("beyond: %v, %v", more, err)
	}
}

// A search that grows chooses beyond a grid that is too low, trains nothing twice, and says at which edge it ends.
func TestSearchGrows(t *testing.T) {
	set := dataset.Ringnorm(120, 3)
	settings := edgeGrid(t, Param("c", 1e-6, 1e-5))
	runs := new(Ledger)
	small := &Search{Settings: settings, Folds: 3, Seed: 1, Runs: runs}
	a, err := small.Run(t.Context(), set, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	grown := *small
	grown.Grow = true
	b, err := grown.Run(t.Context(), set, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Table.Settings) != 2 || len(b.Table.Settings) <= 2 || runs.Len() != 3*len(b.Table.Settings) {
		t.Errorf("%d and %d settings, %d runs", len(a.Table.Settings), len(b.Table.Settings), runs.Len())
	}
	if got, was := b.Scores[b.Chosen], a.Scores[a.Chosen]; got.Mean > was.Mean {
		t.Errorf("the larger grid has the error %v, the smaller one %v", got.Mean, was.Mean)
	}
	table, err := Evaluate(t.Context(), set, []Setting{{Name: "search", Search: &grown}}, mustFolds(t, set, 2), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Runs[0] {
		if r.Varied["c"] < 1e-5 && len(r.Search.Edges) == 0 {
			t.Errorf("C = %v, and no edge", r.Varied["c"])
		}
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
