package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

type reduceCmd struct {
	modelArg

	Method string `enum:"kobayashi,kobayashi-1,downs" help:"Remove what the others can stand in for, by the paper's Algorithm 2 or 1, or only what they replace exactly."`
	Train  string `placeholder:"FILE" reads:"" help:"Samples that the loss is measured on, usually the training samples."`
	Val    string `placeholder:"FILE" reads:"" help:"Samples that --max-loss and the report look at. Default: those of --train."`
	Out    string `short:"o" placeholder:"MODEL" writes:"" help:"Write the smaller model here, by the name's ending or in the given model's format."`
	Curve  string `placeholder:"FILE" writes:"" help:"Write vectors, loss, error, agreement and microseconds of every stage here, as CSV."`
	Plot   string `placeholder:"FILE" writes:"" help:"Plot error and agreement against vectors, as SVG."`

	Tau           *float64      `group:"stop" min:"0" placeholder:"T" help:"Let the mean hinge loss, of values the RMSE in deviations, grow by at most T; 0.025 is the paper's."`
	MaxLoss       *percentage   `group:"stop" min:"0" placeholder:"P" help:"Let the error grow by at most P percentage points, of values the RMSE by P percent of their deviation. Default: 0.5, without another rule, where new vectors can be built."`
	MaxSV         *int          `name:"max-sv" group:"stop" min:"1" placeholder:"K" help:"Keep at most K support vectors."`
	TargetLatency time.Duration `group:"stop" above:"0" placeholder:"TIME" help:"A prediction takes at most this long here, such as 2us."`

	Move      *bool   `help:"Build new vectors instead of removing some. Default: yes with --max-sv or --max-loss, where the kernel and the other flags allow it."`
	Lambda    float64 `rare:"" min:"0" placeholder:"L" help:"Ridge of the kernel matrix. Default: 0.001."`
	Tolerance float64 `rare:"" min:"0" placeholder:"T" help:"downs: squared distance up to which a vector is a combination of others. Default: 1e-10."`
	Refit     *bool   `help:"Fit the coefficients to the given model's decisions once more. Default: where that is better on --train."`
	Calibrate bool    `help:"Fit the probabilities again, to the labelled samples of --val or --train."`
	session.ThreadsFlag
	session.MemFlag

	DataFlags dataFlags `embed:""`
	session.ProgressFlags
	forceFlag

	usual bool // no rule was asked for
}

// percentage is a number of percentage points; the command line takes 0.5 and 0.5%.
type percentage float64

func (p *percentage) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(string(text), "%"), 64)
	*p = percentage(v)
	return err
}

// reduceJSON is what `sparsekm reduce --json` prints: the report of package reduce and the time.
type reduceJSON struct {
	reduce.Report
	Calibrated bool `json:"calibrated,omitempty"`
	Seconds    struct {
		Load   float64 `json:"load"`
		Reduce float64 `json:"reduce"`
	} `json:"seconds"`
}

func (c *reduceCmd) Run(s *session.Session) error {
	c.settle()
	if err := c.validate(); err != nil {
		return err
	}
	start := time.Now()
	memory := s.Memory
	clf, format, err := loadClassifier(s, c.Model, memory)
	if err != nil {
		return err
	}
	if err = c.replaces(s, c.Out, clf.Method(), clf.TrainedFeatures()); err != nil {
		return err
	}
	clf, data, val, err := c.load(s, clf, memory)
	if err != nil {
		return err
	}
	loaded := time.Now()
	written := slices.Contains(model.FormatNames(), string(format)) // others are only read
	if ext := filepath.Ext(c.Out); ext == ".json" || ext == ".skm" || !written {
		format = trainedFormat(c.Out)
	}
	show, end := s.Watch()
	o := reduce.Options{Lambda: c.Lambda, Stop: c.rules(), Validation: val, Refit: c.refit(), Latency: true,
		Algorithm1: c.Method == "kobayashi-1", OneWidth: c.Out != "" && format == model.LIBSVM} // which has no place for kernel weights
	o.Threads, o.Memory, o.Progress = c.Threads, memory, show
	r, err := c.reduce(s, clf, data, o)
	end()
	if err != nil {
		if s.Context.Err() != nil {
			return session.ErrInterrupted
		}
		return err
	}
	if c.Calibrate {
		if val == nil {
			val = data
		}
		if r.Classifier, err = c.calibrate(s, r.Classifier, val); err != nil {
			return err
		}
		r.PlattStale = false
	}
	noteDropped(s, clf, r.Classifier)
	j := &reduceJSON{Report: r.Report}
	j.Calibrated = c.Calibrate
	j.Order = nonNil(j.Order)
	j.Seconds.Load, j.Seconds.Reduce = loaded.Sub(start).Seconds(), time.Since(loaded).Seconds()
	if err := c.write(s, r, format); err != nil {
		return err
	}
	return s.Show(j, j.print)
}

