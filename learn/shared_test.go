package learn

import (
	"testing"
)

// What is shared is made once, and not at all where there is no room for it.
func TestWholeShares(t *testing.T) {
	w := &SharedSet{Bytes: 100}
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
