package modelselect

import (
	"cmp"
	"context"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
)

// least sees to it that the error of a model is never unknown, however the time ran out: one fold judges it, or two for
// the log loss, whose probabilities are fitted on another fold.
func (f *fitting) min(ctx context.Context) {
	folds := 1
	if f.Metric == LogLoss {
		folds = 2
	}
	f.brief = len(f.result.Table.counted()) == 0
	for k, run := range f.result.Table.Runs[0][:min(folds, len(f.splits))] {
		if run == nil {
			f.one(ctx, k)
		}
	}
}

// one judges a training without a fold with the parameters of the model, after the end of the time. It takes as long as
// a last training: nothing is chosen. Where it fails, no error is known.
func (f *fitting) one(ctx context.Context, fold int) {
	const steps = 50
	r := f.result
	s, err := f.again(learn.Values{"max_sv": max(1, r.Classifier.NumUnits()), "max_iter": steps})
	if err != nil {
		return
	}
	sp := &f.splits[fold]
	run := &Run{Setting: f.direct.Name, Split: fold, Trained: len(sp.Train), Tested: len(sp.Test)}
	e := &evaluation{set: f.set, Options: Options{Decisions: true}}
	in := room{threads: f.Threads, memory: cmp.Or(f.Memory, learn.DefaultMemory), rows: sp.Train}
	if err = run.judge(context.WithoutCancel(ctx), e, sp, &s, in); err == nil {
		r.Table.Runs[0][fold] = run
	}
}

// score computes the scores.
func (f *fitting) score() {
	r := f.result
	r.Scores = r.Table.Scores()
	for _, k := range r.Table.counted() {
		if run := r.Table.Runs[0][k]; run != nil {
			r.HeldOut = min(r.HeldOut+run.Tested, r.Samples)
		}
	}
	r.Folds = r.Scores[0].Splits
	r.Front = frontOf(r.Scores)
}

// choose trains another setting if that one is chosen, on the subset even after the context's end, and fits
// probabilities.
func (f *fitting) choose(limited context.Context) error {
	ctx := context.WithoutCancel(limited)
	r := f.result
	index, why := r.choice()
	if f.brief {
		index, why = 0, "no time was left to compare it"
	}
	if index > 0 {
		kept, err := f.other(ctx, limited, r.Table.Settings[index])
		if err != nil {
			return err
		}
		if !kept {
			index, why = 0, "what errs less does not keep to the limits"
		}
	}
	r.Chosen, r.Why = index, why
	f.interval(index)
	if !f.Calibrate || r.Folds == 0 {
		return nil
	}
	clf, err := f.calibrated(ctx, index, -1)
	if err == nil {
		r.Classifier = clf
	}
	return err
}

// interval fills in the error of the choice, and its interval.
func (f *fitting) interval(index int) {
	r := f.result
	if r.Folds == 0 {
		return
	}
	runs := r.Table.chosen(func(t *Table) int {
		others := &Fitted{Table: t, Scores: t.Scores()}
		if others.Folds = others.Scores[0].Splits; others.Folds == 0 {
			return -1
		}
		choice, _ := others.choice()
		return choice
	})
	if whole, _ := r.choice(); whole != index || r.Folds == 1 || f.brief {
		runs = nil
		for _, k := range r.Table.counted() {
			runs = append(runs, r.Table.Runs[index][k])
		}
	}
	if h, ok := heldOut(runs, f.Metric); ok {
		r.ChoiceError, r.Interval = h.mean, middle(h.mean, intervalOf(runs, f.Metric), &r.Scores[index], f.Metric)
	}
}

// other trains a setting. On a large set it trains the subset first, then all samples with the parameters chosen on the
// subset, if there is time. It reports whether the constraints hold.
func (f *fitting) other(ctx, limited context.Context, s Setting) (kept bool, err error) {
	r, in, run := f.result, room{threads: f.Threads, memory: f.Memory}, new(Run)
	clf, report, err := s.train(ctx, f.set, in, run)
	if err != nil {
		return false, err
	}
	trained, edges := f.set.N, edgesOf(report)
	if run.Search != nil {
		edges = run.Search.Edges
	}
	if f.set != f.all {
		if s.Search != nil {
			s.Options, s.Search = run.chosen, nil
		}
		if c, whole, failed := s.train(limited, f.all, in, run); failed == nil && whole.Status.Done() {
			clf, report, trained = c, whole, f.all.N
		}
	}
	if f.MaxVectors > 0 && clf.NumUnits() > f.MaxVectors || f.tooSlow(clf) > 0 {
		return false, nil
	}
	r.Classifier, r.Report, r.Trained, r.Edges = clf, report, trained, edges
	return true, nil
}

