package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/reduce"
)

type fitCmd struct {
	Data string `arg:"" help:"Training points in LIBSVM text or CSV, gzipped or not; - for standard input."`

	Out string `short:"o" placeholder:"MODEL" help:"Write the model here."`
	forceFlag
	Test string `placeholder:"FILE" help:"Report the error on these points too."`

	Time   time.Duration `default:"60s" placeholder:"TIME" group:"search" help:"How long the search and the last training may take together. Default: 60s."`
	MaxSV  int           `name:"max-sv" placeholder:"K" group:"search" help:"No more than K support vectors, in the mean over the folds."`
	Metric string        `enum:"error,balanced,auc" default:"error" group:"search" help:"What is made small: the share of wrong predictions, one less the mean recall of the classes, one less the area under the curve: ${enum}."`
	Seed   uint64        `default:"1" placeholder:"N" group:"search" help:"Draws the folds. Default: 1."`

	DataFlags   dataFlags   `embed:""`
	ColumnFlags columnFlags `embed:""`
	Threads     int         `placeholder:"N" group:"limit" help:"Worker threads; the result does not depend on it, but for what the time allows. Default: all cores."`
	Mem         byteSize    `placeholder:"SIZE" group:"limit" help:"Memory budget, such as 512MiB or 1.5GiB. Default: half of what the machine, or its control group, has."`
}

// fitJSON is what `sparsekm fit --json` prints.
type fitJSON struct {
	N            int        `json:"n"`
	D            int        `json:"d"`
	Best         fitBest    `json:"best"`
	SV           int        `json:"sv"`
	CVError      float64    `json:"cv_error"` // the metric's mean over the folds
	CVErrorSE    float64    `json:"cv_error_se"`
	TestError    *float64   `json:"test_error"`
	Front        []frontRow `json:"front"`
	Linear       *float64   `json:"linear_cv_error,omitempty"`
	MicrosDecide float64    `json:"us_per_prediction"`
	Folds        int        `json:"folds"`
	SearchPoints int        `json:"search_points"`
	Seconds      float64    `json:"seconds"`
	chosen       string
	linearAsGood bool
}

type fitBest struct {
	Method string             `json:"method"`
	Params map[string]float64 `json:"params"`
	Kernel gram.Kernel        `json:"kernel"`
	Scale  string             `json:"scale"`
}

// frontRow is a setting that no other beats in both error and vectors.
type frontRow struct {
	Method  string             `json:"method"`
	Params  map[string]float64 `json:"params"`
	SV      float64            `json:"sv"`
	CVError float64            `json:"cv_error"`
	SE      float64            `json:"cv_error_se"`
	name    string
	chosen  bool
}

func (c *fitCmd) files() (in, out []named) {
	return askedFor(named{"the points", c.Data}, named{"--test", c.Test}), askedFor(named{"--out", c.Out})
}

func (c *fitCmd) validate() error {
	switch {
	case c.Time <= 0:
		return usagef("--time: found %v, want more than 0", c.Time)
	case c.MaxSV < 0:
		return usagef("--max-sv: found %d, want at least 1", c.MaxSV)
	case c.Threads < 0:
		return usagef("--threads: found %d, want at least 1", c.Threads)
	case c.Out == "-":
		return usagef("--out: name a file; standard output has the report")
	}
	return c.DataFlags.validate()
}

