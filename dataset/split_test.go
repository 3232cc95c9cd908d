package dataset

import (
	"fmt"
	"slices"
	"testing"
)

// Both parts of every split are ascending, and together they are every row once.
func TestSplitParts(t *testing.T) {
	s := &Set{N: 101, D: 1, X: make([]float64, 101), Y: make([]int, 101), Labels: []string{"a", "b", "c"}}
	for i := range s.Y {
		s.Y[i] = i * i % 3
	}
	check := func(name string, sp Split) {
		t.Helper()
		if !slices.IsSorted(sp.Train) || !slices.IsSorted(sp.Test) {
			t.Errorf("%s: not ascending: %v, %v", name, sp.Train, sp.Test)
		}
		all := slices.Sorted(slices.Values(slices.Concat(sp.Train, sp.Test)))
		if len(all) != s.N || len(slices.Compact(all)) != s.N || all[0] != 0 || all[s.N-1] != s.N-1 {
			t.Errorf("%s: not every row once: %v", name, all)
		}
	}
	for seed := range uint64(5) {
		for _, share := range []float64{0.1, 0.5, 0.83} {
			sp, err := s.Split(share, seed)
			if err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprintf("seed %d, share %v", seed, share), sp)
		}
		folds, err := s.Folds(4, seed)
		if err != nil {
			t.Fatal(err)
		}
		for f, sp := range folds {
			check(fmt.Sprintf("seed %d, fold %d", seed, f), sp)
		}
	}
}
