package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/learn/svc"
	_ "github.com/sparsekm/sparsekm/model/importers/libsvm"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	compare("easy", "LIBSVM's easy.py on Ripley's samples, against the same grid of SVC and fit", runEasy)
}

// runEasy compares test errors and processor times, from files to the error on the test samples.
func runEasy(ctx context.Context, e *env) error {
	files := [2]string{filepath.Join(e.Data, "open", "ripley-tr.libsvm"), filepath.Join(e.Data, "open", "ripley-te.libsvm")}
	harness.Header("search", "processor s", "test error, %", "vectors", "easy.py's time over ours")
	theirs, wrong, vectors, err := e.easy(ctx, files)
	if err != nil {
		return err
	}
	harness.Row("easy.py, 110 pairs of C and γ, 5 folds", seconds(theirs), fmt.Sprintf("%.2f", wrong), fmt.Sprint(vectors),
		"")
	grid, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleMinMax},
		modelselect.Param("c", modelselect.Powers(2, -5, 15, 2)...), modelselect.Gamma(modelselect.Powers(2, -15, 3, 2)...))
	if err != nil {
		return err
	}
	usual, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}}, modelselect.Param("c", tuneCosts...),
		modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		*modelselect.Search
	}{
		{"svc, the same pairs, 5 folds", &modelselect.Search{Settings: grid, Folds: 5, Seed: 1}},
		{"svc, the grid of tune without flags, 10 folds", &modelselect.Search{Settings: usual, Folds: 10, Seed: 1,
			Rule: modelselect.OneSE}},
		{"the same, the least error: --prefer-sparse no", &modelselect.Search{Settings: usual, Folds: 10, Seed: 1}},
		{"fit, all methods", nil},
	} {
		begin := cpu.Seconds()
		var sets [2]*dataset.Set
		for k, name := range files {
			if sets[k], err = dataset.ReadFile(name, dataset.Options{}); err != nil {
				return err
			}
		}
		clf, err := chosen(ctx, s.Search, sets[0])
		if err != nil {
			return err
		}
		report, err := sparsekm.Evaluate(ctx, clf, sets[1], 0)
		if err != nil {
			return err
		}
		took := cpu.Seconds() - begin
		harness.Row(s.name, seconds(took), fmt.Sprintf("%.2f", 100**report.ErrorRate), strconv.Itoa(clf.NumVectors()),
			times(theirs/took))
	}
	return nil
}

// chosen is the model of a search, without one that of fit.
func chosen(ctx context.Context, s *modelselect.Search, set *dataset.Set) (*sparsekm.Classifier, error) {
	if s == nil {
		f, err := modelselect.Fit(ctx, set, modelselect.FitOptions{Seed: 1})
		if err != nil {
			return nil, err
		}
		return f.Classifier, nil
	}
	t, err := s.Run(ctx, set, modelselect.Options{})
	if err != nil {
		return nil, err
	}
	return t.Classifier, nil
}

var easyAccuracy = regexp.MustCompile(`Accuracy = ([0-9.]+)%`)

// easy runs Debian's svm-easy, in a folder where it finds its programs as in LIBSVM's own.
func (e *env) easy(ctx context.Context, files [2]string) (took, wrong float64, vectors int, err error) {
	tools := filepath.Join(e.Tmp, "libsvm", "tools")
	if err = os.MkdirAll(tools, 0o755); err != nil {
		return
	}
	for link, name := range map[string]string{"../svm-scale": "svm-scale", "../svm-train": "svm-train", "../svm-predict": "svm-predict",
		"grid.py": "svm-grid", "easy.py": "svm-easy", "python": "python3"} {
		path, failed := exec.LookPath(name)
		if failed == nil {
			failed = os.Symlink(path, filepath.Join(tools, link))
		}
		if failed != nil {
			return 0, 0, 0, fmt.Errorf("easy.py left out: %w", failed)
		}
	}
	args := []string{}
	for _, f := range files {
		whole, failed := filepath.Abs(f)
		if failed != nil {
			return 0, 0, 0, failed
		}
		args = append(args, whole)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(tools, "easy.py"), args...)
	cmd.Dir, cmd.Env = tools, append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	found := easyAccuracy.FindSubmatch(out)
	if err != nil || found == nil {
		return 0, 0, 0, fmt.Errorf("easy.py: %w: %s", err, out)
	}
	right, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return
	}
	clf, err := sparsekm.Load(filepath.Join(tools, filepath.Base(files[0])+".model"))
	if err != nil {
		return
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), 100 - right, clf.NumVectors(), nil
}
