package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/atomicfile"
	"github.com/sparsekm/sparsekm/metrics"
)

type predictCmd struct {
	Model string `arg:"" reads:"the model" help:"Model: ours, JSON, LIBSVM's, LIBLINEAR's or one of scikit-learn by skops."`
	Data  string `arg:"" reads:"the samples" help:"Samples to classify; - for standard input. They are read and classified as they come."`

	Out       string `short:"o" placeholder:"FILE" writes:"-" help:"Write the labels here, one a line. Default: standard output."`
	Write     string `enum:"text,csv,jsonl" default:"text" help:"Form of the lines: ${enum} (a header and a row a sample; an object a sample)."`
	Decisions bool   `help:"Write each sample's decisions after its label."`

	Probability bool `help:"Write the probability of each class, in the order of info, after that: of a model that train --calibrate, reduce --calibrate or LIBSVM's -b 1 made."`

	Variance bool `help:"Write the variance of each value after it, that of the noise in it: of a model of values by rvm or rvm-fast."`

	Threads int `placeholder:"N" help:"Worker threads. Default: all cores."`

	DataFlags    dataFlags    `embed:""`
	ExplainFlags explainFlags `embed:""`
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
	Seconds        secondsJSON     `json:"seconds"` // load: waiting for samples
	Implementation string          `json:"implementation"`
}

func (c *predictCmd) validate(s *session.Session) error {
	switch {
	case c.Threads < 0:
		return usagef("--threads: found %d, want at least 1", c.Threads)
	case s.JSON && c.Out == "" && c.Write != "text":
		return usagef("--write %s: --json writes one object; want --out, or one of the two", c.Write)
	}
	return c.ExplainFlags.validate(s.Set)
}

func (c *predictCmd) Run(s *session.Session) error {
	if err := c.validate(s); err != nil {
		return err
	}
	start := time.Now()
	clf, err := loadClassifier(s, c.Model)
	if err != nil {
		return err
	}
	if err = clf.Calibrated(); err != nil && c.Probability {
		return fmt.Errorf("%s: %s", c.Model, strings.TrimPrefix(err.Error(), "model: "))
	}
	if err = clf.Uncertain(); err != nil && c.Variance {
		return fmt.Errorf("%s: %s", c.Model, strings.TrimPrefix(err.Error(), "model: "))
	}
	if clf.Task().Real() && c.Decisions {
		return usagef("--decisions: %s predicts values, and they are its decisions", c.Model)
	}
	j := &predictJSON{Implementation: sparsekm.Level()}
	j.Seconds.Load = time.Since(start).Seconds()
	p := &predictor{s: s, clf: clf, json: j, threads: c.Threads, name: c.Data, reading: c.DataFlags.reading(),
		probable: c.Probability, variance: c.Variance, count: sparsekm.NewEvaluation(clf)}
	if c.ExplainFlags.Explain != nil {
		return p.explain(&c.ExplainFlags)
	}
	read := func(w io.Writer) error {
		w = s.Stopping(w)
		l := &lineForm{form: c.Write, decisions: c.Decisions, probabilities: c.Probability, variances: c.Variance}
		p.take = func(b *predictions) error {
			text, failed := l.of(b)
			if failed == nil {
				_, failed = w.Write(text)
			}
			return failed
		}
		return p.read()
	}
	switch {
	case c.Out != "" && c.Out != "-":
		err = atomicfile.Write(c.Out, read)
	case s.JSON:
		p.take = j.keep
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
func (j *predictJSON) keep(b *predictions) error {
	if b.clf.Task().Real() {
		j.Values = append(j.Values, b.decisions...)
		j.Variances = append(j.Variances, b.variances...)
		return nil
	}
	j.Labels = append(j.Labels, b.labels()...)
	j.Decisions = append(j.Decisions, b.rows()...)
	if b.probable != nil {
		j.Classes = b.clf.Labels()
		for i := range b.class {
			j.Probabilities = append(j.Probabilities, b.probabilities(i))
		}
	}
	return nil
}

// report says how many labels were wrong, where there were any.
func (p *predictor) report() error {
	if p.labelled {
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
	if p.labelled && p.json.Metrics.Density != nil {
		printSummary(p.s.Stderr, p.json.Metrics)
	} else if p.labelled && p.json.Metrics.Regression != nil {
		fmt.Fprintf(p.s.Stderr, "RMSE %.6g, ", *p.json.Error)
		printSummary(p.s.Stderr, p.json.Metrics)
	} else if p.labelled {
		fmt.Fprintf(p.s.Stderr, "error %s (%d of %d)\n", percent(*p.json.Error), *p.json.Errors, p.json.N)
		printMetrics(p.s.Stderr, p.json.Metrics)
		unknown := 0
		for _, n := range p.json.Metrics.Unknown {
			unknown += n
		}
		noteUnknown(p.s, unknown, "samples")
	}
	return nil
}
