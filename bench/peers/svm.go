package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	train := func(tol float64) func(c float64) learn.Trainer {
		return func(c float64) learn.Trainer { return svc.Trainer{C: c, Tolerance: tol} }
	}
	compareSVM("svc", "seven problems of C-SVC at tolerance 1e-3", svcProblems, train(1e-3))
	compareSVM("svc-dual", "seven problems of C-SVC at tolerance 1e-6", dualProblems, train(1e-6))
	compareSVM("svm-kinds", "regression, ν and one class at 5000 samples, at two tolerances", kindProblems, nil)
	compareSVM("grid-svc", "C-SVC at every C and γ of a grid", grid(gridSets, "banana-5300", "ringnorm-7400", "german",
		"waveform-5000", "twonorm-7400"), train(0))
	sparse := grid(gridSets, "banana-1000", "german", "ringnorm-1000", "diabetis")
	compareSVM("grid-ssvca", "SSVC-A at every C and γ of a grid, against LIBSVM's C-SVC", sparse,
		func(c float64) learn.Trainer { return ssvc.A{C: c} })
	compareSVM("grid-ssvcb", "SSVC-B at every C and γ of a grid, against LIBSVM's C-SVC", sparse,
		func(c float64) learn.Trainer { return ssvclp.B{C: c} })
}

// svmProblem is one training. Of LIBSVM, kind is the option -s of svm-train, with its ν and ε.
type svmProblem struct {
	name         string
	set          *dataset.Set
	gamma, c     float64
	kind         int
	nu, eps, tol float64
	train        learn.Trainer
	pythons      bool // scikit-learn and its extension are timed too
}

// compareSVM adds a comparison of trainings from scratch, kernel included, by one thread, with LIBSVM's in the same
// run.
func compareSVM(name, about string, problems func(*env, func(svmProblem) error) error,
	train func(c float64) learn.Trainer) {
	compare(name, about+": processor time, compared with LIBSVM", func(ctx context.Context, e *env) error {
		libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
		if err != nil {
			absent(err)
		}
		header := []string{"set, γ, C", "method", "tolerance"}
		for _, l := range simdLevels() {
			header = append(header, l.String()+", ms", "LIBSVM's ratio")
		}
		harness.Header(append(header, "LIBSVM, ms", "scikit-learn, ms", "scikit-learn-intelex, ms", "status", "rounds",
			"support vectors", "dual objective", "relative gap", "objective above LIBSVM's")...)
		ratios := make([][]float64, len(simdLevels()))
		err = problems(e, func(p svmProblem) error {
			if p.train == nil {
				p.train = train(p.c)
			}
			return e.svmRow(ctx, libsvm, &p, ratios)
		})
		fmt.Println()
		for l, level := range simdLevels() {
			summary(level.String(), ratios[l])
		}
		return err
	})
}

// svmRow times a problem at every level. LIBSVM has a minute: where it takes longer, a > stands before its ratios.
func (e *env) svmRow(ctx context.Context, libsvm string, p *svmProblem, ratios [][]float64) error {
	file, err := e.file("svm.libsvm", p.set.WriteLIBSVM)
	if err != nil {
		return err
	}
	theirs, ended := e.libsvm(libsvm, file, p)
	mark := ""
	if theirs != nil && !ended {
		mark = "> "
	}
	row := []string{fmt.Sprintf("%s, %.4g, %g", p.name, p.gamma, p.c), p.train.Name(), fmt.Sprint(p.tolerance())}
	var r *learn.Result
	for l, level := range simdLevels() {
		restore := cpu.Use(level)
		var ours float64
		ours, r, err = e.train(ctx, p.train, p.problem())
		restore()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		row = append(row, ms(ours), "-")
		if t := theirs["processor"]; t > 0 {
			ratios[l] = append(ratios[l], t/ours)
			row[len(row)-1] = mark + times(t/ours)
		}
	}
	row = append(row, mark+ms(theirs["processor"]))
	for _, py := range []string{debianPython, os.Getenv("SPARSEKM_PEERS")} {
		cell := "-"
		if p.pythons && py != "" {
			cell = ms(e.sklearn(py, file, p))
		}
		row = append(row, cell)
	}
	d := r.Report.Duality
	row = append(row, r.Report.Status.String(), strconv.Itoa(r.Report.Iterations), strconv.Itoa(len(r.Support)),
		fmt.Sprintf("%.12g", d.Objective), fmt.Sprintf("%.1e", d.Gap), "-")
	if objective, ok := theirs["objective"]; ok && ended {
		row[len(row)-1] = fmt.Sprintf("%+.1e", (d.Objective-objective)/objective)
	}
	harness.Row(row...)
	return nil
}

