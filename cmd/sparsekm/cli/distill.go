package cli

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/distill"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

type distillCmd struct {
	Teacher string `arg:"" reads:"the teacher" help:"A model, trees of LightGBM (text) or XGBoost (JSON), or a file with a line of numbers for each row of DATA: one, or one a class. Left out with --ask."`
	Data    string `arg:"" optional:"" reads:"the samples" help:"Samples, with or without labels; best some that the teacher was not trained on."`

	Out string `short:"o" placeholder:"MODEL" writes:"" help:"Write the student here."`
	forceFlag
	Kind        string   `enum:"auto,probability,logit,score,value" help:"What the numbers of a file or of --ask are; auto goes by the labels and the numbers."`
	Task        string   `enum:"auto,classify,regress" help:"What the labels are; auto goes by them."`
	LabelWeight *float64 `min:"0" placeholder:"W" group:"search" help:"Weight of the labels against the teacher, from 0 to 1. Default: folds choose 0, 0.5 or 1."`
	Seed        uint64   `default:"1" placeholder:"N" group:"limit" help:"Seed of whatever is drawn at random."`
	groupFlag

	MaxSV         int              `name:"max-sv" min:"1" placeholder:"K" group:"search" help:"Keep at most K support vectors, and steps. Without a budget folds choose up to 64."`
	MaxBytes      session.ByteSize `placeholder:"SIZE" group:"search" help:"At most so many bytes of tables in convert --to c-float, such as 2kB."`
	TargetLatency time.Duration    `above:"0" placeholder:"TIME" group:"search" help:"A prediction takes at most this long here, such as 200ns."`

	Ask      string        `placeholder:"COMMAND" help:"Ask this program, run by the shell in each round: it reads samples as CSV, in the columns of DATA, and writes its numbers, a line a sample."`
	Patience time.Duration `default:"60s" above:"0" placeholder:"TIME" help:"Longest wait for the next line of --ask."`
	Rounds   int           `default:"4" min:"0" placeholder:"N" group:"search" help:"Rounds of new samples at most, while folds gain by them."`

	session.ProgressFlags
	DataFlags   dataFlags   `embed:""`
	ColumnFlags columnFlags `embed:""`
	session.LimitFlags
}

// distillJSON is what `sparsekm distill --json` prints: the report of package distill, the teacher and the time.
type distillJSON struct {
	distill.Report
	SV      int         `json:"sv"`
	Extra   string      `json:"extra,omitempty"` // vectors: steps and a plane
	Teacher teacherJSON `json:"teacher"`
	Failed  string      `json:"failed,omitempty"` // why the teacher answered no more
	Seconds float64     `json:"seconds"`

	Columns *dataset.Notes `json:"columns,omitempty"` // what was found in a table
}

// teacherJSON is what is known of the teacher.
type teacherJSON struct {
	What  string  `json:"what"`
	Nanos float64 `json:"ns,omitempty"`    // of a decision, or of an answer; 0 for a file of numbers
	Bytes int64   `json:"bytes,omitempty"` // of the file of trees, of a model's tables in C
}

func (c *distillCmd) validate(g session.SetFlags) error {
	switch {
	case c.Data == "" && c.Ask == "":
		return usagef("name the teacher and the samples, or the samples and --ask")
	case c.ColumnFlags.Columns.weight != "":
		return usagef("--columns: a student has no weights of samples")
	case c.LabelWeight != nil && *c.LabelWeight > 1:
		return usagef("--label-weight: found %v, want a number from 0 to 1", *c.LabelWeight)
	case c.LabelWeight != nil && *c.LabelWeight > 0 && c.DataFlags.Unlabelled:
		return usagef("--label-weight: the samples have no labels")
	case c.Ask == "" && g.First("patience") != "":
		return usagef("--patience: only a program is waited for; want --ask too")
	case c.Out == "-":
		return usagef("--out: name a file; standard output has the report")
	case c.Data == "-" && c.Teacher == "-":
		return usagef("one of teacher and samples may be standard input, not both")
	}
	return nil
}

