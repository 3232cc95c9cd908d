package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// judgingSet is a set of that name, of 500 rows.
func judgingSet(t *testing.T, name string) *dataset.Set {
	t.Helper()
	list := judging(500)
	i := slices.IndexFunc(list, func(s source) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("no set %q", name)
	}
	set, err := scaled(list[i].read(nil))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestKinds draws every kind of made sets: a seed gives the same bits again, and another seed another set. Both classes
// have more than a row in fifty, and numbers are finite after scaling.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		var other []float64
		for seed := range 3 {
			s := judgingSet(t, fmt.Sprintf("%s-500/%d", k.name, 1+seed))
			again := judgingSet(t, fmt.Sprintf("%s-500/%d", k.name, 1+seed))
			if s.N != 500 || !slices.Equal(s.X, again.X) || !slices.Equal(s.Y, again.Y) || slices.Equal(s.X, other) {
				t.Errorf("%s, seed %d: %d rows, or not the same twice, or those of another seed", k.name, 1+seed, s.N)
			}
			other = s.X
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
			if c := s.Counts(); c[0] < 10 || c[1] < 10 {
				t.Errorf("%s, seed %d: classes of %v", k.name, 1+seed, c)
			}
		}
	}
}

// TestGroups: no set both chooses and judges.
func TestGroups(t *testing.T) {
	for _, most := range []int{0, 1000} {
		for _, s := range judging(most) {
			if choosingSets[s.name] != nil {
				t.Errorf("%s chooses and judges", s.name)
			}
		}
	}
}

// Example_tally prints what ratios amount to.
func Example_tally() {
	t := tally{bars: []float64{8, 5}}
	t.add(4, "judging", "judging, C = 1")
	t.add(1, "choosing")
	t.add(9, "judging")
	t.print()
	// Output:
	// | ratios | number | geometric mean | least | median | largest | below 8 | below 5 |
	// | --- | --- | --- | --- | --- | --- | --- | --- |
	// | judging | 2 | 6.00 | 4.00 | 9.00 | 9.00 | 1 | 1 |
	// | judging, C = 1 | 1 | 4.00 | 4.00 | 4.00 | 4.00 | 1 | 1 |
	// | choosing | 1 | 1.00 | 1.00 | 1.00 | 1.00 | 1 | 1 |
}

// TestObjective: the dual's objective of a trained model is that of its report, also where equal samples have
// both labels.
func TestObjective(t *testing.T) {
	set := judgingSet(t, "skewed-500/1")
	copy(set.Row(1), set.Row(0))
	copy(set.Row(2), set.Row(0))
	set.Y[0], set.Y[1], set.Y[2] = 0, 1, 0
	p := svmProblem{set: set, gamma: 0.1, c: 10}
	r, err := svc.Trainer{C: 10}.Train(t.Context(), p.problem())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.objective(r), r.Report.Duality.Objective; !(math.Abs(got-want) <= 1e-5*want) {
		t.Errorf("objective %v, reported %v", got, want)
	}
}
