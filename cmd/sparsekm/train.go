package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/simplex"
)

type trainCmd struct {
	Data string `arg:"" help:"Training points in LIBSVM text or CSV, gzipped or not; - for standard input."`

	Method string `short:"m" default:"ssvc-a" placeholder:"NAME" help:"Method; see sparsekm methods. Default: ssvc-a."`
	Out    string `short:"o" placeholder:"MODEL" help:"Write the model here."`
	Test   string `placeholder:"FILE" help:"Report the error on these points too."`
	Val    string `group:"method" placeholder:"FILE" help:"lssvm-prune: stop when the accuracy on these points degrades. Default: the training points."`

	Scale       string       `enum:"none,zscore,minmax" default:"none" help:"Scaling of the features, fitted on the training points and kept in the model: ${enum}."`
	Multiclass  string       `enum:"ovr,ovo,pairwise-fuzzy" default:"ovr" help:"More than two classes: one machine for each against the rest, or for each pair with votes or fuzzy decisions: ${enum}."`
	ClassWeight classWeights `placeholder:"LABEL=W,..." help:"Multiply the weight of a class's points."`

	DumpLP string `name:"dump-lp" group:"method" placeholder:"DIR" help:"Write every linear program into this folder, in MPS format."`

	MethodFlags methodFlags `embed:"" group:"method"`
	KernelFlags kernelFlags `embed:""`
	DataFlags   dataFlags   `embed:""`
	LimitFlags  limitFlags  `embed:""`
	PathFlags   pathFlags   `embed:""`
}

// methodFlags has the fields of sparsekm.Params, with what a person needs to know of them.
type methodFlags struct {
	C          float64   `name:"c" placeholder:"C" help:"Weight of the errors against the complexity."`
	C1         float64   `name:"c1" placeholder:"C1" help:"Weight of the zero norm beside the two-norm of the combined objective. Default: no two-norm."`
	Norm       float64   `placeholder:"P" help:"Penalise the p-norm of the coefficients, 0 < p < 2. Default: the zero norm."`
	GammaReg   float64   `placeholder:"G" help:"Weight of the squared errors of the dual least-squares SVM."`
	GammaGrid  []float64 `placeholder:"G,..." help:"Choose --gamma-reg among these by the leave-one-out error."`
	Noise      float64   `placeholder:"V" help:"Variance of the noise on the labels."`
	Eta        float64   `placeholder:"E" help:"A selection of support vectors stops when the next one adds less than this."`
	MaxSV      int       `name:"max-sv" placeholder:"K" help:"Most support vectors that a selection takes."`
	MinSV      int       `name:"min-sv" placeholder:"K" help:"Fewest support vectors that pruning leaves."`
	Fraction   float64   `name:"prune-fraction" placeholder:"F" help:"Part of the set that a step of pruning leaves out."`
	OfCurrent  bool      `help:"--prune-fraction is of what is left, not of the first set."`
	Slack      float64   `placeholder:"S" help:"Loss of training accuracy that pruning may cost."`
	Candidates int       `placeholder:"N" help:"Random points that a selection scores in each step, for large data; -1 for all."`
	Margin     float64   `placeholder:"D" help:"Margin δ of skm in (0, 1]. Default: search for the best."`
	Threshold  float64   `name:"sv-threshold" placeholder:"R" help:"Smallest |α|/max|α| of a support vector; 0 keeps every coefficient that is not zero."`
	Seed       uint64    `group:"limit" default:"1" help:"Seed of whatever is drawn at random."`
	Tolerance  float64   `placeholder:"T" help:"Largest violation of the optimality conditions at which the solver stops."`
	MaxIter    int       `placeholder:"N" help:"Limit on the solver's iterations."`

	Dump func(*simplex.LP) error `kong:"-"`
}

// limitFlags bound what a training may use.
type limitFlags struct {
	Threads   int           `placeholder:"N" group:"limit" help:"Worker threads; the result does not depend on it. Default: all cores."`
	Mem       byteSize      `placeholder:"SIZE" group:"limit" help:"Memory budget of the training, such as 512MiB or 1.5GiB. Default: 4GiB."`
	TimeLimit time.Duration `placeholder:"TIME" group:"limit" help:"Stop the training after this long (90s, 5m) and keep the best model so far."`
}

func (f *limitFlags) validate() error {
	switch {
	case f.Threads < 0:
		return usagef("--threads: found %d, want at least 1", f.Threads)
	case f.TimeLimit < 0:
		return usagef("--time-limit: found %v, want more than 0", f.TimeLimit)
	}
	return nil
}

// context returns the session's context with the time limit from now on.
func (f *limitFlags) context(s *session) (context.Context, context.CancelFunc) {
	if f.TimeLimit > 0 {
		return context.WithTimeout(s.ctx, f.TimeLimit)
	}
	return s.ctx, func() {}
}