func (c *distillCmd) Run(s *session.Session) error {
	if err := c.validate(s.Set); err != nil {
		return err
	}
	t, err := c.teacher(s, s.Memory)
	if err != nil {
		return err
	}
	if err = c.replaces(s, c.Out, "", t.set.D); err != nil {
		return err
	}
	o := distill.Options{Kind: t.kind, Values: t.values, Labels: t.labels, Ask: t.ask, MaxUnits: c.MaxSV,
		MaxNanos: float64(c.TargetLatency.Nanoseconds()), Rounds: c.Rounds, LabelWeight: c.LabelWeight, Seed: c.Seed}
	if c.MaxBytes > 0 {
		o.MaxBytes = int(min(int64(c.MaxBytes), math.MaxInt32))
	}
	if o.Rounds == 0 {
		o.Rounds = -1
	}
	show, end := s.Watch()
	o.Threads, o.Memory, o.InUse, o.Progress = c.Threads, max(1, s.Memory), setBytes(t.set), show
	r, err := distill.Distill(s.Context, t.set, o)
	end()
	if err != nil {
		return stopped(err)
	}
	if err = save(r.Classifier, c.Out); err != nil {
		return err
	}
	j := &distillJSON{Report: r.Report, SV: r.Classifier.NumVectors(), Extra: extraText(r.Classifier),
		Teacher: t.describe(), Seconds: time.Since(s.Start).Seconds(), Columns: t.set.Notes}
	if r.Failed != nil {
		j.Failed = r.Failed.Error()
	}
	if err = s.Show(j, func(w io.Writer) { j.print(w, c.Out) }); err != nil {
		return err
	}
	return c.ended(s, r)
}

// ended is the end of a command that has a student.
func (c *distillCmd) ended(s *session.Session, r *distill.Result) error {
	switch {
	case r.Failed != nil:
		s.Note("%v: the student is that of the answers before", r.Failed)
	case r.Ended != "":
		s.Note("%s: the student is the best so far", r.Ended)
	default:
		return nil
	}
	return session.ErrLimit
}

func (j *distillJSON) print(w io.Writer, out string) {
	line := linesTo(w, 11)
	line("student", "%d vectors, %.3g ns a decision, %d bytes of tables in C", j.SV, j.Nanos, j.Bytes)
	if j.Extra != "" {
		line("", "and %s", j.Extra)
	}
	text := j.Teacher.What
	if j.Teacher.Nanos > 0 {
		text += fmt.Sprintf(", %.3g ns an answer", j.Teacher.Nanos)
	}
	if j.Teacher.Bytes > 0 {
		text += fmt.Sprintf(", %d bytes", j.Teacher.Bytes)
	}
	line("teacher", "%s", text)
	for i, r := range j.Rounds {
		kept := "kept"
		if !r.Kept {
			kept = "no gain: left out"
		}
		line("asked", "round %d: %d new samples, loss to the teacher on such samples %.4g, before %.4g; %s", i+1, r.Asked,
			r.Teacher, r.Before, kept)
	}
	switch {
	case j.LabelWeight == 1 && j.HeldOut != nil:
		line("labels", "alone are followed: with the teacher's answers the loss on held-out samples is larger")
	case j.LabelWeight > 0:
		line("labels", "have the weight %g", j.LabelWeight)
	}
	if j.HeldOut != nil {
		printHeld(j.HeldOut, j.Classes == 0, line)
	}
	line("time", "%s", seconds(j.Seconds))
	if out != "" {
		line("model", "%s", out)
	}
}

// printHeld prints the figures of held-out samples.
func printHeld(h *distill.Held, values bool, line func(name, format string, args ...any)) {
	number := func(e *distill.Estimate) string { return fmt.Sprintf("%.4g", e.Value) + within(e.Interval, false) }
	rate := func(e *distill.Estimate) string { return percent(e.Value) + within(e.Interval, true) }
	how := fmt.Sprintf("on %d held-out samples (the choice of settings has seen them, the training has not)", h.N)
	if values {
		line("agreement", "R² %.4g with the teacher, RMSE %s", h.Agreement.Value, number(&h.Teacher))
		if h.Student != nil {
			line("labels", "RMSE %s, of the teacher %s", number(h.Student), number(h.Given))
		}
		line("", "%s", how)
		return
	}
	line("agreement", "%s have the teacher's class; divergence %s", rate(&h.Agreement), number(&h.Teacher))
	if h.Student != nil {
		line("labels", "error %s, of the teacher %s", rate(h.Student), rate(h.Given))
		line("", "%+.3g %% more than the teacher%s; log loss %s", 100*h.Lost.Value, within(h.Lost.Interval, true),
			number(h.Labels))
	}
	line("", "%s", how)
}

