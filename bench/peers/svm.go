package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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
	compareSVM("grid-svc", "C-SVC at every C and γ of a grid", grid(0, true, "banana-5300", "ringnorm-7400", "german",
		"waveform-5000", "twonorm-7400"), train(0))
	sparse := grid(1000, false, "banana-1000", "german", "ringnorm-1000", "diabetis")
	compareSVM("grid-ssvca", "SSVC-A at every C and γ of a grid, against LIBSVM's C-SVC", sparse,
		func(c float64) learn.Trainer { return ssvc.A{C: c} })
	compareSVM("grid-ssvcb", "SSVC-B at every C and γ of a grid, against LIBSVM's C-SVC", sparse,
		func(c float64) learn.Trainer { return ssvclp.B{C: c} })
}

// svmProblem is one training. Of LIBSVM, kind is the option -s of svm-train, with its ν and ε.
type svmProblem struct {
	group, name  string // the group of sets, none for a problem of its own
	file         string // the set in LIBSVM's format
	set          *dataset.Set
	gamma, c     float64
	kind         int
	nu, eps, tol float64
	train        learn.Trainer
	pythons      [2]float64 // seconds of scikit-learn and of its extension, 0 where they are not timed
}

// svmTally is what the rows of a comparison amount to.
type svmTally struct {
	tally
	power float64 // −1 where ratios are ours over theirs
	ends  map[string]int
	above map[string][]float64 // relative differences of the dual's objective from LIBSVM's, which is maximised
}

func (t *svmTally) print() {
	t.tally.print()
	fmt.Println()
	for _, end := range slices.Sorted(maps.Keys(t.ends)) {
		fmt.Printf("%s: %d\n", end, t.ends[end])
	}
	for _, group := range slices.Sorted(maps.Keys(t.above)) {
		above := t.above[group]
		fmt.Printf("%s: %d objectives, %+.1e to %+.1e from LIBSVM's, above 0 is better\n", group, len(above),
			slices.Min(above), slices.Max(above))
	}
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
		header := []string{"group", "set, γ, C", "method", "tolerance"}
		for _, l := range simdLevels() {
			header = append(header, l.String()+", ms", "ratio to LIBSVM")
		}
		harness.Header(append(header, "LIBSVM, ms", "scikit-learn, ms", "scikit-learn-intelex, ms", "status", "rounds",
			"support vectors", "dual objective", "relative gap", "objective above LIBSVM's")...)
		t := svmTally{power: 1, ends: map[string]int{}, above: map[string][]float64{}}
		if t.bars = []float64{8, 5}; strings.HasPrefix(name, "grid-ssvc") {
			t.power, t.bars = -1, []float64{3, 12}
		}
		err = problems(e, func(p svmProblem) error {
			if p.train == nil {
				p.train = train(p.c)
			}
			return e.svmRow(ctx, libsvm, &p, &t)
		})
		t.print()
		return err
	})
}

// svmRow times a problem at every level. LIBSVM has two minutes: where it takes longer, a > stands before its time.
func (e *env) svmRow(ctx context.Context, libsvm string, p *svmProblem, t *svmTally) error {
	if err := e.withFile(p); err != nil {
		return err
	}
	theirs, ended := e.libsvm(libsvm, p)
	mark := ""
	if theirs != nil && !ended {
		mark = "> "
	}
	row := []string{p.group, fmt.Sprintf("%s, %.4g, %g", p.name, p.gamma, p.c), p.train.Name(), fmt.Sprint(p.tolerance())}
	var r *learn.Result
	for _, level := range simdLevels() {
		restore := cpu.Use(level)
		ours, made, err := e.train(ctx, p.train, p.problem())
		restore()
		if err != nil {
			return err
		}
		r = made
		ratio := math.Pow(theirs["processor"]/ours, t.power)
		p.count(t, level.String(), ratio, p.pythons[0]/ours, p.pythons[1]/ours)
		row = append(row, ms(ours), times(ratio))
	}
	row = append(row, mark+ms(theirs["processor"]), ms(p.pythons[0]), ms(p.pythons[1]))
	d := r.Report.Duality
	row = append(row, r.Report.Status.String(), strconv.Itoa(r.Report.Iterations), strconv.Itoa(len(r.Support)),
		fmt.Sprintf("%.12g", d.Objective), fmt.Sprintf("%.1e", d.Gap), "-")
	t.ends[p.group+" "+r.Report.Status.String()]++
	if p.kind == 0 && p.train.Name() == "svc" && ended {
		above := p.objective(r)/theirs["objective"] - 1
		t.above[p.group] = append(t.above[p.group], above)
		row[len(row)-1] = fmt.Sprintf("%+.1e", above)
	}
	harness.Row(row...)
	return nil
}

