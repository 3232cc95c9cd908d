package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	compare("grid-svc", "C-SVC at every C and γ of a grid, z-scored, against LIBSVM's, processor time", gridSVC)
}

// libsvmLimit is how many seconds LIBSVM has for a cell.
const libsvmLimit = 60

// svcSets are the sets of the grid; waveform is its first class against the rest.
var svcSets = []struct {
	name string
	load func(*env) (*learn.Problem, error)
}{
	{"banana-5300", func(e *env) (*learn.Problem, error) { return e.problem("banana.libsvm", true, gram.RBF(1)) }},
	{"ringnorm-7400", func(e *env) (*learn.Problem, error) { return e.problem("ringnorm.libsvm.gz", true, gram.RBF(1)) }},
	{"german", func(e *env) (*learn.Problem, error) { return e.problem("german.libsvm", true, gram.RBF(1)) }},
	{"waveform-5000", func(*env) (*learn.Problem, error) { return generated(dataset.Waveform(5000, 1)) }},
	{"twonorm-7400", func(*env) (*learn.Problem, error) { return generated(dataset.Twonorm(7400, 1)) }},
}

// generated states a drawn set, z-scored, its first class against the rest.
func generated(set *dataset.Set) (*learn.Problem, error) {
	s, err := dataset.FitZ(set)
	if err != nil {
		return nil, err
	}
	set = s.Apply(set)
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: make([]float64, set.N)}
	for i, c := range set.Y {
		p.Y[i] = -1
		if c == 0 {
			p.Y[i] = 1
		}
	}
	return p, nil
}

// gridSVC prints one row a cell, with our times at each level. A LIBSVM that did not end in its time stands with a >
// before what it had.
func gridSVC(ctx context.Context, e *env) error {
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	header := []string{"set", "γ / scale", "C"}
	for _, l := range simdLevels() {
		header = append(header, l.String()+" ms", "ratio")
	}
	harness.Header(append(header, fmt.Sprintf("LIBSVM, ms (at most %d s)", libsvmLimit), "status",
		"SVs", "bounded", "sets", "steps", "bits", "gap", "dual objective above LIBSVM's")...)
	ratios := make([][]float64, len(simdLevels()))
	for _, set := range svcSets {
		for _, factor := range []float64{0.1, 1, 10} {
			for _, c := range []float64{0.01, 0.1, 1, 10, 100, 1000, 1e5} {
				p, err := set.load(e)
				if err != nil {
					return err
				}
				p.Kernel = gram.RBF(factor / float64(p.D))
				t, err := e.task(set.name, c, p)
				if err != nil {
					return err
				}
				row, of, err := gridCell(ctx, e, libsvm, t)
				if err != nil {
					return err
				}
				for l, r := range of {
					ratios[l] = append(ratios[l], r)
				}
				harness.Row(append([]string{set.name, fmt.Sprint(factor), fmt.Sprint(c)}, row...)...)
			}
		}
	}
	fmt.Println()
	for l, level := range simdLevels() {
		if len(ratios[l]) > 0 {
			summary(level.String(), ratios[l])
		}
	}
	return nil
}

// simdLevels are the levels of this host with assembly, or the one that the environment names.
func simdLevels() []cpu.Level {
	levels := cpu.Available()
	if os.Getenv(cpu.EnvVar) != "" || len(levels) == 1 {
		return []cpu.Level{cpu.Active()}
	}
	return levels[1:]
}

// summary prints what a level's ratios amount to.
func summary(level string, ratios []float64) {
	slices.Sort(ratios)
	sum, below8, below5 := 0.0, 0, 0
	for _, r := range ratios {
		sum += math.Log(r)
		if r < 8 {
			below8++
		}
		if r < 5 {
			below5++
		}
	}
	fmt.Printf("%s: geometric mean %.1f, least %.1f, median %.1f; %d of %d below 8, %d below 5\n", level,
		math.Exp(sum/float64(len(ratios))), ratios[0], ratios[len(ratios)/2], below8, len(ratios), below5)
}

// gridCell trains t by both programs, by ours at each level.
func gridCell(ctx context.Context, e *env, libsvm string, t *task) (row []string, ratios []float64, err error) {
	theirs, objective, ended := e.libsvmWithin(libsvm, t)
	mark, r := "", (*learn.Result)(nil)
	if !ended {
		mark = "> "
	}
	for _, l := range simdLevels() {
		restore := cpu.Use(l)
		var ours float64
		ours, r, err = e.svcProcessor(ctx, t)
		restore()
		if err != nil {
			return nil, nil, err
		}
		row = append(row, ms(ours), "-")
		if theirs > 0 {
			ratios = append(ratios, theirs/ours)
			row[len(row)-1] = fmt.Sprintf("%s%.1f", mark, theirs/ours)
		}
	}
	row = append(row, "-")
	if theirs > 0 {
		row[len(row)-1] = mark + ms(theirs)
	}
	f, d := r.Report.Figures.(svc.Figures), r.Report.Duality
	row = append(row, r.Report.Status.String(), strconv.Itoa(len(r.Support)), strconv.Itoa(f.BoundedSV),
		strconv.Itoa(f.WorkingSets), strconv.Itoa(r.Report.InnerIterations), strconv.Itoa(f.KernelBits),
		fmt.Sprintf("%.0e", d.Gap))
	if !ended {
		return append(row, "-"), ratios, nil
	}
	return append(row, fmt.Sprintf("%+.0e", (d.Objective-objective)/objective)), ratios, nil
}

// svcProcessor trains e.Reps times, more often where that is soon done, and returns the least processor time.
func (e *env) svcProcessor(ctx context.Context, t *task) (best float64, r *learn.Result, err error) {
	t.p.Threads = 1
	best = math.Inf(1)
	for run, spent := 0, 0.0; run < e.Reps || spent < shortRuns && run < maxRuns; run++ {
		start := processor.Seconds()
		if r, err = (svc.Trainer{C: t.c}).Train(ctx, t.p); err != nil {
			return 0, nil, err
		}
		took := processor.Seconds() - start
		best, spent = min(best, took), spent+took
	}
	return best, r, nil
}

// Short trainings are noisy: they are repeated for so many seconds, so often at most.
const (
	shortRuns = 0.3
	maxRuns   = 50
)

// libsvmWithin is LIBSVM's least processor time and dual objective. When it does not end within the limit,
// once, it has taken the limit at least.
func (e *env) libsvmWithin(bin string, t *task) (seconds, objective float64, ended bool) {
	if bin == "" {
		return 0, 0, false
	}
	out, err := exec.Command(bin, append(t.args(1e-3, 1), strconv.Itoa(libsvmLimit))...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return failed.SystemTime().Seconds() + failed.UserTime().Seconds(), 0, false
	}
	f := figures(string(out), err)
	if once := f["processor"]; e.Reps > 1 && once < libsvmLimit/60.0 {
		reps := min(maxRuns, max(e.Reps, int(shortRuns/once)))
		out, err = exec.Command(bin, t.args(1e-3, reps)...).Output()
		if again := figures(string(out), err); again != nil {
			f = again
		}
	}
	return f["processor"], f["objective"], f != nil
}
