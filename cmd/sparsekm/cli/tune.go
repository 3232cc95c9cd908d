package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

// metricFlag says what is made small.
type metricFlag struct {
	Metric string `enum:"auto,error,balanced,auc,logloss,rmse,mae,r2,loglik,bound" group:"search" help:"What is made small: of classes an error or one less a quality, of values, of a density; bound: train --bound (tune only)."`
}

// metric is what the flag names; auto is that of the task, which zero stands for.
func (f *metricFlag) metric() modelselect.Metric {
	m, _ := modelselect.ParseMetric(f.Metric) // the command line has checked it
	return m
}

type tuneCmd struct {
	Learner   learner   `embed:""`
	GridFlags gridFlags `embed:""`

	metricFlag
	Bound        bound  `rare:"" placeholder:"CONFIDENCE/N" group:"search" help:"With --metric bound: the confidence (95%), and how many kernels and scalings you compared, those of the grid."`
	PreferSparse string `enum:"1se,no" group:"search" help:"Choose the fewest vectors within one standard error, or the best."`
	Outer        int    `min:"2" placeholder:"K" group:"search" help:"Judge the search itself on K outer folds."`
	Ledger       string `placeholder:"FILE" group:"search" writes:"" help:"Keep every run in this file as it is done, and go on from those that it has."`
	Shard        string `rare:"" placeholder:"I/N" group:"search" help:"Make only share I (from 0) of N of the runs; ledgers put together are one."`

	ProgressFlags session.ProgressFlags `embed:""`

	Out string `short:"o" placeholder:"MODEL" writes:"" help:"Write the chosen setting's model, trained on all samples, here."`
	forceFlag
}

// tuneJSON is what `sparsekm tune --json` prints.
type tuneJSON struct {
	Method string      `json:"method"`
	N      int         `json:"n"`
	D      int         `json:"d"`
	Scale  string      `json:"scale"`
	Metric string      `json:"metric"`
	Splits int         `json:"splits"`
	Best   *gridBest   `json:"best"` // the chosen one
	Grid   []gridPoint `json:"grid"`
	Outer  *outerJSON  `json:"outer,omitempty"`
	Search searchJSON  `json:"search"`

	Columns *dataset.Notes `json:"columns,omitempty"` // what was found in a table
}

// gridPoint is a setting with its score.
type gridPoint struct {
	Params      map[string]float64 `json:"params"`
	CVError     float64            `json:"cv_error"`    // the metric's mean
	CVErrorSE   float64            `json:"cv_error_se"` // over the splits
	Interval    *metrics.Interval  `json:"interval,omitempty"`
	SV          float64            `json:"sv"`
	Seconds     float64            `json:"seconds"`
	Limited     int                `json:"limited,omitempty"`
	Failed      string             `json:"failed,omitempty"`
	name        string
	chosen, top bool
}

type gridBest struct {
	gridPoint // its interval reaches over that of ChoiceError
	// ChoiceError is the metric of the choice: each split judges what the others choose. NaN where there is one split.
	ChoiceError float64 `json:"choice_error"`
	// Bound is that of --metric bound, of which CVError and ChoiceError are the value.
	Bound  *assure.ErrorBound `json:"error_bound,omitempty"`
	Kernel *gram.Kernel       `json:"kernel,omitempty"` // of the model on all samples
	Model  string             `json:"model,omitempty"`
}

// outerJSON is the whole search, judged.
type outerJSON struct {
	Error   float64 `json:"error"`
	ErrorSE float64 `json:"error_se"`
	SV      float64 `json:"sv"`

	Interval *metrics.Interval `json:"interval,omitempty"`
	metric   string
}

// boundFlags checks the flags of --metric bound.
func (c *tuneCmd) boundFlags(g session.SetFlags) error {
	if c.metric() != modelselect.Bound {
		if c.Bound != (bound{}) {
			return usagef("--bound: want --metric bound too")
		}
		return nil
	}
	if flag := g.First("folds", "repeat", "group", "splits"); flag != "" {
		return usagef("--%s: --metric bound trains on all samples, those that are no support vectors test; it has no splits",
			flag)
	}
	if c.GridFlags.Search == "halving" {
		return usagef("--search halving: --metric bound has no splits to halve")
	}
	c.Learner.SplitFlags.whole = true
	return nil
}

