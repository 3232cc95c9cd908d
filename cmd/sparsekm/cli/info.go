package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/reduce"
)

type infoCmd struct {
	modelArg
	session.MemFlag
}

// infoJSON is what `sparsekm info --json` prints.
type infoJSON struct {
	Method     string             `json:"method"` // empty when the file does not say
	Params     map[string]float64 `json:"params"`
	N          int                `json:"n"` // training samples, 0 when unknown
	D          int                `json:"d"`
	Task       learn.Task         `json:"task"`
	Classes    []string           `json:"classes"`
	Scheme     string             `json:"scheme"`
	Kernel     gram.Kernel        `json:"kernel"`
	Scale      string             `json:"scale"`
	Features   []string           `json:"features,omitempty"`  // names, of a model from a CSV file with a header
	Needs      []string           `json:"needs,omitempty"`     // names, else numbers from 1, of the features that it asks for; absent where these are all
	Values     levelValues        `json:"values,omitempty"`    // of categories, by feature; absent where none are learnt
	SV         int                `json:"sv"`                  // distinct vectors
	Extra      string             `json:"extra,omitempty"`     // vectors: steps and a plane
	Support    []int              `json:"support"`             // their 0-based rows in the training file, null when unknown
	Submodels  []submodelJSON     `json:"submodels"`           //
	Platt      string             `json:"probabilities"`       // none, fitted or stale
	Conformal  *conformalJSON     `json:"conformal,omitempty"` // prediction sets
	Prediction float64            `json:"microseconds"`        // one prediction here, measured
	Level      string             `json:"implementation"`      //
}

type submodelJSON struct {
	Positive string  `json:"positive"`
	Negative string  `json:"negative"` // empty for all other classes
	SV       int     `json:"sv"`
	Bias     float64 `json:"bias"`
}

func (c *infoCmd) Run(s *session.Session) error {
	clf, _, err := loadClassifier(s, c.Model, s.Memory/2) // what is shown is a copy
	if err != nil {
		return err
	}
	j := newInfo(clf)
	if s.JSON {
		return s.WriteJSON(j)
	}
	line := linesTo(s.Stdout, 10)
	method := j.Method
	if method == "" {
		method = "unknown"
	}
	for _, name := range slices.Sorted(maps.Keys(j.Params)) {
		method += fmt.Sprintf(" %s=%g", name, j.Params[name])
	}
	line("method", "%s", method)
	line("kernel", "%s", j.Kernel)
	line("features", "%d, scaling %s", j.D, j.Scale)
	if j.Needs != nil {
		line("", "%s", needsText(j.Needs, j.D))
	}
	if text := columnsText(clf.Columns()); text != "" {
		line("columns", "%s", text)
	}
	switch j.Task {
	case learn.Regress:
		line("values", "real numbers")
	case learn.Density:
		line("values", "log densities of samples")
	case learn.OneClass:
		line("classes", "1 for samples like those of the training, -1 for others")
	default:
		line("classes", "%s (%s)", strings.Join(j.Classes, ", "), j.Scheme)
	}
	if line("vectors", "%s", j.vectorsText()); j.Extra != "" {
		line("", "and %s", j.Extra)
	}
	for _, m := range j.Submodels {
		if m.Negative == "" {
			m.Negative = "the rest"
		}
		if m.Positive == "" {
			line("submodel", "%d vectors, bias %g", m.SV, m.Bias)
			continue
		}
		line("submodel", "%s against %s: %d vectors, bias %g", m.Positive, m.Negative, m.SV, m.Bias)
	}
	if j.Platt != "none" {
		line("", "probabilities: %s", j.Platt)
	}
	if j.Conformal != nil {
		line("", "%s", j.Conformal)
	}
	line("speed", "%.3g µs a prediction here (%s)", j.Prediction, j.Level)
	return nil
}

// vectorsText says how many vectors there are and of what. Those of candidates of a file, of direct and of moved
// reductions are no training samples, and the model has no rows for them.
func (j *infoJSON) vectorsText() string {
	switch {
	case j.N == 0:
		return strconv.Itoa(j.SV)
	case j.Support == nil && j.SV > 0:
		return fmt.Sprintf("%d, trained on %d samples", j.SV, j.N)
	}
	return fmt.Sprintf("%d of %d training samples", j.SV, j.N)
}

