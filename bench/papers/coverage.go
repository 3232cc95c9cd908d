package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["coverage"] = harness.Task{Run: coverageTask,
		About: "how often the interval of a held-out error has the model's true error"}
}

var coverageFlags struct {
	draws int
	sizes string
	of    string
	sets  string
}

func declareCoverage() {
	flag.IntVar(&coverageFlags.draws, "coverage-draws", 500, "coverage: training sets of each problem")
	flag.StringVar(&coverageFlags.sizes, "coverage-sizes", "60,100,60,160,100,300",
		"coverage: numbers of training samples, in turn")
	flag.StringVar(&coverageFlags.of, "coverage-of", "cv,cv-linear,tune,fit",
		"coverage: cv -m svc, with a linear kernel, tune -m svc with its default grid, fit")
	flag.StringVar(&coverageFlags.sets, "coverage-sets", "",
		"coverage: the problems; those that chose the rule begin with \"choose:\"; all without it")
}

// covered sums up the draws of a problem.
type covered struct {
	truth, choice []float64
	choiceIn      int // intervals with the truth
	below, above  int // truths below and above the interval
	width         float64
}

// coverageTask draws training sets of several problems, judges or fits or tunes them, and takes the true error of the
// model of all their samples from 6000 others. An interrupt leaves the draws so far.
func coverageTask(ctx context.Context, _ *harness.Env) error {
	var sizes []int
	for word := range strings.SplitSeq(coverageFlags.sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 20 {
			return fmt.Errorf("-coverage-sizes: found %q, want numbers of at least 20", word)
		}
		sizes = append(sizes, n)
	}
	names := slices.Sorted(maps.Keys(drawnSets))
	if coverageFlags.sets != "" {
		names = strings.Split(coverageFlags.sets, ",")
	}
	harness.Header("command", "problem", "draws", "true error", "estimate", "covers ± standard error", "truth below",
		"above", "width")
	for of := range strings.SplitSeq(coverageFlags.of, ",") {
		judge := judges[of]
		if judge == nil {
			return fmt.Errorf("-coverage-of: found %q, want cv, cv-linear, tune or fit", of)
		}
		for _, name := range names {
			if drawnSets[name] == nil {
				return fmt.Errorf("-coverage-sets: no problem %q", name)
			}
			c, err := judgedDraws(ctx, sizes, drawnSets[name], judge)
			c.print(of, name)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// drawSet makes n samples from a seed.
type drawSet = func(n int, seed uint64) *dataset.Set

// judgedDraws judges draws, as many at a time as there are threads. After an error, or an interrupt, it has the draws
// that ended.
func judgedDraws(ctx context.Context, sizes []int, draw drawSet, judge judgeFunc) (*covered, error) {
	all, failed := make([]*judged, coverageFlags.draws), make([]error, coverageFlags.draws)
	parallel.For(runtime.GOMAXPROCS(0), len(all), func(_, i int) {
		if ctx.Err() == nil {
			all[i], failed[i] = judgedDraw(ctx, sizes[i%len(sizes)], draw, uint64(i), judge)
		}
	})
	c := new(covered)
	for _, j := range all {
		if j != nil {
			c.add(j)
		}
	}
	return c, cmp.Or(append(failed, ctx.Err())...)
}

// judgeFunc makes a model of a set, and judges it by held-out samples of the set.
type judgeFunc func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error)

// judged is a model with what is known of its error.
type judged struct {
	truth    float64 // the error on other samples
	clf      *sparsekm.Classifier
	choice   float64
	interval *metrics.Interval
}

// judges are the commands whose intervals are simulated.
var judges = map[string]judgeFunc{
	"fit": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		o := modelselect.FitOptions{Seed: seed, Time: enough}
		o.Threads = 1
		f, err := modelselect.Fit(ctx, set, o)
		if err != nil {
			return nil, err
		}
		return &judged{clf: f.Classifier, choice: f.ChoiceError, interval: f.Interval}, nil
	},
	"tune": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		return judgedTable(ctx, set, seed, gram.RBF(0), modelselect.Param("c", 0.1, 1, 10, 100, 1000),
			modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
	},
	"cv": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		return judgedTable(ctx, set, seed, gram.RBF(0))
	},
	"cv-linear": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		return judgedTable(ctx, set, seed, gram.Linear())
	},
}

// judgedTable chooses a setting of svc by ten folds.
func judgedTable(ctx context.Context, set *dataset.Set, seed uint64, k gram.Kernel,
	axes ...modelselect.Axis) (*judged, error) {
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: k}, axes...)
	if err != nil {
		return nil, err
	}
	splits, err := modelselect.Folds(set, 10, 1, seed)
	if err != nil {
		return nil, err
	}
	o := modelselect.Options{Threads: 1}
	table, err := modelselect.Evaluate(ctx, set, settings, splits, o)
	if err != nil {
		return nil, err
	}
	t, err := table.Train(ctx, set, modelselect.OneSE, o)
	if err != nil {
		return nil, err
	}
	j := &judged{clf: t.Classifier}
	j.choice, j.interval = table.ChoiceBy(modelselect.OneSE)
	return j, nil
}

// judgedDraw trains a draw.
func judgedDraw(ctx context.Context, n int, draw drawSet, i uint64, judge judgeFunc) (*judged, error) {
	const others, first = 6000, 77777
	all := draw(n+others, first+i)
	rows := make([]int, n+others)
	for i := range rows {
		rows[i] = i
	}
	f, err := judge(ctx, all.Subset(rows[:n]), i)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	f.truth = errorOf(f.clf, all.Subset(rows[n:])) / 100
	f.clf = nil
	return f, nil
}

// add counts a draw.
func (c *covered) add(f *judged) {
	c.truth = append(c.truth, f.truth)
	c.choice = append(c.choice, f.choice)
	c.width += f.interval.High - f.interval.Low
	switch {
	case f.truth < f.interval.Low:
		c.below++
	case f.truth > f.interval.High:
		c.above++
	default:
		c.choiceIn++
	}
}

func (c *covered) print(of, name string) {
	draws := float64(len(c.truth))
	if draws == 0 {
		return
	}
	share := func(k int) string { return fmt.Sprintf("%.1f", 100*float64(k)/draws) }
	mean := func(x []float64) string { return fmt.Sprintf("%.2f", 100*stat.Mean(x, nil)) }
	p := float64(c.choiceIn) / draws
	harness.Row(of, name, strconv.Itoa(len(c.truth)), mean(c.truth), mean(c.choice),
		fmt.Sprintf("%s ± %.1f", share(c.choiceIn), 100*math.Sqrt(p*(1-p)/draws)), share(c.below), share(c.above),
		fmt.Sprintf("%.1f", 100*c.width/draws))
}