func (c *reduceCmd) validate() error {
	switch {
	case c.MaxLoss != nil && *c.MaxLoss > 100:
		return usagef("--max-loss: found %v, want percentage points from 0 to 100", *c.MaxLoss)
	case c.Plot != "" && !strings.EqualFold(filepath.Ext(c.Plot), ".svg"):
		return notSVG("plot", c.Plot)
	case c.Out == "-":
		return usagef("--out: name a file; standard output has the report")
	case c.Method == "downs" && (len(c.rules()) > 0 || c.refit() == reduce.Refit || c.Lambda != 0):
		return usagef("--method downs removes what changes no decision; it takes no stopping rule, --lambda or --refit")
	case c.Method != "downs" && c.Tolerance != 0:
		return usagef("--tolerance: only --method downs has it")
	case c.Method != "downs" && c.Train == "" && (c.Tau != nil || c.refit() == reduce.Refit || len(c.rules()) == 0):
		return usagef("--train: name the samples that the loss is measured on " +
			"(only --max-sv, --target-latency and, with --val, --max-loss do without)")
	case c.Move != nil && *c.Move && !c.movable():
		return usagef("--move: it stops at --max-sv or --max-loss, and takes no --method, --tau, --target-latency, " +
			"--lambda or --refit")
	case c.MaxLoss != nil && c.Train == "" && c.Val == "":
		return usagef("--max-loss: name the samples that the error is measured on, with --val or --train")
	case c.Train == "" && c.Val == "" && c.Calibrate:
		return usagef("--calibrate: name labelled samples, with --val or --train")
	case c.Train == "" && c.Val == "" && (c.Curve != "" || c.Plot != ""):
		return usagef("--curve and --plot: name the samples that they are drawn for, with --val or --train")
	}
	return nil
}

// settle takes the usual rule where the command line has none, nor asks for what is the paper's alone.
func (c *reduceCmd) settle() {
	ours := c.Method == "kobayashi" && c.Lambda == 0 && c.refit() != reduce.Refit
	if usual := percentage(0.5); ours && len(c.rules()) == 0 && (c.Train != "" || c.Val != "") {
		c.MaxLoss, c.usual = &usual, true
	}
}

// rules are the stopping rules that were asked for.
func (c *reduceCmd) rules() []reduce.Rule {
	var rules []reduce.Rule
	if c.Tau != nil {
		rules = append(rules, reduce.Tau(*c.Tau))
	}
	if c.MaxLoss != nil {
		rules = append(rules, reduce.MaxLoss(float64(*c.MaxLoss)))
	}
	if c.MaxSV != nil {
		rules = append(rules, reduce.MaxSV(*c.MaxSV))
	}
	if c.TargetLatency > 0 {
		rules = append(rules, reduce.TargetLatency(c.TargetLatency))
	}
	return rules
}

// movable reports whether what was asked for goes with trained centres.
func (c *reduceCmd) movable() bool {
	return c.Method == "kobayashi" && (c.MaxSV != nil || c.MaxLoss != nil) && c.Tau == nil && c.TargetLatency == 0 &&
		c.Lambda == 0 && c.refit() != reduce.Refit
}

// refit is what --refit and --no-refit ask for.
func (c *reduceCmd) refit() reduce.RefitRule {
	switch {
	case c.Refit == nil:
		return reduce.RefitBetter
	case *c.Refit:
		return reduce.Refit
	}
	return reduce.NoRefit
}

// load reads the samples of --train and --val. They and the model get the largest
// number of features of the three where files may leave out trailing zeros.
func (c *reduceCmd) load(s *session.Session, clf *sparsekm.Classifier, memory int64) (_ *sparsekm.Classifier,
	data, val *dataset.Set, err error) {
	memory -= clf.Bytes()
	r := c.DataFlags.reading(memory)
	r.KeepSparse, r.Threads = clf.Sparse(), c.Threads
	if c.Train != "" {
		if data, clf, err = loadFor(s, clf, c.Train, r); err != nil {
			return nil, nil, nil, err
		}
	}
	if c.Val != "" {
		r.MaxBytes = max(1, memory-setBytes(data))
		if val, clf, err = loadFor(s, clf, c.Val, r); err != nil {
			return nil, nil, nil, err
		}
	}
	if data != nil && data.D < clf.NumFeatures() {
		data = data.Widen(clf.NumFeatures())
	}
	return clf, data, val, nil
}

// reduce makes the smaller model, by the method that the flags ask for.
func (c *reduceCmd) reduce(s *session.Session, clf *sparsekm.Classifier, data *dataset.Set,
	o reduce.Options) (_ *reduce.Result, err error) {
	if data == nil {
		data = o.Validation
	}
	ctx := s.Context
	o.InUse = setBytes(data, o.Validation)
	if c.Method == "downs" {
		return reduce.Simplify(ctx, clf, data, reduce.SimplifyOptions{Tolerance: c.Tolerance, Resources: o.Resources})
	}
	if c.usual && reduce.Movable(clf) != nil {
		o.Stop = nil // where vectors are removed alone, the paper's rule keeps fewer
	}
	wanted := c.Move == nil && reduce.Movable(clf) == nil || c.Move != nil && *c.Move
	if c.movable() && wanted {
		return reduce.Move(ctx, clf, data, o)
	}
	return reduce.Prune(ctx, clf, data, o)
}

