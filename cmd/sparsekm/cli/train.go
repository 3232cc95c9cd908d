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
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

type trainCmd struct {
	Data string `arg:"" reads:"the samples" help:"Training samples: LIBSVM text, CSV, ARFF or NumPy arrays; - for standard input."`

	trainingFlags
	Out string `short:"o" placeholder:"MODEL" writes:"" help:"Write the model here, in JSON if the name ends in .json."`
	forceFlag
	KeepPartial bool `rare:"" help:"Write the model even if it is worth nothing."`

	Test    []string `sep:"none" placeholder:"FILE" reads:"" help:"Report the error on these samples too; again for more files."`
	Holdout share    `placeholder:"SHARE" help:"Train without this share of the samples (20%), drawn by --seed, and report the error on them."`
	Val     string   `rare:"" group:"method" placeholder:"FILE" reads:"" help:"Samples by which methods decide when to stop. Default: the training samples."`

	certaintyFlags

	Prove  bool   `rare:"" group:"method" help:"Quadratic programs: prove a bound of the duality gap in exact arithmetic."`
	DumpLP string `rare:"" name:"dump-lp" group:"method" placeholder:"DIR" help:"Write every linear program into this folder, in MPS format."`

	Path pathFlag `placeholder:"FROM..TO:STEPS" group:"method" help:"A model for every number of vectors met along C. Default: 0.01..1000:50; exact, or FROM..TO:exact, has every C between."`
	session.ProgressFlags
}

// trainPlan is what a command line of train comes to, once the files are read.
type trainPlan struct {
	*request
	set   *dataset.Set
	tests []*testSamples // those held out come first
}

func (c *trainCmd) Run(s *session.Session) error {
	options, err := c.request(s.Set)
	if err != nil {
		return err
	}
	if s, err = c.traced(s); err != nil {
		return err
	}
	r := c.reading(options, options.Memory)
	if c.Val == "" {
		r.narrow = c.narrow(options)
	}
	train, tests, err := c.loadSamples(s, r, options)
	if err != nil {
		return err
	}
	if c.Val != "" {
		r.like(train)
		r.MaxBytes = max(1, options.Memory-setBytes(train)-bytesOf(tests))
		if options.Validation, err = loadWith(s, train.D, c.Val, r, c.Data); err != nil {
			return err
		}
	}
	if err = c.checkReplaced(s, options.Trainer.Name(), train.D); err != nil {
		return err
	}
	options.InUse = setBytes(train, options.Validation)
	if tests, err = c.holdOut(s, train, tests); err != nil {
		return err
	}
	options.InUse += bytesOf(tests)
	task, err := c.settle(s, r, options, c.Data, train)
	if err != nil {
		return err
	}
	options.InUse += setBytes(options.Candidates)
	plan := &trainPlan{options, train, tests}
	switch {
	case c.Path.asked():
		return c.path(s, plan)
	case task == learn.OneClass:
		plan.set = inliers(train)
	case task == learn.Density:
		plan.set = untargeted(train)
	}
	return c.train(s, plan)
}

// holdOut takes the samples of --holdout out of the training samples, and puts them before the other test samples.
func (c *trainCmd) holdOut(s *session.Session, train *dataset.Set, tests []*testSamples) ([]*testSamples, error) {
	if c.Holdout == 0 {
		return tests, nil
	}
	noteRare(s, train, onlyTrains)
	out, err := new(testSamples), error(nil)
	if out.holdout, out.set, err = c.Holdout.divide(c.Data, train, c.seed()); err != nil {
		return nil, err
	}
	return append([]*testSamples{out}, tests...), nil
}

