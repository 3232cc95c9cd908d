package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/mnist"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	comparisons["svc"] = comparison{"C-SVC training at tolerance 1e-3, kernel from scratch, one thread", svcSpeed}
	comparisons["svc-dual"] = comparison{"C-SVC dual objective at tolerance 1e-6", svcDual}
	comparisons["svc-scale"] = comparison{"C-SVC on MNIST '3 against the rest', growing, all cores against LIBSVM's one", svcScale}
}

// svcTask is one training: points on disk for the peers and in memory for us.
type svcTask struct {
	name     string
	c, gamma float64
	p        *learn.Problem
	file     string
}

var coreTypes = []string{"SKYLAKEX", "COOPERLAKE", "ZEN", "HASWELL"}

func svcSpeed(e *env) error {
	const tol = 1e-3
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	var rows [][]string
	for _, load := range []func(*env) (*svcTask, error){
		bananaTask(1), bananaTask(316), ringnormTask(5000), digitsTask(6000),
		smallTask("banana-1000", "open/banana-1000.libsvm", false, 1, 1),
		smallTask("german", "open/german.libsvm", true, 3.16, 0.018),
		smallTask("ringnorm-1000", "open/ringnorm-1000.libsvm", false, 1, 0.05),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		t.p.Threads = 1
		var r *learn.Result
		ours := e.best(func() { r, err = svc.Trainer{C: t.c, Tolerance: tol}.Train(context.Background(), t.p) })
		if err != nil {
			return err
		}
		row := []string{fmt.Sprintf("%s, γ=%v, C=%v", t.name, t.gamma, t.c), ms(ours)}
		row = append(row, peerCells(ours, e.libsvm(libsvm, t, tol))...)
		row = append(row, peerCells(ours, e.sklearn(t, tol))...)
		row = append(row, peerCells(ours, e.intelex(t, tol))...)
		rows = append(rows, append(row, strconv.Itoa(len(r.Support)), fmt.Sprintf("%.7g", r.Report.DualObjective)))
	}
	table([]string{"set", "ours, ms", "LIBSVM", "ratio", "scikit-learn", "ratio", "scikit-learn-intelex", "ratio", "our SVs", "our dual objective"}, rows)
	return nil
}

func svcDual(e *env) error {
	const tol = 1e-6
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	var rows [][]string
	for _, load := range []func(*env) (*svcTask, error){
		bananaTask(1), bananaTask(10), bananaTask(316),
		smallTask("german", "open/german.libsvm", true, 3.16, 0.018),
		ringnormTask(5000),
		smallTask("diabetis", "open/diabetis.libsvm", true, 1, 0.125),
		smallTask("heart", "open/heart.libsvm", true, 1, 0.07),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		t.p.Threads = 1
		var r *learn.Result
		ours := e.best(func() { r, err = svc.Trainer{C: t.c, Tolerance: tol}.Train(context.Background(), t.p) })
		if err != nil {
			return err
		}
		rep := r.Report
		row := []string{fmt.Sprintf("%s, γ=%v, C=%v", t.name, t.gamma, t.c), ms(ours), fmt.Sprintf("%.1e", rep.Gap), fmt.Sprintf("%.12g", rep.DualObjective)}
		if f := e.libsvm(libsvm, t, tol); f != nil {
			row = append(row, ms(f["seconds"]), fmt.Sprintf("%.12g", f["objective"]), fmt.Sprintf("%+.1e", (rep.DualObjective-f["objective"])/f["objective"]))
		} else {
			row = append(row, "-", "-", "-")
		}
		rows = append(rows, row)
	}
	table([]string{"set", "ours, ms", "our relative gap", "our dual objective", "LIBSVM -e 1e-6, ms", "its dual objective", "ours is better by"}, rows)
	return nil
}

func svcScale(e *env) error {
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	var rows [][]string
	for _, n := range []int{6000, 12000, 24000, 60000} {
		t, err := digitsTask(n)(e)
		if err != nil {
			return err
		}
		t.p.Memory = 4 << 30
		var r *learn.Result
		one := env{reps: 1}
		ours := one.best(func() { r, err = svc.Trainer{C: t.c}.Train(context.Background(), t.p) })
		if err != nil {
			return err
		}
		row := []string{strconv.Itoa(n), fmt.Sprintf("%.2f", ours), strconv.Itoa(len(r.Support)), fmt.Sprint(r.Report.Extra["rows_computed"]), resident()}
		if n <= 12000 { // beyond, LIBSVM takes minutes to hours
			single := *e
			single.reps = 1
			if f := single.libsvm(libsvm, t, 1e-3); f != nil {
				row = append(row, fmt.Sprintf("%.2f", f["seconds"]), fmt.Sprintf("%.1f", f["seconds"]/ours))
				rows = append(rows, row)
				continue
			}
		}
		rows = append(rows, append(row, "-", "-"))
	}
	table([]string{"n", "ours, s", "SVs", "rows computed", "peak resident memory", "LIBSVM, s", "ratio"}, rows)
	return nil
}

