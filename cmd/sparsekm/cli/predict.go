package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
)

type predictCmd struct {
	modelArg
	Data string `arg:"" reads:"the samples" help:"Samples, classified as they come; - for standard input."`

	Out         string `short:"o" placeholder:"FILE" writes:"-" help:"Write the labels here, one a line. Default: standard output."`
	To          string `enum:"text,csv,jsonl" help:"Form of the lines."`
	Decisions   bool   `help:"Write each sample's decisions after its label."`
	Probability bool   `help:"Write the probability of each class, in the order of info."`
	Variance    bool   `help:"Write the variance of each value: of Gaussian processes, rvm and rvm-fast."`
	Sets        bool   `help:"Write each sample's prediction set, 1 for a class that is in it, or the ends of the interval."`

	DataFlags    dataFlags    `embed:""`
	ExplainFlags explainFlags `embed:""`
	session.ThreadsFlag
	session.MemFlag
}

// predictJSON is what `sparsekm predict --json` prints. Labels and decisions are
// absent when they went to a file; errors are null for samples without labels.
type predictJSON struct {
	N              int             `json:"n"`
	D              int             `json:"d"`
	Errors         *int            `json:"errors"`
	Error          *float64        `json:"error"`
	Metrics        *metrics.Report `json:"metrics,omitempty"`
	Labels         []string        `json:"labels,omitempty"`
	Values         []float64       `json:"values,omitempty"`    // instead of labels and decisions
	Variances      []float64       `json:"variances,omitempty"` // of values, with --variance
	Decisions      [][]float64     `json:"decisions,omitempty"` // one for each model of the model
	Classes        []string        `json:"classes,omitempty"`   // with probabilities, whose order they are
	Probabilities  [][]float64     `json:"probabilities,omitempty"`
	Sets           [][]string      `json:"sets,omitempty"`      // labels, of classes with --sets
	Intervals      [][]float64     `json:"intervals,omitempty"` // ends, of values with --sets
	Coverage       *coveredJSON    `json:"coverage,omitempty"`
	Filled         map[string]int  `json:"filled,omitempty"` // missing cells of each column
	Seconds        secondsJSON     `json:"seconds"`          // load: waiting for samples
	Implementation string          `json:"implementation"`
}

func (c *predictCmd) validate(s *session.Session) error {
	if s.JSON && c.Out == "" && c.To != "text" {
		return usagef("--to %s: --json writes one object; want --out, or one of the two", c.To)
	}
	return c.ExplainFlags.validate(s.Set)
}

func (c *predictCmd) Run(s *session.Session) error {
	if err := c.validate(s); err != nil {
		return err
	}
	start, memory := time.Now(), c.Mem.Bytes()
	clf, _, err := loadClassifier(s, c.Model, memory)
	if err != nil {
		return err
	}
	for _, has := range []struct {
		asked bool
		lacks func() error
	}{{c.Probability, clf.Calibrated}, {c.Variance, clf.Uncertain}, {c.Sets, clf.Covers}} {
		if err = has.lacks(); err != nil && has.asked {
			return fmt.Errorf("%s: %s", c.Model, strings.TrimPrefix(err.Error(), "model: "))
		}
	}
	if clf.Task().Real() && c.Decisions {
		return usagef("--decisions: %s predicts values, and they are its decisions", c.Model)
	}
	j := &predictJSON{Implementation: sparsekm.Level()}
	j.Seconds.Load = time.Since(start).Seconds()
	p := &predictor{s: s, clf: clf, json: j, threads: c.Threads, name: c.Data, memory: memory - clf.Bytes(),
		wanted: wanted{c.Probability, c.Variance, c.Sets}}
	p.reading = c.DataFlags.reading(p.memory / 2)
	if c.Sets {
		j.Coverage = new(coveredJSON)
	}
	if c.ExplainFlags.Explain != nil {
		return p.explain(&c.ExplainFlags)
	}
	read := func(w io.Writer) error {
		w = s.Stopping(w)
		l := &predict.Lines{Form: c.To, Decisions: c.Decisions}
		p.take = func(b *predict.Predictions, _ *dataset.Set, first int) error {
			text, failed := l.Of(b, first)
			if failed == nil {
				_, failed = w.Write(text)
			}
			return failed
		}
		return p.read()
	}
	switch {
	case c.Out != "" && c.Out != "-":
		err = fileformat.Write(c.Out, read)
	case s.JSON:
		p.take = p.keep
		err = p.read()
	default:
		err = read(s.Stdout)
	}
	if err != nil {
		return err
	}
	return p.report()
}

