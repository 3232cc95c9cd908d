package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	compare("easy", "LIBSVM's easy.py on Ripley's samples, against the same grid of SVC and fit", runEasy)
}

// runEasy compares test errors and processor times, from files to the error on the test samples.
func runEasy(ctx context.Context, e *env) error {
	files := [2]string{filepath.Join(e.Data, "open", "ripley-tr.libsvm"), filepath.Join(e.Data, "open", "ripley-te.libsvm")}
	harness.Header("search", "processor s", "test error, %", "vectors", "easy.py's time over ours")
	tools, err := e.easyTools("libsvm", exec.LookPath)
	if err != nil {
		return err
	}
	theirs, rate, vectors, err := easy(tools, files)
	if err != nil {
		return err
	}
	harness.Row("easy.py, 110 pairs of C and γ, 5 folds", seconds(theirs), fmt.Sprintf("%.2f", rate),
		strconv.Itoa(vectors), "")
	searches, err := easySearches(ctx)
	if err != nil {
		return err
	}
	for _, s := range searches {
		took, rate, vectors, err := s.measure(ctx, files)
		if err != nil {
			return err
		}
		harness.Row(s.name, seconds(took), fmt.Sprintf("%.2f", rate), strconv.Itoa(vectors), fmt.Sprintf("%.1f", theirs/took))
	}
	return nil
}

// easySearch is one of ours next to easy.py.
type easySearch struct {
	name string
	run  func(set *dataset.Set) (*sparsekm.Classifier, error)
}

func easySearches(ctx context.Context) ([]easySearch, error) {
	same := &modelselect.Search{Folds: 5, Seed: 1}
	usual := &modelselect.Search{Folds: 10, Seed: 1, Rule: modelselect.OneSE} // what tune does without flags
	best := &modelselect.Search{Folds: 10, Seed: 1}
	var err, other error
	same.Settings, err = modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleMinMax},
		modelselect.Param("c", modelselect.Powers(2, -5, 15, 2)...), modelselect.Gamma(modelselect.Powers(2, -15, 3, 2)...))
	usual.Settings, other = modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}},
		modelselect.Param("c", tuneCosts...), modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
	best.Settings = usual.Settings
	tune := func(s *modelselect.Search) func(set *dataset.Set) (*sparsekm.Classifier, error) {
		return func(set *dataset.Set) (*sparsekm.Classifier, error) {
			t, failed := s.Run(ctx, set, modelselect.Options{})
			if failed != nil {
				return nil, failed
			}
			return t.Classifier, nil
		}
	}
	fit := func(set *dataset.Set) (*sparsekm.Classifier, error) {
		f, failed := modelselect.Fit(ctx, set, modelselect.FitOptions{Seed: 1})
		if failed != nil {
			return nil, failed
		}
		return f.Classifier, nil
	}
	return []easySearch{
		{"svc, the same pairs, 5 folds", tune(same)},
		{"svc, the grid of tune without flags, 10 folds", tune(usual)},
		{"the same, the least error: --prefer-sparse no", tune(best)},
		{"fit, all methods", fit},
	}, errors.Join(err, other)
}

// measure is the processor time from files to the error on the test samples, in percent.
func (s easySearch) measure(ctx context.Context, files [2]string) (took, rate float64, vectors int, err error) {
	begin := processor.Seconds()
	var sets [2]*dataset.Set
	for k, name := range files {
		if sets[k], err = dataset.ReadFile(name, dataset.Options{}); err != nil {
			return
		}
	}
	clf, err := s.run(sets[0])
	if err != nil {
		return
	}
	report, err := sparsekm.Evaluate(ctx, clf, sets[1], 0)
	if err != nil {
		return
	}
	return processor.Seconds() - begin, 100 * float64(report.Errors) / float64(report.Points), clf.NumVectors(), nil
}

var easyAccuracy = regexp.MustCompile(`Accuracy = ([0-9.]+)%`)

// easy runs Debian's svm-easy.
func easy(tools string, files [2]string) (took, rate float64, vectors int, err error) {
	out, took, err := easyRun(tools, files[:]...)
	if err != nil {
		return
	}
	m := easyAccuracy.FindSubmatch(out)
	if m == nil {
		return 0, 0, 0, fmt.Errorf("easy.py: %s", out)
	}
	right, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		return
	}
	clf, err := sparsekm.Load(filepath.Join(tools, filepath.Base(files[0])+".model"))
	if err != nil {
		return
	}
	return took, 100 - right, clf.NumVectors(), nil
}

// easyTools makes a folder for the script, which looks for its programs where LIBSVM's own folders have them.
func (e *env) easyTools(folder string, program func(name string) (string, error)) (tools string, err error) {
	tools = filepath.Join(e.Tmp, folder, "tools")
	if err = os.MkdirAll(tools, 0o755); err != nil {
		return "", err
	}
	for link, name := range map[string]string{"../svm-scale": "svm-scale", "../svm-train": "svm-train", "../svm-predict": "svm-predict",
		"grid.py": "svm-grid", "easy.py": "svm-easy", "python": "python3"} {
		find := exec.LookPath
		if filepath.Dir(link) == ".." {
			find = program
		}
		path, failed := find(name)
		if failed == nil {
			failed = os.Symlink(path, filepath.Join(tools, link))
		}
		if failed != nil {
			return "", fmt.Errorf("easy.py left out: %w", failed)
		}
	}
	return tools, nil
}

// easyRun runs the script on a file of samples, and perhaps one to test with.
func easyRun(tools string, files ...string) (out []byte, took float64, err error) {
	var args []string
	for _, f := range files {
		whole, failed := filepath.Abs(f)
		if failed != nil {
			return nil, 0, failed
		}
		args = append(args, whole)
	}
	cmd := exec.Command(filepath.Join(tools, "easy.py"), args...)
	cmd.Dir, cmd.Env = tools, append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"))
	if out, err = cmd.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("easy.py: %w: %s", err, out)
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}