// choice returns the setting to choose, and why.
func (r *Fitted) choice() (choice int, why string) {
	direct := &r.Scores[0]
	switch {
	case r.Folds == 0:
		return 0, "no time was left to compare it"
	case direct.Failed != "":
		return 0, "it could not be judged: " + direct.Failed
	}
	why = "no other errs clearly less on held-out samples"
	if len(r.Scores) > 1 && r.Scores[1].Failed == "" {
		chance := slices.Contains(metricsOfTask[learn.Regress], r.Table.Metric) && r.Table.byOne(0, 1)
		if r.Scores[1].Mean <= direct.Mean && !chance {
			choice, why = 1, "a plain linear model is as good"
		}
		r.Plane = choice == 1 || direct.Splits > 1 && r.Table.less(0, 1) >= tieLevel
	}
	if i := r.values(); choice == 0 && i > 0 && r.Scores[i].Failed == "" && r.Scores[i].Mean <= direct.Mean {
		choice, why = i, "learned values of categories take fewer features and err no more"
	}
	first := choice
	for i := 2; i < len(r.Scores); i++ {
		s := &r.Scores[i]
		clearly := s.Failed == "" && r.Table.less(i, first) < replaceLevel
		if clearly && (choice == first || s.Vectors < r.Scores[choice].Vectors) {
			choice, why = i, "it errs clearly less on held-out samples than fewer vectors"
		}
	}
	return choice, why
}

// values is the index of the setting with learned values of categories, 0 if there is none.
func (r *Fitted) values() int {
	return max(0, slices.IndexFunc(r.Table.Settings, func(s Setting) bool { return s.Name == valuesName }))
}

// calibrated returns the classifier with probabilities fitted to a setting's decision values on the test parts of all
// splits but one, −1 for all splits. The only sample of a class has that of the classifier.
func (f *fitting) calibrated(ctx context.Context, setting, without int) (*sparsekm.Classifier, error) {
	clf := f.result.Classifier
	var class []int
	var decisions []float64
	for k, r := range f.result.Table.Runs[setting] {
		if k == without || r == nil || len(r.Decisions) != r.Tested*clf.NumSubmodels() {
			continue
		}
		decisions = append(decisions, r.Decisions...)
		class = append(class, f.set.Subset(f.splits[k].Test).ClassOf(clf.Labels())...)
	}
	var lone []int // that no split tests
	for i, is := range deal.Lone(f.set.Y, f.set.Groups) {
		if is {
			lone = append(lone, i)
		}
	}
	if part := f.set.Subset(lone); part.N > 0 {
		values := make([]float64, part.N*clf.NumSubmodels())
		clf.DecideSet(values, part, 0, part.N, f.Threads)
		decisions = append(decisions, values...)
		class = append(class, part.ClassOf(clf.Labels())...)
	}
	return clf.CalibrateOn(ctx, class, decisions)
}

// logLosses gives the runs their log loss. Its probabilities are fitted to the decision values of the other splits'
// samples; if these are all of one class, there is none.
func (f *fitting) logLosses() {
	for i, runs := range f.result.Table.Runs {
		for k, r := range runs {
			if r == nil || r.Failed != "" {
				continue
			}
			clf, err := f.calibrated(context.Background(), i, k)
			if err != nil || len(r.Decisions) != r.Tested*clf.NumSubmodels() {
				continue
			}
			e, class := predict.NewEvaluation(clf), make([]int, r.Tested)
			clf.Classes(class, r.Decisions, r.Tested)
			e.Add(f.set.Subset(f.splits[k].Test).ClassOf(clf.Labels()), class, r.Decisions, 1)
			r.measured(e.Report())
		}
	}
}