// keep adds a batch to the object.
func (p *predictor) keep(b *predict.Predictions, _ *dataset.Set, _ int) error {
	const number, row = 64, 128 // bytes, with the text
	j := p.json
	if p.kept += int64(row*b.N + number*(len(b.Decisions)+len(b.Probabilities))); p.kept > p.memory/2 {
		return fmt.Errorf("--json keeps the predictions until the end, and those of %d samples take more than half of the "+
			"memory budget: give more by --mem, or take --to jsonl", j.N)
	}
	if b.Classes == nil {
		j.Values = append(j.Values, b.Decisions...)
		j.Variances = append(j.Variances, b.Variances...)
		j.Intervals = append(j.Intervals, b.IntervalRows()...)
		return nil
	}
	j.Labels = append(j.Labels, b.Labels()...)
	j.Decisions = append(j.Decisions, b.DecisionRows()...)
	j.Sets = append(j.Sets, b.SetLabels()...)
	if b.Probabilities != nil {
		j.Classes = b.Model.Labels()
		j.Probabilities = append(j.Probabilities, b.ProbabilityRows()...)
	}
	return nil
}

// report says how many labels were wrong, where there were any.
func (p *predictor) report() error {
	if c := p.json.Coverage; c != nil {
		c.finish(p.clf)
		if !p.s.JSON {
			defer c.print(p.s.Stderr)
		}
	}
	if p.count != nil {
		r := p.count.Report()
		p.json.Metrics = r
		switch {
		case r.Density != nil:
		case r.Regression != nil:
			p.json.Error = r.RMSE
		default:
			p.json.Errors, p.json.Error = &r.Errors, r.ErrorRate
		}
	}
	if p.s.JSON {
		return p.s.WriteJSON(p.json)
	}
	if p.count != nil && p.json.Metrics.Density != nil {
		printSummary(p.s.Stderr, p.json.Metrics)
	} else if p.count != nil && p.json.Metrics.Regression != nil {
		fmt.Fprintf(p.s.Stderr, "RMSE %.6g%s, ", *p.json.Error, within(errorInterval(p.json.Metrics), false))
		printSummary(p.s.Stderr, p.json.Metrics)
	} else if p.count != nil {
		fmt.Fprintf(p.s.Stderr, "error %s (%d of %d; 95 %%: %s)\n", percent(*p.json.Error), *p.json.Errors,
			p.json.Metrics.Samples, rangeText(errorInterval(p.json.Metrics), true))
		printMetrics(p.s.Stderr, p.json.Metrics)
		unknown := 0
		for _, n := range p.json.Metrics.Unknown {
			unknown += n
		}
		noteUnknown(p.s, unknown, "samples")
	}
	return nil
}

// predictor classifies samples while they are read.
type predictor struct {
	s       *session.Session
	clf     *sparsekm.Classifier
	name    string // of the samples
	reading reading
	threads int

	wanted wanted
	take   batchTaker   // of each batch, in order
	json   *predictJSON // where samples, features and seconds are counted

	waiting
	ragged  bool
	skipped int
	notes   *dataset.Notes
	count   *predict.Evaluation // nil before the first targets

	memory int64 // that the model leaves
	kept   int64 // bytes of the object of --json
}

// wanted is what is predicted besides labels or values.
type wanted struct{ probabilities, variances, sets bool }

// batchTaker takes the predictions for a set whose first sample is that row of the file.
type batchTaker func(b *predict.Predictions, set *dataset.Set, first int) error

// waiting is the rows that wait for one that tells whether they are complete.
type waiting struct {
	early []*dataset.Set
	rows  int  // in early
	short bool // some were let go before such a row came
}

// maxEarly bounds the rows that wait.
const maxEarly = 1000

// read reads the samples and classifies at the same time what has come. An interrupt
// ends the wait, even for somebody who types.
func (p *predictor) read() error {
	ctx, cancel := context.WithCancel(p.s.Context)
	defer cancel() // the reader's
	sets, ended := make(chan *dataset.Set), make(chan error, 1)
	go func() {
		ended <- p.readTo(ctx, sets)
		close(sets)
	}()
	waiting := time.Now()
	for {
		select {
		case <-ctx.Done():
			return stopped(ctx.Err())
		case set, ok := <-sets:
			now := time.Now()
			p.json.Seconds.Load += now.Sub(waiting).Seconds()
			if !ok {
				return p.finish(<-ended)
			}
			if err := p.fit(set); err != nil {
				return err
			}
			waiting = time.Now()
			p.json.Seconds.Predict += waiting.Sub(now).Seconds()
		}
	}
}

