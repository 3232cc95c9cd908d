package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime/pprof"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/status"
)

// score is what a classifier makes of labelled samples, or of some of them.
type score struct {
	clf   *sparsekm.Classifier
	set   *dataset.Set
	class []int
	value []float64 // instead of class, where the classifier has values
	all   int       // samples of the whole set
}

// newScore classifies the samples. Of a session that has ended, or ends on the way, it classifies as many as take a
// fraction of a second for several such classifiers, evenly spaced: somebody waits for the best result so far.
func newScore(s *session.Session, several int, clf *sparsekm.Classifier, set *dataset.Set, threads int) *score {
	if clf.Task() == learn.Density {
		set = untargeted(set)
	}
	j := &score{clf: clf, set: set, all: set.N}
	if j.classify(s.Context, threads) != nil {
		j.set = sample(clf, set, several)
		_ = j.classify(context.Background(), threads) // which never ends
	}
	return j
}

// newTrainingScore is newScore of the training samples, of which the training may know decision values: the classifier
// decides only about those whose class they do not settle.
func newTrainingScore(s *session.Session, clf *sparsekm.Classifier, set *dataset.Set, known *learn.Decisions,
	threads int) *score {
	if known == nil || len(known.Values) != set.N || clf.NumSubmodels() != 1 || clf.Task().Real() {
		return newScore(s, 1, clf, set, threads)
	}
	j := &score{clf: clf, set: set, all: set.N, class: make([]int, set.N)}
	clf.Classes(j.class, known.Values, set.N)
	var open []int
	for i, f := range known.Values {
		if !(math.Abs(f) > known.Error) {
			open = append(open, i)
		}
	}
	switch {
	case len(open) > set.N/2: // their copy would be large
		return newScore(s, 1, clf, set, threads)
	case len(open) > 0:
		some := newScore(s, 1, clf, set.Subset(open), threads)
		if some.set.N < len(open) {
			return newScore(s, 1, clf, set, threads) // which says how many it has
		}
		for k, i := range open {
			j.class[i] = some.class[k]
		}
	}
	return j
}

// classify fills in the classes or the values, batch by batch, so that decisions take no room. The error is the
// context's.
func (j *score) classify(ctx context.Context, threads int) (err error) {
	n, m := j.set.N, j.clf.NumSubmodels()
	real := j.clf.Task().Real()
	if real {
		j.value = make([]float64, n)
	} else {
		j.class = make([]int, n)
	}
	pprof.Do(ctx, predictLabels(j.clf), func(context.Context) {
		err = j.clf.EachBatch(ctx, n, func(lo, n int) {
			if real {
				j.clf.DecideSet(j.value[lo:lo+n], j.set, lo, n, threads)
				return
			}
			f := make([]float64, n*m)
			j.clf.DecideSet(f, j.set, lo, n, threads)
			j.clf.Classes(j.class[lo:lo+n], f, n)
		})
	})
	j.clf.Predicted(j.value)
	return err
}

// sample returns evenly spaced rows of the set, as many as take some hundredths of a second for several such
// classifiers. A kernel value takes its features' products and those of an exponential.
func sample(clf *sparsekm.Classifier, set *dataset.Set, several int) *dataset.Set {
	const products, exponential = 1 << 29, 16
	n := max(1, products/several/(exponential+set.D)/(1+clf.NumVectors()))
	if n >= set.N {
		return set
	}
	rows := make([]int, n)
	for k := range rows {
		rows[k] = int(int64(k) * int64(set.N) / int64(n))
	}
	return set.Subset(rows)
}

// rate is the share of the samples that the classifier gets wrong, or of values the root of the mean squared error,
// of a density minus the mean of its logarithm.
func (j *score) rate() float64 {
	if j.clf.Task() == learn.Density {
		sum := 0.0
		for _, v := range j.value {
			sum += v
		}
		return -sum / float64(j.set.N)
	}
	if j.value != nil {
		return rmse(j.set.Targets, j.value)
	}
	wrong := 0
	for i, want := range j.set.ClassOf(j.clf.Labels()) {
		if j.class[i] != want {
			wrong++
		}
	}
	return float64(wrong) / float64(j.set.N)
}

// note says when the errors shown are those of some of the samples, or of labels that are not the model's.
func (j *score) note(s *session.Session, which string) {
	unknown := 0
	for _, class := range j.set.ClassOf(j.clf.Labels()) {
		if class < 0 {
			unknown++
		}
	}
	noteUnknown(s, unknown, "of the "+which+" samples")
	if j.set.N < j.all {
		s.Note("stopped: the error on the %s samples is that of %d of %d, evenly spaced", which, j.set.N, j.all)
	}
}

