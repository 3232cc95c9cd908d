package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// trainingFlags say how to train: what train, cv and tune have in common.
type trainingFlags struct {
	Method string `short:"m" placeholder:"NAME" values:"methods" help:"Method; see sparsekm methods. Default: direct, or ssvc-b and svr where it lacks what is asked for; one-class, skde."`
	taskFlags
	Scale       string   `enum:"auto,none,zscore,minmax,floored" help:"Scaling of the features, kept in the model; auto: floored, but for LIBSVM text of like features."`
	Categories  string   `rare:"" enum:"onehot,learned,learned-2" help:"Columns of categories: a feature a category, or one or two of learned values."`
	Multiclass  string   `enum:"ovr,ovo,pairwise-fuzzy" help:"More than two classes: each against the rest, or pairs with votes or fuzzy decisions."`
	ClassWeight weighing `placeholder:"LABEL=W,..." help:"Factors of the weights of classes; balanced: each class weighs the same."`

	paramFlags
	Refit bool `group:"method" help:"Fit the coefficients of the vectors once more, where held-out samples do not lose by it."`
	kernelFlags
	DataFlags   dataFlags   `embed:""`
	ColumnFlags columnFlags `embed:""`
	session.LimitFlags

	classes   bool     // some flag has a meaning for classes only
	metric    string   // that judges, if one is named
	tunes     bool     // direct is the usual method; it chooses C and γ where the command line has neither
	wide      bool     // the samples are too wide for it
	ofClasses []string // flags that have a meaning for classes only, if not the usual ones
}

// request is what the flags of a training ask for, and then what the samples settle: a scaling that is auto, weights
// that are balanced, the candidates.
type request struct {
	method sparsekm.Method
	sparsekm.Options
}

// request turns the flags into the method and the options of a training. Without --method it is the first of the task's
// usual methods that does what the flags ask for.
func (f *trainingFlags) request(g session.SetFlags) (*request, error) {
	if f.ofClasses == nil {
		f.ofClasses = ofClasses
	}
	f.classes = f.classes || g.First(f.ofClasses...) != "" || g.First("bound") != ""
	task, err := f.task()
	if err != nil {
		return nil, err
	}
	names := usualMethods[task]
	if f.Method != "" {
		names = []string{f.Method}
	} else if !f.tunes || f.wide {
		names = names[len(names)-1:]
	}
	var first error
	for _, name := range names {
		r, failed := f.requestOf(g, name)
		if failed == nil {
			return r, nil
		}
		if first == nil || errors.Is(first, errLacks) {
			first = failed
		}
	}
	return nil, first
}

var errLacks = errors.New("direct has no such kernel and no bound") // ask the next usual method

// requestOf is the request of a method.
func (f *trainingFlags) requestOf(g session.SetFlags, name string) (r *request, err error) {
	r = new(request)
	if r.method, err = f.method(g, name); err != nil {
		return nil, err
	}
	asked := sparsekm.Request{Method: r.method.Name, Widths: f.Widths, Categories: f.Categories, Multiclass: f.Multiclass,
		Refit: f.Refit}
	if f.Scale != "auto" {
		asked.Scale = f.Scale
	}
	if asked.Params, err = f.values(r.method); err != nil {
		return nil, err
	}
	f.choose(g, r.method, asked.Params)
	if asked.KernelRequest, err = f.kernel(&f.paramFlags, r.method); err != nil {
		return nil, err
	}
	if r.Options, err = asked.Options(); err != nil {
		return nil, asUsage(err)
	}
	if r.LearnWidths && r.method.Name == "direct" {
		return nil, usagef("--widths: direct learns its own with --param feature-widths")
	}
	switch err = r.Kernel.ValidateSlopes(); {
	case r.Refit && err != nil:
		return nil, usagef("--refit: %v", err)
	case f.Method == "" && name == "direct" && (err != nil || g.First("bound") != ""):
		return nil, errLacks
	}
	return r, able(g, r.method)
}

// choose leaves to direct what the command line does not say: C, γ and units, and the loss of probabilities.
func (f *trainingFlags) choose(g session.SetFlags, m sparsekm.Method, v learn.Values) {
	if !f.tunes || !hasParameter(m, "tune") {
		return
	}
	if g.First("tune", "c", "gamma", "sigma", "kernel") == "" {
		v["tune"] = true
	}
	if _, found := f.param("loss"); !found && g.First("calibrate") != "" {
		v["loss"] = "logistic"
	}
}

