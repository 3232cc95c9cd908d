package skm

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// update writes testdata/twin.json from internal/testing/ref: go test ./learn/skm -run Twin -update
var update = flag.Bool("update", false, "write the golden figures anew from the literal twin")

// gridRatio is that of neighbouring margins at which the twin evaluates the bound.
const gridRatio = 1.0005

// expected is what a training should find.
type expected struct {
	Programs []float64 // optimum of each program of the model
	Bias     float64
	Nonzero  []int     // α_i ≠ 0
	Kept     []int     // α_i ≥ 0.01 max α
	Large    []int     // α_i ≥ 0.3 max α
	F0       float64   `json:",omitempty"`
	Delta    float64   `json:",omitempty"`
	Deltas   []float64 `json:",omitempty"` // all margins evaluated, in turn
	Values   []float64 `json:",omitempty"` // f0 of each, −1 where a program has several solutions
	Bound    float64   `json:",omitempty"` // the least of (2) at 95 % over a grid of δ and ε
}

func (f fixture) golden(tb testing.TB, name string, rows []int, programs []ref.SKMSolution) expected {
	var g expected
	for k, s := range programs {
		if s.Ties > 0 && !f.copies() {
			tb.Errorf("%s/%s: program %d has %d ties: a fixture should have one solution", f.name, name, k, s.Ties)
		}
		g.Programs = append(g.Programs, s.Value)
	}
	last := programs[len(programs)-1]
	g.Bias = last.Bias
	g.Nonzero, g.Kept = f.kept(rows, last.Alpha, 1e-9), f.kept(rows, last.Alpha, 0.01)
	g.Large = f.kept(rows, last.Alpha, 0.3)
	for _, set := range [][]int{g.Nonzero, g.Kept, g.Large} {
		slices.Sort(set)
	}
	return g
}

// skm is the golden of evaluation at of all.
func (f fixture) skm(tb testing.TB, name string, q ref.SKMProblem, rows []int, all []ref.SKMEvaluation,
	at int) expected {
	e := all[at]
	g := f.golden(tb, name, rows, e.Programs)
	g.F0, g.Delta = e.F0, e.Delta
	for _, e := range all {
		g.Deltas = append(g.Deltas, e.Delta)
		g.Values = append(g.Values, -1)
		if e.Unique() {
			g.Values[len(g.Values)-1] = e.F0
		}
	}
	g.Bound = q.LeastBound(e.Last(), -math.Log(0.05), gridRatio)
	return g
}

// twin computes the goldens of one fixture.
func (f fixture) twin(tb testing.TB) map[string]expected {
	q, rows := f.literal()
	return map[string]expected{
		"narrow": f.skm(tb, "narrow", q, rows, []ref.SKMEvaluation{q.F0(f.c, f.deltas[0], 3)}, 0),
		"wide":   f.skm(tb, "wide", q, rows, []ref.SKMEvaluation{q.F0(f.c, f.deltas[1], 3)}, 0),
		"l1svm":  f.golden(tb, "l1svm", rows, []ref.SKMSolution{q.L1(f.slack)}),
		"l0svm":  f.golden(tb, "l0svm", rows, q.L0(f.slack, 0.1, 1e-6)),
		"lpsvc":  f.golden(tb, "lpsvc", rows, []ref.SKMSolution{q.LPSVC(f.slack)}),
	}
}

// model trains the method of a golden's name.
func (f fixture) machine(tb testing.TB, name string, threshold float64) figures {
	switch name {
	case "narrow":
		return trainSKM(tb, f.problem, f.c, f.deltas[0], threshold)
	case "wide":
		return trainSKM(tb, f.problem, f.c, f.deltas[1], threshold)
	}
	return trainOther(tb, f.problem, name, f.slack, threshold)
}

// check holds the trainer against g.
func (f fixture) check(t *testing.T, name string, g expected) {
	m := f.machine(t, name, 0)
	testutil.AtMost(t, "gap", math.Abs(m.Gap), 1e-8)
	if g.Delta > 0 {
		f.checkSKM(t, m, g)
	}
	var optima []float64
	for _, lp := range m.Programs {
		optima = append(optima, -dualOptimum(t, lp))
	}
	testutil.NearAll(t, "programs", optima, g.Programs, 1e-8)
	testutil.NearRel(t, "optimum", m.Value, g.Programs[len(g.Programs)-1], 1e-8)
	testutil.Near(t, "bias", m.Bias, g.Bias, 1e-7)
	if got := f.named(m.Support); !slices.Equal(got, g.Nonzero) {
		t.Errorf("support vectors %v, want %v", got, g.Nonzero)
	}
	if m.Counted != len(g.Kept) {
		t.Errorf("%d support vectors of at least 0.01 of the largest, want %d", m.Counted, len(g.Kept))
	}
	for _, i := range f.named(f.machine(t, name, 0.3).Support) {
		if !slices.Contains(g.Large, i) {
			t.Errorf("sample %d is kept at a threshold of 0.3, want some of %v", i, g.Large)
		}
	}
}

