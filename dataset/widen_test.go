package dataset

import (
	"slices"
	"strings"
	"testing"
)

func TestRagged(t *testing.T) {
	for text, want := range map[string]bool{
		"1 1:1 2:5\n-1 1:3 2:1\n":  false,
		"1 1:1 2:5\n-1 2:1\n":      false,
		"1 1:1 2:5\n-1 1:3\n":      true,
		"1 1:1\n-1 1:3 2:1\n":      true,
		"1\n-1\n":                  false,
		"1\n-1 1:1\n":              true,
		"1 1:1 2:5 # end\n-1 2:1 ": false,
	} {
		s, err := readLIBSVM(strings.NewReader(text), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Ragged != want {
			t.Errorf("%q: Ragged is %v, want %v", text, s.Ragged, want)
		}
	}
}

func TestWiden(t *testing.T) {
	s := &Set{X: []float64{1, 2, 3, 4}, N: 2, D: 2, Y: []int{0, 1}, Labels: []string{"a", "b"}}
	w := s.Widen(3)
	if want := []float64{1, 2, 0, 3, 4, 0}; w.D != 3 || !slices.Equal(w.X, want) {
		t.Errorf("Widen(3) gives %d features %v, want %v", w.D, w.X, want)
	}
	if s.D != 2 || len(s.X) != 4 {
		t.Error("Widen changed the set")
	}
}
