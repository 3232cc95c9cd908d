package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/reduce"
	"github.com/sparsekm/sparsekm/status"
)

type fitCmd struct {
	Data string `arg:"" reads:"the samples" help:"Training samples: LIBSVM text, CSV, ARFF or NumPy arrays; - for standard input."`

	Out string `short:"o" placeholder:"MODEL" writes:"" help:"Write the model here."`
	forceFlag
	Test string `placeholder:"FILE" reads:"" help:"Report the error on these samples too."`

	TimeLimit     time.Duration `default:"60s" above:"0" placeholder:"TIME" group:"search" help:"How long all trainings may take; on a loaded computer the processor time of one thread, in three times as long at most."`
	MaxSV         int           `name:"max-sv" min:"1" placeholder:"K" group:"search" help:"Keep at most K support vectors."`
	TargetLatency time.Duration `above:"0" placeholder:"TIME" group:"search" help:"A prediction takes at most this long here, such as 2us."`
	Task          string        `enum:"auto,classify,regress" help:"What is learnt; auto goes by the labels."`
	Metric        string        `enum:"auto,error,balanced,auc,logloss,rmse,mae,r2" group:"search" help:"What is compared; balanced: the classes weigh the same in the trainings too."`
	Seed          uint64        `default:"1" placeholder:"N" group:"limit" help:"Seed of whatever is drawn at random."`

	groupFlag
	Calibrate bool  `help:"Fit probabilities to the decisions on held-out samples."`
	Coverage  share `placeholder:"SHARE" help:"Fit prediction sets that contain the own class or value of this share of new samples (90%)."`
	ByClass   bool  `rare:"" help:"Prediction sets have this coverage in each class."`

	session.ProgressFlags
	DataFlags   dataFlags   `embed:""`
	ColumnFlags columnFlags `embed:""`
	session.ThreadsFlag
	session.MemFlag
}

// fitJSON is what `sparsekm fit --json` prints.
type fitJSON struct {
	N            int      `json:"n"`
	D            int      `json:"d"`
	Best         fitBest  `json:"best"`
	Why          string   `json:"why"`
	LinearAsGood bool     `json:"linear_as_good"`
	SV           int      `json:"sv"`
	Extra        string   `json:"extra,omitempty"` // vectors: steps and a plane
	Metric       string   `json:"metric"`
	CVError      *float64 `json:"cv_error"` // the metric's mean over the folds; null where there was no time for one
	CVErrorSE    *float64 `json:"cv_error_se"`
	// ChoiceError is the metric of the choice, each fold judging what the others choose. Interval is the 95 % interval of
	// both.
	ChoiceError   *float64          `json:"choice_error"`
	Interval      *metrics.Interval `json:"interval"`
	TestError     *float64          `json:"test_error"`
	TestInterval  *metrics.Interval `json:"test_interval,omitempty"`
	Search        searchJSON        `json:"search"`
	Compared      []scored          `json:"compared"`
	MicrosDecide  float64           `json:"us_per_prediction"`
	Folds         int               `json:"folds"`
	HeldOut       int               `json:"held_out"`
	SearchSamples int               `json:"search_samples"`
	Trained       int               `json:"trained"`
	Seconds       float64           `json:"seconds"`
	Processor     float64           `json:"processor_seconds"` // null on systems that do not say

	Edges     []learn.Edge   `json:"edges,omitempty"` // of what was tried, at which the chosen parameters lie
	Conformal *conformalJSON `json:"conformal,omitempty"`
	Columns   *dataset.Notes `json:"columns,omitempty"` // what was found in a table

	time string // of the two, as the budget counts them
	name string // of the chosen
	real bool   // values, whose test_error is the root of the mean squared error
}

type fitBest struct {
	Method string             `json:"method"`
	Params map[string]float64 `json:"params"`
	Kernel gram.Kernel        `json:"kernel"`
	Scale  string             `json:"scale"`
	// Categories is "onehot" or "learned", as `train --categories` names them; empty without columns of categories.
	Categories string `json:"categories,omitempty"`
}

