package modelselect

import (
	"maps"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/reduce"
)

// directSetting is method "direct" with these parameters, C chosen by itself unless given. Regression targets are
// z-scored like the features.
func directSetting(values learn.Values, real bool) (Setting, error) {
	all := learn.Values{"tune": values["c"] == nil}
	maps.Copy(all, values)
	o, err := zScored("direct", gram.RBF(0), all)
	o.ScaleTarget = real
	return Setting{Name: "direct", Options: o}, err
}

// valuesName is the setting of trained centres that learn a value for each category.
const valuesName = "direct, learned values"

// valuesSetting is direct with one feature of learned values for each column of categories, in the place of a feature
// of 0 and 1 for each category. False if no column has three categories: then there is nothing to gain.
func valuesSetting(direct Setting, set *dataset.Set) (Setting, bool) {
	if !slices.ContainsFunc(set.Columns, func(c dataset.Column) bool {
		return c.Role == dataset.RoleCategory && len(c.Categories) > 2
	}) {
		return Setting{}, false
	}
	direct.Name, direct.Options.CategoryValues = valuesName, 1
	return direct, true
}

func zScored(method string, k gram.Kernel, values learn.Values) (sparsekm.Options, error) {
	m, err := sparsekm.Lookup(method)
	if err != nil {
		return sparsekm.Options{}, err
	}
	t, err := m.New(values)
	return sparsekm.Options{Trainer: t, Kernel: k, Scale: dataset.ScaleZ, RoundScaled: true}, err
}

// baseline is a way to train that [Fit] compares with trained centres.
type baseline struct {
	method string
	kernel gram.Kernel
	axes   []Axis
	folds  int
	rule   Rule
}

// baselineMethods are the baselines for classes, or for regression.
func baselineMethods(folds int, real bool) []baseline {
	costs, widths := Param("c", 0.3, 3, 30), GammaTimes(0.1, 0.5, 2.5)
	if real {
		tubes := Param("epsilon", 0.1, 0.3) // of the targets' deviation
		return []baseline{
			{"svr", gram.Linear(), []Axis{Param("c", 0.01, 0.1, 1, 10), tubes}, folds, Best},
			{"svr", gram.RBF(0), []Axis{Param("c", 1, 10, 100), tubes, GammaTimes(0.1, 0.3, 1, 3)}, folds, Best},
			{"ssvr-b", gram.RBF(0), []Axis{costs, tubes, widths}, min(folds, 3), OneSE},
			{"lssvm-chol", gram.RBF(0), []Axis{Param("c", 10, 100, 1000), Param("eta", 1e-2, 1e-3), widths},
				min(folds, 3), OneSE},
		}
	}
	return []baseline{
		{"svc", gram.Linear(), []Axis{Param("c", 0.01, 0.1, 1, 10)}, folds, Best},
		{"svc", gram.RBF(0), []Axis{Param("c", 0.1, 1, 10, 100), GammaTimes(0.1, 0.3, 1, 3)}, folds, Best},
		{"ssvc-b", gram.RBF(0), []Axis{costs, widths}, min(folds, 3), OneSE},
		{"l0svm", gram.RBF(0), []Axis{costs, widths}, min(folds, 3), OneSE},
		{"lpsvc", gram.RBF(0), []Axis{costs, widths}, min(folds, 3), OneSE},
	}
}

// Baselines are the settings that [Fit] compares with trained centres: a linear model, an SVM with an RBF kernel, and
// sparse models. Features are z-scored. Each setting chooses its parameters by cross-validation on the samples that it
// is given.
func Baselines(folds int, seed uint64, real bool) ([]Setting, error) {
	var all []Setting
	for _, b := range baselineMethods(folds, real) {
		base, err := zScored(b.method, b.kernel, nil)
		if err != nil {
			return nil, err
		}
		base.ScaleTarget = real
		settings, err := Grid(base, b.axes...)
		if err != nil {
			return nil, err
		}
		s := Setting{Name: b.method, Search: &Search{Settings: settings, Folds: max(2, b.folds), Seed: seed, Rule: b.rule,
			Grow: true}}
		if b.kernel.Kind == gram.KindLinear {
			s.Name, s.Finish = "linear", reduce.Weights
		}
		all = append(all, s)
	}
	return all, nil
}
