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
	CalibrateFlags calibrateFlags `embed:""`
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

// newCVCmd prepares what kong fills in: cv judges what train would train.
func newCVCmd() *cvCmd {
	c := &cvCmd{learner: newLearner()}
	c.learner.tunes = true
	return c
}

func (c *cvCmd) Run(s *session.Session) error {
	options, err := c.request(s.Set)
	if err != nil {
		return err
	}
	options.Calibrate = int(c.CalibrateFlags.Calibrate)
	r, err := c.search(s, options)
	if err != nil {
		return err
	}
	set := r.set
	r.settings = []modelselect.Setting{{Name: options.Trainer.Name(), Options: options.Options}}
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
		line("", "%d of %d trainings did not end optimal", j.Limited, len(j.Folds))
	}
}

// printLosses shows every metric with its interval over the samples; areas and R² as they are, and not one less them.
func (j *cvJSON) printLosses(line func(name, format string, args ...any)) {
	if e, ok := j.Losses["error"]; ok {
		line("error", "%s", metricText("error", e.Mean, e.Interval))
	}
	if e, ok := j.Losses["rmse"]; ok {
		line("error", "RMSE %s", metricText("rmse", e.Mean, e.Interval))
	}
	if e, ok := j.Losses["mae"]; ok {
		line("", "mean absolute error %s", metricText("mae", e.Mean, e.Interval))
	}
	if e, ok := j.Losses["r2"]; ok {
		line("", "R² %.4f%s", 1-e.Mean, within(oneLess(e.Interval), false))
	}
	if b, ok := j.Losses["balanced"]; ok {
		line("", "balanced %s", metricText("balanced", b.Mean, b.Interval))
	}
	if a, ok := j.Losses["auc"]; ok {
		line("", "area under the curve %.4f%s", 1-a.Mean, within(oneLess(a.Interval), false))
	}
	if p, ok := j.Losses["logloss"]; ok {
		line("", "log loss %s, probabilities fitted inside of each training part", metricText("logloss", p.Mean, p.Interval))
	}
	if e, ok := j.Losses["loglik"]; ok {
		i := e.Interval
		if i != nil {
			i = &metrics.Interval{Low: -i.High, High: -i.Low}
		}
		line("error", "mean log density %.5g%s", -e.Mean, within(i, false))
	}
}

// oneLess is the interval of 1 − v for that of v.
func oneLess(i *metrics.Interval) *metrics.Interval {
	if i == nil {
		return nil
	}
	return &metrics.Interval{Low: 1 - i.High, High: 1 - i.Low}
}
