package modelselect

import (
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// Folds returns k stratified folds, repeated with other seeds: k·repeats splits. It is an error if k is not in 2..N.
func Folds(set *dataset.Set, k, repeats int, seed uint64) ([]dataset.Split, error) {
	if repeats < 1 {
		return nil, fmt.Errorf("modelselect: %d repeats, want at least 1", repeats)
	}
	var all []dataset.Split
	for r := range repeats {
		folds, err := set.Folds(k, seed+uint64(r))
		if err != nil {
			return nil, err
		}
		all = append(all, folds...)
	}
	return all, nil
}

// GroupFolds returns k folds none of which divides a group: group[i] is that of point i. Groups go to the smallest
// fold, the largest first, those of one size in an order drawn from the seed.
func GroupFolds(group []string, k int, seed uint64) ([]dataset.Split, error) {
	rows := make(map[string][]int)
	var names []string
	for i, g := range group {
		if rows[g] == nil {
			names = append(names, g)
		}
		rows[g] = append(rows[g], i)
	}
	if k < 2 || k > len(names) {
		return nil, fmt.Errorf("modelselect: %d folds of %d groups, want 2 to %d", k, len(names), len(names))
	}
	slices.Sort(names)
	rng := dataset.NewRand(seed)
	rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	slices.SortStableFunc(names, func(a, b string) int { return len(rows[b]) - len(rows[a]) })
	hand, size := make([]int, len(group)), make([]int, k)
	for _, g := range names {
		least := 0
		for f := range size {
			if size[f] < size[least] {
				least = f
			}
		}
		size[least] += len(rows[g])
		for _, i := range rows[g] {
			hand[i] = least
		}
	}
	return dataset.SplitsOf(hand, k), nil
}
