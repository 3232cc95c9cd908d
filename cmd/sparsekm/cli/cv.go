package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

type cvCmd struct {
	learner
	Calibrate folds `placeholder:"FOLDS" help:"Judge probabilities too, fitted to the decisions of 5 folds, or of so many."`
	session.ProgressFlags
}

// cvJSON is what `sparsekm cv --json` prints.
type cvJSON struct {
	Method  string             `json:"method"`
	N       int                `json:"n"`
	D       int                `json:"d"`
	Scale   string             `json:"scale"`
	Params  map[string]float64 `json:"params"`
	Folds   []*modelselect.Run `json:"folds"`
	Error   float64            `json:"error"`    // mean over the folds, of real numbers the RMSE
	ErrorSE float64            `json:"error_se"` // over the folds
	// Interval is the 95 % confidence interval of the error over the samples.
	Interval *metrics.Interval `json:"interval,omitempty"`
	SV       float64           `json:"sv"`     // mean number of support vectors
	Losses   map[string]lossOf `json:"losses"` // every metric that a fold defines, over those
	Limited  int               `json:"limited"`
	Search   searchJSON        `json:"search"`

	Columns *dataset.Notes `json:"columns,omitempty"` // what was found in a table
	Seconds float64        `json:"seconds"`           // a training, mean
}

// lossOf is a metric over the folds.
type lossOf struct {
	Mean     float64           `json:"mean"`
	SE       float64           `json:"se"`
	Interval *metrics.Interval `json:"interval,omitempty"`
}

func (c *cvCmd) Run(s *session.Session) error {
	c.tunes = true // it judges what train would train
	options, err := c.request(s.Set)
	if err != nil {
		return err
	}
	options.Calibrate = int(c.Calibrate)
	r, err := c.search(s, options)
	if err != nil {
		return err
	}
	set := r.set
	r.choice.Settings = []modelselect.Setting{{Name: options.Trainer.Name(), Options: options.Options}}
	table, err := r.table(s)
	if err != nil && s.Context.Err() == nil {
		return err
	}
	scores := table.Scores()
	if err != nil && scores[0].Splits == 0 {
		return stopped(err)
	}
	if scores[0].Failed != "" {
		return fmt.Errorf("%s", scores[0].Failed)
	}
	j := newCVJSON(table, scores[0])
	j.N, j.D, j.Scale, j.Params = set.N, set.D, options.Scale.String(), learn.ValuesOf(options.Trainer).Numbers()
	j.Search, j.Columns = searched(table, err), set.Notes
	failed := s.Show(j, j.print)
	noteWorthless(s, set, table.Runs[0], len(options.ClassWeight) > 0, options.try(set)...)
	return partly(s, err, j.Search, failed)
}

func newCVJSON(t *modelselect.Table, score modelselect.Score) *cvJSON {
	j := &cvJSON{Method: t.Settings[0].Options.Trainer.Name(), SV: score.Vectors, Limited: score.Limited, Seconds: score.Seconds,
		Losses: make(map[string]lossOf)}
	for _, r := range t.Runs[0] {
		if r != nil {
			j.Folds = append(j.Folds, r)
		}
	}
	first := t.Metric.String()
	for m, name := range modelselect.MetricNames() {
		t.Metric = modelselect.Metric(m)
		if s := t.Scores()[0]; s.Failed == "" {
			j.Losses[name] = lossOf{s.Mean, overSplits(s.SE, s.Splits), s.Interval}
		}
	}
	loss := j.Losses[first]
	j.Error, j.ErrorSE, j.Interval = loss.Mean, loss.SE, loss.Interval
	return j
}

func (j *cvJSON) print(w io.Writer) {
	line := linesTo(w, 9)
	line("method", "%s", j.Method)
	line("samples", "%d of %d features, %d splits", j.N, j.D, len(j.Folds))
	smallest, largest := math.MaxInt, 0
	for _, r := range j.Folds {
		smallest, largest = min(smallest, r.Vectors), max(largest, r.Vectors)
	}
	j.printLosses(line)
	line("vectors", "%.4g (%d to %d)", j.SV, smallest, largest)
	line("time", "%s a training (%s)", seconds(j.Seconds), sparsekm.Level())
	if j.Limited > 0 {
		line("", "a limit or numerical trouble ended %d of %d trainings", j.Limited, len(j.Folds))
	}
}

// printLosses shows every metric with its interval over the samples; areas and R² as they are, and not one less them.
func (j *cvJSON) printLosses(line func(name, format string, args ...any)) {
	for _, m := range []struct{ metric, name, format string }{
		{"error", "error", "%s"},
		{"rmse", "error", "RMSE %s"},
		{"mae", "", "mean absolute error %s"},
		{"r2", "", "R² %s"},
		{"balanced", "", "balanced %s"},
		{"auc", "", "area under the curve %s"},
		{"logloss", "", "log loss %s, probabilities fitted inside of each training part"},
		{"loglik", "error", "mean log density %s"},
	} {
		e, ok := j.Losses[m.metric]
		if !ok {
			continue
		}
		text := metricText(m.metric, e.Mean, e.Interval)
		switch m.metric {
		case "r2", "auc":
			text = fmt.Sprintf("%.4f", 1-e.Mean) + within(less(1, e.Interval), false)
		case "loglik":
			text = fmt.Sprintf("%.5g", -e.Mean) + within(less(0, e.Interval), false)
		}
		line(m.name, m.format, text)
	}
}

// less is the interval of from − v for that of v.
func less(from float64, i *metrics.Interval) *metrics.Interval {
	if i == nil {
		return nil
	}
	return &metrics.Interval{Low: from - i.High, High: from - i.Low}
}