// fitTargets are what the labels of the files are, by task.
var fitTargets = map[string]dataset.TargetKind{
	"auto": dataset.TargetGuess, "classify": dataset.TargetClasses, "regress": dataset.TargetValues,
}

func (c *fitCmd) validate() error {
	switch {
	case c.ByClass && c.Coverage == 0:
		return usagef("--by-class: only prediction sets have it; want --coverage too")
	case c.Out == "-":
		return usagef("--out: name a file; standard output has the report")
	}
	return nil
}

// reading returns how the files are read.
func (c *fitCmd) reading(memory int64) reading {
	r := c.DataFlags.reading(memory)
	c.ColumnFlags.choose(&r)
	r.Group, r.Targets, r.Threads = c.Group, fitTargets[c.Task], c.Threads
	if r.Targets == dataset.TargetGuess && (c.Calibrate || c.ByClass || c.DataFlags.TextLabels) {
		r.Targets = dataset.TargetClasses
	}
	r.judgedBy(c.Metric)
	return r
}

// load reads the samples, with classes or values.
func (c *fitCmd) load(s *session.Session, r reading) (*dataset.Set, error) {
	train, err := load(s, c.Data, r)
	switch {
	case err != nil:
		return nil, err
	case !train.Targeted():
		return nil, usagef("%s: the samples have no labels", c.Data)
	case c.Calibrate && train.Targets != nil:
		return nil, usagef("--calibrate: the labels of %s are no classes", c.Data)
	case c.ByClass && train.Targets != nil:
		return nil, usagef("--by-class: the labels of %s are no classes", c.Data)
	}
	r.noteGuess(s, train, c.Task == "classify")
	noteRare(s, train, onlyTrains)
	return train, labelsRepeat(c.Data, train)
}

func (c *fitCmd) Run(s *session.Session) error {
	if err := c.validate(); err != nil {
		return err
	}
	r := c.reading(s.Memory)
	train, err := c.load(s, r)
	if err != nil {
		return err
	}
	if err = c.replaces(s, c.Out, "", train.D); err != nil {
		return err
	}
	o := modelselect.FitOptions{Time: c.TimeLimit, Seed: c.Seed, MaxMicros: float64(c.TargetLatency.Nanoseconds()) / 1e3,
		Calibrate: c.Calibrate,
		Conformal: sparsekm.Conformal{Coverage: float64(c.Coverage), ByClass: c.ByClass}}
	o.MaxVectors, o.Threads, o.Memory = c.MaxSV, c.Threads, max(1, s.Memory-setBytes(train))
	o.Metric, _ = modelselect.ParseMetric(c.Metric) // the command line has checked it
	show, end := s.Watch()
	o.Progress, o.Training = comparingOn(show, o.Metric), show
	start := time.Now()
	f, err := modelselect.Fit(s.Context, train, o)
	end()
	switch {
	case errors.Is(err, modelselect.ErrNoSetting):
		return fmt.Errorf("%w; a larger --time-limit, or fewer constraints", err)
	case err != nil:
		return stopped(err)
	}
	if c.Calibrate {
		calibrated(s, f.Classifier, 1)
	}
	noteUncovered(s, f.Classifier, o.Conformal)
	j := newFitJSON(f, without(train, f.Report.Held), time.Since(start))
	if err = save(f.Classifier, c.Out); err != nil {
		return err
	}
	if c.Test != "" {
		r.like(train)
		test, clf, failed := loadFor(s, f.Classifier, c.Test, r)
		if failed != nil {
			return failed
		}
		judged, failed := newTestJSON(s, clf, &testSamples{file: c.Test, set: test}, c.Threads)
		if failed != nil {
			return failed
		}
		j.TestError, j.TestInterval = &judged.Error, errorInterval(judged.Metrics)
	}
	err = s.Show(j, func(w io.Writer) { j.print(w, c.Out) })
	noteEdges(s, nil, j.Edges, fmt.Sprintf("sparsekm tune --method %s --kernel %v", j.Best.Method, j.Best.Kernel.Kind))
	noteWorthless(s, train, f.Table.Runs[f.Chosen], false, "a larger --time-limit", "tune with another --scale")
	if err != nil {
		return err
	}
	return c.ended(s, f, j)
}

