package cli

import (
	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// weighing is --class-weight: a weight for each of some labels, or such that every class weighs the same.
type weighing struct {
	balanced bool
	of       classWeights
}

// UnmarshalText reads balanced, or labels with their weights.
func (w *weighing) UnmarshalText(text []byte) error {
	if w.balanced = string(text) == "balanced"; w.balanced {
		w.of = nil
		return nil
	}
	return w.of.UnmarshalText(text)
}

// settle finds the weights of the training samples' classes.
func (w *weighing) settle(train *dataset.Set) {
	if w.balanced && train.Y != nil {
		w.of = sparsekm.Balanced(train)
	}
}
