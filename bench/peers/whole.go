package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("whole", "whole commands on one thread: `sparsekm train -m svc` against svm-train, processor time", runWhole)
}

var (
	wholeOnly = flag.String("whole-sets", "", "whole: sets to run, comma-separated; all by default")
	wholeMore = flag.Bool("whole-cells", true, "whole: every C and γ of the grid; else C = 1 and 10 at γ = scale")
)

// wholeSets are sets of 2000 to 8000 samples; of waveform and of the sequences the first class is against the rest.
var wholeSets = []struct {
	name string
	load func(*env) (*dataset.Set, error)
}{
	{"banana-5300", func(e *env) (*dataset.Set, error) { return e.Set("banana.libsvm") }},
	{"ringnorm-7400", func(e *env) (*dataset.Set, error) { return e.Set("ringnorm.libsvm.gz") }},
	{"twonorm-7400", func(*env) (*dataset.Set, error) { return dataset.Twonorm(7400, 1), nil }},
	{"twonorm-2000", func(*env) (*dataset.Set, error) { return dataset.Twonorm(2000, 2), nil }},
	{"waveform-5000", func(*env) (*dataset.Set, error) { return dataset.Waveform(5000, 1), nil }},
	{"sequences-3175", func(*env) (*dataset.Set, error) { return sequences(3175, 60), nil }},
}

// sequences are rows of letters, coded by 1 to 4 as in the set splice: in the class, the ten letters around the middle
// are those of a motif three times in four, and in a third of the rest too, with one letter in two.
func sequences(n, d int) *dataset.Set {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	set := &dataset.Set{X: make([]float64, n*d), N: n, D: d, Y: make([]int, n), Labels: []string{"-1", "1"}}
	for i := range n {
		set.Y[i] = i % 2
		share := 0.25
		if set.Y[i] == 1 {
			share = 0.75
		} else if rng.IntN(3) == 0 {
			share = 0.5
		}
		for j := range d {
			letter := rng.IntN(4)
			if at := j - d/2 + 5; at >= 0 && at < 10 && rng.Float64() < share {
				letter = at * at % 4
			}
			set.X[i*d+j] = float64(1 + letter)
		}
	}
	return set
}

// runWhole prints a row a cell: from the start of a process to its end, with the model written.
func runWhole(ctx context.Context, e *env) error {
	ours, err := e.build(ctx)
	if err != nil {
		return err
	}
	theirs, err := exec.LookPath("svm-train")
	if err != nil {
		return err
	}
	if err = os.Setenv("GOMAXPROCS", "1"); err != nil { // of the commands
		return err
	}
	start, _, err := commandSeconds(ctx, 20*e.Reps, []string{string(ours), "version"})
	if err != nil {
		return err
	}
	fmt.Printf("`sparsekm version`: %.1f ms\n\n", 1e3*start)
	harness.Header("set", "γ / scale", "C", "ms", "svm-train, ms", "ratio")
	var ratios []float64
	for _, s := range wholeSets {
		if *wholeOnly != "" && !slices.Contains(strings.Split(*wholeOnly, ","), s.name) {
			continue
		}
		set, err := s.load(e)
		if err != nil {
			return err
		}
		file, err := e.wholeFile(s.name, set)
		if err != nil {
			return err
		}
		w := &wholeSet{s.name, file, set.D, [2]string{string(ours), theirs}}
		for _, factor := range []float64{0.1, 1, 10} {
			for _, c := range []float64{0.1, 1, 10, 100, 1000} {
				if !*wholeMore && (factor != 1 || c != 1 && c != 10) {
					continue
				}
				ratio, err := w.cell(ctx, e, factor, c)
				if err != nil {
					return err
				}
				ratios = append(ratios, ratio)
			}
		}
	}
	summariseRatios(ratios)
	return nil
}

// summariseRatios prints their geometric mean, their least and their median.
func summariseRatios(ratios []float64) {
	if len(ratios) == 0 {
		return
	}
	slices.Sort(ratios)
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	fmt.Printf("\n%d cells: geometric mean %.1f, least %.1f, median %.1f\n", len(ratios),
		math.Exp(sum/float64(len(ratios))), ratios[0], ratios[len(ratios)/2])
}

// wholeFile writes a set in units of its deviations, as LIBSVM text, of two classes.
func (e *env) wholeFile(name string, set *dataset.Set) (string, error) {
	s, err := dataset.FitZ(set)
	if err != nil {
		return "", err
	}
	two := *s.Apply(set)
	two.Y, two.Labels = slices.Clone(set.Y), []string{"-1", "1"}
	for i, class := range set.Y {
		two.Y[i] = min(class, 1)
	}
	return e.file(name+".libsvm", func(w io.Writer) error { return two.WriteLIBSVM(w) })
}

// wholeSet is a file for both commands.
type wholeSet struct {
	name, file string
	d          int
	commands   [2]string // ours and LIBSVM's
}

// cell runs both commands in turns, and prints the least times.
func (w *wholeSet) cell(ctx context.Context, e *env, factor, c float64) (ratio float64, err error) {
	gamma, cost := fmt.Sprint(factor/float64(w.d)), fmt.Sprint(c)
	model := filepath.Join(e.Tmp, "whole.model")
	took := [2]float64{math.Inf(1), math.Inf(1)}
	for range max(1, e.Reps) {
		for k, args := range [][]string{
			{w.commands[0], "train", "-m", "svc", "--scale", "none", "--c", cost, "--gamma", gamma, "--force",
				"-o", model, w.file},
			{w.commands[1], "-q", "-c", cost, "-g", gamma, w.file, model + ".libsvm"},
		} {
			if k == 1 && took[1] < math.Inf(1) && took[1] > 2 {
				continue // once says enough
			}
			seconds, _, err := commandSeconds(ctx, 1, args)
			if err != nil {
				return 0, err
			}
			took[k] = min(took[k], seconds)
		}
	}
	ratio = took[1] / took[0]
	harness.Row(w.name, fmt.Sprint(factor), cost, ms(took[0]), ms(took[1]), fmt.Sprintf("%.1f", ratio))
	return ratio, nil
}