// calibrate fits Platt's parameters to the labels of the samples.
func (c *reduceCmd) calibrate(s *session.Session, clf *sparsekm.Classifier, set *dataset.Set) (*sparsekm.Classifier,
	error) {
	fitted, err := session.InBackground(s, func() (*sparsekm.Classifier, error) {
		return clf.Calibrate(set, c.Threads)
	})
	if err != nil && s.Context.Err() == nil {
		return nil, fmt.Errorf("--calibrate: %w", err)
	}
	return fitted, err
}

// write writes the model, the curve and the plot.
func (c *reduceCmd) write(s *session.Session, r *reduce.Result, format model.Format) error {
	if c.Curve != "" {
		if err := s.WriteFile(c.Curve, func(w io.Writer) error { return writeCurve(w, r.Curve) }); err != nil {
			return err
		}
	}
	if c.Plot != "" {
		if err := s.WriteFile(c.Plot, func(w io.Writer) error { return plots.Reduction(w, &r.Report) }); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	return s.WriteFile(c.Out, func(w io.Writer) error { return r.Classifier.Write(w, format) })
}

// writeCurve writes every stage of a reduction as CSV.
func writeCurve(w io.Writer, curve []reduce.Point) error {
	out := csv.NewWriter(w)
	out.Write([]string{"sv", "hinge_increase", "error", "agreement", "us"}) // Flush reports errors
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, p := range curve {
		out.Write([]string{strconv.Itoa(p.SV), number(p.HingeIncrease), number(p.Error), number(p.Agreement),
			number(p.Micros)})
	}
	out.Flush()
	return out.Error()
}

// print writes the report for people: a table of a few stages, then the result.
func (j *reduceJSON) print(w io.Writer) {
	if len(j.Curve) > 0 {
		t := newTable("vectors", "hinge loss", "error", "agreement", "µs/prediction")
		if j.Values != nil { // in deviations, and the share of variance kept
			t = newTable("vectors", "RMSE", "RMSE", "variance", "µs/prediction")
		}
		for i, p := range stages(j.Curve, j.SVAfter) {
			mark := ""
			if p.SV == j.SVAfter && i > 0 {
				mark = " ◀"
			}
			t.add(p.SV, fmt.Sprintf("%+.4g", p.HingeIncrease), percent(p.Error), percent(p.Agreement),
				fmt.Sprintf("%.3g%s", p.Micros, mark))
		}
		fmt.Fprintln(w, t)
	}
	fmt.Fprintf(w, "%d vectors before, %d after (%d were repetitions); stopped by %s; %s\n", j.SVBefore, j.SVAfter,
		j.Merged, j.Stopped, seconds(j.Seconds.Reduce))
	if j.MicrosAfter > 0 {
		fmt.Fprintf(w, "%.3g µs a prediction before, %.3g µs after\n", j.MicrosBefore, j.MicrosAfter)
	}
	if m := j.Compared; m != nil {
		fmt.Fprintf(w, "error %s before, %s after: change %+.2f samples, 95 %% interval %+.2f to %+.2f; McNemar p = %.3g\n",
			percent(m.ErrorBefore), percent(m.ErrorAfter), 100*(m.ErrorAfter-m.ErrorBefore), 100*m.Low, 100*m.High, m.PValue)
		fmt.Fprintf(w, "%s of the samples keep their class\n", percent(m.Agreement))
	}
	if v := j.Values; v != nil {
		fmt.Fprintf(w, "RMSE %.4g before, %.4g after, of values with a deviation of %.4g\n", v.RMSEBefore, v.RMSEAfter,
			v.Deviation)
		fmt.Fprintf(w, "%s of the variance of the given model's values is kept\n", percent(v.Kept))
	}
	if a := j.VectorAgreement; a != nil {
		fmt.Fprintf(w, "%s of the given model's vectors keep their class\n", percent(*a))
	}
	for _, text := range []string{j.Message, j.Refit} {
		if text != "" {
			fmt.Fprintln(w, text)
		}
	}
	if j.PlattStale {
		fmt.Fprintln(w, "the model's probabilities were fitted to the old decisions; --calibrate fits them to the new ones")
	}
}

// stages picks the first sample of a curve, every halving of its vectors, and the result.
func stages(curve []reduce.Point, result int) []reduce.Point {
	var some []reduce.Point
	next := math.MaxInt
	for _, p := range curve {
		if p.SV <= next || p.SV == result {
			some = append(some, p)
		}
		if p.SV <= next {
			next = p.SV / 2
		}
	}
	deal.Sort(some, func(a, b reduce.Point) int { return b.SV - a.SV })
	return some
}
