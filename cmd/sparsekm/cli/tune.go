package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
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
	learner
	gridFlags

	metricFlag
	Bound        bound  `rare:"" placeholder:"CONFIDENCE/N" group:"search" help:"With --metric bound: the confidence (95%), and how many kernels and scalings you compared, those of the grid."`
	PreferSparse string `enum:"1se,no" group:"search" help:"Choose the fewest vectors within one standard error, or the best."`
	Outer        int    `min:"2" placeholder:"K" group:"search" help:"Judge the search itself on K outer folds."`
	Ledger       string `placeholder:"FILE" group:"search" writes:"" help:"Keep every run in this file as it is done, and go on from those that it has."`
	shardFlag

	session.ProgressFlags

	Out string `short:"o" placeholder:"MODEL" writes:"" help:"Write the chosen setting's model, trained on all samples, here."`
	forceFlag
}

// tuneJSON is what `sparsekm tune --json` prints.
type tuneJSON struct {
	Method string     `json:"method"`
	N      int        `json:"n"`
	D      int        `json:"d"`
	Scale  string     `json:"scale"`
	Metric string     `json:"metric"`
	Splits int        `json:"splits"`
	Best   *gridBest  `json:"best"` // the chosen one
	Grid   []scored   `json:"grid"`
	Outer  *outerJSON `json:"outer,omitempty"`
	Search searchJSON `json:"search"`

	Columns *dataset.Notes `json:"columns,omitempty"` // what was found in a table
}

// scored is a setting, its choice of parameters included, judged on held-out samples.
type scored struct {
	Name      string             `json:"name"`
	Params    map[string]float64 `json:"params,omitempty"`
	CVError   float64            `json:"cv_error"`    // the metric's mean
	CVErrorSE float64            `json:"cv_error_se"` // over the splits
	Interval  *metrics.Interval  `json:"interval,omitempty"`
	SV        float64            `json:"sv"`
	Seconds   float64            `json:"seconds"`
	Limited   int                `json:"limited,omitempty"`
	Failed    string             `json:"failed,omitempty"`
	Front     bool               `json:"front"` // no other has less of both error and vectors
	Chosen    bool               `json:"chosen"`
	mark      string
}

// newScored are the settings of a table with their scores; the chosen one is marked, and by the same rule the best.
func newScored(t *modelselect.Table, scores []modelselect.Score, chosen int) (all []scored) {
	for i, s := range scores {
		p := scored{Name: t.Settings[i].Name, Params: t.Settings[i].Varied, CVError: s.Mean,
			CVErrorSE: overSplits(s.SE, s.Splits), Interval: s.Interval, SV: s.Vectors, Seconds: s.Seconds, Limited: s.Limited,
			Failed: s.Failed, Chosen: i == chosen}
		if p.Chosen {
			p.mark = "chosen"
		}
		all = append(all, p)
	}
	for i := range all {
		a := &all[i]
		a.Front = a.Failed == "" && !slices.ContainsFunc(scores, func(b modelselect.Score) bool {
			better := b.Vectors < a.SV || b.Mean < a.CVError || b.Setting < i
			return b.Failed == "" && b.Setting != i && b.Vectors <= a.SV && b.Mean <= a.CVError && better
		})
	}
	return all
}

type gridBest struct {
	scored // its interval reaches over that of ChoiceError
	// ChoiceError is the metric of the choice: each split judges what the others choose. NaN where there is one split.
	ChoiceError float64 `json:"choice_error"`
	// Bound is the proven error bound of --metric bound; CVError and ChoiceError then are its value.
	Bound  *assure.ErrorBound `json:"error_bound,omitempty"`
	Kernel *gram.Kernel       `json:"kernel,omitempty"` // of the model on all samples
	Model  string             `json:"model,omitempty"`
	Edges  []learn.Edge       `json:"edges,omitempty"` // of the grid at which the choice lies
}

// outerJSON is the whole search, judged.
type outerJSON struct {
	Error   float64 `json:"error"`
	ErrorSE float64 `json:"error_se"`
	SV      float64 `json:"sv"`
	Edges   int     `json:"edges"` // splits whose choice is at the end of its grid

	Interval *metrics.Interval `json:"interval,omitempty"`
	metric   string
}