// checkSKM compares what only SKM reports.
func (f fixture) checkSKM(t *testing.T, m figures, g expected) {
	testutil.NearRel(t, "f0", m.F0, g.F0, 1e-8)
	testutil.NearRel(t, "delta", m.Delta, g.Delta, 1e-12)
	testutil.NearAll(t, "margins", m.Deltas, g.Deltas, 1e-12)
	if len(m.Rounds) != len(g.Values) {
		t.Fatalf("%d margins evaluated, want %d", len(m.Rounds), len(g.Values))
	}
	for k, want := range g.Values {
		if want >= 0 {
			testutil.NearRel(t, fmt.Sprintf("f0(%g)", g.Deltas[k]), m.Rounds[k].Objective, want, 1e-8)
		}
	}
	// Between two places of the grid the exponent, the logarithms and with them U change by less than 3 ln(gridRatio).
	if b := m.Bound.Value; !(b <= g.Bound*(1+1e-9)) || !(b >= g.Bound*(1-3*math.Log(gridRatio))) {
		t.Errorf("bound %v, the least on a grid is %v", b, g.Bound)
	}
}

// dualOptimum solves a program that was handed out, from cold.
func dualOptimum(tb testing.TB, lp *simplex.LP) float64 {
	tb.Helper()
	s, err := simplex.New(*lp, simplex.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	r := s.Solve(tb.Context())
	if r.Status != status.Optimal {
		tb.Fatalf("a program handed out ends %v", r.Status)
	}
	return r.Objective
}

// TestTwin holds every method against the literal twin of internal/testing/ref, computed now.
func TestTwin(t *testing.T) {
	for _, f := range fixtures(t) {
		for name, g := range f.twin(t) {
			t.Run(f.name+"/"+name, func(t *testing.T) { f.check(t, name, g) })
		}
	}
}

// TestSettings holds the number of programs for a margin, and the offset and the rule of the l0-norm SVM, to the twin.
func TestSettings(t *testing.T) {
	lengths := map[int]bool{}
	for _, f := range fixtures(t) {
		if f.copies() {
			continue
		}
		q, _ := f.literal()
		for _, programs := range []int{1, 2, 3, 6} {
			want := q.F0(f.c, f.deltas[1], programs)
			r := ref.Train(t, Trainer{C: f.c, Delta: f.deltas[1], Programs: programs}, f.problem)
			what := fmt.Sprintf("%s, %d programs", f.name, programs)
			testutil.NearRel(t, what, r.Report.Figures.(Figures).F0, want.F0, 1e-8)
			lengths[len(want.Programs)] = true
		}
		found := ref.Train(t, Trainer{C: f.c, Programs: 1}, f.problem).Report.Figures.(Figures)
		testutil.NearRel(t, f.name+", searched", found.F0, q.F0(f.c, found.Delta, 1).F0, 1e-8)
		for _, set := range [][2]float64{{0.1, 0.5}, {1, 1e-6}, {0.01, 1e-3}} {
			want := q.L0(f.slack, set[0], set[1])
			r := ref.Train(t, L0SVM{C: f.slack, Starts: 1, Offset: set[0], Settled: set[1]}, f.problem)
			what := fmt.Sprintf("%s, δ = %v to %v", f.name, set[0], set[1])
			testutil.NearRel(t, what, r.Report.Objective, want[len(want)-1].Value, 1e-8)
			if r.Report.Iterations != len(want) {
				t.Errorf("%s: %d programs, want %d", what, r.Report.Iterations, len(want))
			}
		}
	}
	if len(lengths) < 2 {
		t.Errorf("numbers of programs %v", lengths)
	}
}

// TestTwinGolden holds every method against the figures that the twin once gave.
func TestTwinGolden(t *testing.T) {
	path := filepath.Join("testdata", "twin.json")
	if *update {
		write(t, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]expected
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range fixtures(t) {
		if len(all[f.name]) != 5 {
			t.Errorf("%s: %d models in %s, want 5", f.name, len(all[f.name]), path)
		}
		for name, g := range all[f.name] {
			t.Run(f.name+"/"+name, func(t *testing.T) { f.check(t, name, g) })
		}
	}
}

func write(tb testing.TB, path string) {
	tb.Helper()
	all := map[string]map[string]expected{}
	for _, f := range fixtures(tb) {
		all[f.name] = f.twin(tb)
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		tb.Fatal(err)
	}
}
