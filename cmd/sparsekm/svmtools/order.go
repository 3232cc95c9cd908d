package svmtools

import (
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// appearance lists the classes of the samples as LIBSVM does: in the order in which their labels appear, but for −1 and
// then +1 alone, which change places.
func appearance(set *dataset.Set) (classes []int) {
	seen := make([]bool, len(set.Labels))
	for _, c := range set.Y {
		if !seen[c] {
			seen[c] = true
			classes = append(classes, c)
		}
	}
	if len(classes) == 2 && set.Labels[classes[0]] == "-1" && set.Labels[classes[1]] == "1" {
		slices.Reverse(classes)
	}
	return classes
}

// ordered returns the samples with the classes that they have, in LIBSVM's order. That order is also the sign of a
// decision and the rule for equal votes. Of two classes LIBSVM's first is positive, and here the last.
func ordered(set *dataset.Set) *dataset.Set {
	if set.Y == nil {
		return set
	}
	classes := appearance(set)
	if len(classes) == 2 {
		slices.Reverse(classes)
	}
	t := *set
	t.Labels, t.Y = make([]string, len(classes)), make([]int, set.N)
	to := make([]int, len(set.Labels))
	for place, c := range classes {
		t.Labels[place], to[c] = set.Labels[c], place
	}
	for i, c := range set.Y {
		t.Y[i] = to[c]
	}
	return &t
}
