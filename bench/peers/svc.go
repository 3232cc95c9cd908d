package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	compare("svc", "C-SVC training at tolerance 1e-3, kernel from scratch, one thread", svcSpeed)
	compare("svc-dual", "C-SVC dual objective at tolerance 1e-6", svcDual)
	compare("svc-scale", "C-SVC on MNIST '3 against the rest', growing, all cores against LIBSVM's one", svcScale)
}

var coreTypes = []string{"SKYLAKEX", "COOPERLAKE", "ZEN", "HASWELL"}

func svcSpeed(ctx context.Context, e *env) error {
	const tol = 1e-3
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	var rows [][]string
	for _, load := range []func(*env) (*task, error){
		bananaTask(1), bananaTask(316), ringnormTask(5000), digitsTask(6000),
		setTask("banana-1000", "banana-1000.libsvm", false, 1, 1),
		setTask("german", "german.libsvm", true, 3.16, 0.018),
		setTask("ringnorm-1000", "ringnorm-1000.libsvm", false, 1, 0.05),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		t.p.Threads = 1
		var r *learn.Result
		ours := e.Best(func() { r, err = svc.Trainer{C: t.c, Tolerance: tol}.Train(ctx, t.p) })
		if err != nil {
			return err
		}
		row := []string{fmt.Sprintf("%s, γ=%v, C=%v", t.name, t.gamma, t.c), ms(ours)}
		row = append(row, peerCells(ours, e.libsvm(libsvm, t, tol))...)
		row = append(row, peerCells(ours, e.sklearn(t, tol))...)
		row = append(row, peerCells(ours, e.intelex(t, tol))...)
		rows = append(rows, append(row, strconv.Itoa(len(r.Support)), fmt.Sprintf("%.7g", r.Report.Duality.Objective)))
	}
	harness.Table([]string{"set", "ours, ms", "LIBSVM", "ratio", "scikit-learn", "ratio", "scikit-learn-intelex", "ratio",
		"our SVs", "our dual objective"}, rows)
	return nil
}

func svcDual(ctx context.Context, e *env) error {
	const tol = 1e-6
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	var rows [][]string
	for _, load := range []func(*env) (*task, error){
		bananaTask(1), bananaTask(10), bananaTask(316),
		setTask("german", "german.libsvm", true, 3.16, 0.018),
		ringnormTask(5000),
		setTask("diabetis", "diabetis.libsvm", true, 1, 0.125),
		setTask("heart", "heart.libsvm", true, 1, 0.07),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		t.p.Threads = 1
		var r *learn.Result
		ours := e.Best(func() { r, err = svc.Trainer{C: t.c, Tolerance: tol}.Train(ctx, t.p) })
		if err != nil {
			return err
		}
		rep := r.Report.Duality
		row := []string{fmt.Sprintf("%s, γ=%v, C=%v", t.name, t.gamma, t.c), ms(ours), fmt.Sprintf("%.1e", rep.Gap),
			fmt.Sprintf("%.12g", rep.Objective)}
		if f := e.libsvm(libsvm, t, tol); f != nil {
			row = append(row, ms(f["seconds"]), fmt.Sprintf("%.12g", f["objective"]),
				fmt.Sprintf("%+.1e", (rep.Objective-f["objective"])/f["objective"]))
		} else {
			row = append(row, "-", "-", "-")
		}
		rows = append(rows, row)
	}
	harness.Table([]string{"set", "ours, ms", "our relative gap", "our dual objective", "LIBSVM -e 1e-6, ms",
		"its dual objective", "ours is better by"}, rows)
	return nil
}

func svcScale(ctx context.Context, e *env) error {
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
		one := e.once()
		ours := e.Best(func() { r, err = svc.Trainer{C: t.c}.Train(ctx, t.p) })
		if err != nil {
			return err
		}
		row := []string{strconv.Itoa(n), fmt.Sprintf("%.2f", ours), strconv.Itoa(len(r.Support)),
			fmt.Sprint(r.Report.Figures.(svc.Figures).RowsComputed), resident()}
		if n <= 12000 { // beyond, LIBSVM takes minutes to hours
			if f := one.libsvm(libsvm, t, 1e-3); f != nil {
				row = append(row, fmt.Sprintf("%.2f", f["seconds"]), fmt.Sprintf("%.1f", f["seconds"]/ours))
				rows = append(rows, row)
				continue
			}
		}
		rows = append(rows, append(row, "-", "-"))
	}
	harness.Table([]string{"n", "ours, s", "SVs", "rows computed", "peak resident memory", "LIBSVM, s", "ratio"}, rows)
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

// libsvm, sklearn and intelex return what the peer prints, nil when it is not here.
func (e *env) libsvm(bin string, t *task, tol float64) map[string]float64 {
	if bin == "" {
		return nil
	}
	out, err := exec.Command(bin, t.args(tol, e.Reps)...).Output()
	return figures(string(out), err)
}

func (e *env) sklearn(t *task, tol float64) map[string]float64 {
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
	if best != nil && e.Reps > 1 {
		run(coreType, e.Reps)
	}
	return best
}

func (e *env) intelex(t *task, tol float64) map[string]float64 {
	if os.Getenv("SPARSEKM_PEERS") == "" {
		return nil
	}
	out, err := e.python(os.Getenv("SPARSEKM_PEERS"), "svc.py", nil, append(t.args(tol, e.Reps), "ex")...)
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
