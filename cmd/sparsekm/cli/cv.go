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
	Learner        learner               `embed:""`
	CalibrateFlags calibrateFlags        `embed:""`
	ProgressFlags  session.ProgressFlags `embed:""`
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
	// Interval is that of the error over the samples, 95 %.
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
	c := &cvCmd{Learner: newLearner()}
	c.Learner.tunes = true
	return c
}

func (c *cvCmd) Run(s *session.Session) error {
	s.Listen(&c.ProgressFlags)
	l := &c.Learner
	options, err := l.request(s.Set)
	if err != nil {
		return err
	}
	options.Calibrate = int(c.CalibrateFlags.Calibrate)
	s, cancel := s.WithTimeLimit(l.LimitFlags.TimeLimit)
	defer cancel()
	defer session.LimitMemory(l.LimitFlags.Mem.Bytes())()
	set, splits, err := l.load(s, options)
	if err != nil {
		return err
	}
	settings := []modelselect.Setting{{Name: options.Trainer.Name(), Options: options.Options}}
	table, err := evaluate(s, &c.ProgressFlags, set, settings, splits, l.runs(set))
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
	var failed error
	if s.JSON {
		failed = s.WriteJSON(j)
	} else if !c.ProgressFlags.Quiet {
		j.print(s.Stdout)
	}
	noteWorthless(s, set, table.Runs[0], len(options.ClassWeight) > 0, options.try(set)...)
	return partly(s, err, j.Search, failed)
}

// evaluate makes the runs of the settings on the splits, and shows them as they come.
func evaluate(s *session.Session, f *session.ProgressFlags, set *dataset.Set, settings []modelselect.Setting,
	splits []dataset.Split, o modelselect.Options) (*modelselect.Table, error) {
	show, end := s.Watch(f)
	defer end()
	o.Progress = runsOn(show)
	return modelselect.Evaluate(s.Context, set, settings, splits, o)
}

// runsOn shows runs as events.
func runsOn(show func(learn.Event)) func(done, total int, r *modelselect.Run) {
	if show == nil {
		return nil
	}
	return func(done, total int, r *modelselect.Run) {
		show(learn.Event{Phase: "runs", Done: float64(done) / float64(total), Step: done, Text: r.Setting})
	}
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
	of := j.Losses[first]
	j.Error, j.ErrorSE, j.Interval = of.Mean, of.SE, of.Interval
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
