package direct

import (
	"github.com/sparsekm/sparsekm/internal/moving"
	"github.com/sparsekm/sparsekm/learn"
)

func (t *Trainer) loss() moving.Loss {
	switch t.Loss {
	case "hinge":
		return moving.Hinge
	case "logistic":
		return moving.Logistic
	case "squared":
		return moving.Squared
	case "insensitive":
		return moving.Insensitive(t.Epsilon)
	}
	return moving.SquaredHinge
}

// suit refuses a loss of another task and an ε without a tube, and gives values their defaults.
func (t *Trainer) suit(task learn.Task) error {
	ofValues := t.Loss == "squared" || t.Loss == "insensitive"
	switch {
	case t.Epsilon >= 0 && t.Loss != "insensitive":
		return &learn.ParamError{Method: t.Name(), Param: "epsilon", Value: t.Epsilon,
			Want: "none but with the loss insensitive"}
	case task == learn.Regress && t.Loss == "squared-hinge":
		t.Loss = "squared"
	case task == learn.Regress && !ofValues:
		return &learn.ParamError{Method: t.Name(), Param: "loss", Value: t.Loss,
			Want: "squared or insensitive for real values"}
	case task == learn.Classify && ofValues:
		return &learn.ParamError{Method: t.Name(), Param: "loss", Value: t.Loss,
			Want: "squared-hinge, hinge or logistic for classes"}
	}
	if t.Epsilon < 0 {
		t.Epsilon = 0.1
	}
	return nil
}
