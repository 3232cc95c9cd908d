package modelselect

import (
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
)

// Folds returns k folds, repeated with other seeds: k·repeats splits. They are those of [dataset.Set.Folds].
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