func (c *tuneCmd) validate() (shard, shards int, err error) {
	if c.Shard == "" {
		return 0, 0, nil
	}
	if shard, shards, err = parseShard(c.Shard); err != nil {
		return 0, 0, err
	}
	switch {
	case c.Ledger == "":
		return 0, 0, usagef("--shard: want a --ledger for the runs")
	case c.Out != "" || c.Outer != 0 || c.GridFlags.Search == "halving":
		return 0, 0, usagef("--shard: --out, --outer and --search halving want the ledgers of all shards in one")
	}
	return shard, shards, nil
}

// parseShard reads I/N, 0 of 0 for nothing.
func parseShard(text string) (shard, shards int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	if _, err = fmt.Sscanf(text, "%d/%d", &shard, &shards); err != nil || shard < 0 || shard >= shards ||
		fmt.Sprintf("%d/%d", shard, shards) != text {
		return 0, 0, usagef("--shard: found %q, want I/N with I from 0 to N-1", text)
	}
	return shard, shards, nil
}

func (c *tuneCmd) Run(s *session.Session) error {
	s.Listen(&c.ProgressFlags)
	l := &c.Learner
	l.metric = c.Metric
	base, err := l.request(s.Set)
	if err = errors.Join(err, c.boundFlags(s.Set)); err != nil {
		return err
	}
	base.Options.Bound = sparsekm.Bound{Confidence: float64(c.Bound.confidence), Settings: c.Bound.settings}
	width := l.Gamma == "" && l.Sigma == nil
	settings, err := c.GridFlags.settings(base.Options, width, l.seed())
	if err != nil {
		return err
	}
	shard, shards, err := c.validate()
	if err != nil {
		return err
	}
	s, cancel := s.WithTimeLimit(l.LimitFlags.TimeLimit)
	defer cancel()
	defer session.LimitMemory(l.LimitFlags.Mem.Bytes())()
	asked := l.Task
	set, splits, err := l.load(s, base)
	if err == nil && l.Task != asked { // another method than before
		settings, err = c.GridFlags.settings(base.Options, width, l.seed())
	}
	if err != nil {
		return err
	}
	for i := range settings {
		each := &settings[i].Options
		each.Scale, each.ClassWeight, each.ScaleTarget = base.Scale, base.ClassWeight, base.ScaleTarget
	}
	if err = c.replaces(s, c.Out, base.Trainer.Name(), set.D, l.LimitFlags.Mem.Bytes()); err != nil {
		return err
	}
	o := l.runs(set)
	o.Name, o.Metric, o.Shard, o.Shards = setName(l.Data), c.metric(), shard, shards
	if c.Ledger != "" {
		if o.Ledger, err = modelselect.OpenLedger(c.Ledger); err != nil {
			return err
		}
		defer o.Ledger.Close()
	}
	if o.Shards > 0 { // a share of the runs
		before := o.Ledger.Len()
		_, err = evaluate(s, &c.ProgressFlags, set, settings, splits, o)
		return noteRuns(s, c.ProgressFlags.Quiet, err, c.Ledger, o.Ledger.Len(), before, "")
	}
	return c.search(s, set, settings, splits, o)
}

// table makes the runs of the search.
func (c *tuneCmd) table(s *session.Session, set *dataset.Set, settings []modelselect.Setting, splits []dataset.Split,
	o modelselect.Options) (*modelselect.Table, error) {
	if c.GridFlags.Search != "halving" {
		return evaluate(s, &c.ProgressFlags, set, settings, splits, o)
	}
	show, end := s.Watch(&c.ProgressFlags)
	defer end()
	o.Progress = runsOn(show)
	return modelselect.Halve(s.Context, set, settings, splits, o)
}