func newInfo(clf *sparsekm.Classifier) *infoJSON {
	p := clf.Parts()
	j := &infoJSON{
		Method: p.Method, Params: p.Params, N: p.Trained, D: p.D, Task: p.Task, Classes: nonNil(p.Labels),
		Scheme: p.Scheme.String(), Kernel: p.Kernel, Scale: "none",
		SV: p.N, Extra: extraText(clf), Support: p.Rows, Platt: "none",
		Features: p.Columns.FeatureNames(), Needs: needsOf(clf), Values: valuesOf(clf), Prediction: reduce.Microseconds(clf), Level: sparsekm.Level(),
	}
	j.Conformal = newConformalJSON(clf, 0)
	if p.Scaling != nil {
		j.Scale = p.Scaling.Kind.String()
	}
	if len(p.Platt) > 0 {
		j.Platt = "fitted"
		if p.PlattStale {
			j.Platt = "stale"
		}
	}
	for _, m := range p.Submodels {
		mj := submodelJSON{SV: len(m.Support), Bias: m.Bias}
		if !p.Task.Real() {
			mj.Positive = p.Labels[m.Pos]
		}
		if m.Neg >= 0 {
			mj.Negative = p.Labels[m.Neg]
		}
		j.Submodels = append(j.Submodels, mj)
	}
	return j
}

// levelValues are learnt values of categories: by the feature's name, or else its number from 1, then by the category.
type levelValues map[string]map[string]float64

func valuesOf(clf *sparsekm.Classifier) levelValues {
	columns := clf.Columns()
	all, values := columns.FeatureNames(), make(levelValues)
	columns.EachValued(func(c *dataset.Column, feature, part int) {
		name := strconv.Itoa(feature + 1)
		if all != nil {
			name = all[feature]
		}
		values[name] = make(map[string]float64)
		for i, category := range c.Categories {
			values[name][category] = c.Values[part*len(c.Categories)+i]
		}
	})
	return values
}

// extraText names what a model has in addition to its vectors: "4 steps and a plane"; empty for nothing.
func extraText(clf *sparsekm.Classifier) string {
	p, steps := clf.Parts(), clf.NumUnits()-clf.NumVectors()
	plane := slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return m.Plane != nil })
	switch {
	case p.Latent != nil:
		return "variances of Gaussian processes"
	case steps > 0 && plane:
		return fmt.Sprintf("%d steps and a plane", steps)
	case steps > 0:
		return fmt.Sprintf("%d steps", steps)
	case plane:
		return "a plane"
	}
	return ""
}

// needsOf names the features that decisions depend on, by their columns or else by their number, from 1; nil where
// these are all features, or none.
func needsOf(clf *sparsekm.Classifier) (names []string) {
	needs, _ := clf.Needs()
	features := clf.Columns().FeatureNames()
	for _, k := range needs {
		if features != nil {
			names = append(names, features[k])
		} else {
			names = append(names, strconv.Itoa(k+1))
		}
	}
	return names
}

// needsText lists features that were kept.
func needsText(names []string, all int) string {
	return fmt.Sprintf("it asks for %d of %d features: %s", len(names), all, listed(names, 20))
}

// listed joins at most so many names.
func listed(names []string, limit int) string {
	text := strings.Join(names[:min(len(names), limit)], ", ")
	if len(names) > limit {
		text += fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return text
}

// columnsText lists the columns that a model wants of a CSV file, at most ten; empty for a file without names.
func columnsText(columns dataset.Columns) string {
	const maxNames = 10
	var names []string
	filled, marked := "", ""
	for _, c := range columns {
		switch {
		case c.Idle:
			continue
		case c.Values != nil:
			names = append(names, fmt.Sprintf("%s (values of %d categories)", c.Name, len(c.Categories)))
		case c.Role == dataset.RoleCategory:
			names = append(names, fmt.Sprintf("%s (%d categories)", c.Name, len(c.Categories)))
		case c.Role == dataset.RoleYesNo:
			names = append(names, fmt.Sprintf("%s (%s)", c.Name, strings.Join(c.Categories, " or ")))
		case c.Role == dataset.RoleDate:
			names = append(names, fmt.Sprintf("%s (%s)", c.Name, strings.Join(c.PartNames(), ", ")))
		case c.Role == dataset.RoleNumber:
			names = append(names, c.Name)
		}
		if c.Filled {
			filled = "; missing cells are filled"
		}
		if c.Marked {
			marked = ", and marked"
		}
	}
	filled += marked
	if !columns.Named() {
		return strings.TrimPrefix(filled, "; ")
	}
	return listed(names, maxNames) + filled
}