// resident is the process's peak resident memory, where /proc tells.
func resident() string {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "-"
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(v)
		}
	}
	return "-"
}

func ms(seconds float64) string { return fmt.Sprintf("%.2f", 1e3*seconds) }

// peerCells are a peer's time in ms and how many times longer it is than ours.
func peerCells(ours float64, f map[string]float64) []string {
	if f == nil {
		return []string{"-", "-"}
	}
	return []string{ms(f["seconds"]), fmt.Sprintf("%.1f", f["seconds"]/ours)}
}

func bananaTask(c float64) func(*env) (*svcTask, error) {
	return smallTask("banana-5300", "open/banana.libsvm", false, c, 1)
}

// smallTask reads a set of the shared data.
func smallTask(name, path string, standardise bool, c, gamma float64) func(*env) (*svcTask, error) {
	return func(e *env) (*svcTask, error) {
		set, err := dataset.ReadFile(filepath.Join(e.data, path), dataset.Options{})
		if err != nil {
			return nil, err
		}
		if standardise {
			s, err := dataset.FitZ(set)
			if err != nil {
				return nil, err
			}
			set = s.Apply(set)
		}
		y, err := set.Signs()
		if err != nil {
			return nil, err
		}
		return e.task(name, c, &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBF(gamma)})
	}
}

func ringnormTask(n int) func(*env) (*svcTask, error) {
	return func(e *env) (*svcTask, error) {
		t, err := smallTask("", "open/ringnorm.libsvm.gz", false, 1, 0.05)(e)
		if err != nil {
			return nil, err
		}
		p := t.p
		p.N, p.X, p.Y = n, p.X[:n*p.D], p.Y[:n]
		return e.task(fmt.Sprintf("ringnorm-%d", n), 1, p)
	}
}

// digitsTask is MNIST's "3 against the rest", the first n training images with pixels in [0, 1].
func digitsTask(n int) func(*env) (*svcTask, error) {
	return func(e *env) (*svcTask, error) {
		dir := filepath.Join(e.data, "open", "mnist")
		d, err := mnist.Read(filepath.Join(dir, "train-images-idx3-ubyte.gz"), filepath.Join(dir, "train-labels-idx1-ubyte.gz"), n)
		if err != nil {
			return nil, err
		}
		return e.task(fmt.Sprintf("MNIST-%d", n), 10, &learn.Problem{X: d.X, N: n, D: mnist.Pixels, Y: d.Against(3), Kernel: gram.RBF(0.02)})
	}
}

// task writes the points for the peers, zeros left out.
func (e *env) task(name string, c float64, p *learn.Problem) (*svcTask, error) {
	t := &svcTask{name: name, c: c, gamma: p.Kernel.Gamma, p: p, file: filepath.Join(e.tmp, "svc.libsvm")}
	f, err := os.Create(t.file)
	if err != nil {
		return nil, err
	}
	set := &dataset.Set{X: p.X, N: p.N, D: p.D, Y: make([]int, p.N), Labels: []string{"-1", "1"}}
	for i, y := range p.Y {
		if y > 0 {
			set.Y[i] = 1
		}
	}
	if err := set.WriteLIBSVM(f); err != nil {
		f.Close()
		return nil, err
	}
	return t, f.Close()
}

func (t *svcTask) args(tol float64, reps int) []string {
	return []string{t.file, fmt.Sprint(t.c), fmt.Sprint(t.gamma), fmt.Sprint(tol), strconv.Itoa(reps)}
}

// libsvm, sklearn and intelex return what the peer prints, nil when it is not here.
func (e *env) libsvm(bin string, t *svcTask, tol float64) map[string]float64 {
	if bin == "" {
		return nil
	}
	out, err := exec.Command(bin, t.args(tol, e.reps)...).Output()
	return figures(string(out), err)
}

func (e *env) sklearn(t *svcTask, tol float64) map[string]float64 {
	best, coreType := map[string]float64(nil), ""
	run := func(core string, reps int) {
		out, err := e.python("/usr/bin/python3", "svc.py", []string{"OPENBLAS_CORETYPE=" + core}, t.args(tol, reps)...)
		if f := figures(out, err); f != nil && (best == nil || f["seconds"] < best["seconds"]) {
			best, coreType = f, core
		}
	}
	for _, core := range coreTypes { // OpenBLAS's own choice can be several times slower
		run(core, 1)
	}
	if best != nil && e.reps > 1 {
		run(coreType, e.reps)
	}
	return best
}

func (e *env) intelex(t *svcTask, tol float64) map[string]float64 {
	if os.Getenv("SPARSEKM_PEERS") == "" {
		return nil
	}
	out, err := e.python(os.Getenv("SPARSEKM_PEERS"), "svc.py", nil, append(t.args(tol, e.reps), "ex")...)
	return figures(out, err)
}

// figures parses lines of "name value".
func figures(out string, err error) map[string]float64 {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		return nil
	}
	f := map[string]float64{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			v = math.NaN()
		}
		f[name] = v
	}
	return f
}
