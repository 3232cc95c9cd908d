package direct

import (
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
)

func (t *Trainer) loss() centres.Loss {
	switch t.Loss {
	case "hinge":
		return centres.Hinge
	case "logistic":
		return centres.Logistic
	case "squared":
		return centres.Squared
	case "insensitive":
		return centres.Insensitive(t.Epsilon)
	}
	return centres.SquaredHinge
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