// validate refuses flags that go with no bound, or with no share of the runs.
func (c *tuneCmd) validate(g session.SetFlags) error {
	bounds, halving := c.metric() == modelselect.Bound, c.Search == "halving"
	flag := g.First("folds", "repeat", "group", "splits")
	c.SplitFlags.whole = bounds
	switch {
	case !bounds && c.Bound != (bound{}):
		return usagef("--bound: want --metric bound too")
	case bounds && flag != "":
		return usagef("--%s: --metric bound trains on all samples, those that are no support vectors test; it has no splits",
			flag)
	case bounds && halving:
		return usagef("--search halving: --metric bound has no splits to halve")
	case c.Shard.count > 0 && c.Ledger == "":
		return usagef("--shard: want a --ledger for the runs")
	case c.Shard.count > 0 && (c.Out != "" || c.Outer != 0 || halving):
		return usagef("--shard: --out, --outer and --search halving want the ledgers of all shards in one")
	}
	return nil
}

func (c *tuneCmd) Run(s *session.Session) error {
	c.learner.metric = c.Metric
	base, err := c.request(s.Set)
	if err = errors.Join(err, c.validate(s.Set)); err != nil {
		return err
	}
	base.Options.Bound = sparsekm.Bound{Confidence: float64(c.Bound.confidence), Settings: c.Bound.settings}
	width := c.Gamma == "" && c.Sigma == nil
	if _, err = c.settings(base.Options, width, c.seed()); err != nil { // before anything is read
		return err
	}
	r, err := c.search(s, base)
	if err != nil {
		return err
	}
	if r.choice.Settings, err = c.settings(base.Options, width, c.seed()); err != nil {
		return err
	}
	if err = c.replaces(s, c.Out, base.Trainer.Name(), r.set.D); err != nil {
		return err
	}
	r.Name, r.Metric, r.Shard, r.Shards = setName(c.Data), c.metric(), c.Shard.index, c.Shard.count
	r.choice.Seed, r.choice.Rule = c.seed(), ruleOf(c.PreferSparse)
	r.choice.Halving, r.choice.Grow = c.Search == "halving", c.grows()
	if c.Ledger != "" {
		if r.Ledger, err = modelselect.OpenLedger(c.Ledger); err != nil {
			return err
		}
		defer r.Ledger.Close()
	}
	if r.Shards > 0 { // a share of the runs
		before := r.Ledger.Len()
		_, err = r.table(s)
		return noteRuns(s, err, c.Ledger, r.Ledger.Len(), before, "")
	}
	return c.choose(s, r)
}

// choose makes the runs, chooses and writes. What an interrupt leaves is the choice by the splits that are done.
func (c *tuneCmd) choose(s *session.Session, r *search) error {
	table, err := r.table(s)
	if err != nil && s.Context.Err() == nil {
		return err
	}
	scores := table.Scores()
	chosen := modelselect.Choose(scores, ruleOf(c.PreferSparse))
	if chosen < 0 && err != nil {
		return stopped(err)
	}
	j := c.report(r.set, table, scores, chosen)
	j.Search = searched(table, err)
	if chosen >= 0 && c.Out != "" {
		if failed := c.write(s, r, table, j); failed != nil {
			return failed
		}
	}
	if err == nil && c.Outer > 0 {
		if err = c.nested(s, r, j); err != nil {
			return err
		}
	}
	if failed := s.Show(j, j.print); failed != nil {
		return failed
	}
	if chosen < 0 {
		return fmt.Errorf("%s: %w: %s", j.Method, modelselect.ErrNoSetting, scores[0].Failed)
	}
	if b := j.Best.Bound; b != nil {
		noteUnbounded(s, b, sparsekm.Bound{Confidence: b.Confidence})
	}
	noteEdges(s, table.Settings[chosen].Varied, j.Best.Edges, gridsOf(table.Settings[chosen].Varied))
	weighted := len(table.Settings[0].Options.ClassWeight) > 0 || table.Metric != modelselect.Error && r.set.Targets == nil
	noteWorthless(s, r.set, table.Runs[chosen], weighted, "other values of --grid",
		"another --scale, --method or --kernel")
	return partly(s, err, j.Search, nil)
}

