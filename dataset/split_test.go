package dataset

import (
	"fmt"
	"slices"
	"testing"
)

// A class of one or two rows has one of them in the training part, whatever its share.
func TestSplitRareClasses(t *testing.T) {
	s := &Set{N: 33, D: 1, X: make([]float64, 33), Y: make([]int, 33), Labels: []string{"a", "b", "c"}}
	s.Y[4], s.Y[9], s.Y[30] = 1, 2, 2
	for seed := range uint64(20) {
		for _, share := range []float64{0.1, 0.3, 0.6, 0.9} {
			sp, err := s.Split(share, seed)
			if err != nil {
				t.Fatal(err)
			}
			if n := s.Subset(sp.Train).Counts(); n[1] != 1 || n[2] < 1 || len(sp.Train)+len(sp.Test) != s.N {
				t.Errorf("seed %d, share %v: %v", seed, share, n)
			}
		}
	}
	alone := &Set{N: 3, D: 1, X: make([]float64, 3), Y: []int{0, 1, 2}, Labels: s.Labels}
	if sp, err := alone.Split(0.5, 1); err == nil {
		t.Errorf("classes of one row: %v", sp)
	}
}

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
