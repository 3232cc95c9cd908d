package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lptrace"
	"github.com/sparsekm/sparsekm/model"
)

type trainCmd struct {
	Data string `arg:"" reads:"the samples" help:"Training samples in LIBSVM text, CSV, ARFF or NumPy arrays (.npy, .npz), by gzip or bzip2 or neither; - for standard input."`

	trainingFlags
	Out string `short:"o" placeholder:"MODEL" writes:"" help:"Write the model here: in JSON if the name ends in .json, else in our format."`
	forceFlag
	KeepPartial bool `help:"Write the model even if it is worth nothing: numerical trouble, or no better than the largest class alone."`

	Test []string `sep:"none" placeholder:"FILE" reads:"" help:"Report the error on these samples too; give it again for more files."`
	holdoutFlags
	Val string `group:"method" placeholder:"FILE" reads:"" help:"For methods that decide on held-out samples when to stop. Default: the training samples."`

	calibrateFlags

	DumpLP string `name:"dump-lp" group:"method" placeholder:"DIR" help:"Write every linear program into this folder, in MPS format."`

	PathFlags     pathFlags             `embed:""`
	ProgressFlags session.ProgressFlags `embed:""`
}

// trainPlan is what a command line of train comes to, once the files are read.
type trainPlan struct {
	*request
	set   *dataset.Set
	tests []*testSamples    // those held out come first
	auto  dataset.ScaleKind // what --scale auto would take
}

func newTrainCmd() *trainCmd { return &trainCmd{trainingFlags: newTrainingFlags()} }

func (c *trainCmd) Run(s *session.Session) error {
	s.Listen(&c.ProgressFlags)
	options, err := c.request(s.Set)
	if err != nil {
		return err
	}
	if c.DumpLP != "" {
		if s, err = c.dumping(s, options.method); err != nil {
			return err
		}
	}
	s, cancel := s.WithTimeLimit(c.LimitFlags.TimeLimit)
	defer cancel()
	r := c.reading(options, options.Memory)
	defer session.LimitMemory(options.Memory)()
	if c.Val == "" {
		r.narrow = c.narrow(options)
	}
	train, tests, err := c.load(s, r)
	if err != nil {
		return err
	}
	if c.Val != "" {
		r.MaxBytes, r.Columns = max(1, options.Memory-setBytes(train)-bytesOf(tests)), train.Columns
		if options.Validation, err = loadWith(s, train.D, c.Val, r, c.Data); err != nil {
			return err
		}
	}
	if err = c.checkReplaced(s, options.Trainer.Name(), train.D); err != nil {
		return err
	}
	options.InUse = setBytes(train, options.Validation)
	if tests, err = c.holdOut(train, tests); err != nil {
		return err
	}
	options.InUse += bytesOf(tests)
	task, err := c.settleTask(s, r, options, c.Data, train)
	if err != nil {
		return err
	}
	options.ClassWeight = c.ClassWeight.of(train)
	auto, err := c.scale(s, &options.Options, train)
	if err != nil {
		return err
	}
	if err = c.loadCandidates(s, options, train, c.Data); err != nil {
		return err
	}
	options.InUse += setBytes(options.Candidates)
	plan := &trainPlan{options, train, tests, auto}
	switch {
	case c.PathFlags.Path:
		return c.path(s, plan)
	case task == learn.OneClass:
		plan.set = inliers(train)
	case task == learn.Density:
		plan.set = untargeted(train)
	}
	return c.train(s, plan)
}

// holdOut takes the samples of --holdout out of the training samples, and puts them before the other test samples.
func (c *trainCmd) holdOut(train *dataset.Set, tests []*testSamples) ([]*testSamples, error) {
	if c.Holdout == 0 {
		return tests, nil
	}
	held, err := new(testSamples), error(nil)
	if held.holdout, held.set, err = c.divide(c.Data, train); err != nil {
		return nil, err
	}
	return append([]*testSamples{held}, tests...), nil
}

