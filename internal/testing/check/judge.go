package check

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Failed tells what was refused before or while it was looked at, with its reason by name, from
// a training that came to nothing.
func (p *Problem) Failed(err error) (how, why string) {
	var indefinite = errors.Is(err, learn.ErrIndefinite) ||
		strings.Contains(err.Error(), "not positive definite") && !p.Definite()
	for _, reason := range []string{"want a number of size", "want at most 1e+150", "needs at least 3",
		"no model has this nu", "want 1e-", "want rbf", "choose fewer features", "distances overflow", "one class only",
		"choose weights nearer to 1"} {
		if indefinite || strings.Contains(err.Error(), reason) {
			return "refused", err.Error()
		}
	}
	return "failed", err.Error()
}

// Definite reports whether the kernel is positive semidefinite on any samples, rounding apart.
func (p *Problem) Definite() bool {
	switch p.Kernel.Kind {
	case gram.KindSigmoid, gram.KindCustom:
		return false
	}
	return true
}

// Classifier holds what users get against the expansion: decisions, a batch against single
// rows, and both files.
func (p *Problem) Classifier(clf *sparsekm.Classifier, set *dataset.Set, v *Verdict) (bad []string) {
	single, batch := make([]float64, set.N), make([]float64, set.N)
	for i := range single {
		single[i] = clf.Decide(set.Row(i))
		if !(math.Abs(single[i]-v.F[i]) <= v.Rounding[i]) {
			bad = append(bad, fmt.Sprintf("decision %v of sample %d, its expansion has %v", single[i], i, v.F[i]))
		}
	}
	clf.DecideBatch(batch, set.X, set.N, 1)
	if !slices.Equal(single, batch) {
		bad = append(bad, "a batch decides otherwise than its rows")
	}
	if !p.Kernel.Storable() {
		return bad
	}
	for _, format := range []model.Format{model.SKM, model.JSON} {
		var file bytes.Buffer
		err := clf.Write(&file, format)
		if err == nil {
			clf, err = sparsekm.Parse(file.Bytes())
		}
		if err != nil {
			return append(bad, err.Error())
		}
		clf.DecideBatch(batch, set.X, set.N, 1)
		if !slices.Equal(single, batch) {
			bad = append(bad, fmt.Sprintf("another decision after %v", format))
		}
	}
	return bad
}