// search makes the runs, chooses and writes. What an interrupt leaves is the choice by the splits that are done.
func (c *tuneCmd) search(s *session.Session, set *dataset.Set, settings []modelselect.Setting, splits []dataset.Split,
	o modelselect.Options) error {
	table, err := c.table(s, set, settings, splits, o)
	if err != nil && s.Context.Err() == nil {
		return err
	}
	scores := table.Scores()
	chosen := modelselect.Choose(scores, ruleOf(c.PreferSparse))
	if chosen < 0 && err != nil {
		return stopped(err)
	}
	j := c.report(set, table, scores, chosen)
	j.Search = searched(table, err)
	if chosen >= 0 && c.Out != "" {
		if failed := c.write(s, set, table, o, j); failed != nil {
			return failed
		}
	}
	if err == nil && c.Outer > 0 {
		if err = c.nested(s, set, settings, o, j); err != nil {
			return err
		}
	}
	if s.JSON {
		if failed := s.WriteJSON(j); failed != nil {
			return failed
		}
	} else if !c.ProgressFlags.Quiet {
		j.print(s.Stdout)
	}
	if chosen < 0 {
		return fmt.Errorf("%s: %w: %s", settings[0].Options.Trainer.Name(), modelselect.ErrNoSetting, scores[0].Failed)
	}
	if b := j.Best.Bound; b != nil {
		noteUnbounded(s, b, sparsekm.Bound{Confidence: b.Confidence})
	}
	weighted := len(settings[0].Options.ClassWeight) > 0 || table.Metric != modelselect.Error && set.Targets == nil
	noteWorthless(s, set, table.Runs[chosen], weighted, "other values of --grid", "another --scale, --method or --kernel")
	return partly(s, err, j.Search, nil)
}

// ruleOf is the rule of --prefer-sparse.
func ruleOf(prefer string) modelselect.Rule {
	if prefer == "1se" {
		return modelselect.OneSE
	}
	return modelselect.Best
}

// write trains the chosen setting on all samples, after an interrupt too: that takes as long as one of the runs. A
// second interrupt ends it.
func (c *tuneCmd) write(s *session.Session, set *dataset.Set, t *modelselect.Table, o modelselect.Options,
	j *tuneJSON) error {
	tuned, err := t.Train(context.WithoutCancel(s.Context), set, ruleOf(c.PreferSparse), o)
	if err != nil {
		return asUsage(err)
	}
	k := tuned.Report.Kernel
	j.Best.Kernel, j.Best.Model = &k, c.Out
	return tuned.Classifier.Save(c.Out, trainedFormat(c.Out))
}

// nested repeats the search on the outer folds, which gives the error of the search itself.
func (c *tuneCmd) nested(s *session.Session, set *dataset.Set, settings []modelselect.Setting, o modelselect.Options,
	j *tuneJSON) error {
	l := &c.Learner
	outer, err := modelselect.Folds(set, c.Outer, 1, l.seed()+1)
	if err != nil {
		return usagef("--outer: %w", err)
	}
	search := &modelselect.Search{Settings: settings, Folds: l.SplitFlags.Folds, Repeats: l.SplitFlags.Repeat, Seed: l.seed(),
		Metric: o.Metric, Rule: ruleOf(c.PreferSparse), Halving: c.GridFlags.Search == "halving"}
	if o.Repeats = 1; o.Metric == modelselect.Bound {
		o.Metric = modelselect.Error
	}
	t, err := evaluate(s, &c.ProgressFlags, set, []modelselect.Setting{{Name: "search", Search: search}}, outer, o)
	if err != nil {
		return stopped(err)
	}
	score := t.Scores()[0]
	if score.Failed != "" {
		return errors.New(score.Failed)
	}
	j.Outer = &outerJSON{metric: t.Metric.String(), Error: score.Mean, ErrorSE: overSplits(score.SE, score.Splits), SV: score.Vectors,
		Interval: score.Interval}
	return nil
}