// train trains, writes the model and shows the report.
func (c *trainCmd) train(s *session.Session, plan *trainPlan) error {
	loaded, options := time.Now(), plan.Options
	show, end := s.Watch()
	options.Progress = show
	clf, report, err := sparsekm.Train(prepare.OfSome(learn.WithDecisions(s.Context)), plan.set, options)
	end()
	if err != nil {
		return plan.refused(err)
	}
	trained := time.Now()
	unseen := report.Held
	if clf, err = plan.holdout().original(clf, report); err != nil {
		return err
	}
	done := report.Status.Done()
	if done { // before anything can stop the rest
		if err = save(clf, c.Out); err != nil {
			return err
		}
	}
	j := newTrainJSON(report)
	j.Extra, j.Columns = extraText(clf), plan.set.Notes
	j.Scale, j.Params = options.Scale.String(), clf.Parts().Params
	j.Needs, j.Values = needsOf(clf), valuesOf(clf)
	j.Calibrated, j.Conformal = calibrated(s, clf, options.Calibrate), newConformalJSON(clf, len(report.Held))
	noteUncovered(s, clf, options.Conformal)
	noteUnbounded(s, report.Bound, options.Bound)
	plan.set = without(plan.set, unseen)
	judged := newTrainingScore(s, clf, plan.set, report.Decisions, c.Threads)
	worthless := judged.usable(report.Status, options.ClassWeight)
	if !done && (worthless == nil || c.KeepPartial) {
		if err = save(clf, c.Out); err != nil {
			return err
		}
	}
	j.TrainError = judged.rate()
	judged.note(s, "training")
	failed := j.test(s, clf, plan.tests, c.Threads)
	j.Advice = plan.advice(judged, j.Tests)
	j.Seconds.Load, j.Seconds.Train, j.Seconds.Predict = loaded.Sub(s.Start).Seconds(), trained.Sub(loaded).Seconds(),
		time.Since(trained).Seconds()
	err = s.Show(j, func(w io.Writer) { j.print(w, plan.set) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	noteUnkept(s, worthless, c.Out)
	if j.Advice != "" {
		s.Note("%s", j.Advice)
	}
	return verdict(s, report.Status, worthless, c.Out, c.KeepPartial)
}

// without returns the set without the rows, ascending, that the training did not see.
func without(set *dataset.Set, unseen []int) *dataset.Set {
	if unseen == nil {
		return set
	}
	var rows []int
	for i := range set.N {
		if _, is := slices.BinarySearch(unseen, i); !is {
			rows = append(rows, i)
		}
	}
	return set.Subset(rows)
}

// holdout is what was held out, nil for nothing.
func (p *trainPlan) holdout() *holdoutJSON {
	if len(p.tests) == 0 {
		return nil
	}
	return p.tests[0].holdout
}

// checkReplaced fails when the model, or one of a path, would replace something else.
func (c *trainCmd) checkReplaced(s *session.Session, method string, features int) error {
	if c.Path.asked() {
		return c.replacesPath(s, c.Out, method, features)
	}
	return c.replaces(s, c.Out, method, features)
}

// stopped words the error of a training: the end of a context as an interrupt or a time limit, a parameter as its flag.
func stopped(err error) error { return asUsage(session.Ended(err)) }

// request turns the flags into the method and the options of the training.
func (c *trainCmd) request(g session.SetFlags) (*request, error) {
	c.ofClasses, c.tunes = c.classFlags(ofClasses), true
	o, err := c.trainingFlags.request(g)
	if err != nil {
		return nil, err
	}
	if c.Path.asked() && c.C != nil {
		return nil, usagef("--c: --path goes through its own values")
	}
	if c.Path.exact && !followsExactly(o.method) {
		return nil, usagef("--path: %s has no exact path, only %s", o.method.Name, learn.MethodsWith(followsExactly))
	}
	if o.Refit && c.Path.asked() {
		return nil, usagef("--refit: a path along C has none")
	}
	if err = c.certaintyFlags.validate(g, c.Path.asked()); err != nil {
		return nil, err
	}
	if c.DataFlags.Unlabelled && !o.method.TasksOf()[0].Blind() {
		return nil, usagef("--unlabelled: a training wants labels")
	}
	if c.Out == session.Standard {
		return nil, usagef("--out: name a file; standard output has the report")
	}
	if c.Path.asked() && (len(c.Test) > 1 || len(c.Test) > 0 && c.Holdout > 0) {
		return nil, usagef("--test: found several sets of test samples, a path shows the errors of one")
	}
	c.certaintyFlags.apply(&o.Options)
	o.Threads, o.Memory = c.Threads, c.Mem.Bytes()
	return o, nil
}

// traced returns the session whose trainings write their linear programs for --dump-lp, and prove bounds for --prove.
func (c *trainCmd) traced(s *session.Session) (*session.Session, error) {
	t := *s
	if c.DumpLP != "" {
		dump, err := dumper(c.DumpLP)
		if err != nil {
			return nil, err
		}
		t.Context = simplex.WithTrace(t.Context, dump)
	}
	if c.Prove {
		t.Context = learn.WithProof(t.Context)
	}
	return &t, nil
}

// pathFlag has the values of C that `train --path` walks through; the command line takes 0.01..1000:50.
type pathFlag struct {
	from, to float64
	steps    int
	exact    bool // every C between, by one parametric pass
}

// asked reports whether there is a path.
func (f *pathFlag) asked() bool { return f.to > 0 }

// Takes tells the command line that the flag can stand alone.
func (*pathFlag) Takes(word string) bool {
	return word == "exact" || strings.Contains(word, "..") && word[0] >= '0' && word[0] <= '9'
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *pathFlag) UnmarshalText(text []byte) error {
	*f = pathFlag{0.01, 1000, 50, string(text) == "exact"}
	if len(text) == 0 || f.exact {
		return nil
	}
	values, steps, counted := strings.Cut(string(text), ":")
	from, to, _ := strings.Cut(values, "..")
	var bad, worse, none error
	f.from, bad = strconv.ParseFloat(from, 64)
	f.to, worse = strconv.ParseFloat(to, 64)
	if f.exact = steps == "exact"; counted && !f.exact {
		f.steps, none = strconv.Atoi(steps)
	}
	if errors.Join(bad, worse, none) != nil || !(f.from > 0 && f.from <= f.to) || math.IsInf(f.to, 0) || f.steps < 1 {
		return fmt.Errorf("found %q, want FROM..TO:STEPS, such as 0.01..1000:50, or exact", text)
	}
	return nil
}

// pathJSON is what `sparsekm train --path --json` prints.
type pathJSON struct {
	Method string      `json:"method"`
	N      int         `json:"n"`
	D      int         `json:"d"`
	Kernel gram.Kernel `json:"kernel"`
	Path   []pathPoint `json:"path"` // ascending in sv

	Holdout *holdoutJSON `json:"holdout,omitempty"` // where test_error is that of the samples held out

	values bool // errors are root mean squares
}

// pathPoint is a model of the path.
type pathPoint struct {
	SV         int           `json:"sv"`
	C          float64       `json:"c"`                // the largest with so many support vectors
	From       *float64      `json:"c_from,omitempty"` // of --path-exact: the model is that of every C from here on
	Status     status.Status `json:"status"`
	Objective  float64       `json:"objective"`
	TrainError float64       `json:"train_error"`
	TestError  *float64      `json:"test_error"`
	Model      string        `json:"model,omitempty"` // its file
}

// walk trains along C.
func (f *pathFlag) walk(ctx context.Context, train *dataset.Set, o sparsekm.Options) ([]sparsekm.PathPoint, error) {
	if f.exact {
		return sparsekm.ExactPath(ctx, train, o, f.from, f.to)
	}
	return sparsekm.Path(ctx, train, o, learn.GeometricPath(f.from, f.to, f.steps))
}

// point is what is said of one before its errors are known.
func (f *pathFlag) point(p *sparsekm.PathPoint) pathPoint {
	q := pathPoint{SV: p.Classifier.NumUnits(), C: p.C, Status: p.Report.Status,
		Objective: p.Report.Submodels[0].Report.Objective}
	if f.exact {
		q.From = &p.From
	}
	return q
}

// path trains along C and writes MODEL-3.skm for the model of 3 support vectors, and so on.
func (c *trainCmd) path(s *session.Session, plan *trainPlan) error {
	o, train := plan.Options, plan.set
	show, end := s.Watch()
	o.Progress = show
	models, err := c.Path.walk(s.Context, train, o)
	end()
	if err != nil {
		return stopped(err)
	}
	j := &pathJSON{Method: o.Trainer.Name(), N: train.N, D: train.D, Kernel: models[0].Report.Kernel,
		Holdout: plan.holdout(), values: models[0].Report.Task == learn.Regress}
	limited, kept := s.Context.Err() != nil, 0
	var last error
	for _, p := range models {
		if p.Classifier, err = j.Holdout.original(p.Classifier, p.Report); err != nil {
			return err
		}
		q := c.Path.point(&p)
		judged := newScore(s, len(models), p.Classifier, train, c.Threads)
		q.TrainError = judged.rate()
		if len(plan.tests) > 0 {
			rate := newScore(s, len(models), p.Classifier, plan.tests[0].set, c.Threads).rate()
			q.TestError = &rate
		}
		worthless := judged.usable(p.Report.Status, o.ClassWeight)
		if worthless == nil {
			kept++
		} else {
			last = fmt.Errorf("at C = %.4g: %w", p.C, worthless)
		}
		if c.Out != "" && (worthless == nil || c.KeepPartial) {
			q.Model = pathModel(c.Out, q.SV)
			if err = save(p.Classifier, q.Model); err != nil {
				return err
			}
		}
		limited = limited || !p.Report.Status.Done()
		j.Path = append(j.Path, q)
	}
	if err = s.Show(j, j.print); err == nil {
		noteUnkept(s, nil, c.Out)
	}
	switch {
	case err != nil:
		return err
	case kept == 0:
		return fmt.Errorf("no model of the path is worth keeping: %w", last)
	case limited:
		s.Note("not every training of the walk was done; the models are those worth keeping")
		return session.ErrLimit
	}
	return nil
}

func (j *pathJSON) print(w io.Writer) {
	t := newTable("vectors", "C", "objective", "training error", "test error", "model")
	show := percent
	if j.values {
		show = func(v float64) string { return fmt.Sprintf("%.4g", v) }
	}
	for _, p := range slices.Backward(j.Path) {
		test := ""
		if p.TestError != nil {
			test = show(*p.TestError)
		}
		t.add(p.SV, fmt.Sprintf("%.4g", p.C), fmt.Sprintf("%.6g", p.Objective),
			show(p.TrainError), test, p.Model)
	}
	fmt.Fprintln(w, t)
	if j.Holdout != nil {
		fmt.Fprintf(w, "test error: on %s\n", j.Holdout)
	}
}
