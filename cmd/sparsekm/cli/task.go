package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// taskFlags say what is learnt.
type taskFlags struct {
	Task        string `enum:"auto,classify,regress,one-class,density" default:"auto" help:"What is learnt: classes; real numbers; or, from samples alone, which others are like them, or how dense they are. auto goes by the method, and where it takes labels and values, by whether some label is a fraction: ${enum}."`
	TargetScale string `enum:"auto,none,zscore" default:"auto" help:"Regression: train on targets of mean 0 and standard deviation 1, so that C and epsilon are in these units; the model undoes it. auto does so if their standard deviation is above 30 or below 1/30: ${enum}."`
}

// defaultMethods has the method of each task for a command line that names none, and the text of the help.
// A command line without a task classifies.
var defaultMethods = map[learn.Task]string{
	learn.Classify: "ssvc-b",
	learn.Regress:  "svr",
	learn.OneClass: "one-class",
	learn.Density:  "skde",
}

// defaultMethodsText is the table in the words of a help text.
func defaultMethodsText() string {
	text := defaultMethods[learn.Classify]
	for _, task := range []learn.Task{learn.Regress, learn.OneClass, learn.Density} {
		text += fmt.Sprintf("; with --task %v %s", task, defaultMethods[task])
	}
	return text
}

// ofClasses are flags that have a meaning for classes only.
var ofClasses = []string{"class-weight", "multiclass", "calibrate"}

// method is the method that --method names, or the default of the task.
func (f *trainingFlags) method(g session.SetFlags) (sparsekm.Method, error) {
	task, asked := learn.Classify, f.Task != "auto"
	if asked {
		var err error
		if task, err = learn.ParseTask(f.Task); err != nil {
			return sparsekm.Method{}, session.AsUsage(err)
		}
	}
	name := cmp.Or(f.Method, defaultMethods[task])
	m, err := sparsekm.Lookup(name)
	switch {
	case err != nil:
		return m, usagef("--method: %s", strings.TrimPrefix(err.Error(), "learn: "))
	case asked && !m.Takes(task):
		takes := func(m sparsekm.Method) bool { return m.Takes(task) }
		return m, usagef("--task: %s is no method of %s, only %s", m.Name, task, having(takes))
	case !m.Takes(learn.Regress) && g.First("target-scale") != "":
		return m, usagef("--target-scale: %s learns no real numbers", m.Name)
	case !m.Takes(learn.Classify) && g.First(ofClasses...) != "":
		return m, usagef("--%s: %s learns no classes", g.First(ofClasses...), m.Name)
	case !m.Takes(learn.Classify) && !m.Takes(learn.Regress) && g.First("widths") != "":
		return m, usagef("--widths: %s learns neither classes nor values", m.Name)
	}
	return m, nil
}

// expect says what the labels of a training's files are.
func (f *reading) expect(m sparsekm.Method, o *taskFlags) {
	task, err := learn.ParseTask(o.Task)
	asked := err == nil
	switch {
	case asked && task == learn.Regress, !m.Takes(learn.Classify) && m.Takes(learn.Regress):
		f.targets = dataset.TargetValues
	case m.TasksOf()[0].Blind(): // it does not look at them
		f.targets, f.asText = dataset.TargetGuess, true
	case m.Takes(learn.Regress) && !asked:
		f.targets = dataset.TargetGuess
	}
}

// settleTask finds out what is learnt from the samples, says what was a guess, and scales real targets if that helps.
func (f *trainingFlags) settleTask(s *session.Session, r reading, o *sparsekm.Options, name string,
	train *dataset.Set) (learn.Task, error) {
	m, err := sparsekm.Lookup(o.Trainer.Name())
	if err != nil {
		return 0, err
	}
	task, err := sparsekm.TaskOf(m, train)
	if err != nil {
		return task, err
	}
	switch {
	case task != learn.Regress && s.Set.First("target-scale") != "":
		return task, usagef("--target-scale: the labels of %s are classes", name)
	case task != learn.Classify && s.Set.First(ofClasses...) != "":
		return task, usagef("--%s: the labels of %s are no classes", s.Set.First(ofClasses...), name)
	case task != learn.Regress:
		return task, nil
	}
	o.ScaleTarget, err = f.scaleTarget(s, r, train)
	return task, err
}

// scaleTarget reports whether it helps to scale the set's real targets, or the flag says so; what was a guess it says.
func (f *taskFlags) scaleTarget(s *session.Session, r reading, set *dataset.Set) (bool, error) {
	r.noteGuess(s, set)
	scale, err := sparsekm.ScaleOf(set.Targets)
	if err != nil {
		return false, err
	}
	const far = 30
	helps := f.TargetScale == "auto" && (scale.Spread > far || scale.Spread < 1.0/far)
	if helps {
		s.Note("the target's standard deviation is %.3g: scaled to 1, C and epsilon with it (--target-scale none does not)",
			scale.Spread)
	}
	return helps || f.TargetScale == "zscore", nil
}

// guessed reports whether the targets of the set are real numbers because some label was a fraction.
func (f *reading) guessed(set *dataset.Set) bool {
	return f.targets == dataset.TargetGuess && set.Targets != nil
}

// noteGuess says that real targets were a guess.
func (f *reading) noteGuess(s *session.Session, set *dataset.Set) {
	if f.guessed(set) {
		s.Note("some labels are fractions: regression (--task classify refuses them)")
	}
}

// errUnjudged is for trainings that no metric judges.
var errUnjudged = usagef("--task: no metric says how good a model of one class is; want classes or values")

// expectAll says what the labels are to several methods that learn from the same.
func (f *taskFlags) expectAll(methods []sparsekm.Method) (dataset.TargetKind, error) {
	all := func(task learn.Task) bool {
		return !slices.ContainsFunc(methods, func(m sparsekm.Method) bool { return !m.Takes(task) })
	}
	task, err := learn.ParseTask(f.Task)
	classes, values := all(learn.Classify), all(learn.Regress)
	switch {
	case err == nil && task == learn.OneClass:
		return 0, errUnjudged
	case len(methods) > 0 && methods[0].TasksOf()[0].Blind() && all(methods[0].TasksOf()[0]):
		return dataset.TargetGuess, nil
	case err == nil && !all(task):
		return 0, usagef("--task: not all of the methods learn %v", task)
	case err == nil && task == learn.Classify:
		return dataset.TargetClasses, nil
	case err == nil, values && !classes:
		return dataset.TargetValues, nil
	case values:
		return dataset.TargetGuess, nil
	case !classes:
		return 0, usagef("--methods: some learn classes and others values; want methods of one task")
	}
	return dataset.TargetClasses, nil
}

// inliers is the set of a training without classes, every sample of which is to be an inlier.
func inliers(set *dataset.Set) *dataset.Set {
	t := *set
	t.Labels, t.Targets, t.Y = model.OneClassLabels(), nil, slices.Repeat([]int{1}, set.N)
	return &t
}

// untargeted is the set without targets.
func untargeted(set *dataset.Set) *dataset.Set {
	t := *set
	t.Labels, t.Targets, t.Y = nil, nil, nil
	return &t
}

// targetText describes real targets for people.
func targetText(values []float64) string {
	least, most := slices.Min(values), slices.Max(values)
	return fmt.Sprintf("values from %.6g to %.6g", least, most)
}

// rmse is the root of the mean squared difference.
func rmse(want, got []float64) float64 {
	var v float64
	for i, y := range want {
		v += (y - got[i]) * (y - got[i])
	}
	return math.Sqrt(v / float64(len(want)))
}
