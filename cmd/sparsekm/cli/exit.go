package cli

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/status"
)

// Exit statuses; docs/ARCHITECTURE.md has the table of what ends with which.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitLimit  = 3

	exitInterrupted = 130 // by a second interrupt, as shells have it
)

// errLimit says that a limit came first and that the result written is the best so far.
var errLimit = errors.New("stopped by a limit")

// usable returns nil for a result worth keeping: an optimum, the size that was asked for, or what a limit left of a training
// if it is better than always saying the largest class. Else the error says why not.
func usable(st status.Status, clf *sparsekm.Classifier, train *dataset.Set, weights classWeights, threads int) error {
	switch {
	case st.Done():
		return nil
	case !st.Limit():
		return fmt.Errorf("%s", st)
	}
	found, majority := weightedErrors(clf, train, weights, threads)
	if !(found < majority) {
		return fmt.Errorf("%s before the machine was better than its largest class alone (training error %s, that one's %s)",
			st, percent(found), percent(majority))
	}
	return nil
}

// weightedErrors returns the shares of the training points, by weight, that clf gets wrong and
// that the largest class alone would.
func weightedErrors(clf *sparsekm.Classifier, set *dataset.Set, weights classWeights,
	threads int) (found, majority float64) {
	p := classes(clf, set, threads)
	of := make([]float64, len(set.Labels))
	for c := range of {
		of[c] = 1
		if w, ok := weights[set.Labels[c]]; ok {
			of[c] = w
		}
	}
	total, in := 0.0, make([]float64, len(of))
	for i, want := range set.ClassOf(clf.Labels()) {
		w := of[set.Y[i]]
		total += w
		in[set.Y[i]] += w
		if p.class[i] != want {
			found += w
		}
	}
	most := 0.0
	for _, w := range in {
		most = max(most, w)
	}
	return found / total, (total - most) / total
}

// verdict turns a result's status into the command's end: nothing where it is done, errLimit for the
// best so far, and the failure of a result that is of no use, which nobody asked to keep with keep.
func (s *session) verdict(st status.Status, worthless error, out string, keep bool) error {
	switch {
	case st.Done():
		return nil
	case worthless == nil:
		s.note("%s: the model is the best so far", st)
		return errLimit
	case out == "":
		return worthless
	case keep:
		return fmt.Errorf("%w; %s has it nevertheless", worthless, out)
	}
	return fmt.Errorf("%w; %s is not written (--keep-partial writes it)", worthless, out)
}
