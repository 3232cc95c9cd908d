package cli

import (
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// calibrateFlags fit probabilities.
type calibrateFlags struct {
	Calibrate folds `placeholder:"FOLDS" help:"Fit the probabilities of classes, for predict --probability, to the decisions of a cross-validation: the training is repeated without each of 5 folds, or of the number after an equals sign."`
}

func (f *calibrateFlags) validate(path bool) error {
	if f.Calibrate != 0 && path {
		return usagef("--calibrate: a path has no probabilities; train again with the C that is chosen")
	}
	return nil
}

// folds is a number of folds: --calibrate alone takes the usual one.
type folds int

const usualFolds folds = 5

// IsBool tells the command line that the flag needs no value.
func (*folds) IsBool() bool { return true }

// Decode reads the number that may stand behind an equals sign.
func (f *folds) Decode(ctx *kong.DecodeContext) error {
	*f = usualFolds
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	token := ctx.Scan.Pop()
	n, err := strconv.Atoi(token.String())
	if err != nil || n < 2 {
		return usagef("found %s, want a number of folds from 2", token)
	}
	*f = folds(n)
	return nil
}

// calibrated returns the folds that the classifier's probabilities come from; 0 where there are none, which it says
// if they were asked for.
func calibrated(s *session.Session, clf *sparsekm.Classifier, folds int) int {
	if folds > 0 && clf.Calibrated() != nil {
		s.Note("stopped before the probabilities were fitted: the model has none")
		return 0
	}
	return folds
}