// noteMethod says which method was taken, and that there are others.
func (f *trainingFlags) noteMethod(s *session.Session, o *request) {
	switch usual := usualMethods[o.method.TasksOf()[0]]; {
	case s.Quiet || !f.tunes || f.Method != "" || len(usual) == 1:
	case o.method.Name == usual[0]:
		s.Note("method: %s; --method takes another, such as ssvc-b (sparsekm methods lists all)", o.method.Name)
	case f.wide:
		s.Note("method: %s, since direct would store every zero", o.method.Name)
	default:
		s.Note("method: %s, since direct does not do what the flags ask for", o.method.Name)
	}
}

// reading returns how the training samples are read.
func (f *trainingFlags) reading(o *request, memory int64) reading {
	r := f.DataFlags.reading(memory)
	f.ColumnFlags.choose(&r)
	r.KeepSparse, r.ZeroBased, r.Threads = true, r.ZeroBased || o.Kernel.Indexed(), f.Threads
	r.expect(o.method, &f.taskFlags, f.Method != "")
	if r.classifier = f.Method; o.method.Takes(learn.Regress) {
		r.classifier = ""
	}
	if r.Targets == dataset.TargetGuess && f.classes {
		r.Targets = dataset.TargetClasses
	}
	return r
}

// narrow is the kernel for which samples of few features may stay sparse too, nil where the training needs those that
// are 0.
func (f *trainingFlags) narrow(o *request) *gram.Kernel {
	if f.Scale != "auto" && o.Scale != dataset.ScaleNone || f.Candidates.File() != "" {
		return nil
	}
	if !o.method.KernelOnly || !o.Kernel.Sparse() || o.KernelOf != nil || o.LearnWidths || o.Refit ||
		o.CategoryValues > 0 {
		return nil
	}
	return &o.Kernel
}

// taskFlags say what is learnt.
type taskFlags struct {
	Task        string `enum:"auto,classify,regress,one-class,density" help:"What is learnt; auto goes by the method and the labels."`
	TargetScale string `rare:"" enum:"auto,none,zscore" help:"Regression: scale the targets to deviation 1, C and epsilon with them; auto: where it is above 30 or below 1/30."`
}

// usualMethods has the methods of each task for a command line that names none, and the text of the help: the last
// where the first lacks what is asked for. A command line without a task classifies.
var usualMethods = map[learn.Task][]string{
	learn.Classify: {"direct", "ssvc-b"},
	learn.Regress:  {"direct", "svr"},
	learn.OneClass: {"one-class"},
	learn.Density:  {"skde"},
}

// ofClasses are flags that have a meaning for classes only.
var ofClasses = []string{"class-weight", "multiclass", "calibrate"}

// task is what --task asks for, if anything.
func (f *taskFlags) task() (learn.Task, error) {
	if f.Task == "auto" {
		return learn.Classify, nil
	}
	task, err := learn.ParseTask(f.Task)
	if err != nil {
		return task, session.AsUsage(err)
	}
	return task, nil
}

// method is the method of a name.
func (f *trainingFlags) method(g session.SetFlags, name string) (sparsekm.Method, error) {
	task, err := f.task()
	if err != nil {
		return sparsekm.Method{}, err
	}
	asked := f.Task != "auto"
	m, err := sparsekm.Lookup(name)
	switch {
	case err != nil:
		return m, unknownMethod("--method", err)
	case asked && !m.Takes(task):
		takes := func(m sparsekm.Method) bool { return m.Takes(task) }
		return m, usagef("--task: %s is no method of %s, only %s", m.Name, task, learn.MethodsWith(takes))
	case !m.Takes(learn.Regress) && g.First("target-scale") != "":
		return m, usagef("--target-scale: %s learns no real numbers", m.Name)
	case !m.Takes(learn.Classify) && g.First(f.ofClasses...) != "":
		return m, usagef("--%s: %s learns no classes", g.First(f.ofClasses...), m.Name)
	case !m.Takes(learn.Classify) && !m.Takes(learn.Regress) && g.First("widths") != "":
		return m, usagef("--widths: %s learns neither classes nor values", m.Name)
	}
	return m, nil
}