// comparing shows what is compared, and what has the least mean loss so far.
type comparing struct {
	show   func(learn.Event)
	metric modelselect.Metric
	losses map[string][]float64 // by setting
	order  []string
}

// comparingOn is what takes the runs of a comparison; nil if nobody looks at them.
func comparingOn(show func(learn.Event), metric modelselect.Metric) func(done, total int, r *modelselect.Run) {
	if show == nil {
		return nil
	}
	c := &comparing{show: show, metric: metric, losses: make(map[string][]float64)}
	return c.run
}

func (c *comparing) run(done, total int, r *modelselect.Run) {
	if _, values := r.Losses[modelselect.RMSE.String()]; values && c.metric == modelselect.Error {
		c.metric = modelselect.RMSE // the first metric of values
	}
	metric := c.metric.String()
	if loss, ok := r.Losses[metric]; ok {
		if c.losses[r.Setting] == nil {
			c.order = append(c.order, r.Setting)
		}
		c.losses[r.Setting] = append(c.losses[r.Setting], loss)
	}
	best, smallest := "", math.Inf(1)
	for _, name := range c.order {
		if mean := dense.Sum(c.losses[name]) / float64(len(c.losses[name])); mean < smallest {
			best, smallest = name, mean
		}
	}
	text := r.Setting
	if best != "" {
		text += fmt.Sprintf("; best so far: %s, %s", best, metricText(metric, smallest, nil))
	}
	c.show(learn.Event{Phase: "compare", Done: float64(done) / float64(total), Step: done, Text: text})
}

// ended is the end of a command that has a model: a limit is one however far the search came.
func (c *fitCmd) ended(s *session.Session, f *modelselect.Fitted, j *fitJSON) error {
	switch {
	case j.Search.EndedBy == "" && f.Report.Status.Done():
		return nil
	case f.Ended == status.TimeLimit:
		s.Note("%s (%s of --time-limit %v): a larger one compares more, on %d held-out samples here", j.Search.text(), j.time,
			c.TimeLimit, f.HeldOut)
	case f.Ended == status.Cancelled:
		s.Note("%s: chosen on %d held-out samples", j.Search.text(), f.HeldOut)
	default:
		s.Note("the training has not ended (%v)", f.Report.Status)
	}
	return session.ErrLimit
}

// timeText is the time used, by both counts.
func timeText(wall, processor time.Duration) string {
	text := fmt.Sprintf("%.1f s", wall.Seconds())
	if processor >= 0 {
		text += fmt.Sprintf(", %.1f s of processor time", processor.Seconds())
	}
	return text
}