func (c *trainCmd) Run(s *session, k *kong.Context) error {
	options, err := c.options(k)
	if err != nil {
		return err
	}
	if c.Out == "-" {
		return usagef("--out: name a file; standard output has the report")
	}
	if err := s.checkOutput(c.Out); err != nil {
		return err
	}
	c.DataFlags.ZeroBased = c.DataFlags.ZeroBased || options.Kernel.Indexed()
	start := time.Now()
	train, test, err := c.load(s)
	if err != nil {
		return err
	}
	if c.Val != "" {
		if options.Validation, err = s.loadWith(train.D, c.Val, &c.DataFlags, c.Data); err != nil {
			return err
		}
	}
	if c.PathFlags.Path {
		return c.path(s, options, train, test)
	}
	loaded := time.Now()

	bar := newProgress(s.stderr)
	options.Progress = bar.callback()
	ctx, cancel := c.LimitFlags.context(s)
	clf, report, err := sparsekm.Train(ctx, train, options)
	cancel()
	bar.close()
	if err != nil {
		return err
	}
	if report.Status.Limit() && clf.NumVectors() == 0 {
		return fmt.Errorf("%s before there was a result", report.Status)
	}
	trained := time.Now()

	j := newTrainJSON(report)
	j.Scale, j.Params = c.Scale, options.Params
	j.TrainError = errorRate(clf, train, c.LimitFlags.Threads)
	if test != nil {
		rate := errorRate(clf, test, c.LimitFlags.Threads)
		j.TestError = &rate
	}
	j.Seconds.Load, j.Seconds.Train, j.Seconds.Predict = loaded.Sub(start).Seconds(), trained.Sub(loaded).Seconds(), time.Since(trained).Seconds()
	if c.Out != "" {
		if err := clf.Save(c.Out, model.SKM); err != nil {
			return err
		}
	}
	if s.json {
		err = s.writeJSON(j)
	} else {
		j.print(s.stdout, train)
	}
	if err == nil && report.Status.Limit() {
		s.note("%s: the model is the best so far", report.Status)
		return errLimit
	}
	return err
}

// options turns the flags into the method and the options of the training.
func (c *trainCmd) options(k *kong.Context) (sparsekm.Options, error) {
	var o sparsekm.Options
	method, err := sparsekm.Lookup(c.Method)
	if err != nil {
		return o, usagef("--method: %s", strings.TrimPrefix(err.Error(), "sparsekm: "))
	}
	if err := errors.Join(c.checkMethodFlags(k, method), c.DataFlags.validate(), c.LimitFlags.validate(), c.PathFlags.validate(), c.KernelFlags.apply(&o)); err != nil {
		return o, err
	}
	if o.Scale, err = dataset.ParseScaleKind(c.Scale); err != nil {
		return o, usageError{err}
	}
	if o.Scheme, err = model.ParseScheme(c.Multiclass); err != nil {
		return o, usageError{err}
	}
	if c.DumpLP != "" {
		if c.MethodFlags.Dump, err = dumper(c.DumpLP); err != nil {
			return o, err
		}
	}
	params := method.Fill(sparsekm.Params(c.MethodFlags))
	o.Trainer, o.Params = method.New(params), params.Map()
	o.ClassWeight = c.ClassWeight
	o.Threads = c.LimitFlags.Threads
	o.Memory = int64(c.LimitFlags.Mem)
	return o, nil
}

// checkMethodFlags refuses parameters that the method does not have, and values
// that are not positive: a zero would otherwise mean the default.
func (c *trainCmd) checkMethodFlags(k *kong.Context, m sparsekm.Method) error {
	for _, p := range k.Path {
		if p.Flag == nil || p.Flag.Group == nil || p.Flag.Group.Key != "method" {
			continue
		}
		if name := strings.ReplaceAll(p.Flag.Name, "-", "_"); !slices.Contains(m.Uses, name) {
			return usagef("--%s: %s has no such parameter, only --%s", p.Flag.Name, m.Name, strings.ReplaceAll(strings.Join(m.Uses, ", --"), "_", "-"))
		}
		switch v := p.Flag.Target; v.Kind() {
		case reflect.Float64:
			if f := v.Float(); f == 0 && p.Flag.Name == "sv-threshold" {
				c.MethodFlags.Threshold = -1
			} else if !(f > 0) || math.IsInf(f, 0) {
				return usagef("--%s: found %v, want a finite number > 0", p.Flag.Name, f)
			}
		case reflect.Int:
			if v.Int() < 1 && !(v.Int() == -1 && p.Flag.Name == "candidates") {
				return usagef("--%s: found %d, want at least 1", p.Flag.Name, v.Int())
			}
		case reflect.Slice:
			for _, f := range v.Interface().([]float64) {
				if !(f > 0) || math.IsInf(f, 0) {
					return usagef("--%s: found %v, want finite numbers > 0", p.Flag.Name, f)
				}
			}
		}
	}
	return nil
}

// load reads the training points and, if asked for, the test points.
func (c *trainCmd) load(s *session) (train, test *dataset.Set, err error) {
	train, err = s.load(c.Data, &c.DataFlags)
	if err != nil || c.Test == "" {
		return train, nil, err
	}
	test, err = s.load(c.Test, &c.DataFlags)
	switch {
	case err != nil:
		return nil, nil, err
	case test.D < train.D && test.Ragged:
		test = test.Widen(train.D)
	case test.D > train.D && train.Ragged:
		s.note("%s has %d features and %s %d: the training points get zeros", c.Test, test.D, c.Data, train.D)
		train = train.Widen(test.D)
	case test.D != train.D:
		return nil, nil, featuresError(c.Test, test.D, train.D, c.Data)
	}
	return train, test, nil
}