// count adds the ratios to peers: those to LIBSVM for each C, γ and set of a group too.
func (p *svmProblem) count(t *svmTally, level string, libsvm, sklearn, intelex float64) {
	name := strings.TrimPrefix(p.group+", "+level, ", ")
	if libsvm > 0 && !math.IsInf(libsvm, 0) {
		t.add(libsvm, name)
		if set, _, _ := strings.Cut(p.name, "/"); p.group != "" {
			t.add(libsvm, fmt.Sprintf("%s, C = %g", name, p.c), fmt.Sprintf("%s, γ·d = %.2g", name, p.gamma*float64(p.set.D)),
				name+", "+set)
		}
	}
	for peer, ratio := range map[string]float64{"scikit-learn": sklearn, "scikit-learn-intelex": intelex} {
		if ratio > 0 {
			t.add(ratio, name+", "+peer)
		}
	}
}

// objective is the dual's, Σα − ½ aᵀKa, in float64 from the coefficients a and the kernel's formula. Equal samples of
// both labels have one coefficient a = α₊ − α₋; their α are as large as C allows.
func (p *svmProblem) objective(r *learn.Result) (sum float64) {
	k, bounds := gram.RBF(p.gamma), map[string][2]float64{}
	add := func(i, y int, v float64) {
		key := fmt.Sprint(p.set.Row(i))
		bound := bounds[key]
		bound[y] += v
		bounds[key] = bound
	}
	for i, y := range p.set.Y {
		add(i, y, p.c)
	}
	for i, a := range r.Coef {
		row := a / 2
		for j, b := range r.Coef[:i] {
			row += b * k.Eval(p.set.Row(r.Support[i]), p.set.Row(r.Support[j]))
		}
		sum -= a * (row + 1)
		add(r.Support[i], 0, a)
	}
	for _, bound := range bounds {
		sum += 2 * min(bound[0], bound[1])
	}
	return sum
}

// withFile writes the set as a file of LIBSVM's format.
func (e *env) withFile(p *svmProblem) (err error) {
	if p.file == "" {
		p.file, err = e.file("svm.libsvm", p.set.WriteLIBSVM)
	}
	return err
}

// train returns the least processor time of trainings by one thread.
func (e *env) train(ctx context.Context, t learn.Trainer, p *learn.Problem) (best float64, r *learn.Result, err error) {
	p.Threads = 1
	best, err = e.Processor(func() (failed error) {
		limited, stop := context.WithTimeout(ctx, trainingLimit*time.Second)
		defer stop()
		r, failed = t.Train(limited, p)
		return failed
	})
	return best, r, err
}

// trainingLimit are the seconds that a training may take, ours or a peer's.
const trainingLimit = 120

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

// libsvm is what LIBSVM prints; ended is false where it takes too long.
func (e *env) libsvm(bin string, p *svmProblem) (theirs map[string]float64, ended bool) {
	if bin == "" {
		return nil, false
	}
	run := func(reps int) (map[string]float64, error) {
		args := []string{p.file}
		for _, v := range []float64{p.c, p.gamma, p.tolerance(), float64(reps), trainingLimit, float64(p.kind), p.nu, p.eps} {
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

// withPythons calls each with the problems of one set, if wished with the times of scikit-learn's SVC, and of its
// extension in the virtual environment.
func (e *env) withPythons(each func(svmProblem) error, wished bool, list ...svmProblem) error {
	if err := e.withFile(&list[0]); err != nil {
		return err
	}
	var cells []string
	for i := range list {
		cells = append(cells, fmt.Sprint(list[i].c, " ", list[i].gamma))
	}
	for k, how := range map[bool][]string{true: {"", "ex"}}[wished] {
		var peer struct{ Seconds []float64 }
		err := e.ask("svc", []string{"OPENBLAS_CORETYPE="}, &peer, append([]string{list[0].file, how,
			fmt.Sprint(list[0].tolerance()), strconv.Itoa(e.Reps), strconv.Itoa(trainingLimit)}, cells...)...)
		if err != nil {
			absent(err)
		}
		for i, seconds := range peer.Seconds {
			list[i].pythons[k] = seconds
		}
	}
	for _, p := range list {
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}

// grid are the sets of both groups with γ of 0.1, 1 and 10 over the number of features, and C of 1 to 1000: see judging
// for most.
func grid(most int, pythons bool, choosing ...string) func(*env, func(svmProblem) error) error {
	return func(e *env, each func(svmProblem) error) error {
		return e.eachSet(groups(judging(most), choosing...), func(group, name string, set *dataset.Set) error {
			p := svmProblem{group: group, name: name, set: set}
			if err := e.withFile(&p); err != nil {
				return err
			}
			var list []svmProblem
			for _, factor := range []float64{0.1, 1, 10} {
				for p.c = 1; p.c <= 1000; p.c *= 10 {
					p.gamma = factor / float64(set.D)
					list = append(list, p)
				}
			}
			return e.withPythons(each, pythons, list...)
		})
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
		p := svmProblem{name: fmt.Sprintf("%s (%d)", l.file, set.N), set: set, gamma: l.gamma, c: l.c, tol: tol}
		if err = e.withPythons(each, true, p); err != nil {
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
	return e.withPythons(each, true, svmProblem{name: fmt.Sprintf("MNIST (%d)", n), set: set, gamma: 0.02, c: 10, tol: 1e-3})
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
