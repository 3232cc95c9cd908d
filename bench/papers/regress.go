package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/widths"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	const about = "every method for regression, tuned in the training part, compared with a tuned ε-SVR"
	experiments["regress"] = harness.Task{About: about, Run: regress}
}

// regressFlags are those of the task regress.
var regressFlags struct {
	draws      int
	only, sets string
}

func declareRegress() {
	f := &regressFlags
	flag.IntVar(&f.draws, "draws", 5, "regress: training sets drawn, or splits made, of each problem")
	flag.StringVar(&f.only, "methods", "", "regress: methods to run in addition to svr, separated by commas; default all")
	flag.StringVar(&f.sets, "problems", "", "regress: problems, by comma, that are run; all without it")
}

// What the command asks of a sparse method, of ε-SVR's figures.
const (
	maxError   = 1.05
	maxVectors = 0.15
)

// valueSet draws training and test samples; test targets of generated sets have no noise.
type valueSet struct {
	name string
	max  int // draws; negative for so many times those asked for
	draw func(ctx context.Context, k int) (train, test *dataset.Set, err error)
}

// sampled is n samples of a generator and 1000 test samples without noise.
func sampled(name string, n, limit int, of func(n int, noise float64, seed uint64) *dataset.Set,
	noise float64) valueSet {
	return valueSet{name, limit, func(_ context.Context, k int) (train, test *dataset.Set, err error) {
		return of(n, noise, uint64(2*k+1)), of(1000, 0, uint64(2*k+2)), nil
	}}
}

func friedman(problem int) func(n int, noise float64, seed uint64) *dataset.Set {
	return func(n int, noise float64, seed uint64) *dataset.Set { return dataset.Friedman(problem, n, noise, seed) }
}

// valueSets are Tipping's (2001, section 4): sinc of 100 samples, also of 1000, and Friedman's of 240; and
// scikit-learn's diabetes, a third of it for tests.
var valueSets = []valueSet{
	sampled("sinc 100", 100, -6, dataset.Sinc, 0.1),
	sampled("friedman 1", 240, 100, friedman(1), 1), sampled("friedman 2", 240, 100, friedman(2), 125),
	sampled("friedman 3", 240, 100, friedman(3), 0.1), {"diabetes", 100, diabetes},
	sampled("sinc 1000", 1000, 1, dataset.Sinc, 0.1), // the longest last
}

// diabetes reads the set from an installed scikit-learn.
func diabetes(ctx context.Context, k int) (train, test *dataset.Set, err error) {
	const program = `import json
from sklearn.datasets import load_diabetes
d = load_diabetes(scaled=False)
print(json.dumps({"x": d.data.tolist(), "y": d.target.tolist()}))`
	out, err := exec.CommandContext(ctx, cmp.Or(os.Getenv("SPARSEKM_PEERS"), "python3"), "-c", program).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: scikit-learn's diabetes: %w", os.ErrNotExist, err)
	}
	var table struct {
		X [][]float64
		Y []float64
	}
	if err = json.Unmarshal(out, &table); err != nil {
		return nil, nil, err
	}
	set := &dataset.Set{N: len(table.X), D: len(table.X[0]), X: slices.Concat(table.X...), Targets: table.Y}
	order := dataset.NewRand(uint64(k + 1)).Perm(set.N)
	third := set.N / 3
	return set.Subset(order[third:]), set.Subset(order[:third]), nil
}