// train returns the least processor time of trainings by one thread.
func (e *env) train(ctx context.Context, t learn.Trainer, p *learn.Problem) (best float64, r *learn.Result, err error) {
	p.Threads = 1
	best, err = e.Processor(func() (failed error) {
		r, failed = t.Train(ctx, p)
		return failed
	})
	return best, r, err
}

// problem is the set as svm-train's -s takes it.
func (p *svmProblem) problem() *learn.Problem {
	q := &learn.Problem{X: p.set.X, N: p.set.N, D: p.set.D, Kernel: gram.RBF(p.gamma)}
	switch p.kind {
	case 3, 4:
		q.Task, q.Y = learn.Regress, p.set.Targets
	case 2:
		q.Task = learn.OneClass
	default:
		q.Y = p.set.RestSigns(1)
	}
	return q
}

// libsvm is what LIBSVM prints; ended is false where it takes more than a minute.
func (e *env) libsvm(bin, file string, p *svmProblem) (theirs map[string]float64, ended bool) {
	if bin == "" {
		return nil, false
	}
	const limit = 60
	run := func(reps int) (map[string]float64, error) {
		args := []string{file}
		for _, v := range []float64{p.c, p.gamma, p.tolerance(), float64(reps), limit, float64(p.kind), p.nu, p.eps} {
			args = append(args, fmt.Sprint(v))
		}
		out, err := exec.Command(bin, args...).Output()
		if err != nil {
			return nil, err
		}
		return parse(string(out), nil), nil
	}
	theirs, err := run(1)
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return map[string]float64{"processor": failed.SystemTime().Seconds() + failed.UserTime().Seconds()}, false
	}
	if once := theirs["processor"]; e.Reps > 1 && once < 1 {
		if again, failed := run(min(50, max(e.Reps, int(0.3/once)))); failed == nil {
			theirs = again
		}
	}
	return theirs, err == nil
}

func (p *svmProblem) tolerance() float64 {
	if p.tol == 0 {
		return 1e-3
	}
	return p.tol
}

// sklearn is the least time of the SVC of scikit-learn, or of its extension in the virtual environment.
func (e *env) sklearn(py, file string, p *svmProblem) (best float64) {
	args := []string{file, fmt.Sprint(p.c), fmt.Sprint(p.gamma), fmt.Sprint(p.tolerance()), strconv.Itoa(e.Reps)}
	cores := coreTypes
	if py != debianPython {
		args, cores = append(args, "ex"), coreTypes[:1]
	}
	for _, core := range cores {
		var peer struct{ Seconds float64 }
		if err := e.askOf(py, "svc", []string{"OPENBLAS_CORETYPE=" + core}, &peer, args...); err != nil {
			absent(err)
		} else if best == 0 || peer.Seconds < best {
			best = peer.Seconds
		}
	}
	return best
}

// gridSets are sets by name, in units of their deviations; of waveform the first class is against the rest.
var gridSets = map[string]func(*env) (*dataset.Set, error){
	"banana-5300":   func(e *env) (*dataset.Set, error) { return e.Set("banana.libsvm") },
	"ringnorm-7400": func(e *env) (*dataset.Set, error) { return e.Set("ringnorm.libsvm.gz") },
	"waveform-5000": func(*env) (*dataset.Set, error) { return firstAgainstRest(dataset.Waveform(5000, 1)), nil },
	"twonorm-7400":  func(*env) (*dataset.Set, error) { return dataset.Twonorm(7400, 1), nil },
	"banana-1000":   func(e *env) (*dataset.Set, error) { return e.Set("banana-1000.libsvm") },
	"german":        func(e *env) (*dataset.Set, error) { return e.Set("german.libsvm") },
	"ringnorm-1000": func(e *env) (*dataset.Set, error) { return e.Set("ringnorm-1000.libsvm") },
	"diabetis":      func(e *env) (*dataset.Set, error) { return e.Set("diabetis.libsvm") },
}

