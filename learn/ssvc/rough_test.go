package ssvc

import (
	"testing"

	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// Many samples that are nearly the same have small shares of a coefficient in a first round, as 4515 of mushroom do.
// None of them is dropped for that; those that are far smaller than the others are.
func TestRoughInAFirstRound(t *testing.T) {
	m := &quadratic{Merged: &samples.Merged{Classes: true}, outer: outer{first: true}, count: []int{4}}
	for _, c := range []struct {
		u    []float64
		want float64
	}{
		{[]float64{0.01, 0.01, 0.01, 0.001}, leaving * 3.01e-4 / 4},
		{[]float64{3, 3, 3, 0.1}, leaving}, // never more than later
	} {
		if got := m.rough(c.u); !(got > 0.999*c.want && got < 1.001*c.want) {
			t.Errorf("first round of %v: below %v, want %v", c.u, got, c.want)
		}
	}
	m.first = false
	if got := m.rough([]float64{1, 1}); got != 0 {
		t.Errorf("the first round of ssvc-a drops below %v, want none", got)
	}
	m.count = []int{4, 3}
	if got := m.rough([]float64{1e-3, 1e-3}); got != leaving {
		t.Errorf("later rounds drop below %v, want %v", got, leaving)
	}
	if m.ExactRounds = true; m.rough([]float64{1, 1}) != 0 {
		t.Error("exact rounds drop what may stay")
	}
}