// unknownMethod is the error of a flag for a name that no method has, without what concerns programs in Go.
func unknownMethod(flag string, err error) error {
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "learn: "), "; a Go program")
	if strings.Contains(text, "(have ") {
		text += ")"
	}
	return usagef("%s: %s", flag, text)
}

// expect says what the labels of a training's files are.
func (f *reading) expect(m sparsekm.Method, o *taskFlags, named bool) {
	task, err := learn.ParseTask(o.Task)
	asked := err == nil
	switch {
	case asked && task == learn.Regress, !m.Takes(learn.Classify) && m.Takes(learn.Regress):
		f.Targets = dataset.TargetValues
	case m.TasksOf()[0].Blind(): // it does not look at them
		f.Targets, f.TextLabels = dataset.TargetGuess, true
	case !asked && !f.TextLabels && (m.Takes(learn.Regress) || !named):
		f.Targets = dataset.TargetGuess
	}
}

// judgedBy settles a guess by what a metric judges.
func (f *reading) judgedBy(metric string) {
	switch {
	case f.Targets != dataset.TargetGuess:
	case slices.Contains([]string{"error", "balanced", "auc", "logloss", "bound"}, metric):
		f.Targets = dataset.TargetClasses
	case slices.Contains([]string{"rmse", "mae", "r2"}, metric):
		f.Targets = dataset.TargetValues
	}
}

// turned reports whether no method was named and the samples want another one than the flags alone: their labels are
// amounts, or they are sparse and many times as large with every zero.
func (f *trainingFlags) turned(set *dataset.Set) bool {
	const dense = 256 << 20 // bytes
	if f.Method != "" {
		return false
	}
	amounts := f.Task == "auto" && set.Targets != nil
	if amounts {
		f.Task = learn.Regress.String()
	}
	wide := !f.wide && f.tunes && set.Sparse != nil && 8*int64(set.N)*int64(set.D) > dense
	f.wide = f.wide || wide
	return amounts || wide
}

// settle finds out from the samples what is learnt, and what the flags leave to them: weights, scaling, candidates.
func (f *trainingFlags) settle(s *session.Session, r reading, o *request, name string, train *dataset.Set) (learn.Task,
	error) {
	task, err := f.settleTask(s, r, o, name, train)
	if err != nil {
		return task, err
	}
	f.noteMethod(s, o)
	o.ClassWeight = f.ClassWeight.of(train)
	if err = f.scale(s, o, train); err != nil {
		return task, err
	}
	return task, f.loadCandidates(s, o, train, name)
}