func (c *tuneCmd) report(set *dataset.Set, t *modelselect.Table, scores []modelselect.Score, chosen int) *tuneJSON {
	j := &tuneJSON{Method: t.Settings[0].Options.Trainer.Name(), N: set.N, D: set.D, Metric: t.Metric.String(),
		Scale: t.Settings[0].Options.Scale.String(), Columns: set.Notes}
	best := modelselect.Choose(scores, modelselect.Best)
	for i, s := range scores {
		p := gridPoint{Params: t.Settings[i].Varied, CVError: s.Mean, CVErrorSE: overSplits(s.SE, s.Splits), SV: s.Vectors,
			Interval: s.Interval, Seconds: s.Seconds, Limited: s.Limited, Failed: s.Failed, name: t.Settings[i].Name, chosen: i == chosen, top: i == best}
		j.Grid = append(j.Grid, p)
		j.Splits = max(j.Splits, s.Splits)
	}
	if chosen >= 0 {
		j.Best = &gridBest{gridPoint: j.Grid[chosen]}
		j.Best.ChoiceError, j.Best.Interval = t.ChoiceBy(ruleOf(c.PreferSparse))
		j.Best.Bound = t.Runs[chosen][0].Bound
	}
	return j
}

// print writes the front of error against vectors for people, the choice marked.
func (j *tuneJSON) print(w io.Writer) {
	const most = 12
	order := slices.Clone(j.Grid)
	slices.SortStableFunc(order, func(a, b gridPoint) int {
		switch {
		case a.CVError < b.CVError:
			return -1
		case a.CVError > b.CVError:
			return 1
		}
		return 0
	})
	t := newTable("", "setting", j.Metric, "vectors", "ms")
	rows := 0
	for _, p := range order {
		mark := ""
		switch {
		case p.chosen:
			mark = "chosen"
		case p.top:
			mark = "best"
		}
		if rows++; rows > most && !p.chosen {
			continue
		}
		value := metricText(j.Metric, p.CVError, p.Interval)
		if p.Failed != "" {
			value = p.Failed
		}
		t.AppendRow([]any{mark, p.name, value, fmt.Sprintf("%.4g", p.SV), fmt.Sprintf("%.3g", 1e3*p.Seconds)})
	}
	fmt.Fprintln(w, t.Render())
	j.printChoice(w)
	if j.Outer != nil {
		fmt.Fprintf(w, "the search itself: %s %s on outer folds, %.4g vectors\n", j.Outer.metric,
			metricText(j.Outer.metric, j.Outer.Error, j.Outer.Interval), j.Outer.SV)
	}
	if j.Best != nil && j.Best.Model != "" {
		fmt.Fprintf(w, "%s has the chosen setting's model, trained on all samples\n", j.Best.Model)
	}
}

// printChoice says on what the settings were compared, and what the choice is good for.
func (j *tuneJSON) printChoice(w io.Writer) {
	on := "each of"
	if j.Metric != modelselect.Bound.String() {
		on = fmt.Sprintf("on %d splits of", j.Splits)
	}
	fmt.Fprintf(w, "%d settings %s %d samples of %d features, scaling: %s\n", len(j.Grid), on, j.N, j.D, j.Scale)
	switch {
	case j.Best == nil:
	case j.Best.Bound != nil:
		fmt.Fprintf(w, "the choice, of settings that count as %d: %s\n", j.Best.Bound.Settings, boundText(j.Best.Bound))
	case math.IsNaN(j.Best.ChoiceError):
		fmt.Fprintf(w, "%s %s is the least on the one split that chose it, and no estimate; more splits give one\n", j.Metric,
			metricText(j.Metric, j.Best.CVError, nil))
	case len(j.Grid) > 1:
		fmt.Fprintf(w, "the choice, each split judging what the others choose: %s %s\n", j.Metric,
			metricText(j.Metric, j.Best.ChoiceError, j.Best.Interval))
	}
}

// axis is a number that --grid varies; the command line takes "c=0.1,1,10" and "gamma=2^-7..2^3" with an optional
// step of the exponent, "c=2^-5..2^15:2".
type axis struct {
	name   string
	values []float64
}

