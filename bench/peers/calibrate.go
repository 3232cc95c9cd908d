package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	compare("calibrate", "log loss compared with scikit-learn's CalibratedClassifierCV, 10 folds", compareLogLoss)
}

func compareLogLoss(ctx context.Context, e *env) error {
	harness.Header("set", "C", "svc", "CalibratedClassifierCV", "ratio", "ensemble=False", "ratio", "ssvc-a")
	for _, name := range []string{"diabetis", "german"} {
		for _, c := range []float64{1, 10} {
			set, err := e.Set(name + ".libsvm")
			if err != nil {
				return err
			}
			gamma := 1 / float64(set.D)
			var ours []float64
			for _, tr := range []learn.Trainer{svc.Trainer{C: c}, ssvc.A{C: c}} {
				loss, failed := e.logLoss(ctx, name, set, tr, gamma)
				if failed != nil {
					return failed
				}
				ours = append(ours, loss)
			}
			row := []string{name, fmt.Sprint(c), fmt.Sprintf("%.4f", ours[0]), "none", "", "none", "", fmt.Sprintf("%.4f", ours[1])}
			for _, py := range pythons() {
				out, failed := e.python(py, "calibrate.py", nil, filepath.Join(e.Data, "open", name+".libsvm"),
					filepath.Join(e.Data, "open", name+".cv10.splits"), fmt.Sprint(c), fmt.Sprint(gamma))
				if failed != nil {
					fmt.Fprintln(os.Stderr, failed)
					continue
				}
				var peer struct{ Ensemble, Single float64 }
				if err = json.Unmarshal([]byte(out), &peer); err != nil {
					return err
				}
				row[3], row[4] = fmt.Sprintf("%.4f", peer.Ensemble), fmt.Sprintf("%.3f", ours[0]/peer.Ensemble)
				row[5], row[6] = fmt.Sprintf("%.4f", peer.Single), fmt.Sprintf("%.3f", ours[0]/peer.Single)
				break
			}
			harness.Row(row...)
		}
	}
	return nil
}

// logLoss returns the mean over the folds of the mean of −ln p on the samples that a fold leaves out.
func (e *env) logLoss(ctx context.Context, name string, set *dataset.Set, tr learn.Trainer, gamma float64) (
	mean float64, err error) {
	splits, err := e.Splits(name+".cv10.splits", set.N)
	if err != nil {
		return 0, err
	}
	for _, split := range splits {
		clf, _, err := sparsekm.Train(ctx, set.Subset(split.Train), sparsekm.Options{Trainer: tr, Kernel: gram.RBF(gamma),
			Scale: dataset.ScaleZ, Calibrate: 5, Threads: 1})
		if err != nil {
			return 0, err
		}
		p, sum := make([]float64, clf.NumClasses()), 0.0
		for _, i := range split.Test {
			clf.Probabilities(p, set.Row(i))
			sum -= math.Log(p[set.Y[i]])
		}
		mean += sum / float64(len(split.Test)) / float64(len(splits))
	}
	return mean, nil
}
