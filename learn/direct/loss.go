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

// suit rejects a loss of another task and an ε without its loss, and sets the defaults of regression.
func (t *Trainer) suit(task learn.Task) error {
	regression := t.Loss == "squared" || t.Loss == "insensitive"
	switch {
	case t.Epsilon >= 0 && t.Loss != "insensitive":
		return &learn.ParamError{Method: t.Name(), Param: "epsilon", Value: t.Epsilon,
			Want: "none unless the loss is insensitive"}
	case task == learn.Regress && t.Loss == "squared-hinge":
		t.Loss = "squared"
	case task == learn.Regress && !regression:
		return &learn.ParamError{Method: t.Name(), Param: "loss", Value: t.Loss,
			Want: "squared or insensitive for regression"}
	case task == learn.Classify && regression:
		return &learn.ParamError{Method: t.Name(), Param: "loss", Value: t.Loss,
			Want: "squared-hinge, hinge or logistic for classification"}
	}
	if t.Epsilon < 0 {
		t.Epsilon = 0.1
	}
	return nil
}