func newFitJSON(f *modelselect.Fitted, set *dataset.Set, took time.Duration) *fitJSON {
	j := &fitJSON{N: set.N, D: set.D, Why: f.Why, LinearAsGood: f.Plane, SV: f.Classifier.NumVectors(),
		Extra: extraText(f.Classifier), Metric: f.Table.Metric.String(), Folds: f.Folds,
		name: f.Table.Settings[f.Chosen].Name, real: set.Targets != nil,
		HeldOut: f.HeldOut, SearchSamples: f.Samples, Trained: f.Trained, Seconds: took.Seconds(),
		MicrosDecide: reduce.Microseconds(f.Classifier), Conformal: newConformalJSON(f.Classifier, len(f.Report.Held)),
		Columns: set.Notes, Edges: f.Edges}
	if j.Processor = math.NaN(); f.Processor >= 0 {
		j.Processor = f.Processor.Seconds()
	}
	j.time = timeText(f.Wall, f.Processor)
	j.Search = newSearch(f.Done, f.Planned, f.Ended)
	if f.Folds > 0 {
		j.ChoiceError, j.Interval = &f.ChoiceError, f.Interval
	}
	j.Best = fitBest{Method: f.Report.Method, Params: f.Classifier.Parts().Params, Kernel: f.Report.Kernel,
		Scale: dataset.ScaleZ.String(), Categories: categoriesOf(f.Classifier.Columns())}
	if c, ok := f.Report.Submodels[0].Report.Figures.(learn.Chooser); ok {
		if values, gamma, _ := c.Chosen(); gamma > 0 {
			maps.Copy(j.Best.Params, values.Numbers())
		}
	}
	j.Compared = newScored(f.Table, f.Scores, f.Chosen)
	if row := j.Compared[f.Chosen]; row.Failed == "" {
		j.CVError, j.CVErrorSE = &row.CVError, &row.CVErrorSE
	}
	untried := func(c scored) int { // those without an error stand last
		if c.Interval == nil {
			return 1
		}
		return 0
	}
	deal.Sort(j.Compared, func(a, b scored) int {
		return cmp.Or(cmp.Compare(untried(a), untried(b)), cmp.Compare(a.SV, b.SV))
	})
	return j
}

// categoriesOf names what columns of categories became, as `train --categories` does.
func categoriesOf(columns dataset.Columns) string {
	switch {
	case columns.Valued():
		return "learned"
	case slices.ContainsFunc(columns, func(c dataset.Column) bool { return c.Role == dataset.RoleCategory }):
		return "onehot"
	}
	return ""
}

func (j *fitJSON) print(w io.Writer, out string) {
	t := newTable("", "", j.Metric, "vectors")
	for _, c := range j.Compared {
		mark, value, sv := "", metricText(j.Metric, c.CVError, c.Interval), fmt.Sprintf("%.4g", c.SV)
		switch {
		case c.Chosen:
			mark = "chosen"
		case c.Front:
			mark = "front"
		}
		if c.Failed != "" {
			value, sv = "left out", ""
		}
		t.add(mark, c.Name, value, sv)
	}
	fmt.Fprintln(w, t)
	line := linesTo(w, 9)
	for _, c := range j.Compared {
		if c.Failed != "" && !c.Chosen {
			line("left out", "%s: %s", c.Name, c.Failed)
		}
	}
	line("chosen", "%s: %s", j.name, j.Why)
	if j.LinearAsGood && j.Best.Kernel.Kind != gram.KindLinear {
		method := "svc"
		if j.real {
			method = "svr"
		}
		line("linear", "a plain linear model errs no more than chance explains: train -m %s --kernel linear", method)
	}
	if j.CVError != nil {
		how := "each choice was made without them"
		if j.Search.Done == 0 {
			how = "the choice of parameters has seen them, the training has not"
		}
		line(j.Metric, "%s on %d held-out samples (folds: %d; %s)", metricText(j.Metric, *j.ChoiceError, j.Interval),
			j.HeldOut, j.Folds, how)
	}
	if j.TestError != nil {
		text := percent(*j.TestError)
		if j.real {
			text = fmt.Sprintf("RMSE %.5g", *j.TestError)
		}
		line("", "%s on the test samples", text+within(j.TestInterval, !j.real))
	}
	if line("vectors", "%d, %.3g µs a prediction", j.SV, j.MicrosDecide); j.Extra != "" {
		line("", "and %s", j.Extra)
	}
	if j.Conformal != nil {
		line("", "%s", j.Conformal)
	}
	if j.Trained < j.N {
		line("trained", "on a sample of %d samples", j.Trained)
	}
	line("time", "%s", j.time)
	if j.Search.EndedBy != "" {
		line("", "%s", j.Search.text())
	}
	if out != "" {
		line("model", "%s", out)
	}
}