// readTo sends the samples in batches.
func (p *predictor) readTo(ctx context.Context, sets chan<- *dataset.Set) (err error) {
	o := p.reading.Options
	o.Width, o.Columns = p.clf.NumFeatures(), p.clf.Columns()
	o.KeepSparse, o.KeepNarrow, o.KeepUnlabelled = true, p.clf.Sparse(), true
	expectOf(&o, p.clf)
	o.ZeroBased = o.ZeroBased || p.clf.ZeroBased()
	r, name := p.s.Stdin, "standard input"
	if p.name != "-" {
		f, failed := os.Open(p.name)
		if failed != nil {
			return failed
		}
		defer f.Close()
		r, name = f, p.name
	}
	pprof.Do(ctx, pprof.Labels("phase", "load"), func(context.Context) {
		err = dataset.Batches(r, name, o, func(set *dataset.Set) error {
			select {
			case sets <- set:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	return advised(err)
}

// fit gives a batch the classifier's number of features. Rows of a LIBSVM file may leave out trailing zeros, which
// shows in rows that end at different features: until one does, shorter rows wait, maxEarly of
// them at most. A LIBSVM model may have left out zeros too; it gets wider then.
func (p *predictor) fit(set *dataset.Set) (err error) {
	if err = p.reading.misplaced(p.s.Set, inputName(p.name), set); err != nil {
		return err
	}
	if set.ZeroBased && !p.clf.ZeroBased() && !p.reading.ZeroBased {
		if err = p.release(); err != nil {
			return err
		}
		if p.clf, err = p.reading.indexed(p.clf, p.name, set); err != nil {
			return err
		}
	}
	want := p.clf.NumFeatures()
	p.skipped += set.Skipped
	p.notes = joined(p.notes, set.Notes)
	p.json.D, p.ragged = max(p.json.D, set.D), set.Ragged
	switch {
	case set.D > want && p.clf.TrainedFeatures() == 0:
		if p.clf, err = p.clf.WithFeatures(set.D); err != nil {
			return err
		}
	case set.D > want || set.D < want && set.Columns != nil:
		return featuresError(p.name, set.D, want, "the model")
	case set.D < want && !set.Ragged && set.D < minFeatures(p.clf):
		p.short = p.short || p.rows+set.N > maxEarly
		if !p.short {
			p.early, p.rows = append(p.early, set), p.rows+set.N
			return nil
		}
	}
	if err = p.release(); err != nil {
		return err
	}
	return p.decide(set)
}

// release lets the rows that wait go.
func (p *predictor) release() error {
	early := p.early
	p.early, p.rows = nil, 0
	for _, set := range early {
		if err := p.decide(set); err != nil {
			return err
		}
	}
	return nil
}

// decide classifies a batch, in parts where its decisions would take much of the budget.
func (p *predictor) decide(set *dataset.Set) error {
	if want := p.clf.NumFeatures(); set.D < want {
		set = predict.Widened(set, want)
	}
	const share = 32
	rows := int(max(1, p.memory/share/int64(8*(p.clf.NumSubmodels()+p.clf.NumClasses()+1))))
	for lo := 0; lo < set.N; lo += rows {
		part := set
		if rows < set.N {
			some := make([]int, min(rows, set.N-lo))
			for i := range some {
				some[i] = lo + i
			}
			part = set.Subset(some)
		}
		if err := p.decidePart(part); err != nil {
			return err
		}
	}
	return nil
}

// evaluate prepares the comparison with targets, whose table has a row and a column for each class.
func (p *predictor) evaluate() error {
	if p.count != nil {
		return nil
	}
	const cell = 64 // in the table and in what is written
	if k := int64(p.clf.NumClasses()); k*k > p.memory/cell {
		return fmt.Errorf("a comparison of %d classes takes more than the memory budget: --unlabelled makes none, --mem "+
			"gives more", k)
	}
	p.count = predict.NewEvaluation(p.clf)
	return nil
}

// decidePart classifies samples and hands them on, up to a row with a decision that overflows.
func (p *predictor) decidePart(set *dataset.Set) error {
	b, err := newPredictions(p.s.Context, p.clf, set, p.threads, p.wanted)
	if err != nil {
		return stopped(err)
	}
	first := p.json.N
	overflow := b.Finite(first)
	p.json.N += b.N
	if p.clf.Task() == learn.Density || set.Targeted() { // every sample says something of a density
		if err = p.evaluate(); err != nil {
			return err
		}
	}
	if p.count != nil {
		p.count.AddSet(set, b, p.threads)
	}
	if p.wanted.sets {
		p.json.Coverage.add(b, set)
	}
	if err = p.take(b, set, first); err == nil && overflow != nil {
		err = fmt.Errorf("%s: %w", inputName(p.name), overflow)
	}
	return err
}

// finish has seen all rows before the error, if there is one.
func (p *predictor) finish(err error) error {
	want := p.clf.NumFeatures()
	switch {
	case err != nil:
		return err
	case p.json.D < minFeatures(p.clf) && !p.ragged && (p.short || len(p.early) > 0):
		return featuresError(p.name, p.json.D, want, "the model")
	}
	p.json.D = want
	if p.skipped > 0 {
		p.s.Note("%s: %d rows with missing cells are left out", inputName(p.name), p.skipped)
	}
	if p.notes != nil && len(p.notes.Filled) > 0 {
		p.json.Filled = make(map[string]int)
		for _, c := range p.notes.Filled {
			p.json.Filled[c.Column] = c.Cells
		}
	}
	none := p.count == nil
	p.noteUnlabelled()
	noteColumns(p.s, inputName(p.name), p.notes)
	if none && !p.reading.Unlabelled {
		p.s.Note("%s has no labels: as many columns as the model has features", inputName(p.name))
	}
	return nil
}

// noteUnlabelled tells of rows that were predicted, and that no error counts.
func (p *predictor) noteUnlabelled() {
	if p.count == nil || p.notes == nil || p.notes.Unlabelled == 0 || p.reading.DropUnlabelled {
		return
	}
	p.s.Note("%s: %s without a label, predicted but not compared", inputName(p.name), counted(p.notes.Unlabelled, "row"))
	p.notes.Unlabelled = 0
	if p.count.Report().Samples == 0 {
		p.count = nil
	}
}

// newPredictions predicts every row, densities by their logarithms, and what else is wanted. The error is the
// context's.
func newPredictions(ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set, threads int,
	want wanted) (p *predict.Predictions, err error) {
	pprof.Do(ctx, predictLabels(clf), func(context.Context) {
		if p, err = predict.Set(ctx, clf, set, threads, want.probabilities); err == nil && want.variances {
			err = p.AddVariances(ctx, set, threads)
		}
		if err == nil && want.sets {
			err = p.AddSets(ctx, set, threads)
		}
		clf.Predicted(p.Decisions)
	})
	return p, err
}

// predictLabels are what profiles show of predictions.
func predictLabels(clf *sparsekm.Classifier) pprof.LabelSet {
	return pprof.Labels("phase", "predict", "method", clf.Method())
}

// explainFlags ask for one decision, taken apart.
type explainFlags struct {
	Explain *int `min:"0" placeholder:"ROW" help:"Show what each vector adds to the decision for this sample (from 0), instead of labels."`
	Top     int  `default:"10" min:"1" placeholder:"N" help:"--explain: how many vectors to show, those that add most first."`
}

// explainJSON is what `sparsekm predict --explain ROW --json` prints.
type explainJSON struct {
	Row       int             `json:"row"`
	Label     string          `json:"label"`           // predicted
	Given     string          `json:"given,omitempty"` // in the file
	Submodels []explainedJSON `json:"submodels"`
	what      string          // the shares add up to
}

type explainedJSON struct {
	Positive string        `json:"positive"`
	Negative string        `json:"negative"` // empty for all other classes
	Decision float64       `json:"decision"` // bias + extra + the shares + rest
	Bias     float64       `json:"bias"`
	Extra    float64       `json:"extra,omitempty"` // of a plane and steps
	Vectors  []model.Share `json:"vectors"`
	Omitted  int           `json:"omitted"` // vectors
	Rest     float64       `json:"rest"`    // the sum of their shares
}

// errExplained ends the reading of samples.
var errExplained = errors.New("the sample has been explained")

func (f *explainFlags) validate(g session.SetFlags) error {
	other := g.First("out", "decisions", "probability", "variance", "sets", "to")
	switch {
	case f.Explain == nil && g.First("top") != "":
		return usagef("--top: only --explain has it")
	case f.Explain != nil && other != "":
		return usagef("--%s: --explain writes no predictions", other)
	}
	return nil
}

// of explains the sample if it is one of a batch's.
func (f *explainFlags) of(b *predict.Predictions, set *dataset.Set, first int) *explainJSON {
	i := *f.Explain - first
	if i < 0 || i >= b.N {
		return nil
	}
	j := &explainJSON{Row: *f.Explain, Label: b.Label(i), what: "decision"}
	if p := b.Model.Parts(); p.Latent != nil {
		j.what = "mean" // without the variance, which is no sum
	}
	switch {
	case set.Y != nil:
		j.Given = set.Labels[set.Y[i]]
	case predict.Labelled(set, i):
		j.Given = strconv.FormatFloat(set.Targets[i], 'g', -1, 64)
	}
	for _, e := range b.Model.ExplainSet(set, i) {
		m := explainedJSON{Positive: "value", Decision: e.Decision, Bias: e.Bias, Extra: e.Extra,
			Vectors: nonNil(e.Shares[:min(f.Top, len(e.Shares))])}
		if b.Classes != nil {
			m.Positive = b.Model.Label(e.Pos)
		}
		if e.Neg != learn.Rest {
			m.Negative = b.Model.Label(e.Neg)
		}
		for _, s := range e.Shares[len(m.Vectors):] {
			m.Omitted++
			m.Rest += s.Share
		}
		j.Submodels = append(j.Submodels, m)
	}
	return j
}

// explain reads as far as the sample, and shows what its decision is made of.
func (p *predictor) explain(f *explainFlags) error {
	var j *explainJSON
	p.take = func(b *predict.Predictions, set *dataset.Set, first int) error {
		if j = f.of(b, set, first); j != nil {
			return errExplained
		}
		return nil
	}
	switch err := p.read(); {
	case err == nil:
		return fmt.Errorf("--explain: %s has %d samples, and none of row %d (from 0)", inputName(p.name), p.json.N,
			*f.Explain)
	case !errors.Is(err, errExplained):
		return err
	case p.s.JSON:
		return p.s.WriteJSON(j)
	}
	j.print(p.s.Stdout)
	return nil
}

// print shows the models that have a say about the predicted class.
func (j *explainJSON) print(w io.Writer) {
	values := len(j.Submodels) == 1 && j.Submodels[0].Positive == "value" && j.Submodels[0].Negative == ""
	if values {
		fmt.Fprintf(w, "row %d: value %s", j.Row, j.Label)
	} else {
		fmt.Fprintf(w, "row %d: class %s", j.Row, j.Label)
	}
	if j.Given != "" {
		fmt.Fprintf(w, ", labelled %s", j.Given)
	}
	fmt.Fprintln(w)
	for _, m := range j.Submodels {
		negative := m.Negative
		switch {
		case j.Label != m.Positive && j.Label != m.Negative && len(j.Submodels) > 1:
			continue
		case negative == "":
			negative = "the rest"
		}
		fmt.Fprintf(w, "%s %.6g: above 0 for %s, else for %s\n", j.what, m.Decision, m.Positive, negative)
		t := newTable("vector", "row", "kernel", "coefficient", "adds", "for")
		for _, v := range m.Vectors {
			row, side := "", m.Positive
			if v.Row != nil {
				row = fmt.Sprint(*v.Row)
			}
			if math.Signbit(v.Share) {
				side = negative
			}
			t.add(v.Vector, row, fmt.Sprintf("%.4g", v.Kernel), fmt.Sprintf("%+.4g", v.Coef),
				fmt.Sprintf("%+.4g", v.Share), side)
		}
		if m.Omitted > 0 {
			t.add(fmt.Sprintf("%d more", m.Omitted), "", "", "", fmt.Sprintf("%+.4g", m.Rest), "")
		}
		if m.Extra != 0 {
			t.add("extra", "", "", "", fmt.Sprintf("%+.4g", m.Extra), "")
		}
		t.add("bias", "", "", "", fmt.Sprintf("%+.4g", m.Bias), "")
		fmt.Fprintln(w, t)
	}
}