// noteEdges says at which ends of what was tried the choice lies, and what to do.
func noteEdges(s *session.Session, chosen map[string]float64, edges []learn.Edge, do string) {
	if len(edges) == 0 || s.Quiet {
		return
	}
	var at []string
	for _, e := range edges {
		v, ok := chosen[e.Name]
		if !ok {
			v = e.Value
		}
		at = append(at, fmt.Sprintf("%s=%.6g", e.Name, v))
	}
	s.Note("the choice %s is at the end of its grid: %s may be better (%s)", strings.Join(slices.Compact(at), ", "),
		beyond(edges), do)
}

// noteEnds says in how many splits the choice of a search lies at an end of its grid, and returns the number.
func noteEnds(s *session.Session, search string, runs []*modelselect.Run) (splits int) {
	var edges []learn.Edge
	var varied map[string]float64
	for _, r := range runs {
		if r == nil || r.Search == nil || len(r.Search.Edges) == 0 {
			continue
		}
		splits, varied = splits+1, r.Varied
		for _, e := range r.Search.Edges {
			e.Value = 0 // each split has its own
			edges = append(edges, e)
		}
	}
	if splits > 0 && !s.Quiet {
		s.Note("%s: in %d of %d splits the choice is at the end of its grid: %s may be better (%s)", search, splits,
			len(runs), beyond(edges), gridsOf(varied))
	}
	return splits
}

// beyond says what may be better than a choice at edges.
func beyond(edges []learn.Edge) string {
	var better []string
	for _, e := range edges {
		way := "larger "
		if e.Least {
			way = "smaller "
		}
		if way += e.Name; !slices.Contains(better, way) {
			better = append(better, way)
		}
	}
	return strings.Join(better, ", ")
}

// gridsOf are the flags of a grid of such numbers: without one of them it is not varied.
func gridsOf(varied map[string]float64) string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(varied)) {
		flags = append(flags, "--grid "+name+"=...")
	}
	return strings.Join(flags, " ")
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
func (c *tuneCmd) write(s *session.Session, r *search, t *modelselect.Table, j *tuneJSON) error {
	tuned, err := t.Train(context.WithoutCancel(s.Context), r.set, ruleOf(c.PreferSparse), r.Options)
	if err != nil {
		return asUsage(err)
	}
	j.Best.Kernel, j.Best.Model = &tuned.Report.Kernel, c.Out
	return save(tuned.Classifier, c.Out)
}

// nested repeats the search on the outer folds, which gives the error of the search itself.
func (c *tuneCmd) nested(s *session.Session, r *search, j *tuneJSON) error {
	outer, err := modelselect.Folds(r.set, c.Outer, 1, c.seed()+1)
	if err != nil {
		return usagef("--outer: %w", err)
	}
	o, inner := *r, r.choice
	inner.Folds, inner.Repeats, inner.Metric = c.SplitFlags.Folds, c.SplitFlags.Repeat, r.Metric
	o.choice = modelselect.Search{Settings: []modelselect.Setting{{Name: "search", Search: &inner}}}
	o.splits, o.Repeats = outer, 1
	if o.Metric == modelselect.Bound {
		o.Metric = modelselect.Error
	}
	t, err := o.table(s)
	if err != nil {
		return stopped(err)
	}
	score := t.Scores()[0]
	if score.Failed != "" {
		return errors.New(score.Failed)
	}
	j.Outer = &outerJSON{score.Mean, overSplits(score.SE, score.Splits), score.Vectors, noteEnds(s, "--outer", t.Runs[0]),
		score.Interval, t.Metric.String()}
	return nil
}

func (c *tuneCmd) report(set *dataset.Set, t *modelselect.Table, scores []modelselect.Score, chosen int) *tuneJSON {
	j := &tuneJSON{Method: t.Settings[0].Options.Trainer.Name(), N: set.N, D: set.D, Metric: t.Metric.String(),
		Scale: t.Settings[0].Options.Scale.String(), Columns: set.Notes}
	j.Grid = newScored(t, scores, chosen)
	if best := modelselect.Choose(scores, modelselect.Best); best >= 0 && best != chosen {
		j.Grid[best].mark = "best"
	}
	for _, score := range scores {
		j.Splits = max(j.Splits, score.Splits)
	}
	if chosen >= 0 {
		j.Best = &gridBest{scored: j.Grid[chosen]}
		j.Best.ChoiceError, j.Best.Interval = t.ChoiceBy(ruleOf(c.PreferSparse))
		j.Best.Bound, j.Best.Edges = t.Runs[chosen][0].Bound, t.Edges(scores, chosen)
	}
	return j
}

