package learn

import (
	"math"
	"testing"
)

// What is shared is made once, and not at all where there is no room for it.
func TestWholeShares(t *testing.T) {
	w := NewSharedSet(nil, nil, 0, 0, 100)
	made := 0
	one := func() int { made++; return made }
	for range 2 {
		if got := SharedValue(w, "a", 60, one); got != 1 {
			t.Errorf("shared %v, want 1", got)
		}
	}
	if got := SharedValue(w, "b", 60, one); got != 0 {
		t.Errorf("shared %v beyond the budget", got)
	}
	if got := SharedValue(w, "c", 40, one); got != 2 || made != 2 {
		t.Errorf("shared %v, made %d, want 2 and 2", got, made)
	}
}

// Samples of a set of different ones are different without a comparison, unless one of them is listed twice.
func TestAllDifferent(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		rows []int
		want bool
	}{
		{[]float64{1, 2, 3}, []int{2, 0}, true},
		{[]float64{1, 2, 3}, []int{2, 0, 2}, false},
		{[]float64{1, 2, 1}, []int{2, 1}, false}, // they are, but the set does not say so
		{[]float64{0, 2, math.Copysign(0, -1)}, []int{0, 2}, false},
	} {
		p := Problem{N: len(c.rows), D: 1, Y: make([]float64, len(c.rows)),
			Shared: &SharedRows{NewSharedSet(c.x, nil, len(c.x), 1, 0), c.rows}}
		for _, i := range c.rows {
			p.X = append(p.X, c.x[i])
		}
		if got := p.AllDifferent(); got != c.want {
			t.Errorf("%v of %v: all different %t, want %t", c.rows, c.x, got, c.want)
		}
		first, _ := Distinct(p.X, p.N, 1)
		if _, indices := p.Merge(); (indices == nil) != (len(first) == p.N) {
			t.Errorf("%v of %v: %d different samples, merged %v", c.rows, c.x, len(first), indices)
		}
	}
}