// train trains, writes the model and shows the report.
func (c *trainCmd) train(s *session.Session, plan *trainPlan) error {
	loaded, options := time.Now(), plan.Options
	show, end := s.Watch(&c.ProgressFlags)
	options.Progress = show
	clf, report, err := sparsekm.Train(s.Context, plan.set, options)
	end()
	if err != nil {
		return stopped(err)
	}
	trained := time.Now()
	if clf, err = plan.holdout().original(clf, report); err != nil {
		return err
	}
	done := report.Status.Done()
	if done && c.Out != "" { // before anything can stop the rest
		if err = clf.Save(c.Out, trainedFormat(c.Out)); err != nil {
			return err
		}
	}
	j := newTrainJSON(report)
	j.Scale, j.Params = options.Scale.String(), clf.Parts().Params
	j.Needs = needsOf(clf)
	j.Calibrated = calibrated(s, clf, options.Calibrate)
	of := newScore(s, 1, clf, plan.set, c.LimitFlags.Threads)
	worthless := of.usable(report.Status, options.ClassWeight)
	if !done && c.Out != "" && (worthless == nil || c.KeepPartial) {
		if err = clf.Save(c.Out, trainedFormat(c.Out)); err != nil {
			return err
		}
	}
	j.TrainError, j.Advice = of.rate(), plan.advice(of)
	of.note(s, "training")
	failed := j.test(s, clf, plan.tests, c.LimitFlags.Threads)
	j.Seconds.Load, j.Seconds.Train, j.Seconds.Predict = loaded.Sub(s.Start).Seconds(), trained.Sub(loaded).Seconds(),
		time.Since(trained).Seconds()
	if s.JSON {
		err = s.WriteJSON(j)
	} else if !c.ProgressFlags.Quiet {
		j.print(s.Stdout, plan.set)
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	noteUnkept(s, worthless, c.Out)
	return verdict(s, report.Status, worthless, c.Out, c.KeepPartial)
}

// holdout is what was held out, nil for nothing.
func (p *trainPlan) holdout() *holdoutJSON {
	if len(p.tests) == 0 {
		return nil
	}
	return p.tests[0].holdout
}

// trainedFormat is the format that the name of a new model asks for.
func trainedFormat(name string) model.Format {
	if f, ok := model.FormatOf(name); ok {
		return f
	}
	return model.SKM
}

// checkReplaced fails when the model, or one of a path, would replace something else.
func (c *trainCmd) checkReplaced(s *session.Session, method string, features int) error {
	if c.PathFlags.Path {
		return c.replacesPath(s, c.Out, method, features)
	}
	return c.replaces(s, c.Out, method, features)
}

// stopped words the error of a training: the end of a context as an interrupt or a time limit, a parameter as its flag.
func stopped(err error) error { return asUsage(session.Ended(err)) }

// request turns the flags into the method and the options of the training.
func (c *trainCmd) request(g session.SetFlags) (*request, error) {
	o, err := c.trainingFlags.request(g)
	if err = errors.Join(err, c.PathFlags.validate(), c.PathFlags.ignored(g)); err != nil {
		return nil, err
	}
	if c.Val != "" && !o.method.Validation {
		return nil, usagef("--val: %s does not read validation samples, only %s", o.method.Name, having(readsValidation))
	}
	if _, follows := o.Trainer.(learn.PathTrainer); c.PathFlags.Path && !follows {
		return nil, usagef("--path: %s cannot follow a path along C, only %s", o.method.Name, having(followsPath))
	}
	if _, exact := o.Trainer.(learn.ExactPath); c.PathFlags.PathExact && !exact {
		return nil, usagef("--path-exact: %s has no exact path, only %s", o.method.Name, having(followsExactly))
	}
	if o.Refit && c.PathFlags.Path {
		return nil, usagef("--refit: a path along C has none")
	}
	if err = errors.Join(c.calibrateFlags.validate(c.PathFlags.Path), c.holdoutFlags.validate()); err != nil {
		return nil, err
	}
	if c.DataFlags.Unlabelled && !o.method.TasksOf()[0].Blind() {
		return nil, usagef("--unlabelled: a training wants labels")
	}
	if c.Out == session.Standard {
		return nil, usagef("--out: name a file; standard output has the report")
	}
	if slices.Contains(c.Test, "") {
		return nil, usagef("--test: found an empty text, want a value")
	}
	if c.PathFlags.Path && (len(c.Test) > 1 || len(c.Test) > 0 && c.Holdout > 0) {
		return nil, usagef("--test: found several sets of test samples, a path shows the errors of one")
	}
	o.Calibrate = int(c.Calibrate)
	o.Threads, o.Memory = c.LimitFlags.Threads, c.LimitFlags.Mem.Bytes()
	return o, nil
}

// dumping returns the session whose trainings write their linear programs into the folder of --dump-lp.
func (c *trainCmd) dumping(s *session.Session, method sparsekm.Method) (*session.Session, error) {
	if !dumps(method) {
		return nil, usagef("--dump-lp: %s solves no linear programs, only %s", method.Name, having(dumps))
	}
	dump, err := dumper(c.DumpLP)
	if err != nil {
		return nil, err
	}
	t := *s
	t.Context = lptrace.With(s.Context, dump)
	return &t, nil
}

// load reads the training samples and, if asked for, test samples.
func (c *trainCmd) load(s *session.Session, r reading) (*dataset.Set, []*testSamples, error) {
	train, err := load(s, c.Data, r)
	if err != nil {
		return nil, nil, err
	}
	r.Columns = train.Columns
	return c.loadTests(s, r, train)
}

// scale settles --scale auto by the training samples, and says so where it scales them. It returns what auto takes.
// Kernels whose features are no measurements, or that weigh them by themselves, get no scaling.
func (c *trainCmd) scale(s *session.Session, o *sparsekm.Options, train *dataset.Set) (dataset.ScaleKind, error) {
	if o.Kernel.Indexed() || o.KernelOf != nil {
		return dataset.ScaleNone, nil
	}
	kind, ratio, err := dataset.AutoScale(s.Context, present(train, o.ClassWeight))
	if err != nil || c.Scale != "auto" {
		return kind, stopped(err)
	}
	if kind != dataset.ScaleNone {
		s.Note("the features' ranges differ by a factor of %.3g: scaled by %v (--scale none trains on them as they are)",
			ratio, kind)
	}
	o.Scale = kind
	return kind, nil
}

// present returns the samples without those whose class has the weight 0.
func present(train *dataset.Set, weights classWeights) *dataset.Set {
	absent := make([]bool, len(train.Labels))
	for i, label := range train.Labels {
		w, ok := weights[label]
		absent[i] = ok && w == 0
	}
	if !slices.Contains(absent, true) {
		return train
	}
	var rows []int
	for i, class := range train.Y {
		if !absent[class] {
			rows = append(rows, i)
		}
	}
	return train.Subset(rows)
}

// advice says what to try when a classifier is no better on its training samples than
// the largest class alone, by the weights of the training; empty when it is.
func (p *trainPlan) advice(of *score) string {
	if of.clf.Task().Blind() {
		return ""
	}
	found, majority := of.weighted(p.ClassWeight)
	if found < majority {
		return ""
	}
	var try []string
	if p.Scale == dataset.ScaleNone && p.auto != p.Scale {
		try = append(try, "--scale "+p.auto.String())
	}
	if hasParameter(p.method, "c") {
		try = append(try, "a larger --c")
	}
	if of.clf.Kernel().HasGamma() {
		try = append(try, "another --gamma (median) or --sigma")
	}
	try = append(try, "another --method or --kernel")
	if of.value != nil {
		return fmt.Sprintf("no better than the mean of the targets alone (RMSE %.6g): try %s", majority,
			strings.Join(try, ", "))
	}
	return fmt.Sprintf("no better than its largest class alone (%s): try %s", percent(majority), strings.Join(try, ", "))
}

func hasParameter(m learn.Method, name string) bool {
	return slices.ContainsFunc(m.Params(), func(p learn.Param) bool { return p.Name == name })
}
