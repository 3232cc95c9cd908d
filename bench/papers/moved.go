package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

func init() {
	const about = "tuned SVCs with a twentieth of their vectors: moved with and without samples, pruned"
	experiments["moved"] = harness.Task{About: about,
		Run: func(ctx context.Context, e *harness.Env) error { return moved(ctx, e, movedSets, 0) }}
	experiments["moved-other"] = harness.Task{About: about + "; on splits that no setting was chosen on",
		Run: func(ctx context.Context, e *harness.Env) error { return moved(ctx, e, otherSets, movedSplits) }}
}

const movedSplits = 10

// benchSet is a set with its splits; a generated one has none.
type benchSet struct {
	name, file, splits string
	generate           func(n int, seed uint64) *dataset.Set
}

var movedSets = []benchSet{
	{"banana", "banana.libsvm", "banana.splits", nil},
	{"german", "german.libsvm", "german.splits", nil},
	{"heart", "heart.libsvm", "heart.splits", nil},
	{"diabetis", "diabetis.libsvm", "diabetis.splits", nil},
	{"thyroid", "thyroid.libsvm", "thyroid.splits", nil},
	{"ringnorm", "ringnorm.libsvm.gz", "ringnorm.splits", nil},
	{"ionosphere", "ionosphere.libsvm", "ionosphere.cv10.splits", nil},
	{"twonorm", "", "", dataset.Twonorm},
	{"waveform", "", "", dataset.Waveform},
}

// otherSets are those of movedSets that have more than the first splits, and whole cross-validations.
var otherSets = []benchSet{
	movedSets[0], movedSets[1], movedSets[2], movedSets[3], movedSets[4], movedSets[5], movedSets[7], movedSets[8],
	{"banana-1000 folds", "banana-1000.libsvm", "banana-1000.cv10.splits", nil},
	{"german folds", "german.libsvm", "german.cv10.splits", nil},
	{"diabetis folds", "diabetis.libsvm", "diabetis.cv10.splits", nil},
	{"thyroid folds", "thyroid.libsvm", "thyroid.cv10.splits", nil},
	{"ringnorm-1000 folds", "ringnorm-1000.libsvm", "ringnorm-1000.cv10.splits", nil},
}

// parts returns training and test parts of at most so many splits; the first ones are left out where a set has more.
func (b benchSet) parts(e *harness.Env, first, limit int) ([][2]*dataset.Set, error) {
	var pairs [][2]*dataset.Set
	if b.generate != nil {
		for k := range limit {
			seed := uint64(first + k)
			pairs = append(pairs, [2]*dataset.Set{b.generate(400, 2*seed+1), b.generate(4000, 2*seed+2)})
		}
		return pairs, nil
	}
	set, all, err := load(e, b.file, b.splits)
	if err != nil {
		return nil, err
	}
	if len(all) > first {
		all = all[first:]
	}
	for _, s := range all[:min(limit, len(all))] {
		pairs = append(pairs, [2]*dataset.Set{set.Subset(s.Train), set.Subset(s.Test)})
	}
	return pairs, nil
}

// moved trains an SVC a split, C and γ by 5-fold cross-validation of its training part over 25 pairs, and reduces it.
func moved(ctx context.Context, e *harness.Env, all []benchSet, first int) error {
	harness.Header("set", "svc: error / vectors", "vectors", "moved, samples", "moved, no samples",
		"pruned and refitted, samples", "ms moved")
	var total [3]float64
	sets := 0
	for _, s := range all {
		if !listed(promiseFlags.sets, s.name) {
			continue
		}
		pairs, err := s.parts(e, first, movedSplits)
		if err != nil {
			return err
		}
		var base, sv, kept, ms float64
		var more [3]float64
		for _, p := range pairs {
			clf, err := tunedSVC(ctx, p[0])
			if err != nil {
				return err
			}
			n := float64(len(pairs))
			k := max(1, int(math.Round(0.05*float64(clf.NumVectors()))))
			before := errorOf(clf, p[1])
			base, sv, kept = base+before/n, sv+float64(clf.NumVectors())/n, kept+float64(k)/n
			for i, run := range []func() (*reduce.Result, error){
				func() (*reduce.Result, error) {
					return reduce.Move(ctx, clf, p[0], reduce.Options{Stop: []reduce.Rule{reduce.MaxSV(k)}})
				},
				func() (*reduce.Result, error) {
					return reduce.Move(ctx, clf, nil, reduce.Options{Stop: []reduce.Rule{reduce.MaxSV(k)}})
				},
				func() (*reduce.Result, error) {
					return reduce.Prune(ctx, clf, p[0], reduce.Options{Stop: []reduce.Rule{reduce.MaxSV(k)}, Refit: reduce.Refit})
				},
			} {
				var r *reduce.Result
				seconds := harness.Seconds(func() { r, err = run() })
				if err != nil {
					return err
				}
				more[i] += (errorOf(r.Classifier, p[1]) - before) / n
				if i == 0 {
					ms += 1e3 * seconds / n
				}
			}
		}
		row := []string{s.name, fmt.Sprintf("%.2f / %.0f", base, sv), fmt.Sprintf("%.1f", kept)}
		for i, m := range more {
			row = append(row, fmt.Sprintf("%+.2f", m))
			total[i] += m
		}
		sets++
		harness.Row(append(row, fmt.Sprintf("%.1f", ms))...)
	}
	row := []string{"mean", "", ""}
	for _, t := range total {
		row = append(row, fmt.Sprintf("%+.2f", t/float64(sets)))
	}
	harness.Row(append(row, "")...)
	return nil
}

// errorOf is the error on a set in percent.
func errorOf(clf *model.Classifier, test *dataset.Set) float64 {
	class := make([]int, test.N)
	clf.PredictBatch(class, test.X, test.N, 0)
	wrong := 0
	for i, c := range test.ClassOf(clf.Labels()) {
		if c != class[i] {
			wrong++
		}
	}
	return 100 * float64(wrong) / float64(test.N)
}

// tunedSVC chooses C and γ by cross-validation and trains with them.
func tunedSVC(ctx context.Context, set *dataset.Set) (*model.Classifier, error) {
	best, err := tuned(ctx, set, func(c float64) (learn.Trainer, error) { return svc.Trainer{C: c}, nil })
	if err != nil {
		return nil, err
	}
	clf, _, err := sparsekm.Train(ctx, set, best)
	return clf, err
}

// tuned chooses C and γ of a method by 5-fold cross-validation.
func tuned(ctx context.Context, set *dataset.Set,
	method func(c float64) (learn.Trainer, error)) (sparsekm.Options, error) {
	best, smallest := sparsekm.Options{}, math.Inf(1)
	folds := 5
	for _, c := range []float64{0.1, 1, 10, 100, 1000} {
		trainer, err := method(c)
		if err != nil {
			return best, err
		}
		for _, gamma := range []float64{0.1, 0.3, 1, 3, 10} {
			o := sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(gamma / float64(set.D)), Scale: dataset.ScaleZ}
			var loss float64
			for f := range folds {
				in, out := deal.Parts(byRow(set.N, folds), f)
				clf, _, err := sparsekm.Train(ctx, set.Subset(in), o)
				if err != nil {
					return best, err
				}
				loss += errorOf(clf, set.Subset(out))
			}
			if loss < smallest {
				best, smallest = o, loss
			}
		}
	}
	return best, nil
}

// byRow deals n rows in turn.
func byRow(n, folds int) []int {
	fold := make([]int, n)
	for i := range fold {
		fold[i] = i % folds
	}
	return fold
}