// usable returns nil for a result worth keeping: an optimum, the size that was asked for, or what
// a limit left of a training if it is better than always saying the largest class. Else the
// error says why not.
func (j *score) usable(st status.Status, weights classWeights) error {
	switch {
	case st.Done():
		return nil
	case !st.Limit():
		return fmt.Errorf("%s", st)
	}
	if j.clf.Task() == learn.Density {
		return nil // any is one
	}
	found, majority := j.weighted(weights)
	if found == 0 { // of targets that are all the same
		return nil
	}
	if !(found < majority) && j.value != nil {
		return fmt.Errorf("%s before the model was better than the mean of the targets alone (training RMSE %.6g, "+
			"that one's %.6g)", st, found, majority)
	}
	if !(found < majority) && j.clf.Task() == learn.Classify {
		return fmt.Errorf("%s before the model was better than its largest class alone (training error %s, that one's %s)",
			st, percent(found), percent(majority))
	}
	return nil
}

// weighted returns the shares of the samples, by weight, that the classifier gets wrong and
// that the largest class alone would; of values the root of the mean squared error, and that of the mean alone.
func (j *score) weighted(weights classWeights) (found, majority float64) {
	set := j.set
	if j.value != nil {
		return j.rate(), lossAlone(set)
	}
	total, in := 0.0, make([]float64, len(set.Labels)) // weights of all samples, and of each class
	for i, want := range set.ClassOf(j.clf.Labels()) {
		weight, ok := weights[set.Labels[set.Y[i]]]
		if !ok {
			weight = 1
		}
		total += weight
		in[set.Y[i]] += weight
		if j.class[i] != want {
			found += weight
		}
	}
	return found / total, (total - slices.Max(in)) / total
}

// noteUnknown says how many samples count as errors whatever the model says of them.
func noteUnknown(s *session.Session, n int, which string) {
	if n > 0 {
		s.Note("%d %s have labels that the model does not know; they count as errors", n, which)
	}
}

// noteUnkept says that a model worth something goes with the process.
func noteUnkept(s *session.Session, worthless error, out string) {
	if worthless == nil && out == "" {
		s.Note("the model is not kept: --out MODEL writes it")
	}
}

// verdict turns a result's status into the command's end: nothing where it is done, session.ErrLimit for the
// best so far, and the failure of a result that is of no use, which nobody asked to keep with keep.
func verdict(s *session.Session, st status.Status, worthless error, out string, keep bool) error {
	switch {
	case st.Done():
		return nil
	case worthless == nil:
		s.Note("%s: the model is the best so far", st)
		return session.ErrLimit
	case out == "":
		return worthless
	case keep:
		return fmt.Errorf("%w; %s has it nevertheless", worthless, out)
	}
	return fmt.Errorf("%w; %s is not written (--keep-partial writes it)", worthless, out)
}

// ratioText is a share for people; - for 0/0.
func ratioText(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

// printSummary shows what one rate or mean of errors hides, in a line.
func printSummary(w io.Writer, r *metrics.Report) {
	if r.Density != nil {
		fmt.Fprintf(w, "mean log density %.6g\n", *r.LogDensity)
		return
	}
	if r.Regression != nil {
		fmt.Fprintf(w, "MAE %.6g", *r.MAE)
		if r.R2 != nil {
			fmt.Fprintf(w, ", R² %.4f", *r.R2)
		}
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "balanced accuracy %s", ratioText(r.BalancedAccuracy))
	if r.AUC != nil {
		fmt.Fprintf(w, ", AUC %.4f", *r.AUC)
	}
	if r.LogLoss != nil {
		fmt.Fprintf(w, ", log loss %.4f", *r.LogLoss)
	}
	fmt.Fprintln(w)
}

// printMetrics adds a line a class, of up to 26.
func printMetrics(w io.Writer, r *metrics.Report) {
	printSummary(w, r)
	const maxClasses = 26
	if r.Classification == nil || len(r.Classes) > maxClasses {
		return
	}
	for _, c := range r.Classes {
		fmt.Fprintf(w, "  %-12s %8d samples, precision %s, recall %s, F1 %s\n", c.Label, c.Samples, ratioText(c.Precision),
			ratioText(c.Recall), ratioText(c.F1))
	}
}