// grid are sets with γ of 0.1, 1 and 10 over the number of features, and C of 0.01 to 1e5.
func grid(sets map[string]func(*env) (*dataset.Set, error), names ...string) func(*env, func(svmProblem) error) error {
	return func(e *env, each func(svmProblem) error) error {
		for _, name := range names {
			set, err := scaled(sets[name](e))
			if err != nil {
				return err
			}
			for _, factor := range []float64{0.1, 1, 10} {
				for _, c := range []float64{0.01, 0.1, 1, 10, 100, 1000, 1e5} {
					if err := each(svmProblem{name: name, set: set, gamma: factor / float64(set.D), c: c}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
}

// listedSVC are problems of the files of the data, scaled or not, with their first samples.
type listedSVC struct {
	file     string
	scale    bool
	n        int // 0 means all
	gamma, c float64
}

func (e *env) listed(list []listedSVC, tol float64, each func(svmProblem) error) error {
	for _, l := range list {
		set, err := e.Set(l.file)
		if l.scale {
			set, err = scaled(set, err)
		}
		if err != nil {
			return err
		}
		if l.n > 0 {
			set = &dataset.Set{X: set.X[:l.n*set.D], N: l.n, D: set.D, Y: set.Y[:l.n], Labels: set.Labels}
		}
		p := svmProblem{name: fmt.Sprintf("%s (%d)", l.file, set.N), set: set, gamma: l.gamma, c: l.c, tol: tol, pythons: true}
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}

func svcProblems(e *env, each func(svmProblem) error) error {
	err := e.listed([]listedSVC{{"banana.libsvm", false, 0, 1, 1}, {"banana.libsvm", false, 0, 1, 316},
		{"ringnorm.libsvm.gz", false, 5000, 0.05, 1}, {"banana-1000.libsvm", false, 0, 1, 1}, {"german.libsvm", true, 0, 0.018, 3.16},
		{"ringnorm-1000.libsvm", false, 0, 0.05, 1}}, 1e-3, each)
	if err != nil {
		return err
	}
	const n = 6000 // MNIST's "3 against the rest", pixels in [0, 1]
	dir := filepath.Join(e.Data, "open", "mnist")
	d, err := inputs.ReadDigits(filepath.Join(dir, "train-images-idx3-ubyte.gz"),
		filepath.Join(dir, "train-labels-idx1-ubyte.gz"), n)
	if err != nil {
		return err
	}
	set := &dataset.Set{X: d.X, N: n, D: inputs.Pixels, Y: make([]int, n), Labels: []string{"-1", "1"}}
	for i, y := range d.Against(3) {
		set.Y[i] = int(y+1) / 2
	}
	return each(svmProblem{name: fmt.Sprintf("MNIST (%d)", n), set: set, gamma: 0.02, c: 10, tol: 1e-3, pythons: true})
}

func dualProblems(e *env, each func(svmProblem) error) error {
	return e.listed([]listedSVC{{"banana.libsvm", false, 0, 1, 1}, {"banana.libsvm", false, 0, 1, 10},
		{"banana.libsvm", false, 0, 1, 316}, {"german.libsvm", true, 0, 0.018, 3.16}, {"ringnorm.libsvm.gz", false, 5000, 0.05, 1},
		{"diabetis.libsvm", true, 0, 0.125, 1}, {"heart.libsvm", true, 0, 0.07, 1}}, 1e-6, each)
}

// kindProblems are every model of package svc but C-SVC.
func kindProblems(_ *env, each func(svmProblem) error) error {
	sinc, friedman := dataset.Sinc(5000, 0.1, 1), dataset.Friedman(1, 5000, 1, 1)
	ringnorm, twonorm := dataset.Ringnorm(5000, 1), dataset.Twonorm(5000, 1)
	for _, tol := range []float64{1e-3, 1e-6} {
		svr, nuSVR := svc.SVR{C: 1, Epsilon: 0.1, Tolerance: tol}, svc.NuSVR{C: 1, Nu: 0.3, Tolerance: tol}
		nuSVC, one := svc.NuSVC{Nu: 0.1, Tolerance: tol}, svc.OneClass{Nu: 0.1, Tolerance: tol}
		for _, p := range []svmProblem{
			{name: "sinc", set: sinc, gamma: 0.5, kind: 3, eps: 0.1, train: svr},
			{name: "friedman1", set: friedman, gamma: 0.5, kind: 3, eps: 0.1, train: svr},
			{name: "sinc", set: sinc, gamma: 0.5, kind: 4, nu: 0.3, train: nuSVR},
			{name: "friedman1", set: friedman, gamma: 0.5, kind: 4, nu: 0.3, train: nuSVR},
			{name: "ringnorm", set: ringnorm, gamma: 0.025, kind: 1, nu: 0.1, train: nuSVC},
			{name: "twonorm", set: twonorm, gamma: 0.025, kind: 1, nu: 0.1, train: nuSVC},
			{name: "ringnorm", set: ringnorm, gamma: 0.025, kind: 2, nu: 0.1, train: one},
			{name: "twonorm", set: twonorm, gamma: 0.025, kind: 2, nu: 0.1, train: one},
		} {
			p.c, p.tol = 1, tol
			if err := each(p); err != nil {
				return err
			}
		}
	}
	return nil
}
