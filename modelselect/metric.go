package modelselect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// Metric is what a choice minimises.
type Metric int

// The metrics. [Error] stands for a task's first one.
//
// For classes: the error rate; one less the mean recall of the classes; one less the area under the ROC curve; and the
// mean of −ln of the probability of a sample's own class. Of several classes the area is the mean over each class
// against the rest, and absent for one-vs-one. Probabilities are fitted within each training part
// ([sparsekm.Options.Calibrate], by five folds unless the setting says).
// For regression: root mean squared error, mean absolute error, and one less R².
// For a density: minus the mean of its logarithm at the samples.
//
// [Bound] is the bound of the error rate of [sparsekm.Bound], of models trained on all samples: it takes [Whole] in
// place of folds. The bound of the choice is that of its model. The confidence is that of the settings, 95 % where they
// ask for none.
const (
	Error Metric = iota
	Balanced
	AUC
	LogLoss
	RMSE
	MAE
	R2
	LogLikelihood
	Bound
)

// calibrateFolds is the number of folds that fit probabilities within a training part.
const calibrateFolds = 5

var metricNames = []string{"error", "balanced", "auc", "logloss", "rmse", "mae", "r2", "loglik", "bound"}

// metricsOfTask are the metrics of a task; the first one is its default.
var metricsOfTask = map[learn.Task][]Metric{
	learn.Classify: {Error, Balanced, AUC, LogLoss, Bound},
	learn.Regress:  {RMSE, MAE, R2},
	learn.Density:  {LogLikelihood},
}

func (m Metric) String() string { return metricNames[m] }

// MetricNames lists the metrics.
func MetricNames() []string { return metricNames }

// ParseMetric is the metric of a name.
func ParseMetric(name string) (Metric, error) {
	if i := slices.Index(metricNames, name); i >= 0 {
		return Metric(i), nil
	}
	return 0, fmt.Errorf("modelselect: no metric %q (have %s)", name, strings.Join(metricNames, ", "))
}

// IsShare reports whether the metric is a share, which is printed in percent.
func (m Metric) IsShare() bool {
	return !slices.Contains([]Metric{LogLoss, RMSE, MAE, LogLikelihood}, m)
}

// settle returns the metric for settings on a set: the task's default for [Error]. It is an error if their task has no
// such metric. Settings that cannot be trained on the set are ignored: their runs report it.
func (m Metric) settle(set *dataset.Set, settings []Setting) (Metric, error) {
	task := learn.Classify
	for i := range settings {
		learnt, err := settings[i].task(set)
		switch {
		case err != nil:
			continue
		case metricsOfTask[learnt] == nil:
			return m, fmt.Errorf("modelselect: %s: no metric says how good a model of the task %v is", settings[i].Name, learnt)
		}
		task = learnt
	}
	if m == Error {
		return metricsOfTask[task][0], nil
	}
	if !slices.Contains(metricsOfTask[task], m) {
		return m, fmt.Errorf("modelselect: the metric %v, but the task is %v; want one of %v", m, task, metricsOfTask[task])
	}
	if m != Bound {
		return m, nil
	}
	if len(set.Labels) != 2 {
		return m, fmt.Errorf("modelselect: the metric bound is for two classes, found %d", len(set.Labels))
	}
	for i := range settings {
		if s := &settings[i]; s.Search != nil || s.Finish != nil {
			return m, fmt.Errorf("modelselect: %s: a bound is of one training, want no search and no change of its model",
				s.Name)
		}
	}
	return m, nil
}

// task is what the setting learns from the set.
func (s *Setting) task(set *dataset.Set) (learn.Task, error) {
	if s.Search != nil && len(s.Search.Settings) > 0 {
		return s.Search.Settings[0].task(set)
	}
	if s.Options.Trainer == nil {
		return 0, fmt.Errorf("modelselect: %s has no trainer", s.Name)
	}
	name := s.Options.Trainer.Name()
	m, err := sparsekm.Lookup(name)
	if err != nil {
		m = sparsekm.Method{Name: name}
	}
	return sparsekm.TaskOf(m, set)
}

// prepared returns the settings as the metric needs them: with probabilities for [LogLoss], and with a [Bound].
//
// A share of δ is for the models of one kernel and scaling, whatever the method, C and γ of a rule, and all bounds of
// these models hold at once with probability 1 − share ([metrics.Compression.Bound]). Of m kernels and scalings each
// gets δ/m. So with probability 1 − δ the bounds of all settings hold, and that of the chosen one does, however it is
// chosen. The settings must not depend on the samples.
func (m Metric) prepared(settings []Setting) []Setting {
	if m != LogLoss && m != Bound {
		return settings
	}
	compared := len(kernelsOf(settings))
	settings = slices.Clone(settings)
	for i := range settings {
		switch s := &settings[i]; {
		case m == Bound:
			b := &s.Options.Bound
			b.Confidence = cmp.Or(b.Confidence, usualConfidence)
			b.Settings = max(b.Settings, compared)
		case s.Search == nil && s.Options.Calibrate == 0:
			s.Options.Calibrate = calibrateFolds
		}
	}
	return settings
}

// usualConfidence is the confidence of bounds where a setting names none.
const usualConfidence = 0.95

// kernelsOf are the kernels and scalings of settings. A γ of 0 is that of a rule, which the bound pays for.
func kernelsOf(settings []Setting) map[string]bool {
	all := make(map[string]bool)
	for i := range settings {
		o := &settings[i].Options
		k := &o.Kernel
		all[fmt.Sprint(k.Kind, k.Gamma, k.Degree, k.Coef0, k.Alpha, k.Weights, o.Scale, o.RoundScaled)] = true
	}
	return all
}

// Whole is the split of [Bound]: all samples train.
func Whole(set *dataset.Set) []dataset.Split {
	return []dataset.Split{{Train: deal.All(set.N)}}
}

// bounded fills in the bound of a model of all samples. The samples that are no support vectors test it.
func (r *Run) bounded(report *sparsekm.Report) error {
	b := report.Bound
	if b == nil {
		return errors.New("the training was stopped before its bound was found")
	}
	r.Losses = map[string]float64{Bound.String(): b.Value}
	r.Tested, r.Errors, r.Constant, r.Bound = b.Others, b.Errors, report.Constant, b
	return nil
}
