package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

func init() {
	experiments["moved"] = harness.Task{About: "tuned SVCs with a twentieth of their vectors: moved with and without points, pruned",
		Run: moved}
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

// splitParts returns training and test part of a split.
func splitParts(e *harness.Env, file, splits string,
	generate func(int, uint64) *dataset.Set) ([][2]*dataset.Set, error) {
	var pairs [][2]*dataset.Set
	if generate != nil {
		for seed := range uint64(movedSplits) {
			pairs = append(pairs, [2]*dataset.Set{generate(400, 2*seed+1), generate(4000, 2*seed+2)})
		}
		return pairs, nil
	}
	set, all, err := load(e, file, splits)
	if err != nil {
		return nil, err
	}
	for _, s := range all[:min(movedSplits, len(all))] {
		pairs = append(pairs, [2]*dataset.Set{set.Subset(s.Train), set.Subset(s.Test)})
	}
	return pairs, nil
}

// moved trains an SVC a split, C and γ by 5-fold cross-validation of its training part over 25 pairs, and reduces it.
func moved(ctx context.Context, e *harness.Env) error {
	harness.Header("set", "svc: error / vectors", "vectors", "moved, points", "moved, no points",
		"pruned and refitted, points", "ms moved")
	var total [3]float64
	sets := 0
	for _, s := range movedSets {
		pairs, err := splitParts(e, s.file, s.splits, s.generate)
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
	best, least := sparsekm.Options{}, math.Inf(1)
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
				var in, out []int
				for i := range set.N {
					if i%folds == f {
						out = append(out, i)
					} else {
						in = append(in, i)
					}
				}
				clf, _, err := sparsekm.Train(ctx, set.Subset(in), o)
				if err != nil {
					return best, err
				}
				loss += errorOf(clf, set.Subset(out))
			}
			if loss < least {
				best, least = o, loss
			}
		}
	}
	return best, nil
}
