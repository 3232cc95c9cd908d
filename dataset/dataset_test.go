package dataset

import (
	"io"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func atof(t *testing.T, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSigns(t *testing.T) {
	s := &Set{N: 3, Y: []int{0, 1, 0}, Labels: []string{"0", "1"}}
	y, err := s.Signs()
	if err != nil || !cmp.Equal(y, []float64{-1, 1, -1}) {
		t.Errorf("signs %v, %v", y, err)
	}
	s.Labels = []string{"1", "2", "3"}
	s.Y = []int{2, 1, 0}
	if _, err := s.Signs(); err == nil {
		t.Error("three classes have signs")
	}
	if y := s.RestSigns(2); !cmp.Equal(y, []float64{1, -1, -1}) {
		t.Errorf("rest signs %v", y)
	}
	if got := s.ClassOf([]string{"3", "1"}); !cmp.Equal(got, []int{0, -1, 1}) {
		t.Errorf("classes %v", got)
	}
	if _, err := (&Set{N: 1, Y: []int{0}, Labels: []string{"7"}}).Signs(); err == nil {
		t.Error("one class has signs")
	}
}

func TestFoldsAreStratifiedPartitions(t *testing.T) {
	s := Waveform(101, 7)
	for _, k := range []int{2, 3, 10, 101} {
		folds, err := s.Folds(k, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]int, s.N)
		for _, f := range folds {
			if !slices.IsSorted(f.Train) || !slices.IsSorted(f.Test) || len(f.Train)+len(f.Test) != s.N {
				t.Fatal("not an ascending partition")
			}
			if n := len(f.Test); n != s.N/k && n != s.N/k+1 {
				t.Errorf("k=%d: fold of %d", k, n)
			}
			for c, n := range s.Subset(f.Test).Counts() {
				if want := float64(s.Counts()[c]) / float64(k); !testutil.Within(float64(n), want, 1) {
					t.Errorf("k=%d: %d rows of class %d in a fold, want about %.1f", k, n, c, want)
				}
			}
			for _, i := range f.Test {
				seen[i]++
			}
		}
		if slices.Max(seen) != 1 || slices.Min(seen) != 1 {
			t.Error("a row is not in exactly one fold")
		}
		again, _ := s.Folds(k, 1)
		other, _ := s.Folds(k, 2)
		if !cmp.Equal(folds, again) || k < 101 && cmp.Equal(folds, other) {
			t.Error("folds do not depend on the seed alone")
		}
	}
	for _, k := range []int{0, 1, 102} {
		if _, err := s.Folds(k, 1); err == nil {
			t.Errorf("%d folds of 101 samples", k)
		}
	}
}

func TestSplitIsStratified(t *testing.T) {
	s := Ringnorm(97, 3)
	for _, share := range []float64{.01, .1, .5, .623, .99} {
		sp, err := s.Split(share, 5)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(sp.Train) || !slices.IsSorted(sp.Test) {
			t.Errorf("share %v: parts not ascending", share)
		}
		all := slices.Concat(sp.Train, sp.Test)
		slices.Sort(all)
		for i, r := range all {
			if len(all) != s.N || i != r {
				t.Fatal("not a partition")
			}
		}
		if want := int(share*float64(s.N) + .5); len(sp.Train) != want {
			t.Errorf("share %v: %d rows, want %d", share, len(sp.Train), want)
		}
		for c, n := range s.Subset(sp.Train).Counts() {
			if !(math.Abs(float64(n)-share*float64(s.Counts()[c])) < 1) {
				t.Errorf("share %v: %d rows of class %d of %d", share, n, c, s.Counts()[c])
			}
		}
	}
	for _, share := range []float64{-1, 0, 1, 1e-9, math.NaN()} {
		if _, err := s.Split(share, 5); err == nil {
			t.Errorf("split with a share of %v", share)
		}
	}
}

func readLIBSVM(r io.Reader, file string, o Options) (*Set, error) {
	return readAll(newParser(LIBSVM, r, file, o, 1))
}

func readARFF(r io.Reader, file string, o Options) (*Set, error) {
	return readAll(newParser(ARFF, r, file, o, 1))
}