func (c *fitCmd) Run(s *session) error {
	if err := c.validate(); err != nil {
		return err
	}
	memory := c.Mem.memory()
	defer limitMemory(memory)()
	c.DataFlags.maxBytes, c.DataFlags.choose = memory, c.ColumnFlags
	train, err := s.load(c.Data, &c.DataFlags)
	if err != nil {
		return err
	}
	if train.Y == nil {
		return usagef("%s: the points have no labels", c.Data)
	}
	if err = c.replaces(s, c.Out, "", train.D); err != nil {
		return err
	}
	o := modelselect.FitOptions{Time: c.Time, Seed: c.Seed}
	o.MaxVectors, o.Threads, o.Memory = c.MaxSV, c.Threads, max(1, memory-setBytes(train))
	o.Metric, _ = modelselect.ParseMetric(c.Metric) // the command line has checked it
	show, end := s.watch(new(talkFlags))
	o.Progress = runsOn(show)
	start := time.Now()
	f, err := modelselect.Fit(s.ctx, train, o)
	end()
	switch {
	case errors.Is(err, modelselect.ErrNoSetting):
		return fmt.Errorf("%w; a larger --time, or fewer constraints", err)
	case err != nil:
		return stopped(err)
	}
	j := newFitJSON(f, train, time.Since(start))
	if c.Out != "" {
		if err = f.Classifier.Save(c.Out, trainedFormat(c.Out)); err != nil {
			return err
		}
	}
	if c.Test != "" {
		c.DataFlags.columns = train.Columns
		test, clf, failed := s.loadFor(f.Classifier, c.Test, &c.DataFlags)
		if failed != nil {
			return failed
		}
		rate := s.judge(clf, test, c.Threads).rate()
		j.TestError = &rate
	}
	if s.json {
		err = s.writeJSON(j)
	} else {
		j.print(s.stdout, c.Metric, c.Out)
	}
	if err == nil && s.ctx.Err() != nil {
		s.note("stopped: chosen on %d splits", f.Folds)
		return errLimit
	}
	return err
}

func newFitJSON(f *modelselect.Fitted, set *dataset.Set, took time.Duration) *fitJSON {
	score, setting := f.Scores[f.Chosen], f.Table.Settings[f.Chosen]
	j := &fitJSON{N: set.N, D: set.D, SV: f.Classifier.NumVectors(), CVError: score.Mean, CVErrorSE: score.SE, Folds: f.Folds,
		SearchPoints: f.Points, Seconds: took.Seconds(), MicrosDecide: reduce.Microseconds(f.Classifier), chosen: setting.Name}
	j.Best = fitBest{Method: f.Report.Method, Params: f.Classifier.Parts().Params, Kernel: f.Report.Kernel,
		Scale: setting.Options.Scale.String()}
	for _, s := range f.Front {
		t := f.Table.Settings[s.Setting]
		j.Front = append(j.Front, frontRow{Method: t.Options.Trainer.Name(), Params: t.Varied, SV: s.Vectors, CVError: s.Mean, SE: s.SE,
			name: t.Name, chosen: s.Setting == f.Chosen})
	}
	if f.Linear != nil {
		j.Linear = &f.Linear.Mean
		j.linearAsGood = f.Linear.Mean <= score.Mean
	}
	return j
}

func (j *fitJSON) print(w io.Writer, metric, out string) {
	t := newTable("", "setting", metric, "vectors")
	chosenShown := false
	row := func(mark, name string, mean, se, sv float64) {
		t.AppendRow([]any{mark, name, fmt.Sprintf("%s ± %.2g", percent(mean), 100*se), fmt.Sprintf("%.4g", sv)})
	}
	for _, f := range j.Front {
		mark := ""
		if f.chosen {
			mark, chosenShown = "chosen", true
		}
		row(mark, f.name, f.CVError, f.SE, f.SV)
	}
	if !chosenShown {
		row("chosen", j.chosen, j.CVError, j.CVErrorSE, float64(j.SV))
	}
	fmt.Fprintln(w, t.Render())
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s"+format+"\n", append([]any{name}, args...)...)
	}
	line("chosen", "%s: the fewest vectors within one standard error of the best",
		j.chosen)
	line("error", "%s ± %.2g on held-out points (%d splits of %d points; chosen by them, so a little too good)",
		percent(j.CVError),
		100*j.CVErrorSE, j.Folds, j.SearchPoints)
	if j.TestError != nil {
		line("", "%s on the test points", percent(*j.TestError))
	}
	line("vectors", "%d, %.3g µs a prediction", j.SV, j.MicrosDecide)
	if j.linearAsGood {
		line("linear", "a linear machine is as good (%s): train -m svc --kernel linear",
			percent(*j.Linear))
	}
	line("time", "%.1f s", j.Seconds)
	if out != "" {
		line("model", "%s", out)
	}
}