// valueAxes are what a method's grid varies, in units of the targets' standard deviation.
func valueAxes(m learn.Method) (axes []modelselect.Axis) {
	fine := map[string][]float64{"c": {1, 10, 100, 1000}, "gamma_reg": {1, 10, 100, 1000}, "noise": {0.01, 0.1, 1},
		"eta": {1e-2, 1e-3}, "epsilon": {0.1, 0.3}, "nu": {0.1, 0.3, 0.6}}
	switch m.Name {
	case "direct": // its own choice of the rest, and of C up to a hundred times this
		return []modelselect.Axis{modelselect.Param("c", 0.1, 1)}
	case "kmp": // has nothing else
		fine["eta"] = []float64{1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4}
	}
	for _, p := range m.Params() {
		if values, ok := fine[p.Name]; ok {
			axes = append(axes, modelselect.Param(p.Name, values...))
		}
	}
	return append(axes, modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
}

// valueSettings is a method's grid.
func valueSettings(m learn.Method) ([]modelselect.Setting, error) {
	values := learn.Values{}
	if m.Name == "direct" {
		values["tune"] = true
	}
	t, err := m.New(values)
	if err != nil {
		return nil, err
	}
	base := sparsekm.Options{Trainer: t, Kernel: gram.RBF(0), Scale: dataset.ScaleZ, ScaleTarget: true, Threads: 1,
		Gamma: sparsekm.GammaAuto}
	return modelselect.Grid(base, valueAxes(m)...)
}

// rmse trains and returns the root mean squared error on the test samples, and the number of support vectors.
func rmse(ctx context.Context, o sparsekm.Options, train, test *dataset.Set) (off float64, sv int, err error) {
	clf, _, err := sparsekm.Train(ctx, train, o)
	if err != nil {
		return math.Inf(1), 0, ctx.Err() // a setting that cannot be trained is not chosen
	}
	r, err := sparsekm.Evaluate(ctx, clf, test, 1)
	if err != nil {
		return math.Inf(1), 0, ctx.Err()
	}
	return *r.Regression.RMSE, clf.NumVectors(), nil
}

// once is o with widths that are learned once per γ, the same ones for all settings.
func once(ctx context.Context, o sparsekm.Options, learnt map[float64]gram.Kernel) sparsekm.Options {
	if !o.LearnWidths {
		return o
	}
	o.LearnWidths = false
	o.KernelOf = func(p *learn.Problem) (k gram.Kernel, err error) {
		k, ok := learnt[p.Kernel.Gamma]
		if !ok {
			if k, err = widths.Learn(ctx, p); err == nil {
				learnt[p.Kernel.Gamma] = k
			}
		}
		return k, err
	}
	return o
}

// tuneValues chooses by five folds. Among the settings whose mean squared error is at most so many standard errors of
// the folds above the least it takes the one with the fewest support vectors: the rule of [modelselect.OneSE] for 1.
func tuneValues(ctx context.Context, set *dataset.Set, all []modelselect.Setting,
	errors float64) (sparsekm.Options, error) {
	const folds = 5
	off, sv := make([][]float64, len(all)), make([]int, len(all))
	for f := range folds {
		in, out := deal.Parts(byRow(set.N, folds), f)
		train, held := set.Subset(in), set.Subset(out)
		learnt := make(map[float64]gram.Kernel)
		for i := range all {
			e, n, err := rmse(ctx, once(ctx, all[i].Options, learnt), train, held)
			if err != nil {
				return sparsekm.Options{}, err
			}
			off[i], sv[i] = append(off[i], e*e), sv[i]+n
		}
	}
	smallest, largest := math.Inf(1), 0.0
	for _, e := range off {
		if mean, sd := stat.MeanStdDev(e, nil); mean < smallest {
			smallest, largest = mean, mean+errors*sd/math.Sqrt(folds)
		}
	}
	best := -1
	for i, e := range off {
		if stat.Mean(e, nil) <= largest && (best < 0 || sv[i] < sv[best]) {
			best = i
		}
	}
	if best < 0 {
		return sparsekm.Options{}, errNoSetting
	}
	return all[best].Options, nil
}

var errNoSetting = errors.New("no setting has a finite error")

// withWidths marks a method whose folds also choose whether widths are learned first; widenable are those tried so.
const withWidths = " --widths"

var widenable = []string{"rvm", "rvm-fast", "ssvr-a", "ssvr-b"}

// valueCell is a method's result on a problem, sums over draws.
type valueCell struct{ off, sv, seconds float64 }

// regress trains every method on every problem, and prints or writes the page and its rows.
func regress(ctx context.Context, e *harness.Env) error {
	var rows [][]string
	for _, s := range valueSets {
		if !listed(regressFlags.sets, s.name) {
			continue
		}
		more, err := s.rows(ctx)
		if errors.Is(err, os.ErrNotExist) && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		if err != nil {
			return err
		}
		rows = append(rows, more...)
		if err = writeRegress(e, rows); err != nil { // what is there, should the rest be stopped
			return err
		}
	}
	return nil
}

// writeRegress writes the page and its rows; without a folder it prints the last rows.
func writeRegress(e *harness.Env, rows [][]string) error {
	page, file, err := regressPage(rows)
	if err != nil {
		return err
	}
	page = fmt.Sprintf("# Regression\n\nWritten by `go run ./bench/papers -out docs -draws %d regress` on %s, "+
		"level %s, %s.\n",
		regressFlags.draws, cpuid.CPU.BrandName, cpu.Active(), runtime.Version()) + page
	if e.Out == "" {
		fmt.Print(page, "\n", file)
		return nil
	}
	if err = os.WriteFile(filepath.Join(e.Out, "results", "regress.tsv"), []byte(file), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(e.Out, "performance", "regress.md"), []byte(page), 0o666)
}

func (s *valueSet) draws() int {
	if s.max < 0 {
		return -s.max * regressFlags.draws
	}
	return min(s.max, regressFlags.draws)
}

// table has a row a method, ε-SVR first.
// rows are those of every method on the problem, in the order of their support vectors.
func (s *valueSet) rows(ctx context.Context) (rows [][]string, err error) {
	cells := make(map[string]*valueCell)
	var names []string
	for _, m := range learn.Methods() {
		if m.Takes(learn.Regress) && (m.Name == "svr" || listed(regressFlags.only, m.Name)) {
			names = append(names, m.Name)
			if slices.Contains(widenable, m.Name) {
				names = append(names, m.Name+withWidths)
			}
		}
	}
	for _, name := range names {
		cells[name] = &valueCell{}
	}
	for k := range s.draws() {
		train, test, err := s.draw(ctx, k)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := cells[name].add(ctx, name, train, test); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", s.name, name, err)
			}
			fmt.Fprintf(os.Stderr, "%s, draw %d: %s %+v\n", s.name, k, name, *cells[name])
		}
	}
	base := cells["svr"]
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(-cmp.Compare(cells[a].sv, cells[b].sv), strings.Compare(a, b))
	})
	for _, name := range names {
		c, n, within := cells[name], float64(s.draws()), ""
		off, share := c.off/base.off, c.sv/base.sv
		if off <= maxError && share <= maxVectors {
			within = "yes"
		}
		rows = append(rows, []string{s.name, strconv.Itoa(s.draws()), name, fmt.Sprintf("%.4g", c.off/n),
			fmt.Sprintf("%.3f", off), fmt.Sprintf("%.1f", c.sv/n), fmt.Sprintf("%.1f", 100*share),
			fmt.Sprintf("%.2g", c.seconds/n), within})
	}
	return rows, nil
}

func (c *valueCell) add(ctx context.Context, name string, train, test *dataset.Set) error {
	name, learnt := strings.CutSuffix(name, withWidths)
	m, err := learn.Lookup(name)
	if err != nil {
		return err
	}
	all, err := valueSettings(m)
	if err != nil {
		return err
	}
	if learnt && train.D > 1 { // of one feature they are what γ is
		for _, s := range slices.Clone(all) {
			s.Options.LearnWidths = true
			all = append(all, s)
		}
	}
	begin := processor.Seconds()
	rule := 1.0 // that of tune
	if name == "svr" {
		rule = 0
	}
	best, err := tuneValues(ctx, train, all, rule)
	if err != nil {
		return err
	}
	off, sv, err := rmse(ctx, best, train, test)
	c.off, c.sv, c.seconds = c.off+off, c.sv+float64(sv), c.seconds+processor.Seconds()-begin
	return err
}
