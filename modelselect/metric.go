package modelselect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
)

// Metric is what a choice makes small.
type Metric int

// The metrics of classes: a share of samples, one less the mean recall of the classes, one less the area under the
// curve (of several classes the mean of each one against the rest, by its own model: none where models are for
// pairs), and the mean of −ln of what probability a sample's own class was given, fitted inside of each training part
// ([sparsekm.Options.Calibrate], of [CalibrateFolds] where the setting does not say). Those of real values: the root of
// the mean squared error, the mean absolute error, and one less R². That of a density: minus the mean
// of its logarithm at the samples. [Error] stands for a task's first.
const (
	Error Metric = iota
	Balanced
	AUC
	LogLoss
	RMSE
	MAE
	R2
	LogLikelihood
)

// CalibrateFolds are the folds of a training part that its probabilities are fitted on.
const CalibrateFolds = 5

var metricNames = []string{"error", "balanced", "auc", "logloss", "rmse", "mae", "r2", "loglik"}

// metricsOf are the metrics of a task, the one that is meant where none is named first.
var metricsOf = map[learn.Task][]Metric{
	learn.Classify: {Error, Balanced, AUC, LogLoss},
	learn.Regress:  {RMSE, MAE, R2},
	learn.Density:  {LogLikelihood},
}

func (m Metric) String() string { return metricNames[m] }

// MetricNames lists the metrics.
func MetricNames() []string { return metricNames }

// ParseMetric is the metric of a name.
func ParseMetric(name string) (Metric, error) {
	for m, n := range metricNames {
		if n == name {
			return Metric(m), nil
		}
	}
	return 0, fmt.Errorf("modelselect: no metric %q (have %s)", name, strings.Join(metricNames, ", "))
}

// IsShare reports whether the metric is a share of something, as which it is printed in percent.
func (m Metric) IsShare() bool {
	return !slices.Contains([]Metric{LogLoss, RMSE, MAE, LogLikelihood}, m)
}

// settle returns the metric that is meant for settings on a set. It is an error if they learn something that has no
// such metric. What cannot be trained on the set is left to the run that will say so.
func (m Metric) settle(set *dataset.Set, settings []Setting) (Metric, error) {
	task := learn.Classify
	for i := range settings {
		of, err := settings[i].task(set)
		switch {
		case err != nil:
			continue
		case metricsOf[of] == nil:
			return m, fmt.Errorf("modelselect: %s: no metric says how good a model of the task %v is", settings[i].Name, of)
		}
		task = of
	}
	if m == Error {
		return metricsOf[task][0], nil
	}
	if !slices.Contains(metricsOf[task], m) {
		return m, fmt.Errorf("modelselect: the metric %v, but the task is %v; want one of %v", m, task, metricsOf[task])
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

// losses are the metrics of a test part.
func losses(r *metrics.Report) map[string]float64 {
	if v := r.Density; v != nil {
		return map[string]float64{LogLikelihood.String(): -*v.LogDensity}
	}
	if v := r.Regression; v != nil {
		l := map[string]float64{RMSE.String(): *v.RMSE, MAE.String(): *v.MAE}
		if v.R2 != nil {
			l[R2.String()] = 1 - *v.R2
		}
		return l
	}
	l := map[string]float64{Error.String(): float64(r.Errors) / float64(r.Points)}
	if r.BalancedAccuracy != nil {
		l[Balanced.String()] = 1 - *r.BalancedAccuracy
	}
	if r.AUC != nil {
		l[AUC.String()] = 1 - *r.AUC
	}
	if r.LogLoss != nil {
		l[LogLoss.String()] = *r.LogLoss
	}
	return l
}

// calibrated returns the settings as the metric needs them: with probabilities for [LogLoss].
func (m Metric) calibrated(settings []Setting) []Setting {
	if m != LogLoss {
		return settings
	}
	settings = slices.Clone(settings)
	for i := range settings {
		if s := &settings[i]; s.Search == nil && s.Options.Calibrate == 0 {
			s.Options.Calibrate = CalibrateFolds
		}
	}
	return settings
}