// scale settles --scale auto by the training samples, and says why where it scales LIBSVM text. Kernels whose features
// are no measurements, or that weigh them by themselves, get no scaling.
func (f *trainingFlags) scale(s *session.Session, o *request, train *dataset.Set) error {
	if f.Scale != "auto" || o.ownUnits() {
		return nil
	}
	kind, why, err := dataset.AutoScale(s.Context, present(train, o.ClassWeight))
	if err != nil {
		return stopped(err)
	}
	if why != "" {
		s.Note("%s: scaled by %v (--scale none trains on them as they are)", why, kind)
	}
	o.Scale = kind
	return nil
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

// settleTask finds out what is learnt from the samples, says what was a guess, and scales real targets if that helps.
func (f *trainingFlags) settleTask(s *session.Session, r reading, o *request, name string,
	train *dataset.Set) (learn.Task, error) {
	task, err := sparsekm.TaskOf(o.method, train)
	if err != nil {
		return task, err
	}
	if err = labelsRepeat(name, train); err != nil && task == learn.Classify {
		return task, err
	}
	if !task.Blind() {
		r.noteGuess(s, train, f.Task == "classify")
	}
	switch {
	case task != learn.Regress && s.Set.First("target-scale") != "":
		return task, usagef("--target-scale: the labels of %s are classes", name)
	case task != learn.Classify && s.Set.First(f.ofClasses...) != "":
		return task, usagef("--%s: the labels of %s are no classes", s.Set.First(f.ofClasses...), name)
	case task != learn.Regress:
		return task, nil
	}
	o.ScaleTarget, err = f.scaleTarget(s, train)
	return task, err
}

// scaleTarget reports whether it helps to scale the set's real targets, or the flag says so.
func (f *taskFlags) scaleTarget(s *session.Session, set *dataset.Set) (bool, error) {
	scale, err := prepare.ScaleOf(set.Targets)
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

// labelsRepeat is an error where no two samples of a file have the same label, or the labels are dates.
func labelsRepeat(name string, set *dataset.Set) error {
	const many = 20
	switch {
	case len(set.Labels) >= max(many, set.N):
		return fmt.Errorf("%s: found %d different labels in %d samples, such as %q, want classes of several samples "+
			"(--label-column names another column)", name, len(set.Labels), set.N, set.Labels[0])
	case set.Guess == "dates":
		return fmt.Errorf("%s: found %d dates as labels, such as %q, want classes or numbers (--label-column names "+
			"another column, --text-labels takes dates as classes)", name, len(set.Labels), set.Labels[0])
	}
	return nil
}

// noteGuess says what the labels were taken for and why, unless the flags say so, and doubts many classes.
func (f *reading) noteGuess(s *session.Session, set *dataset.Set, asked bool) {
	const many = 20
	asked = asked || f.TextLabels
	switch {
	case s.Quiet || asked:
	case f.Targets != dataset.TargetGuess || set.Guess == "":
	case set.Targets != nil && set.Guess == "fractions":
		s.Note("labels: %s: regression (--text-labels takes them as classes)", set.Guess)
	case set.Targets != nil:
		s.Note("labels: %s: regression (--task classify takes them as classes)", set.Guess)
	case set.Guess == "words" || set.Guess == "declared nominal":
		s.Note("labels: %s: %d classes", set.Guess, len(set.Labels))
	default:
		s.Note("labels: %s: classes (--task regress takes them as amounts)", set.Guess)
	}
	if len(set.Labels) <= many || asked {
		return
	}
	if slices.ContainsFunc(set.Labels, func(l string) bool { _, err := strconv.Atoi(l); return err != nil }) {
		if 2*len(set.Labels) > set.N {
			s.Note("%d classes in %d samples: is --label-column the right one?", len(set.Labels), set.N)
		}
		return
	}
	s.Note("%d classes of whole numbers, from %s to %s: if these are amounts, take --task regress%s", len(set.Labels),
		set.Labels[0], set.Labels[len(set.Labels)-1], f.otherMethod())
}

// otherMethod is a method of real numbers, where the one that is named learns classes only.
func (f *reading) otherMethod() string {
	if f.classifier == "" {
		return ""
	}
	return " --method " + usualMethods[learn.Regress][1]
}

// errNoMetric is for trainings that no metric judges.
var errNoMetric = usagef("--task: no metric says how good a model of one class is; want classes or values")

// methods returns the methods of --method, which learn from the same samples, and what the labels are to them.
func (f *taskFlags) methods(names []string) (methods []sparsekm.Method, targets dataset.TargetKind, err error) {
	for _, name := range names {
		m, failed := sparsekm.Lookup(name)
		if failed != nil {
			return nil, 0, unknownMethod("--method", failed)
		}
		methods = append(methods, m)
	}
	targets, err = f.expectAll(methods)
	return methods, targets, err
}

// expectAll says what the labels are to several methods that learn from the same.
func (f *taskFlags) expectAll(methods []sparsekm.Method) (dataset.TargetKind, error) {
	all := func(task learn.Task) bool {
		return !slices.ContainsFunc(methods, func(m sparsekm.Method) bool { return !m.Takes(task) })
	}
	task, err := learn.ParseTask(f.Task)
	classes, values := all(learn.Classify), all(learn.Regress)
	switch {
	case err == nil && task == learn.OneClass:
		return 0, errNoMetric
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
		return 0, usagef("--method: some learn classes and others values; want methods of one task")
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

// rmse is the root of the mean squared difference.
func rmse(want, got []float64) float64 {
	var v float64
	for i, y := range want {
		v += (y - got[i]) * (y - got[i])
	}
	return math.Sqrt(v / float64(len(want)))
}

// folds is a number of folds: --calibrate alone takes the usual one.
type folds int

const usualFolds folds = 5

// Takes tells the command line that the flag can stand alone.
func (*folds) Takes(string) bool { return false }

// UnmarshalText reads the number, or nothing.
func (f *folds) UnmarshalText(text []byte) error {
	*f = usualFolds
	if len(text) == 0 {
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 2 {
		return fmt.Errorf("found %s, want a number of folds from 2", text)
	}
	*f = folds(n)
	return nil
}

// calibrated returns the folds that the classifier's probabilities come from; 0 where there are none, which it says
// if they were asked for.
func calibrated(s *session.Session, clf *sparsekm.Classifier, folds int) int {
	if folds > 0 && clf.Calibrated() != nil {
		s.Note("stopped before the probabilities were fitted: the model has none")
		return 0
	}
	return folds
}

// classWeights is a weight for each of some labels; the command line takes "1=3,-1=0.5".
type classWeights map[string]float64

func (c *classWeights) UnmarshalText(text []byte) error {
	*c = classWeights{}
	for pair := range strings.SplitSeq(string(text), ",") {
		eq := strings.LastIndexByte(pair, '=')
		if eq < 1 {
			return fmt.Errorf("%q is not LABEL=WEIGHT", pair)
		}
		w, err := strconv.ParseFloat(pair[eq+1:], 64)
		if err != nil || !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weight %q of class %s is not a finite number >= 0", pair[eq+1:], pair[:eq])
		}
		label := canonicalLabel(pair[:eq])
		if _, twice := (*c)[label]; twice {
			return fmt.Errorf("class %s has two weights", label)
		}
		(*c)[label] = w
	}
	return nil
}

// canonicalLabel writes an integer label as package dataset does: without plus sign or zeros.
func canonicalLabel(label string) string {
	if v, err := strconv.ParseFloat(label, 64); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return label
}

// weighing is --class-weight: a weight for each of some labels, or such that every class weighs the same.
type weighing struct {
	balanced bool
	labels   classWeights
}

// UnmarshalText reads balanced, or labels with their weights.
func (w *weighing) UnmarshalText(text []byte) error {
	if w.balanced = string(text) == "balanced"; w.balanced {
		w.labels = nil
		return nil
	}
	return w.labels.UnmarshalText(text)
}

// of returns the weights of the training samples' classes.
func (w *weighing) of(train *dataset.Set) classWeights {
	if w.balanced && train.Y != nil {
		return sparsekm.Balanced(train)
	}
	return w.labels
}

// kernelNames are the values of --kernel.
func kernelNames() []string { return append(gram.Names(), "mahalanobis") }

// kernelParams are the parameters of kernels.
var kernelParams = []string{"degree", "coef0", "alpha", "delta"}

// kernelFlags choose the kernel of a training.
type kernelFlags struct {
	Kernel string   `values:"kernels" placeholder:"NAME" group:"kernel" help:"{values}; rbf by default."`
	Gamma  string   `xor:"width" placeholder:"G" group:"kernel" help:"γ of exp(-γ|x-z|²): a number, 10/d (d features), auto (1/d), median, or scale = 1/(d·Var X), the default."`
	Sigma  *float64 `xor:"width" placeholder:"S" group:"kernel" help:"Instead of --gamma: γ = 1/(2σ²); the length scale of matern and rational-quadratic."`
	Widths string   `rare:"" enum:"given,learned" group:"kernel" help:"learned: each feature has a weight of its own, found on the training samples; γ stays that of the mean."`
}

// kernel is the kernel that the flags ask for.
func (f *kernelFlags) kernel(params *paramFlags, method sparsekm.Method) (r sparsekm.KernelRequest, err error) {
	if r.Kernel, r.Sigma = f.Kernel, f.Sigma; r.Kernel != "" && !slices.Contains(kernelNames(), r.Kernel) {
		return r, usagef("--kernel: found %q, want one of %s", r.Kernel, strings.Join(kernelNames(), ", "))
	}
	if f.Gamma != "" {
		r.Gamma = f.Gamma
	}
	for _, name := range kernelParams {
		text, found := params.param(name)
		if !found || hasParameter(method, name) {
			continue
		}
		v, failed := strconv.ParseFloat(text, 64)
		if failed != nil || name == "degree" && v != math.Trunc(v) {
			return r, usagef("--param %s: found %q, want a number", name, text)
		}
		if name == "degree" {
			r.Degree = new(int(v))
		} else {
			*map[string]**float64{"coef0": &r.Coef0, "alpha": &r.Alpha, "delta": &r.Delta}[name] = &v
		}
	}
	return r, nil
}