// print writes the front of error against vectors for people, the choice marked.
func (j *tuneJSON) print(w io.Writer) {
	const maxRows = 12
	order := slices.Clone(j.Grid)
	deal.Sort(order, func(a, b scored) int {
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
		if rows++; rows > maxRows && !p.Chosen {
			continue
		}
		value := metricText(j.Metric, p.CVError, p.Interval)
		if p.Failed != "" {
			value = p.Failed
		}
		t.add(p.mark, p.Name, value, fmt.Sprintf("%.4g", p.SV), fmt.Sprintf("%.3g", 1e3*p.Seconds))
	}
	fmt.Fprintln(w, t)
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

// shardFlag takes a share of the runs.
type shardFlag struct {
	Shard shard `rare:"" placeholder:"I/N" group:"search" help:"Make only share I (from 0) of N of the runs; ledgers put together are one."`
}

// shard is a share of runs; 0 of 0 is all of them.
type shard struct{ index, count int }

// UnmarshalText reads I/N.
func (s *shard) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%d/%d", &s.index, &s.count); err != nil || s.index < 0 || s.index >= s.count ||
		fmt.Sprintf("%d/%d", s.index, s.count) != string(text) {
		return fmt.Errorf("found %q, want I/N with I from 0 to N-1", text)
	}
	return nil
}

// gridFlags say what a search tries.
type gridFlags struct {
	Grid   []axis `sep:"none" placeholder:"NAME=VALUES" group:"search" help:"Values of a parameter, gamma or gamma-times (of the rule's γ): c=0.1,1,10 or c=2^-5..2^15:2; again for more. The usual grid goes on where the choice is at its end, once."`
	Search string `enum:"grid,random,halving" group:"search" help:"Every combination; --trials of them; or ever fewer on more splits."`
	Trials int    `default:"30" min:"1" placeholder:"N" group:"search" help:"Settings that a random search tries."`
}

// settings returns the combinations for the method.
func (f *gridFlags) settings(o sparsekm.Options, width bool, seed uint64) ([]modelselect.Setting, error) {
	axes := f.Grid
	if len(axes) == 0 {
		axes = defaultAxes(o, width)
	}
	var varied []modelselect.Axis
	seen := make(map[string]bool)
	for _, a := range axes {
		if seen[a.name] {
			return nil, usagef("--grid: %s is there twice", a.name)
		}
		seen[a.name] = true
		axis, ok := map[string]func(...float64) modelselect.Axis{"gamma": modelselect.Gamma,
			"gamma_times": modelselect.GammaTimes}[a.name]
		switch {
		case !ok:
			axis = func(values ...float64) modelselect.Axis { return modelselect.Param(a.name, values...) }
		case seen["gamma"] && seen["gamma_times"] || !width:
			return nil, usagef("--grid %s: γ is given twice", a.name)
		case !o.Kernel.HasGamma() || o.KernelOf != nil:
			return nil, usagef("--grid %s: the kernel has no γ", a.name)
		case slices.ContainsFunc(a.values, func(v float64) bool { return !(v > 0) }):
			return nil, usagef("--grid %s: found %v, want numbers > 0", a.name, a.values)
		}
		varied = append(varied, axis(a.values...))
	}
	settings, err := modelselect.Grid(o, varied...)
	if err != nil {
		return nil, asUsage(err)
	}
	if f.Search == "random" {
		settings = modelselect.Sample(settings, f.Trials, seed)
	}
	return settings, nil
}

// grows reports whether the grid is the command's own: one that was asked for does not grow.
func (f *gridFlags) grows() bool { return len(f.Grid) == 0 }

// defaultAxes are C, where the method has one, from a tenth of its default or of 1 on, and γ, where nothing else said
// what it is.
func defaultAxes(o sparsekm.Options, width bool) []axis {
	var axes []axis
	if m, err := sparsekm.Lookup(o.Trainer.Name()); err == nil {
		for _, q := range m.Params() {
			if c, ok := q.Default.(float64); ok && q.Name == "c" {
				least := math.Round(math.Log10(min(c, 1))) - 1
				axes = append(axes, axis{"c", modelselect.Powers(10, least, least+4, 1)})
			}
		}
	}
	if width && o.Kernel.HasGamma() && o.KernelOf == nil {
		axes = append(axes, axis{"gamma_times", []float64{0.1, 0.3, 1, 3, 10}})
	}
	return axes
}