// teacher is what a student follows, with the samples.
type teacher struct {
	what   string
	set    *dataset.Set
	kind   distill.Kind
	labels []string
	values []float64 // of the set's samples
	ask    distill.Teacher
	nanos  func() float64 // of a decision; nil where it is not known
	bytes  int64
}

func (t *teacher) describe() teacherJSON {
	j := teacherJSON{What: t.what, Bytes: t.bytes}
	if t.nanos != nil {
		j.Nanos = t.nanos()
	}
	return j
}

// teacher reads the teacher and the samples.
func (c *distillCmd) teacher(s *session.Session, memory int64) (*teacher, error) {
	if c.Data == "" {
		return c.numbersTeacher(s, "", c.Teacher, memory)
	}
	m, err := readTrees(s, c.Teacher, memory/2)
	if err != nil {
		return nil, advised(err)
	}
	var t *teacher
	if m != nil {
		t, err = c.treesTeacher(s, m, memory-m.Bytes())
	} else {
		known, failed := readRegular(s, c.Teacher, func(_ io.Reader, head []byte) (bool, error) {
			return model.Known(head), nil // else numbers, as those of a pipe are
		})
		if failed != nil {
			return nil, failed
		}
		if !known {
			return c.numbersTeacher(s, c.Teacher, c.Data, memory)
		}
		t, err = c.modelTeacher(s, memory)
	}
	if err == nil && c.Kind != "auto" {
		return nil, usagef("--kind: %s says itself what its numbers are", t.what)
	}
	if err == nil && c.Ask != "" {
		return nil, usagef("--ask: %s answers by itself", t.what)
	}
	return t, err
}

// reading returns how DATA is read.
func (c *distillCmd) reading(memory int64) reading {
	r := c.DataFlags.reading(memory)
	c.ColumnFlags.choose(&r)
	r.Group, r.Targets, r.Threads, r.weighs = c.Group, fitTargets[c.Task], c.Threads, false
	return r
}

// modelTeacher is a model of ours, or one that we read.
func (c *distillCmd) modelTeacher(s *session.Session, memory int64) (*teacher, error) {
	clf, _, err := loadClassifier(s, c.Teacher, memory/2)
	if err != nil {
		return nil, err
	}
	if clf.Task().Blind() {
		return nil, fmt.Errorf("%s: found a model of %v, want classes or values", c.Teacher, clf.Task())
	}
	r := c.DataFlags.reading(memory - clf.Bytes())
	r.Threads, r.Group = c.Threads, c.Group
	r.Columns, r.Targets = plainColumns(clf.Columns()), targetsOf(clf)
	r.ZeroBased = r.ZeroBased || clf.ZeroBased()
	set, err := load(s, c.Data, r)
	if err != nil {
		return nil, err
	}
	if clf, err = r.indexed(clf, c.Data, set); err != nil {
		return nil, err
	}
	want := clf.NumFeatures()
	if clf.Columns().Valued() {
		want = clf.Columns().NumPlain()
	}
	if set.D > want && clf.TrainedFeatures() == 0 {
		if clf, err = clf.WithFeatures(set.D); err != nil {
			return nil, err
		}
		want = set.D
	}
	if set.D < want && set.Pairs {
		set = set.Widen(want)
	}
	if set.D != want {
		return nil, featuresError(c.Data, set.D, want, "the model")
	}
	t := &teacher{what: "a model of " + methodOf(clf.Method()), set: set, kind: distill.Probabilities,
		labels: clf.Labels(), nanos: func() float64 { return 1000 * reduce.Microseconds(clf) }}
	switch {
	case clf.Task() == learn.Regress:
		t.kind, t.labels = distill.Values, nil
	case clf.Calibrated() != nil && (clf.Scheme() == model.Binary || clf.Scheme() == model.OneVsRest):
		t.kind = distill.Scores
	}
	if bytes, bad := export.TableBytes(clf, export.Options{Float: true}); bad == nil {
		t.bytes = int64(bytes)
	}
	t.ask = asksModel(clf, t.kind, set.Columns, c.Threads)
	return t, nil
}

// plainColumns are columns with a feature of 0 and 1 for each category.
func plainColumns(columns dataset.Columns) dataset.Columns {
	plain := columns.Clone()
	for i := range plain {
		plain[i].Values = nil
	}
	return plain
}