func (a *axis) UnmarshalText(text []byte) error {
	name, list, ok := strings.Cut(string(text), "=")
	if !ok || name == "" || list == "" {
		return fmt.Errorf("%q is not NAME=VALUES", text)
	}
	a.name = strings.ReplaceAll(name, "-", "_")
	from, to, isRange := strings.Cut(list, "..")
	if isRange {
		return a.powers(from, to)
	}
	for word := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: %q is not a finite number", name, word)
		}
		a.values = append(a.values, v)
	}
	return nil
}

// powers reads 2^-5..2^15:2.
func (a *axis) powers(from, to string) error {
	to, stepText, stepped := strings.Cut(to, ":")
	step := 1.0
	var err error
	if stepped {
		if step, err = strconv.ParseFloat(stepText, 64); err != nil || !(step > 0) {
			return fmt.Errorf("%s: the step %q is not a number > 0", a.name, stepText)
		}
	}
	base, low, ok := power(from)
	other, high, okToo := power(to)
	if !ok || !okToo || base != other || low > high || (high-low)/step > 1000 {
		return fmt.Errorf("%s: %q is not such as 2^-5..2^15 with one base and 1000 powers at most", a.name, from+".."+to)
	}
	a.values = modelselect.Powers(base, low, high, step)
	return nil
}

func power(text string) (base, exponent float64, ok bool) {
	b, e, _ := strings.Cut(text, "^")
	base, errBase := strconv.ParseFloat(b, 64)
	exponent, errExponent := strconv.ParseFloat(e, 64)
	return base, exponent, errBase == nil && errExponent == nil && base > 1 && math.Abs(exponent) <= 100
}

// gridFlags say what a search tries.
type gridFlags struct {
	Grid   []axis `sep:"none" placeholder:"NAME=VALUES" group:"search" help:"Values of a parameter, gamma or gamma-times (of the rule's γ): c=0.1,1,10 or c=2^-5..2^15:2; again for more."`
	Search string `enum:"grid,random,halving" group:"search" help:"Every combination; --trials of them; or ever fewer on more splits."`
	Trials int    `default:"30" min:"1" placeholder:"N" group:"search" help:"Settings that a random search tries."`
}

// settings returns the combinations for the method.
func (f *gridFlags) settings(o sparsekm.Options, width bool, seed uint64) ([]modelselect.Setting, error) {
	axes := f.Grid
	if len(axes) == 0 {
		axes = defaultAxes(o, width)
	}
	var of []modelselect.Axis
	seen := make(map[string]bool)
	for _, a := range axes {
		if seen[a.name] {
			return nil, usagef("--grid: %s is there twice", a.name)
		}
		seen[a.name] = true
		switch a.name {
		case "gamma", "gamma_times":
			if seen["gamma"] && seen["gamma_times"] || !width {
				return nil, usagef("--grid %s: γ is given twice", a.name)
			}
			if !o.Kernel.HasGamma() || o.KernelOf != nil {
				return nil, usagef("--grid %s: the kernel has no γ", a.name)
			}
			for _, v := range a.values {
				if !(v > 0) {
					return nil, usagef("--grid %s: found %v, want numbers > 0", a.name, v)
				}
			}
		}
		switch a.name {
		case "gamma":
			of = append(of, modelselect.Gamma(a.values...))
		case "gamma_times":
			of = append(of, modelselect.GammaTimes(a.values...))
		default:
			of = append(of, modelselect.Param(a.name, a.values...))
		}
	}
	settings, err := modelselect.Grid(o, of...)
	if err != nil {
		return nil, asUsage(err)
	}
	if f.Search == "random" {
		settings = modelselect.Sample(settings, f.Trials, seed)
	}
	return settings, nil
}

// defaultAxes are C, where the method has one, and γ, where nothing else said what it is.
func defaultAxes(o sparsekm.Options, width bool) []axis {
	var axes []axis
	if m, err := sparsekm.Lookup(o.Trainer.Name()); err == nil && hasParameter(m, "c") {
		axes = append(axes, axis{"c", []float64{0.1, 1, 10, 100, 1000}})
	}
	if width && o.Kernel.HasGamma() && o.KernelOf == nil {
		axes = append(axes, axis{"gamma_times", []float64{0.1, 0.3, 1, 3, 10}})
	}
	return axes
}
